-- Are few warps on an SM why figures 2 to 4 and 9 look otherwise?  At small the
-- CTAs of SPMV, IIX and PVC are 3 to 17 % of those that 30 SMs hold.  The same
-- inputs on two SMs, which have fifteen times as many warps.
local common = require "common"

-- With LRU alone: the others are not watched so closely.
local function watched(policy, metric)
  local value = metric.value
  metric.value = function(run)
    return pcall(run.stats, policy) and value(run) or 0 / 0
  end
  return metric
end
local warps, conflicts = "gpu/sm/policy/warp_analysis",
                         "gpu/sm/l1d/policy/conflict_analysis"

return common.experiment {
  name = "dacache_why_warps",
  doc = "Figures 2 to 4 and 9 with two SMs, which are full of warps",
  techniques = { "lru", "uncon", "stall", "dacache" }, sms = 2,
  metrics = {
    top3 = watched(warps, common.oldest(3)), partial = common.partial,
    cold = watched(conflicts, common.misses("cold", "Cold misses")),
    intra_warp = watched(conflicts, common.misses(
      "intra_warp", "Misses after intra-warp conflicts")),
    inter_warp = watched(conflicts, common.misses(
      "inter_warp", "Misses after inter-warp conflicts")),
    divergent = common.fully "divergent",
    coherent = common.fully "coherent",
  },
  derive = { mean_divergent = common.mean_fully "divergent",
             mean_coherent = common.mean_fully "coherent" },
  figures = { { column = "top3", by = "bench", only = "technique=lru" },
              { column = "inter_warp", by = "bench", only = "technique=lru" },
              { column = "divergent", by = "bench" } },
}
