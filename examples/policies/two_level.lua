-- A stream and a table that is used again and again: what the two stages say.
--   warploom run -q examples/policies/two_level.lua
local loom = require "warploom"

local function machine(policy)
  local gpu = loom.preset.apcm1 { sm_count = 1 }
  if policy then gpu:each "sm[*].l1d":attach(policy) end
  return gpu
end

local variants = {
  { "L1" },
  { "two_level", loom.two_level { window_cycles = 10000 } },
  { "two_level, 9 of 10 warps", loom.two_level {
    window_cycles = 10000, miss_low = 0, occupancy = 0.9 } },
  { "miss_rate_bypass", loom.miss_rate_bypass { window_cycles = 10000 } },
}

print(("%-26s %-8s %9s %9s %9s %9s"):format("policy", "loads", "cycles",
                                            "hits", "misses", "bypasses"))
for _, kind in ipairs { "stream", "table" } do
  local workload = loom.suite.micro_locality {
    kind = kind, warps = 8, ctas = 4, rounds = 20 }
  for _, v in ipairs(variants) do
    local run = loom.run { machine = machine(v[2]), workload = workload }
    local l1d = run.stats "gpu/sm/l1d"
    print(("%-26s %-8s %9d %9d %9d %9d"):format(v[1], kind, run.cycles,
      l1d.hits + l1d.pending_hits, l1d.misses, l1d.bypasses))
  end
end
