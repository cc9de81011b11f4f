-- Figure 5: L2 bandwidth by threads of a block, a curve for each number of
-- blocks.
local bandwidth = require "bandwidth"

return bandwidth.experiment {
  name = "sl1_fig05",
  doc = "L2 bandwidth by threads of a block and blocks",
  axes = { memory = { "L2" }, blocks = { 1, 5, 10, 15 },
           threads = bandwidth.threads },
  derive = {
    curve = function(t) return t.gbytes:at { memory = "L2" } end,
  },
  figures = { { column = "curve", by = "threads", y = "GB/s" } },
}
