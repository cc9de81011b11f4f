-- Why loads miss: with a scheduler that keeps to few warps, and with one that
-- does not.
--   warploom run -q examples/policies/conflict_analysis.lua
local loom = require "warploom"

print(("%-10s %9s %9s %9s %9s"):format("scheduler", "hits", "cold", "intra",
                                       "inter"))
for _, scheduler in ipairs { "gto", "lrr" } do
  local gpu = loom.preset.gtx480 { sm_count = 2,
                                   sm = { scheduler = loom[scheduler] {} } }
  gpu:each "sm[*].l1d":attach(loom.conflict_analysis {})
  local run = loom.run {
    machine = gpu, workload = loom.suite.atax { rows = 512, columns = 64 } }
  local s = run.stats "gpu/sm/l1d/policy/conflict_analysis"
  print(("%-10s %9d %9d %9d %9d"):format(scheduler, s.hits, s.misses.cold,
                                         s.misses.intra_warp,
                                         s.misses.inter_warp))
end
