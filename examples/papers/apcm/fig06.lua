-- Figure 6: reuse distances of lines used by other warps (SGM) and by their
-- own (BFS), with an infinite L1D.
local common = require "common"

return common.experiment {
  name = "apcm_fig06",
  doc = "Accesses of the L1D between two uses of a line",
  benches = { "sgemm", "bfs" }, schemes = { "infinite" },
  metrics = { inter = common.median "other_warp_distance",
              intra = common.median "same_warp_distance" },
}
