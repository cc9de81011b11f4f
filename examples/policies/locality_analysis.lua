-- Whose lines are they? Classes of an infinite L1, and what 16 KiB leave.
--   warploom run -q examples/policies/locality_analysis.lua
local loom = require "warploom"

local classes = { "streaming", "intra", "inter", "mixed" }

print(("%-12s %-9s %9s %9s %9s %9s %6s"):format("workload", "L1", "streaming",
                                                "intra", "inter", "mixed",
                                                "APS"))
local workloads = {
  { "atax", loom.suite.atax { rows = 512, columns = 64 } },
  { "gemm", loom.suite.gemm { size = "tiny" } },
  { "vectoradd", loom.suite.vectoradd { n = 16384 } },
}
for _, w in ipairs(workloads) do
  for _, infinite in ipairs { true, false } do
    local gpu = loom.preset.gtx480 { sm_count = 2, sm = { l1d = {
      infinite = infinite } } }
    -- The first launch only: another kernel's loads have other indices.
    gpu:each "sm[*].l1d":attach(loom.locality_analysis { launches = { 0 } })
    local run = loom.run { machine = gpu, workload = w[2] }
    local s = run.stats "gpu/sm/l1d/policy/locality_analysis"
    local row = { w[1], infinite and "infinite" or "16 KiB" }
    for _, class in ipairs(classes) do
      row[#row + 1] = s.lines_by_class[class]
    end
    row[#row + 1] = s.access_pattern_similarity
    print(("%-12s %-9s %9d %9d %9d %9d %6.2f"):format(table.unpack(row)))
  end
end
