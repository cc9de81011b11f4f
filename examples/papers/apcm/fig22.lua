-- Figure 22: how many loads LAT and CAIT tell apart, relative to 16.
local common = require "common"

return common.experiment {
  name = "apcm_fig22",
  doc = "Depths of LAT and CAIT, relative to 16 loads",
  benches = common.sensitive,
  schemes = { "apcm", "ld4", "ld8", "ld32" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup "apcm",
             mean = common.mean(common.sensitive) },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to 16 loads" } },
}
