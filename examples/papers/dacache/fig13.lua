-- Figure 13: by how many positions a hit promotes.  dacache is Promo4.
local common = require "common"

return common.experiment {
  name = "dacache_fig13",
  doc = "Promotion granularity under dynamic partitioning",
  techniques = { "lru", "promo1", "promo2", "promo3", "dacache", "promo5",
                 "promo_mru" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup, mean = common.mean },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to LRU", note = "dacache is Promo4" } },
}
