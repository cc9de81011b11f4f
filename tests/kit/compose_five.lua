-- Five of the smallest benchmarks in one program: streaming, a divergent
-- gather, reuse within warps, barriers and shared memory, one kernel per step.
local loom = require "warploom"

loom.run {
  machine = loom.preset.tiny { sm_count = 1 },
  workload = loom.workload { name = "five", run = function(dev)
    for _, one in ipairs { { "vectoradd", n = 1000 }, { "shoc_spmv" },
                           { "sl1_kmeans" },
                           { "reduction", n = 1500, ctas = 3 },
                           { "nn", records = 500 } } do
      local name = table.remove(one, 1)
      one.size = "tiny"
      local w = loom.suite[name](one)
      w.run(dev, w.values)
    end
  end },
}
