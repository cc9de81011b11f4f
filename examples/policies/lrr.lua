-- LRR beside GTO where warps share lines or use them once: the L1 misses the
-- same, and the order of issue moves the cycles by a percent or two.
--   warploom run -q examples/policies/lrr.lua
local loom = require "warploom"

print(("%-12s %-10s %9s %9s"):format("workload", "scheduler", "cycles",
                                     "L1 miss"))
for _, name in ipairs { "gemm", "bfs", "conv2d" } do
  for _, s in ipairs { { "gto", loom.gto {} }, { "lrr", loom.lrr {} } } do
    local gpu = loom.preset.gtx480 { sm_count = 4 }
    gpu:each "sm[*]":attach(s[2])
    local run = loom.run { machine = gpu,
                           workload = loom.suite[name] { size = "tiny" } }
    print(("%-12s %-10s %9d %9.3f"):format(name, s[1], run.cycles,
                                           run.stats "gpu/sm/l1d".miss_ratio))
  end
end
