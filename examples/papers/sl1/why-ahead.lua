-- Why one block's bandwidth is flat from 896 threads on, not 512: one load of
-- a thread is under way in figure 5.  The paper does not say how many its
-- program has; here it is two, of the L2 and of shared memory.
local bandwidth = require "bandwidth"

bandwidth.ahead.L2 = 2
bandwidth.chains = 2

return bandwidth.experiment {
  name = "sl1_why_ahead",
  doc = "Bandwidth of a block with two loads of a thread under way",
  axes = { memory = { "L2", "shared" }, blocks = { 1 },
           threads = bandwidth.threads },
  derive = {
    curve = function(t) return t.gbytes:at { memory = "L2", blocks = 1 } end,
    shared = function(t)
      return t.gbytes:at { memory = "shared", blocks = 1 }
    end,
  },
  figures = { { column = "curve", by = "threads", y = "GB/s" },
              { column = "shared", by = "threads", y = "GB/s" } },
  differs = "two loads of a thread are under way",
}
