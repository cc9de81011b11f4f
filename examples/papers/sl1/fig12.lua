-- Figure 12: S-L1 enabled, but nothing cached: time over that without it.
local common = require "common"

return common.experiment {
  name = "sl1_fig12",
  doc = "Overhead of S-L1 when it is enabled but not used",
  schemes = { "none", "unused" },
  derive = {
    overhead = function(t)
      return (common.best(t):normalise { scheme = "none" } - 1)
        :at { scheme = "unused" }
    end,
    mean = function(t) return t.overhead:mean("bench", "arithmetic") end,
  },
  figures = { { column = "overhead", by = "bench", mean = "arithmetic",
                y = "Time, more by" } },
}
