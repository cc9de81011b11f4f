-- A run of some seconds on a GTX 480: three launches of one kernel.
-- usage: warploom run run.lua [--set passes=N] [--monitor]
local loom = require "warploom"

local passes = loom.option { name = "passes", default = 20,
                             doc = "Passes of the first two launches" }
local run = loom.run {
  machine = loom.preset.gtx480 {},
  workload = loom.suite.micro_stream { ctas = 64, bytes = 1 << 19,
                                       passes = passes, write = true },
  stats = { file = "run.h5" },
}
print("digest " .. run.digest)
