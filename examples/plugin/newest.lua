-- A policy of a plug-in, against LRU.
local loom = require "warploom"

loom.plugin "build/libnewest.so"

local misses = {}
for i, policy in ipairs { loom.lru {}, loom.newest {} } do
  local gpu = loom.preset.gtx480 { sm_count = 1 }
  gpu.sm[0].l1d:attach(policy)
  local run = loom.run {
    machine = gpu, workload = loom.suite.atax { rows = 128, columns = 40 },
    stats = { file = "newest.h5" },
  }
  misses[i] = run.stats "gpu/sm/l1d".misses
end
print("misses of lru and newest", misses[1], misses[2])
