-- Warp schedulers side by side: the greedy ones keep a warp's lines in use.
--   warploom run -q examples/policies/youngest.lua
local loom = require "warploom"

local schedulers = {
  { "gto", loom.gto {} }, { "lrr", loom.lrr {} },
  { "youngest", loom.youngest {} },
}

print(("%-18s %9s %9s"):format("scheduler", "cycles", "L1 miss"))
for _, s in ipairs(schedulers) do
  local gpu = loom.preset.gtx480 { sm_count = 2 }
  gpu:each "sm[*]":attach(s[2])
  local run = loom.run {
    machine = gpu, workload = loom.suite.atax { rows = 512, columns = 64 } }
  print(("%-18s %9d %9.3f"):format(s[1], run.cycles,
                                   run.stats "gpu/sm/l1d".miss_ratio))
end
