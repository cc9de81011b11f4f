-- Figure 8: hits of S-L1 per access, with the best number of threads.
local common = require "common"

return common.experiment {
  name = "sl1_fig08",
  doc = "Hits of S-L1 per access in computation slices",
  schemes = { "sl1" },
  metrics = { "hits" },
  derive = {
    hit_ratio = function(t)
      return common.at_best(t, t.hits):at { scheme = "sl1" }
    end,
    mean = function(t) return t.hit_ratio:mean("bench", "arithmetic") end,
  },
  figures = { { column = "hit_ratio", by = "bench", mean = "arithmetic",
                y = "Hits per access" } },
}
