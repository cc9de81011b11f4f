-- Are few warps on an SM why figures 2 to 4 and 9 look otherwise?  At small the
-- CTAs of SPMV, IIX and PVC are 3 to 17 % of those that 30 SMs hold.  The same
-- inputs on two SMs, which have fifteen times as many warps.
local common = require "common"

-- With LRU alone: the others are not watched so closely.
local function watched(metric)
  local value = metric.value
  metric.value = function(run)
    local there, x = pcall(value, run)
    return there and x or 0 / 0
  end
  return metric
end

return common.experiment {
  name = "dacache_why_warps",
  doc = "Figures 2 to 4 and 9 with two SMs, which are full of warps",
  techniques = { "lru", "uncon", "stall", "dacache" }, sms = 2,
  metrics = {
    top3 = watched(common.oldest(3)), partial = common.partial,
    cold = watched(common.misses("cold", "Cold misses")),
    intra_warp = watched(common.misses("intra_warp",
                                       "Misses after intra-warp conflicts")),
    inter_warp = watched(common.misses("inter_warp",
                                       "Misses after inter-warp conflicts")),
    divergent = common.fully "divergent",
    coherent = common.fully "coherent",
  },
  derive = { mean_divergent = common.mean_fully "divergent",
             mean_coherent = common.mean_fully "coherent" },
  figures = { { column = "top3", by = "bench", only = "technique=lru" },
              { column = "inter_warp", by = "bench", only = "technique=lru" },
              { column = "divergent", by = "bench" } },
}
