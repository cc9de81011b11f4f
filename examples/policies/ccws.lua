-- Lost locality: CCWS beside GTO and beside the best static limit.
--   warploom run -q examples/policies/ccws.lua
local loom = require "warploom"

local rows = {
  { "gto" },
  { "gto, ccws", loom.ccws {} },
  { "gto, swl 4", loom.swl { warps = 4 } },
}

print(("%-18s %9s %9s %10s"):format("technique", "cycles", "L1 miss",
                                    "throttled"))
for _, row in ipairs(rows) do
  local gpu = loom.preset.gtx480 { sm_count = 1 }
  if row[2] then gpu:each "sm[*].l1d":attach(row[2]) end
  local run = loom.run {
    machine = gpu,
    workload = loom.suite.micro_lost_locality { words = 32 },
  }
  print(("%-18s %9d %9.3f %10d"):format(row[1], run.cycles,
    run.stats "gpu/sm/l1d".miss_ratio,
    run.stats "gpu/sm".issue_slots.throttled))
end
