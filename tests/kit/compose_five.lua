-- Five of the smallest benchmarks in one program: streaming, a divergent
-- gather, reuse within warps, barriers and shared memory, one kernel per step.
local loom = require "warploom"

loom.run {
  machine = loom.preset.tiny { sm_count = 1 },
  workload = loom.workload { name = "five", run = function(dev)
    for _, name in ipairs { "vectoradd", "shoc_spmv", "sl1_kmeans",
                            "reduction", "nn" } do
      local w = loom.suite[name] { size = "tiny" }
      w.run(dev, w.values)
    end
  end },
}
