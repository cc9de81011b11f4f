-- Loads that are cached as a whole, in part, or not at all.
--   warploom run -q examples/policies/load_analysis.lua
local loom = require "warploom"

print(("%-9s %-10s %9s %9s %9s"):format("L1", "loads", "fully", "partially",
                                        "uncached"))
for _, kib in ipairs { 16, 48 } do
  local gpu = loom.preset.gtx480 { sm_count = 2, sm = { l1d = {
    size_bytes = kib * 1024, ways = kib // 4 } } }
  gpu:each "sm[*].l1d":attach(loom.load_analysis {})
  local run = loom.run {
    machine = gpu, workload = loom.suite.atax { rows = 512, columns = 64 } }
  local s = run.stats "gpu/sm/ldst/policy/load_analysis"
  for _, kind in ipairs { "coherent", "divergent" } do
    print(("%-9s %-10s %9d %9d %9d"):format(kib .. " KiB", kind, s[kind].fully,
                                            s[kind].partially,
                                            s[kind].uncached))
  end
end
