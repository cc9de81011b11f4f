-- Two GPUs that work as one: eight SMs, a crossbar, four L2 slices and their
-- memory each; a link of 64 GB/s and 200 ns joins them.  Pages of 4 KiB are
-- interleaved over all eight slices.
--
--   warploom run examples/two_gpus.lua --set workload=bicg
--   warploom graph examples/two_gpus.lua -o two_gpus.svg

local loom = require "warploom"
local chips = require "chips"

local map = loom.linear_map { interleave = "4KiB" }

local gpu = chips.gpu {
  chips = 2, sms = 8, slices = 4, map = map,
  l2 = { size_bytes = "256KiB", ways = 16 },
  -- 32 bytes in each cycle of 2 GHz; buffers cover the way there and back.
  name = "nvlink", between = loom.network {
    clock = "2GHz", topology = "point_to_point", columns = 2, vcs = 4,
    buffer_flits = 256, link_latency = 400, credit_delay = 400, map = map },
}

local workload, run = chips.run(gpu)
local far = run.stats "gpu/nvlink"
print(("%s: %d cycles, %d bytes over the link and %d back"):format(workload,
      run.cycles, far.request_bytes, far.reply_bytes))
