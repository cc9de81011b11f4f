-- A run whose loads are counted one by one, and one that may be sampled.
local loom = require "warploom"

local what = loom.option { name = "what", default = "loads",
                           choices = { "loads", "sampled" },
                           doc = "which run" }
local gpu = loom.preset.tiny {}
gpu:each "sm[*].l1d":attach(loom.load_analysis {})
loom.run {
  machine = gpu,
  workload = what == "loads" and loom.suite.atax { rows = 128, columns = 32 } or
    loom.suite.btree { keys = 20000, queries = 1000, ranges = 500 },
  stats = { file = "run.h5",
            series = { bw = { every = "1us", select = "gpu.dram.bytes" } } },
}
