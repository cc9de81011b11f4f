-- Four chiplets in a package: each has four SMs, a crossbar, two L2 slices and
-- their memory; a ring joins them.  All slices have one address map, so three
-- requests in four go to another chiplet.
--
--   warploom run examples/four_chiplets.lua --set workload=gemm
--   warploom graph examples/four_chiplets.lua -o four_chiplets.svg

local loom = require "warploom"

local workload = loom.option { name = "workload", default = "atax",
                               doc = "Benchmark of the suite" }
local size = loom.option { name = "size", default = "tiny",
                           doc = "Its size" }
local chips, sms_each, slices_each = 4, 4, 2
local sms, slices = chips * sms_each, chips * slices_each
local map = loom.linear_map { interleave = 4096 } -- a page of each slice

local sm = loom.sm {
  ldst = loom.ldst { sms = sms },
  l1d = loom.cache { level = "l1", size_bytes = "32KiB", ways = 4 },
}
loom.link(sm, sm.ldst)
loom.link(sm.ldst, sm.l1d)

local gpu = loom.gpu {
  clock = "1GHz",
  sm = loom.list(sms, sm),
  xbar = loom.list(chips, loom.network {
    topology = "crossbar", radix = sms_each + slices_each + 2, vcs = 2,
    routing_delay = 0, map = map }),
  -- 32 bytes in two cycles and 20 cycles of way between neighbours.
  package = loom.network {
    topology = "ring", columns = chips, vcs = 4, buffer_flits = 32, map = map,
    link_latency = 20, link_period = 2, credit_delay = 24 },
  l2 = loom.list(slices, loom.cache {
    level = "l2", size_bytes = "128KiB", ways = 8, write_policy = "write_back",
    map_channels = slices, map_slices = 1, map = map }),
  dram = loom.list(slices, loom.dram {
    clock = "1.2GHz", channels = slices, slices_per_channel = 1, map = map }),
}

for i = 0, sms - 1 do
  loom.link(gpu, gpu.sm[i])
  loom.link(gpu.sm[i].l1d.down, gpu.xbar[i // sms_each].up[i % sms_each])
end
for i = 0, slices - 1 do
  loom.link(gpu.xbar[i // slices_each].down[i % slices_each], gpu.l2[i].up)
  loom.link(gpu.l2[i].down, gpu.dram[i].up)
end
-- A chip's last link down leads to the package, its last one up from there.
local chip_of = {}
for s = 0, slices - 1 do chip_of[s + 1] = s // slices_each end
gpu.package.slices = chip_of
for c = 0, chips - 1 do
  local link_of = {}
  for s = 0, slices - 1 do
    link_of[s + 1] = s // slices_each == c and s % slices_each or slices_each
  end
  gpu.xbar[c].slices = link_of
  local wire = { request = { capacity = 16 }, reply = { capacity = 16 } }
  loom.link(gpu.xbar[c].down[slices_each], gpu.package.up[c], wire)
  loom.link(gpu.package.down[c], gpu.xbar[c].up[sms_each], wire)
end

local run = loom.run { machine = gpu,
                       workload = loom.suite[workload] { size = size } }
local near, far = run.stats "gpu/xbar", run.stats "gpu/package"
print(("%s: %d cycles, %.0f %% of the requests go to another chiplet")
      :format(workload, run.cycles, 100 * far.request_packets /
              math.max(near.request_packets - far.request_packets, 1)))
