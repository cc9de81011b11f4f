-- Figure 3: bypassing by a threshold of the miss rate, and no L1.
local common = require "common"

return common.experiment {
  name = "two_level_fig03",
  doc = "Bypassing above a miss rate k, and no L1 at all",
  schemes = { "baseline", "no_l1", "k6", "k7", "k8", "k9" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup, mean = common.mean },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to the L1 always on" } },
}
