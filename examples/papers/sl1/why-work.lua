-- Do threads have too little to do here?  300 accesses are monitored, which
-- are nothing of the paper's inputs and much of ours: here 30 are (early), as
-- if a thread had ten times the input, with 512 threads and more.  Threads of
-- sl1_mm and sl1_kmeans leave their loop after an element of C or a particle
-- at the earliest, and have two or three of these: here eight and 24 or more,
-- and matrices of 23 KB each instead of 11.
local common = require "common"

local function mean(name)
  return function(t) return t[name]:mean("bench", "arithmetic") end
end

local function over(column, under)
  return function(t)
    return common.best(t):normalise({ scheme = under }, "inverse")
      :at { scheme = column }
  end
end

local function more(name)
  return function(t)
    return (common.at_best(t, t[name]):normalise { scheme = "l1" } - 1)
      :at { scheme = "early" }
  end
end

return common.experiment {
  name = "sl1_why_work",
  doc = "S-L1 with less monitoring, and larger matrices",
  schemes = { "none", "l1", "early" }, more = common.more,
  filter = function(p)
    return not p.scheme.transform or p.threads >= common.many
  end,
  metrics = { "monitoring", "executed", "issued", "hits" },
  derive = {
    speedup = common.speedup, mean = mean "speedup",
    over_l1 = over("early", "l1"), mean_over_l1 = mean "over_l1",
    share = function(t)
      return common.at_best(t, t.monitoring):at { scheme = "early" }
    end,
    mean_share = mean "share",
    issued_more = more "issued", executed_more = more "executed",
  },
  figures = { { column = "speedup", by = "bench", mean = "arithmetic",
                y = "Speedup over no L1" },
              { column = "share", by = "bench", mean = "arithmetic",
                title = "Share of simulateCache() in instructions" } },
}
