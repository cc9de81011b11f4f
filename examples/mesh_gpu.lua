-- A GPU on a mesh: four clusters of four SMs share an L1.5 each; clusters and
-- L2 slices are nodes of a 4 x 2 mesh.
--
--   warploom run examples/mesh_gpu.lua --set workload=bfs
--   warploom graph examples/mesh_gpu.lua -o mesh_gpu.svg
--
--     cluster 0   slice 0   slice 1   cluster 1
--     cluster 2   slice 2   slice 3   cluster 3

local loom = require "warploom"

local workload = loom.option { name = "workload", default = "atax",
                               doc = "Benchmark of the suite" }
local size = loom.option { name = "size", default = "tiny",
                           doc = "Its size" }
local clusters, sms, slices = 4, 16, 4
local map = loom.linear_map { interleave = 256 }

local sm = loom.sm {
  ldst = loom.ldst { sms = sms },
  l1d = loom.cache { level = "l1", size_bytes = "16KiB", ways = 4 },
}
loom.link(sm, sm.ldst)
loom.link(sm.ldst, sm.l1d)

local gpu = loom.gpu {
  clock = "1GHz",
  sm = loom.list(sms, sm),
  l15 = loom.list(clusters, loom.cache {
    level = "l15", size_bytes = "64KiB", ways = 8, accesses_per_cycle = 2 }),
  mesh = loom.network {
    topology = "mesh", columns = 4, rows = 2, vcs = 4, map = map,
    -- Sites of the clusters, then of the slices.
    placement = { 0, 3, 4, 7, 1, 2, 5, 6 },
  },
  l2 = loom.list(slices, loom.cache {
    level = "l2", size_bytes = "128KiB", ways = 8, write_policy = "write_back",
    map_channels = slices, map_slices = 1, map = map }),
  dram = loom.list(slices, loom.dram {
    clock = "1.2GHz", channels = slices, slices_per_channel = 1, map = map }),
}
for i = 0, sms - 1 do
  loom.link(gpu, gpu.sm[i])
  loom.link(gpu.sm[i].l1d.down, gpu.l15[i * clusters // sms].up)
end
for i = 0, clusters - 1 do loom.link(gpu.l15[i].down, gpu.mesh.up[i]) end
for i = 0, slices - 1 do
  loom.link(gpu.mesh.down[i], gpu.l2[i].up)
  loom.link(gpu.l2[i].down, gpu.dram[i].up)
end

local run = loom.run { machine = gpu,
                       workload = loom.suite[workload] { size = size } }
local mesh = run.stats "gpu/mesh"
print(("%s: %d cycles, L1.5 misses %.0f %%, %.2f routers per request")
      :format(workload, run.cycles, run.stats "gpu/l15".miss_ratio * 100,
              mesh.request_hops / math.max(mesh.request_packets, 1)))
