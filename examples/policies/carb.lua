-- A share of the loads goes around, by the class of the miss rate.
--   warploom run -q examples/policies/carb.lua
local loom = require "warploom"

-- One SM with a 16 KiB L1 of 4 ways and a plain set index.
local function machine(policy, l2)
  local gpu = loom.preset.gtx480 { sm_count = 1, sm = { l1d = {
    ways = 4, set_index = loom.linear_index {} } } }
  if policy then gpu:each "sm[*].l1d":attach(policy) end
  if l2 then gpu:each "l2[*]":attach(l2) end
  return gpu
end

local workload = loom.suite.atax { rows = 512, columns = 64 }
local variants = {
  { "L1" },
  { "carb", loom.carb {} },
  { "carb, short windows", loom.carb { window_cycles = 1000 } },
}

print(("%-22s %9s %9s %9s %9s"):format("policy", "cycles", "hits", "misses",
                                       "bypasses"))
for _, v in ipairs(variants) do
  local run = loom.run { machine = machine(v[2], v[3]), workload = workload }
  local l1d = run.stats "gpu/sm/l1d"
  print(("%-22s %9d %9d %9d %9d"):format(v[1], run.cycles,
    l1d.hits + l1d.pending_hits, l1d.misses, l1d.bypasses))
end
