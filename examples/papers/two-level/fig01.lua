-- Figure 1: miss rates of the L1D, and warp occupancy.
local common = require "common"

return common.experiment {
  name = "two_level_fig01",
  doc = "Miss rates of the L1D and warp occupancy",
  schemes = { "baseline" },
  metrics = { miss_rate = common.miss_rate, occupancy = common.occupancy },
  figures = {
    { column = "miss_rate", by = "bench", mean = "arithmetic" },
    { column = "occupancy", by = "bench", mean = "arithmetic" },
  },
}
