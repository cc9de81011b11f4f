-- Figure 6: L2 and DRAM bandwidth by blocks of 1024 threads.
local bandwidth = require "bandwidth"

return bandwidth.experiment {
  name = "sl1_fig06",
  doc = "L2 and DRAM bandwidth by blocks of 1024 threads",
  axes = { memory = { "L2", "DRAM" }, blocks = bandwidth.blocks,
           threads = { 1024 } },
  derive = {
    curve = function(t) return t.gbytes:at { threads = 1024 } end,
  },
  figures = { { column = "curve", by = "blocks", y = "GB/s" } },
}
