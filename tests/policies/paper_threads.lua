-- APCM, DaCache, two-level bypassing and APCM on top of a limit of warps,
-- each on its paper's machine with few SMs; bypass_threads.sh compares what it
-- prints for several threads.
local loom = require "warploom"

local techniques = {
  { "apcm", machine = "apcm1", l1d = loom.apcm {} },
  { "apcm_swl", machine = "apcm1", l1d = loom.apcm {},
    sm = loom.swl { warps = 8 } },
  { "dacache", machine = "dacache", l1d = loom.dacache {} },
  { "dacache_stall", machine = "dacache",
    l1d = loom.dacache { constrained = "stall" } },
  { "two_level", machine = "gtx1080_56",
    l1d = loom.two_level { window_cycles = 500, hold_cycles = 500 } },
}
for _, technique in ipairs(techniques) do
  local gpu = loom.preset[technique.machine] { sm_count = 6 }
  gpu:each "sm[*].l1d":attach(technique.l1d)
  if technique.sm then gpu:each "sm[*]":attach(technique.sm) end
  -- Threads that wait for each other at every window take a hundred times as
  -- long where there are fewer processors, so these are small.
  for _, one in ipairs { { "atax", rows = 64, columns = 16 },
                         { "bfs", nodes = 150 }, { "spmv", rows = 150 } } do
    local name = table.remove(one, 1)
    one.size = "tiny"
    local run = loom.run { machine = gpu, workload = loom.suite[name](one) }
    print(technique[1], name, run.cycles, run.digest)
  end
end
