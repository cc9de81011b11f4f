-- Figure 12: APCM with bypassing, with protection, and with both.
local common = require "common"

return common.experiment {
  name = "apcm_fig12",
  doc = "Performance of APCM, relative to configuration 1",
  schemes = { "baseline", "bypass", "protect", "apcm" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup(), mean_cs = common.mean(common.CS),
             mean_cm = common.mean(common.CM),
             mean_ci = common.mean(common.CI), mean_all = common.mean() },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to the baseline" },
              { column = "mean_cs" }, { column = "mean_cm" },
              { column = "mean_ci" } },
}
