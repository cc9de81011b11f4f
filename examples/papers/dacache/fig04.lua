-- Figure 4: hits, cold misses, and misses after conflicts within and between
-- warps, with LRU.
local common = require "common"

return common.experiment {
  name = "dacache_fig04",
  doc = "What becomes of the loads' accesses to the L1D with LRU",
  benches = common.divergent, techniques = { "lru" },
  metrics = {
    hit = { doc = "Hits per access", value = function(run)
      local s = run.stats "gpu/sm/l1d/policy/conflict_analysis"
      return s.hits / s.loads
    end },
    cold = common.misses("cold", "Cold misses"),
    intra_warp = common.misses("intra_warp",
                               "Misses after intra-warp conflicts"),
    inter_warp = common.misses("inter_warp",
                               "Misses after inter-warp conflicts"),
  },
  figures = { { column = "gpu.sm.l1d.policy.conflict_analysis.misses",
                by = "bench", share = true, kind = "stack",
                title = "Misses by what became of the block" },
              { column = "hit", by = "bench", mean = "arithmetic" } },
}
