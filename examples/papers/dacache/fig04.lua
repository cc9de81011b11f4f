-- Figure 4: hits, cold misses, and misses after conflicts within and between
-- warps, with LRU.
local common = require "common"

local function part(of)
  return function(run)
    local s = run.stats "gpu/sm/l1d/policy/conflict_analysis"
    if of == "hit" then return s.hits / s.loads end
    return s.misses[of] / s.loads
  end
end

return common.experiment {
  name = "dacache_fig04",
  doc = "What becomes of the loads' accesses to the L1D with LRU",
  benches = common.divergent, techniques = { "lru" },
  metrics = {
    hit = { doc = "Hits per access", value = part "hit" },
    cold = { doc = "Cold misses per access", value = part "cold" },
    intra_warp = { doc = "Misses after intra-warp conflicts per access",
                   value = part "intra_warp" },
    inter_warp = { doc = "Misses after inter-warp conflicts per access",
                   value = part "inter_warp" },
  },
  figures = { { column = "gpu.sm.l1d.policy.conflict_analysis.misses",
                by = "bench", share = true, kind = "stack",
                title = "Misses by what became of the block" },
              { column = "hit", by = "bench", mean = "arithmetic" } },
}
