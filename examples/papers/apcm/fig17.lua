-- Figure 17: APCM and adaptive bypassing (ABYP).
local common = require "common"

return common.experiment {
  name = "apcm_fig17",
  doc = "Bypassing methods, relative to configuration 1",
  schemes = { "baseline", "abyp", "bypass", "apcm" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup(), mean_all = common.mean(),
             mean_cs = common.mean(common.CS) },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to the baseline" } },
}
