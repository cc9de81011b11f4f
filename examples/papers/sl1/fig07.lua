-- Figure 7: speedup over no L1, of the hardware L1 and of S-L1, each with the
-- number of threads that suits it best.
local common = require "common"

return common.experiment {
  name = "sl1_fig07",
  doc = "Speedup over no L1",
  schemes = { "none", "l1", "sl1" },
  metrics = { "monitoring" },
  derive = {
    speedup = common.speedup,
    mean = function(t) return t.speedup:mean("bench", "arithmetic") end,
    over_l1 = function(t)
      return common.best(t):normalise({ scheme = "l1" }, "inverse")
        :at { scheme = "sl1" }
    end,
    mean_over_l1 = function(t)
      return t.over_l1:mean("bench", "arithmetic")
    end,
    share = function(t)
      return common.at_best(t, t.monitoring):at { scheme = "sl1" }
    end,
    mean_share = function(t) return t.share:mean("bench", "arithmetic") end,
  },
  figures = {
    { column = "speedup", by = "bench", mean = "arithmetic",
      y = "Speedup over no L1" },
    { column = "share", by = "bench", mean = "arithmetic",
      title = "Share of simulateCache() in instructions" },
  },
}
