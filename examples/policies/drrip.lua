-- srrip or brrip, whichever the leader sets say: scans of two L1s.
--   warploom run -q examples/policies/drrip.lua
local loom = require "warploom"

local workload = loom.suite.micro_reuse { bytes = "8KiB", uses = 2,
                                          scan_bytes = "32KiB" }

print(("%-20s %9s %9s %9s"):format("replacement", "cycles", "hits", "misses"))
for _, name in ipairs { "lru", "srrip", "brrip", "drrip" } do
  local gpu = loom.preset.gtx480 { sm_count = 1, sm = { l1d = {
    replacement = loom[name] {}, set_index = loom.linear_index {} } } }
  local run = loom.run { machine = gpu, workload = workload }
  local l1d = run.stats "gpu/sm/l1d"
  print(("%-20s %9d %9d %9d"):format(name, run.cycles, l1d.hits, l1d.misses))
  if name == "drrip" then
    local duel = run.stats "gpu/sm/l1d/policy/drrip"
    print(("  PSEL %d; misses of leader sets: %s %d, %s %d"):format(duel.psel,
      "srrip", duel.leader_misses.srrip, "brrip", duel.leader_misses.brrip))
  end
end
