-- How much of the work the oldest warps do, by scheduler.
--   warploom run -q examples/policies/warp_analysis.lua
local loom = require "warploom"

print(("%-10s %7s %7s %7s %7s %10s"):format("scheduler", "rank 0", "rank 1",
                                            "rank 2", "rank 3", "buffered"))
for _, scheduler in ipairs { "gto", "lrr" } do
  local gpu = loom.preset.gtx480 { sm_count = 2,
                                   sm = { scheduler = loom[scheduler] {} } }
  gpu:each "sm[*]":attach(loom.warp_analysis {})
  local run = loom.run {
    machine = gpu, workload = loom.suite.atax { rows = 512, columns = 64 } }
  local s = run.stats "gpu/sm/policy/warp_analysis"
  local row = { scheduler }
  for rank = 0, 3 do row[#row + 1] = s.issues_by_rank[rank] / s.issues * 100 end
  row[#row + 1] = s.mean_buffered
  print(("%-10s %6.1f%% %6.1f%% %6.1f%% %6.1f%% %10.2f"):format(
    table.unpack(row)))
end
