-- LRU or bip, whichever the leader sets say: a loop over 1.5 L1s.
--   warploom run -q examples/policies/dip.lua
local loom = require "warploom"

local workload = loom.suite.micro_reuse { bytes = "24KiB" }

print(("%-20s %9s %9s %9s"):format("replacement", "cycles", "hits", "misses"))
for _, name in ipairs { "lru", "bip", "dip" } do
  local gpu = loom.preset.gtx480 { sm_count = 1, sm = { l1d = {
    replacement = loom[name] {}, set_index = loom.linear_index {} } } }
  local run = loom.run { machine = gpu, workload = workload }
  local l1d = run.stats "gpu/sm/l1d"
  print(("%-20s %9d %9d %9d"):format(name, run.cycles, l1d.hits, l1d.misses))
  if name == "dip" then
    local duel = run.stats "gpu/sm/l1d/policy/dip"
    print(("  PSEL %d; misses of leader sets: %s %d, %s %d"):format(duel.psel,
      "lru", duel.leader_misses.lru, "bip", duel.leader_misses.bip))
  end
end
