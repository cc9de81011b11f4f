-- Figure 13: lines of 8 and 24 bytes beside those of 16.
local common = require "common"

return common.experiment {
  name = "sl1_fig13",
  doc = "Lines of 8 and 24 bytes relative to 16",
  schemes = { "sl1_8", "sl1", "sl1_24" },
  derive = {
    speedup = function(t)
      return common.best(t):normalise({ scheme = "sl1" }, "inverse")
    end,
    mean = function(t) return t.speedup:mean("bench", "arithmetic") end,
  },
  figures = { { column = "speedup", by = "bench", mean = "arithmetic",
                y = "Speedup over lines of 16 bytes" } },
}
