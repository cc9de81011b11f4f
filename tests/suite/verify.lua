-- Runs every workload of a suite functionally, small; a wrong result ends it.
local loom = require "warploom"

local sizes = {
  atax = { rows = 128, columns = 24 },
  bfs = { nodes = 300, degree = 3 },
  bicg = { rows = 96, columns = 40 },
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
for name, size in pairs(sizes) do
  local run = loom.run { machine = gpu, workload = loom.suite[name](size) }
  if run.status ~= "complete" then error(name, 0) end
end
