-- How long the lines of the L2 are dead, in several programs.
--   warploom run -q examples/policies/ideal_gating.lua
local loom = require "warploom"

print(("%-12s %9s %9s %9s %9s"):format("program", "dead", "alive", "unused",
                                       "used once"))
for _, name in ipairs { "bicg", "gemm", "bfs" } do
  local gpu = loom.preset.loscache { sm_count = 4 }
  gpu:each "l2[*]":attach(loom.ideal_gating {})
  local run = loom.run { machine = gpu,
                         workload = loom.suite[name] { size = "tiny" } }
  local s = run.stats "gpu/l2/policy/ideal_gating"
  print(("%-12s %8.1f%% %8.1f%% %9d %9d"):format(name, 100 * s.dead_ratio,
    100 * s.on_ratio, s.unused_lines, s.single_lives))
end
