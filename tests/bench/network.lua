-- An 8 x 8 mesh of 4 virtual channels at 0.3 flits per node and cycle, packets
-- of one flit, uniform: the case of BookSim 2's speed.
local loom = require "warploom"

local cycles = loom.option { name = "cycles", default = 100000,
                             doc = "Cycles of load" }

local mesh = loom.network {
  clock = "1GHz", columns = 8, rows = 8, vcs = 4, flit_bytes = 8,
  map = loom.linear_map { interleave = 256 },
  node = loom.list(64, loom.traffic {
    nodes = 64, rate = 0.3, size_bytes = 0, flit_bytes = 8, interleave = 256,
    warmup = 0, measure = cycles }),
}
for i = 0, 63 do
  mesh.node[i].node = i
  loom.link(mesh.node[i].out, mesh.up, { request = { capacity = 8 } })
  loom.link(mesh.down, mesh.node[i]["in"], { request = { capacity = 8 } })
end
local run = loom.run { machine = mesh }
print(("bench mesh8x8 %d %d %.6f"):format(run.stats "network".request_packets,
                                          run.cycles, run.busy))
