-- Figure 3: which warps issue, by their place in GTO's order.
local common = require "common"

return common.experiment {
  name = "dacache_fig03",
  doc = "Share of the issues that the oldest warps of each scheduler have",
  benches = common.divergent, techniques = { "lru" },
  metrics = {
    top1 = common.oldest(1), top3 = common.oldest(3),
    top6 = common.oldest(6), top12 = common.oldest(12),
  },
  figures = { { column = "top3", by = "bench", mean = "arithmetic" },
              { column = "gpu.sm.policy.warp_analysis.issues_by_rank",
                by = "bench", share = true, kind = "stack",
                title = "Issues by the warp's place in GTO's order" } },
}
