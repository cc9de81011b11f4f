-- Why S-L1 hardly makes BigKernel faster: data comes more slowly than kernels
-- take it, and each piece is a launch that monitors anew.  Here the link and
-- the gathering are ten times as fast (fast), threads monitor 30 accesses
-- instead of 300 (early), and both.
local loom = require "warploom"
local common = require "common"
local streamed = require "streamed"

local normal = loom.sl1 { restricted = common.restricted }
local early = loom.sl1 { restricted = common.restricted, threshold = 30 }

local schemes = {}
for _, one in ipairs { { "plain" }, { "sl1", normal }, { "early", early } } do
  for _, faster in ipairs { 1, 10 } do
    schemes[#schemes + 1] = { name = one[1] .. (faster > 1 and "_fast" or ""),
                              value = { transform = one[2],
                                        faster = faster } }
  end
end

local function over(name, plain)
  return function(t)
    local best = t.seconds:best("threads", "min")
    return best:at { scheme = plain } / best:at { scheme = name }
  end
end

local function mean(name)
  return function(t) return t[name]:mean("bench", "arithmetic") end
end

return loom.experiment {
  name = "sl1_why_gather",
  doc = "S-L1's part of BigKernel, with faster data and less monitoring",
  order = { "bench", "scheme", "threads" },
  axes = { bench = streamed.benches, scheme = schemes,
           threads = streamed.threads },
  base = function(p)
    return { machine = streamed.machine(p.scheme.faster),
             transform = p.scheme.transform,
             workload = streamed.workload(p.bench, "stages", p.threads) }
  end,
  metrics = { seconds = { unit = "s", doc = "Simulated time",
                          value = function(run) return run.seconds end } },
  derive = {
    sl1 = over("sl1", "plain"), early = over("early", "plain"),
    sl1_fast = over("sl1_fast", "plain_fast"),
    early_fast = over("early_fast", "plain_fast"),
    mean = mean "sl1", mean_early = mean "early",
    mean_fast = mean "sl1_fast", mean_both = mean "early_fast",
  },
  figures = { { column = "sl1_fast", by = "bench", mean = "arithmetic",
                title = "The link and the gathering ten times as fast" },
              { column = "early", by = "bench", mean = "arithmetic",
                title = "30 accesses monitored" },
              { column = "early_fast", by = "bench", mean = "arithmetic",
                title = "Both" } },
}
