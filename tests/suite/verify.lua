-- Runs every workload of a suite, small; a wrong result ends it.
local loom = require "warploom"

-- How many there are, so that none is forgotten here.
local expected = loom.option { name = "count", default = 0, min = 0,
                               doc = "Workloads of the suite; 0: any" }

local sizes = {
  atax = { rows = 128, columns = 24 },
  bfs = { nodes = 300, degree = 3 },
  bicg = { rows = 96, columns = 40 },
  features = {},
  gemm = { n = 32, m = 48, k = 32 },
  micro_alu = { op = "int_mad", warps = 2 },
  micro_atomic = { times = 2 },
  micro_chase = { bytes = 2048 },
  micro_const = { stride = 3 },
  micro_shared = { stride = 3 },
  micro_stream = { write = true },
  micro_stride = { stride = 5, warps = 2 },
  reduction = { n = 3000, ctas = 6 },
  vectoradd = { n = 2000 },
}
local gpu = loom.preset.gtx480 { sm_count = 1 }
local count = 0
for name, size in pairs(sizes) do
  count = count + 1
  local run = loom.run { machine = gpu, workload = loom.suite[name](size) }
  if run.status ~= "complete" then error(name, 0) end
end
if expected ~= 0 and count ~= expected then
  error(("%d workloads are verified, but there are %d"):format(count,
        expected), 0)
end
