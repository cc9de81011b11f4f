-- Is the hardware L1 slow because a miss fills 128 bytes, of which one was
-- asked for?  With sectors of 32 bytes it fetches what a load around it does.
local common = require "common"

return common.experiment {
  name = "sl1_why_sectors",
  doc = "The hardware L1 with sectors of 32 bytes",
  schemes = { "none", "l1", "sectors", "sl1" },
  derive = {
    speedup = common.speedup,
    mean = function(t) return t.speedup:mean("bench", "arithmetic") end,
    over_sectors = function(t)
      return common.best(t):normalise({ scheme = "sectors" }, "inverse")
        :at { scheme = "sl1" }
    end,
    mean_over_sectors = function(t)
      return t.over_sectors:mean("bench", "arithmetic")
    end,
  },
  figures = { { column = "speedup", by = "bench", mean = "arithmetic",
                y = "Speedup over no L1" } },
}
