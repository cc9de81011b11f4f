-- DaCache and its variants beside LRU, on two SMs of its paper's machine.
--   warploom run -q examples/policies/dacache.lua
local loom = require "warploom"

local variants = {
  { "lru" }, { "dacache, any way", loom.dacache { constrained = "off" } },
  { "dacache, stalling", loom.dacache { constrained = "stall" } },
  { "dacache", loom.dacache {} },
}

print(("%-18s %9s %9s %12s"):format("management", "cycles", "L1 miss",
                                    "fully cached"))
for _, v in ipairs(variants) do
  local gpu = loom.preset.dacache { sm_count = 2 }
  if v[2] then gpu:each "sm[*].l1d":attach(v[2]) end
  local run = loom.run {
    machine = gpu, workload = loom.suite.gesummv { rows = 1024, columns = 32 } }
  local full = "-"
  if v[2] then
    local loads = run.stats "gpu/sm/l1d/policy/dacache".divergent_loads
    full = ("%.3f"):format(
      loads.full / (loads.full + loads.partly + loads.missed))
  end
  print(("%-18s %9d %9.3f %12s"):format(
    v[1], run.cycles, run.stats "gpu/sm/l1d".miss_ratio, full))
end
