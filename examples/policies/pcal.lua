-- Partial throttling beside none and beside holding warps back.
--   warploom run -q examples/policies/pcal.lua
local loom = require "warploom"

local rows = {
  { "gto" },
  { "gto, swl 4", loom.swl { warps = 4 } },
  { "gto, pcal 2 tokens", loom.pcal { tokens = 2 } },
  { "gto, pcal 4 tokens", loom.pcal { tokens = 4 } },
}

print(("%-18s %9s %9s %10s"):format("technique", "cycles", "L1 miss",
                                    "throttled"))
for _, row in ipairs(rows) do
  local gpu = loom.preset.gtx480 { sm_count = 1 }
  if row[2] then gpu:each "sm[*].l1d":attach(row[2]) end
  local run = loom.run {
    machine = gpu,
    workload = loom.suite.micro_partial { words = 16 },
  }
  print(("%-18s %9d %9.3f %10d"):format(row[1], run.cycles,
    run.stats "gpu/sm/l1d".miss_ratio,
    run.stats "gpu/sm".issue_slots.throttled))
end
