-- An L2 that sleeps when it is idle, and one whose lines sleep.
--   warploom run -q examples/policies/drowsy.lua
local loom = require "warploom"

local variants = {
  { "awake" },
  { "cache sleeps", loom.drowsy {} },
  { "lines sleep", loom.drowsy { scope = "line" } },
}
print(("%-13s %9s %12s %12s"):format("L2", "cycles", "lines on",
                                     "lines drowsy"))
for _, v in ipairs(variants) do
  local gpu = loom.preset.loscache { sm_count = 4 }
  if v[2] then gpu:each "l2[*]":attach(v[2]) end
  local run = loom.run { machine = gpu,
                         workload = loom.suite.bicg { size = "tiny" } }
  local l2 = run.stats "gpu/l2"
  print(("%-13s %9d %12d %12d"):format(v[1], run.cycles, l2.line_on_cycles,
                                       l2.line_drowsy_cycles))
end
