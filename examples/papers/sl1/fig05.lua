-- Figure 5: L2 bandwidth by threads of a block, a curve for each number of
-- blocks; and that of shared memory, which the paper does not show.
local bandwidth = require "bandwidth"

return bandwidth.experiment {
  name = "sl1_fig05",
  doc = "L2 bandwidth by threads of a block and blocks",
  filter = function(p) return p.memory == "L2" or p.blocks == 1 end,
  axes = { memory = { "L2", "shared" }, blocks = { 1, 5, 10, 15 },
           threads = bandwidth.threads },
  derive = {
    curve = function(t) return t.gbytes:at { memory = "L2" } end,
    shared = function(t)
      return t.gbytes:at { memory = "shared", blocks = 1 }
    end,
  },
  figures = { { column = "curve", by = "threads", y = "GB/s" },
              { column = "shared", by = "threads",
                title = "Shared memory of one SM", y = "GB/s" } },
}
