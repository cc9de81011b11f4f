-- Lines of the L2 that decay: what is on, and what it costs.
--   warploom run -q examples/policies/cache_decay.lua
local loom = require "warploom"

print(("%-10s %9s %12s %9s %9s"):format("interval", "cycles", "lines on",
                                        "gated", "induced"))
for _, interval in ipairs { 0, 16384, 4096, 1024 } do
  local gpu = loom.preset.loscache { sm_count = 4 }
  if interval > 0 then
    gpu:each "l2[*]":attach(loom.cache_decay { interval = interval })
  end
  local run = loom.run { machine = gpu,
                         workload = loom.suite.bicg { size = "tiny" } }
  local l2 = run.stats "gpu/l2"
  local d = interval > 0 and run.stats "gpu/l2/policy/cache_decay"
  print(("%-10s %9d %12d %9d %9d"):format(interval > 0 and interval or "none",
    run.cycles, l2.line_on_cycles, d and d.gatings or 0,
    d and d.induced_misses or 0))
end
