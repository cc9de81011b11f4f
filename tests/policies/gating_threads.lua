-- LoSCache and its rivals on caches of all levels; bypass_threads.sh compares
-- what it prints for several threads.  Books of policies and of caches agree.
local loom = require "warploom"

local schemes = {
  { name = "loscache", sm = loom.loscache { phase_accesses = 20 },
    l2 = loom.loscache_l2 { phase_accesses = 400 } },
  { name = "tag", sm = loom.loscache { phase_accesses = 20 },
    l2 = loom.loscache_l2 { once = "tag" } },
  { name = "decay", l1 = loom.cache_decay { interval = 512 },
    l2 = loom.cache_decay { interval = 1024 } },
  { name = "drowsy", l1 = loom.drowsy {}, l2 = loom.drowsy { scope = "line" } },
}


for _, s in ipairs(schemes) do
  -- Small, as in paper_threads.lua.
  for _, one in ipairs { { "bicg", rows = 64, columns = 32 },
                         { "bfs", nodes = 150 } } do
    local name = one[1]
    local gpu = loom.preset.loscache { sm_count = 6 }
    if s.sm then gpu:each "sm[*].l1d":attach(s.sm) end
    if s.l1 then gpu:each "sm[*].l1d":attach(s.l1) end
    gpu:each "l2[*]":attach(s.l2)
    gpu:each "l2[*]":attach(loom.ideal_gating {})
    local run = loom.run { machine = gpu, workload = loom.suite[name] {
      size = "tiny", rows = one.rows, columns = one.columns,
      nodes = one.nodes } }
    local l2 = run.stats "gpu/l2"
    local ideal = run.stats "gpu/l2/policy/ideal_gating"
    assert(l2.line_on_cycles + l2.line_drowsy_cycles + l2.line_gated_cycles ==
           ideal.line_cycles)
    assert(l2.line_on_cycles < ideal.line_cycles)
    print(s.name, name, run.cycles, run.digest, l2.line_on_cycles,
          ideal.live_cycles)
  end
end
