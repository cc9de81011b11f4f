-- Four chiplets in a package: each has four SMs, a crossbar, two L2 slices and
-- their memory; a ring joins them.  All slices have one address map, so three
-- requests in four go to another chiplet.
--
--   warploom run examples/four_chiplets.lua --set workload=gemm
--   warploom graph examples/four_chiplets.lua -o four_chiplets.svg

local loom = require "warploom"
local chips = require "chips"

local map = loom.linear_map { interleave = 4096 } -- a page of each slice

local gpu = chips.gpu {
  chips = 4, sms = 4, slices = 2, map = map,
  l2 = { size_bytes = "128KiB", ways = 8 },
  -- 32 bytes in two cycles and 20 cycles of way between neighbours.
  name = "package", between = loom.network {
    topology = "ring", columns = 4, vcs = 4, buffer_flits = 32, map = map,
    link_latency = 20, link_period = 2, credit_delay = 24 },
}

local workload, run = chips.run(gpu)
local near, far = run.stats "gpu/xbar", run.stats "gpu/package"
print(("%s: %d cycles, %.0f %% of the requests go to another chiplet")
      :format(workload, run.cycles, 100 * far.request_packets /
              math.max(near.request_packets - far.request_packets, 1)))
