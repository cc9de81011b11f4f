-- Figure 5: access pattern similarity (APS) with an infinite L1D.
local common = require "common"

return common.experiment {
  name = "apcm_fig05",
  doc = "Access pattern similarity with an infinite L1D",
  schemes = { "infinite" },
  metrics = { aps =
    "gpu/sm/l1d/policy/locality_analysis.access_pattern_similarity" },
  derive = { mean = function(t) return t.aps:mean "bench" end },
  figures = { { column = "aps", by = "bench", mean = "arithmetic" } },
}
