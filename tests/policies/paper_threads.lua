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
  for _, name in ipairs { "atax", "bfs", "spmv" } do
    local run = loom.run { machine = gpu,
                           workload = loom.suite[name] { size = "tiny" } }
    print(technique[1], name, run.cycles, run.digest)
  end
end
