-- All techniques of bypass and protection and all analysis policies on one
-- machine; bypass_threads.sh compares what it prints for several threads.
local loom = require "warploom"

local gpu = loom.preset.gtx480 { sm_count = 6 }
local l1 = gpu:each "sm[*].l1d"
l1:attach(loom.load_bypass { loads = { 1 } })
l1:attach(loom.abyp { threshold = 2 })
gpu:each "l2[*]":attach(loom.abyp_l2 {})
l1:attach(loom.pdp {})
l1:attach(loom.carb { window_cycles = 500 })
l1:attach(loom.pemp { window_cycles = 500 })
l1:attach(loom.miss_rate_bypass { window_cycles = 500, hold_cycles = 500 })
l1:attach(loom.mrpb {})
for _, name in ipairs { "locality_analysis", "load_analysis",
                        "conflict_analysis", "warp_analysis" } do
  l1:attach(loom[name] {})
end
for _, name in ipairs { "atax", "bfs", "spmv" } do
  local run = loom.run { machine = gpu,
                         workload = loom.suite[name] { size = "tiny" } }
  local bypasses = run.stats "gpu/sm/l1d".bypasses
  assert(bypasses > 0)
  print(name, run.cycles, run.digest, bypasses)
end
