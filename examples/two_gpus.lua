-- Two GPUs that work as one: eight SMs, a crossbar, four L2 slices and their
-- memory each; a link of 64 GB/s and 200 ns joins them.  Pages of 4 KiB are
-- interleaved over all eight slices.
--
--   warploom run examples/two_gpus.lua --set workload=bicg
--   warploom graph examples/two_gpus.lua -o two_gpus.svg

local loom = require "warploom"

local workload = loom.option { name = "workload", default = "atax",
                               doc = "Benchmark of the suite" }
local size = loom.option { name = "size", default = "tiny",
                           doc = "Its size" }
local gpus, sms_each, slices_each = 2, 8, 4
local sms, slices = gpus * sms_each, gpus * slices_each
local map = loom.linear_map { interleave = "4KiB" }

local sm = loom.sm {
  ldst = loom.ldst { sms = sms },
  l1d = loom.cache { level = "l1", size_bytes = "32KiB", ways = 4 },
}
loom.link(sm, sm.ldst)
loom.link(sm.ldst, sm.l1d)

local gpu = loom.gpu {
  clock = "1GHz",
  sm = loom.list(sms, sm),
  xbar = loom.list(gpus, loom.network {
    topology = "crossbar", radix = sms_each + slices_each + 2, vcs = 2,
    routing_delay = 0, map = map }),
  -- 32 bytes in each cycle of 2 GHz; buffers cover the way there and back.
  nvlink = loom.network {
    clock = "2GHz", topology = "point_to_point", columns = gpus, vcs = 4,
    buffer_flits = 256, link_latency = 400, credit_delay = 400, map = map,
    slices = { 0, 0, 0, 0, 1, 1, 1, 1 } },
  l2 = loom.list(slices, loom.cache {
    level = "l2", size_bytes = "256KiB", ways = 16,
    write_policy = "write_back", map_channels = slices, map_slices = 1,
    map = map }),
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
for g = 0, gpus - 1 do
  -- Slices of the other GPU are behind the last link down.
  local link_of = {}
  for s = 0, slices - 1 do
    link_of[s + 1] = s // slices_each == g and s % slices_each or slices_each
  end
  gpu.xbar[g].slices = link_of
  local wire = { request = { capacity = 16 }, reply = { capacity = 16 } }
  loom.link(gpu.xbar[g].down[slices_each], gpu.nvlink.up[g], wire)
  loom.link(gpu.nvlink.down[g], gpu.xbar[g].up[sms_each], wire)
end

local run = loom.run { machine = gpu,
                       workload = loom.suite[workload] { size = size } }
local far = run.stats "gpu/nvlink"
print(("%s: %d cycles, %d bytes over the link and %d back"):format(workload,
      run.cycles, far.request_bytes, far.reply_bytes))
