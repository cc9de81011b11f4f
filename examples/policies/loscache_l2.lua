-- What the L2 does with data that is predicted to be accessed once, and with
-- lines that were gated too early.
--   warploom run -q examples/policies/loscache_l2.lua
local loom = require "warploom"

print(("%-9s %-9s %9s %9s %9s %9s"):format("once", "early", "cycles", "on",
                                           "early", "raised"))
for _, once in ipairs { "no_line", "tag" } do
  for _, early in ipairs { "restart", "go_on" } do
    local gpu = loom.preset.loscache { sm_count = 4 }
    gpu:each "sm[*].l1d":attach(loom.loscache { phase_accesses = 20 })
    gpu:each "l2[*]":attach(loom.loscache_l2 { once = once,
                                               after_early = early })
    local run = loom.run { machine = gpu,
                           workload = loom.suite.bfs { size = "tiny" } }
    local g = run.stats "gpu/l2/policy/loscache_l2"
    print(("%-9s %-9s %9d %9d %9d %9d"):format(once, early, run.cycles,
      run.stats "gpu/l2".line_on_cycles, g.early_misses,
      run.stats "gpu/sm/policy/loscache".raises))
  end
end
