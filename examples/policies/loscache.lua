-- LoSCache, naive and adaptive, beside its baseline and what rivals leave on.
--   warploom run -q examples/policies/loscache.lua
local loom = require "warploom"

local variants = {
  { "baseline" },
  { "naive", loom.loscache { max_threshold = 0 }, loom.loscache_l2 {} },
  { "adaptive", loom.loscache {}, loom.loscache_l2 {} },
  { "with tags", loom.loscache {}, loom.loscache_l2 { once = "tag" } },
  { "decay", nil, loom.cache_decay {} },
  { "drowsy", nil, loom.drowsy {} },
}

print(("%-10s %9s %9s %9s %9s %9s"):format("L2", "cycles", "misses",
                                           "lines on", "early", "accuracy"))
for _, v in ipairs(variants) do
  local gpu = loom.preset.loscache { sm_count = 4 }
  if v[2] then gpu:each "sm[*].l1d":attach(v[2]) end
  if v[3] then gpu:each "l2[*]":attach(v[3]) end
  local run = loom.run { machine = gpu,
                         workload = loom.suite.bicg { size = "tiny" } }
  local l2 = run.stats "gpu/l2"
  local g = v[2] and run.stats "gpu/l2/policy/loscache_l2"
  local all = l2.line_on_cycles + l2.line_drowsy_cycles + l2.line_gated_cycles
  print(("%-10s %9d %9d %8.2f%% %9d %8.1f%%"):format(v[1], run.cycles,
    l2.misses, 100 * l2.line_on_cycles / all, g and g.early_misses or 0,
    100 * (g and g.accuracy or 0)))
end
