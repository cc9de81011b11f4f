-- Two runs that differ in the L1's size: what the tests look at.
local loom = require "warploom"

local size = loom.option { name = "size", default = "4KiB", doc = "of the L1" }

loom.run {
  machine = loom.preset.tiny { sm = { l1d = { size_bytes = size } } },
  workload = loom.suite.atax { rows = 128, columns = 32 },
  stats = { file = "run.h5",
            series = { bw = { every = "1us", select = { "gpu.dram.bytes", "gpu.dram.reads" } } } },
}
