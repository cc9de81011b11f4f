-- What greed is worth where warps reuse their own lines: misses of the L1 under
-- GTO and LRR, for a number of warps.
--   warploom run -q examples/policies/gto.lua
local loom = require "warploom"

print(("%-6s %14s %14s %14s %14s"):format("warps", "lrr, cycles", "gto, cycles",
                                         "lrr, L1 miss", "gto, L1 miss"))
for _, warps in ipairs { 4, 8, 16 } do
  local cycles, miss = {}, {}
  for _, scheduler in ipairs { loom.lrr {}, loom.gto {} } do
    local gpu = loom.preset.gtx480 { sm_count = 1 }
    gpu:each "sm[*]":attach(scheduler)
    local run = loom.run {
      machine = gpu,
      workload = loom.suite.atax { rows = 32 * warps, columns = 64 },
    }
    cycles[#cycles + 1] = run.cycles
    miss[#miss + 1] = run.stats "gpu/sm/l1d".miss_ratio
  end
  print(("%-6d %14d %14d %14.3f %14.3f"):format(
    warps, cycles[1], cycles[2], miss[1], miss[2]))
end
