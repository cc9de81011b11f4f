-- Figure 18: protection by distance, of all lines (PD) and of APCM's
-- (APCM-pN), and by data dependency (APCM).
local common = require "common"

return common.experiment {
  name = "apcm_fig18",
  doc = "Protection methods, relative to configuration 1",
  schemes = { "baseline", "pd8", "pd32", "pd128", "apcm_p8", "apcm_p32",
              "apcm_p128", "apcm" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup(), mean_all = common.mean() },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to the baseline" } },
}
