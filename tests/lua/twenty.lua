-- Twenty mistakes, each of another kind.  `warploom check` must find all of
-- them in one go; nothing here runs.

local loom = require "warploom"

local gpu = loom.preset.tiny {
  sm_count = 99,
  l2 = {
    wayz = 8,
    write_policy = "writeback",
  },
}
local l3 = loom.cach { name = "l3" }
gpu.sm[7].warps = 16
gpu.sm[0].l1d.size_bytes = "8KB"
gpu.sm[0].l1d.ways = 2.5
gpu.sm[1].flush_l1 = "true"
gpu.sm.warps = 16
gpu.clock = 700e6
gpu.dram.banks = 12
gpu.l2.replacement = "lru"
gpu.sm[0].scheduler = loom.lru {}
gpu:each "sm[*].l1":set { ways = 4 }
gpu.dram:attach(loom.fifo {})
loom.link(gpu.sm, gpu.l2)
for i, sm in ipairs(gpu.sm) do print(i, sm) end
speed = 3
print(gpu.l2.associativity)
loom.run { machine = gpu, workload = loom.suite.attax {} }
