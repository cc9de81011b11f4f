-- Figure 11: static partitions of 0 to 3 warps of each scheduler, and the
-- dynamic one; unconstrained replacement.
local common = require "common"

return common.experiment {
  name = "dacache_fig11",
  doc = "Static and dynamic partitioning without constrained replacement",
  techniques = { "lru", "static0", "static1", "static2", "static3", "uncon" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup, mean = common.mean },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to LRU",
                note = "uncon is dynamic partitioning" } },
}
