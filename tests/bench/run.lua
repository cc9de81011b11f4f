-- One benchmark: a workload on a preset, nothing written.
local loom = require "warploom"

local kernel = loom.option { name = "kernel", default = "atax",
                             doc = "Which workload: few, or of the suite" }
local preset = loom.option { name = "preset", default = "gtx480",
                             doc = "Machine" }
local sms = loom.option { name = "sms", default = 0, min = 0,
                          doc = "SMs of the machine; 0: the preset's" }
local size = loom.option { name = "size", default = "small",
                           doc = "Of those that have no input here" }
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

local run = loom.run {
  machine = loom.preset[preset] { sm_count = sms > 0 and sms or nil },
  workload = loom.suite[program](sizes[kernel] or { size = size }),
}
-- Time in launches: execution and timing, without making the input and the
-- check against the CPU.
print(("bench %s %d %d %.6f %d"):format(kernel, run.warp_insts, run.cycles,
                                        run.busy, run.ticks or 0))
