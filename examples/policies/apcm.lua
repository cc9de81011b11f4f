-- Each warp's own lines, a table and a stream: what apcm does with each.
--   warploom run -q examples/policies/apcm.lua
local loom = require "warploom"

local function machine(policy)
  local gpu = loom.preset.apcm1 { sm_count = 1 }
  if policy then gpu:each "sm[*].l1d":attach(policy) end
  return gpu
end

local variants = {
  { "L1" },
  { "apcm, bypass only", loom.apcm { manage = "bypass" } },
  { "apcm, protection only", loom.apcm { manage = "protect" } },
  { "apcm", loom.apcm {} },
}

print(("%-22s %-8s %9s %9s %9s %9s"):format("policy", "loads", "cycles",
                                            "hits", "misses", "bypasses"))
for _, kind in ipairs { "own", "mixed" } do
  local workload = loom.suite.micro_locality {
    kind = kind, warps = 16, ctas = 4, rounds = 20 }
  for _, v in ipairs(variants) do
    local run = loom.run { machine = machine(v[2]), workload = workload }
    local l1d = run.stats "gpu/sm/l1d"
    print(("%-22s %-8s %9d %9d %9d %9d"):format(v[1], kind, run.cycles,
      l1d.hits + l1d.pending_hits, l1d.misses, l1d.bypasses))
  end
end
