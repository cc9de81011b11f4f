-- New lines are predicted to be far away: scans leave the working set alone.
--   warploom run -q examples/policies/brrip.lua
local loom = require "warploom"

local workload = loom.suite.micro_reuse { bytes = "8KiB", uses = 2,
                                          scan_bytes = "32KiB" }

print(("%-20s %9s %9s %9s"):format("replacement", "cycles", "hits", "misses"))
for _, name in ipairs { "lru", "brrip" } do
  local gpu = loom.preset.gtx480 { sm_count = 1, sm = { l1d = {
    replacement = loom[name] {}, set_index = loom.linear_index {} } } }
  local run = loom.run { machine = gpu, workload = workload }
  local l1d = run.stats "gpu/sm/l1d"
  print(("%-20s %9d %9d %9d"):format(name, run.cycles, l1d.hits, l1d.misses))
end
