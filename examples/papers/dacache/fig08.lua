-- Figure 8: IPC of RRIP, DIP and DaCache's variants, relative to LRU.
local common = require "common"

return common.experiment {
  name = "dacache_fig08",
  doc = "Performance relative to LRU",
  benches = common.all,
  techniques = { "lru", "rrip", "dip", "uncon", "stall", "dacache" },
  metrics = { cycles = common.cycles },
  derive = {
    speedup = common.speedup,
    mean_divergent = common.mean,
    mean_coherent = common.mean_coherent,
  },
  figures = { { column = "speedup", by = "bench", y = "IPC, relative to LRU" },
              { column = "mean_divergent" }, { column = "mean_coherent" } },
}
