-- FIFO beside LRU: what is lost where a hit does not keep a line.
--   warploom run -q examples/policies/fifo.lua
local loom = require "warploom"

print(("%-12s %10s %10s"):format("workload", "lru, miss", "fifo, miss"))
for _, name in ipairs { "bfs", "gesummv", "syrk" } do
  local miss = {}
  for _, policy in ipairs { loom.lru {}, loom.fifo {} } do
    local gpu = loom.preset.gtx480 { sm_count = 2 }
    gpu:each "sm[*].l1d":set { size_bytes = "8KiB", ways = 2 }
    gpu:each "sm[*].l1d":attach(policy)
    local run = loom.run { machine = gpu,
                           workload = loom.suite[name] { size = "tiny" } }
    miss[#miss + 1] = run.stats "gpu/sm/l1d".miss_ratio
  end
  print(("%-12s %10.3f %10.3f"):format(name, miss[1], miss[2]))
end
