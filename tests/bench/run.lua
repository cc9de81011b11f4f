-- One benchmark: a workload on the GTX 480, nothing written.
local loom = require "warploom"

local kernel = loom.option { name = "kernel", default = "atax",
                             choices = { "atax", "gemm", "bfs", "vectoradd" },
                             doc = "Which workload" }
local sizes = {
  atax = { rows = 4096, columns = 256 },
  gemm = { n = 256, m = 256, k = 256 },
  bfs = { nodes = 16384 },
  vectoradd = { n = 1 << 20 },
}

local run = loom.run { machine = loom.preset.gtx480 {},
                       workload = loom.suite[kernel](sizes[kernel]) }
-- Time in launches: execution and timing, without making the input and the
-- check against the CPU.
print(("bench %s %d %d %.6f %d"):format(kernel, run.warp_insts, run.cycles,
                                        run.busy, run.ticks or 0))
