-- Figure 6: reuse distances of lines used by other warps (SGM) and by their
-- own (BFS), with an infinite L1D.
local common = require "common"

-- The lower end of the histogram's bin (powers of two) in which the median
-- lies.
local function median(name)
  return { unit = "request", doc = "Median reuse distance, as a power of 2",
           value = function(run)
    local h = run.stats "gpu/sm/l1d/policy/locality_analysis"[name]
    local sum = 0
    for bin = 0, 64 do
      sum = sum + (h[bin] or 0)
      if h.count > 0 and sum * 2 >= h.count then
        return bin == 0 and 0 or 2.0 ^ (bin - 1)
      end
    end
    return 0 / 0
  end }
end

return common.experiment {
  name = "apcm_fig06",
  doc = "Accesses of the L1D between two uses of a line",
  benches = { "sgemm", "bfs" }, schemes = { "infinite" },
  metrics = { inter = median "other_warp_distance",
              intra = median "same_warp_distance" },
}
