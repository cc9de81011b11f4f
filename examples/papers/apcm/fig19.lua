-- Figure 19: LRR and GTO, with and without APCM.
local common = require "common"

return common.experiment {
  name = "apcm_fig19",
  doc = "APCM on two schedulers, relative to configuration 1 with LRR",
  benches = common.sensitive,
  schemes = { "baseline", "apcm", "baseline_gto", "apcm_gto" },
  metrics = { cycles = common.cycles },
  derive = {
    speedup = common.speedup(), mean = common.mean(common.sensitive),
    over_gto = common.speedup "baseline_gto",
    mean_over_gto = common.mean(common.sensitive, "over_gto"),
  },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to LRR" } },
}
