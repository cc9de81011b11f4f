-- Short runs of every kind, by which the compiler learns what is ordinary:
-- machines of several generations, and kernels that wait for memory or do not.
local loom = require "warploom"

local workloads = {
  loom.suite.atax { rows = 4096, columns = 64 },
  loom.suite.bfs { nodes = 4096 },
  loom.suite.gemm { n = 128, m = 128, k = 128 },
  loom.suite.vectoradd { n = 1 << 16 },
}

for _, name in ipairs { "gtx480", "titanx", "rtx2060", "a100" } do
  for _, workload in ipairs(workloads) do
    loom.run { machine = loom.preset[name] {}, workload = workload }
  end
end
