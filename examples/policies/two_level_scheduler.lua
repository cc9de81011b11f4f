-- Two levels of warps beside one.
--   warploom run -q examples/policies/two_level_scheduler.lua
local loom = require "warploom"

local rows = {
  { "gto" }, { "lrr", loom.lrr {} },
  { "two_level 4", loom.two_level_scheduler { active_warps = 4 } },
  { "two_level 8", loom.two_level_scheduler { active_warps = 8 } },
}

print(("%-18s %9s %9s %10s"):format("technique", "cycles", "L1 miss",
                                    "throttled"))
for _, row in ipairs(rows) do
  local gpu = loom.preset.gtx480 { sm_count = 1 }
  if row[2] then gpu:each "sm[*]":attach(row[2]) end
  local run = loom.run {
    machine = gpu,
    workload = loom.suite.atax { rows = 512, columns = 64 },
  }
  print(("%-18s %9d %9.3f %10d"):format(row[1], run.cycles,
    run.stats "gpu/sm/l1d".miss_ratio,
    run.stats "gpu/sm".issue_slots.throttled))
end
