-- Pausing CTAs beside running all of them.
--   warploom run -q examples/policies/cta_limit.lua
local loom = require "warploom"

local rows = {
  { "gto" },
  { "gto, 1 CTA", loom.cta_limit { ctas = 1 } },
  { "gto, 2 CTAs", loom.cta_limit { ctas = 2 } },
}

print(("%-18s %9s %9s %10s"):format("technique", "cycles", "L1 miss",
                                    "throttled"))
for _, row in ipairs(rows) do
  local gpu = loom.preset.gtx480 { sm_count = 1 }
  if row[2] then gpu:each "sm[*]":attach(row[2]) end
  local run = loom.run {
    machine = gpu,
    workload = loom.suite.micro_lost_locality { words = 32, warps = 4,
                                               ctas = 8 },
  }
  print(("%-18s %9d %9.3f %10d"):format(row[1], run.cycles,
    run.stats "gpu/sm/l1d".miss_ratio,
    run.stats "gpu/sm".issue_slots.throttled))
end
