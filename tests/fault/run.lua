-- A small run with everything that a results file can have: series, energies,
-- user's snapshots.
local loom = require "warploom"

loom.run {
  machine = loom.preset.tiny { sm_count = 1 },
  workload = loom.suite.vectoradd { n = 256 },
  stats = { file = "r.h5",
            series = { bw = { every = "100ns", select = "**.dram.*" } } },
}
