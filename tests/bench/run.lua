-- One benchmark: a workload on the GTX 480, nothing written.
local loom = require "warploom"

local kernel = loom.option { name = "kernel", default = "atax",
                             choices = { "atax", "gemm", "bfs", "vectoradd",
                                         "few" },
                             doc = "Which workload" }
local sms = loom.option { name = "sms", default = 15, min = 1,
                          doc = "SMs of the machine" }
local columns = loom.option { name = "columns", default = 256, min = 1,
                              doc = "Of atax's matrix: how long it takes" }
local sizes = {
  atax = { rows = 4096, columns = columns },
  gemm = { n = 256, m = 256, k = 256 },
  bfs = { nodes = 16384 },
  vectoradd = { n = 1 << 20 },
  few = { n = 48, m = 80, k = 2048 }, -- a gemm of 15 CTAs: one for each SM
}
local program = kernel == "few" and "gemm" or kernel

local run = loom.run { machine = loom.preset.gtx480 { sm_count = sms },
                       workload = loom.suite[program](sizes[kernel]) }
-- Time in launches: execution and timing, without making the input and the
-- check against the CPU.
print(("bench %s %d %d %.6f %d"):format(kernel, run.warp_insts, run.cycles,
                                        run.busy, run.ticks or 0))
