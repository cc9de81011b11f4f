-- LRU's cliff: lines that come around just after they have left. The L1 grows
-- by ways of 4 KiB; random replacement is beside it.
--   warploom run -q examples/policies/lru.lua
local loom = require "warploom"

print(("%-8s %12s %12s"):format("ways", "lru, miss", "random, miss"))
for _, ways in ipairs { 2, 4, 8, 12 } do
  local miss = {}
  for _, policy in ipairs { loom.lru {}, loom.random_replacement {} } do
    local gpu = loom.preset.gtx480 { sm_count = 1 }
    gpu:each "sm[*].l1d":set {
      size_bytes = 4096 * ways, ways = ways }
    gpu:each "sm[*].l1d":attach(policy)
    local run = loom.run {
      machine = gpu,
      workload = loom.suite.atax { rows = 256, columns = 64 },
    }
    miss[#miss + 1] = run.stats "gpu/sm/l1d".miss_ratio
  end
  print(("%-8d %12.3f %12.3f"):format(ways, miss[1], miss[2]))
end
