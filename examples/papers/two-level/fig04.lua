-- Figure 4: two-level bypassing and its rivals.
local common = require "common"

return common.experiment {
  name = "two_level_fig04",
  doc = "Two-level bypassing, MRPB's bypassing, APCM, PEMP and CARB",
  schemes = { "baseline", "mrpb", "apcm", "pemp", "carb", "two_level" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup, mean = common.mean },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to the L1 always on" } },
}
