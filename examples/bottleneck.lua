-- A machine with a mistake in it.  Without reading on: which part holds the
-- others up?
--   warploom run examples/bottleneck.lua
--   warploom explain bottleneck.h5
-- docs/explain.md goes through the answer.
local loom = require "warploom"

local buffer = loom.option { name = "buffer", default = 1,
                             doc = "Flits in the network's buffers" }
local gpu = loom.preset.gtx480 {}
gpu.noc:set { input_buffer_flits = buffer, output_buffer_flits = buffer }

loom.run {
  machine = gpu,
  workload = loom.suite.micro_stream { ctas = 64, bytes = 1 << 19,
                                       write = true },
  stats = { file = "bottleneck.h5", snapshot = { "kernel_end" } },
}
