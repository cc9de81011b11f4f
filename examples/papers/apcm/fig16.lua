-- Figure 16: miss rates of the L1D with limits of warps and with APCM.
local common = require "common"

return common.experiment {
  name = "apcm_fig16",
  doc = "Miss rates of the L1D with limits of warps",
  benches = common.sensitive,
  schemes = { "baseline", "swl4", "swl8", "swl16", "swl24", "apcm",
              "apcm_swl4", "apcm_swl8", "apcm_swl16", "apcm_swl24" },
  metrics = { miss_rate = common.miss_rate, unserved = common.unserved },
  figures = { { column = "miss_rate", by = "bench", mean = "arithmetic" },
              { column = "unserved", by = "bench", mean = "arithmetic" } },
}
