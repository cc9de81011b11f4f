-- One row of docs/performance.md: a workload on a preset with so many SMs and
-- channels (0: its own).  tests/bench/performance.py calls it.
local loom = require "warploom"

local preset = loom.option { name = "preset", default = "qv100",
                             choices = { "tiny", "gtx480", "qv100", "h100" },
                             doc = "Machine" }
local kernel = loom.option { name = "kernel", default = "none",
                             choices = { "none", "vectoradd", "gemm", "bfs",
                                         "atax" }, doc = "Workload" }
local n = loom.option { name = "n", default = 131072, min = 1,
                        doc = "Elements of vectoradd" }
local sms = loom.option { name = "sms", default = 0, min = 0, doc = "SMs" }
local channels = loom.option { name = "channels", default = 0, min = 0,
                               doc = "DRAM channels" }
local sizes = { vectoradd = { n = n }, gemm = { n = 192, m = 192, k = 192 },
                bfs = { nodes = 16384 }, atax = { rows = 1024, columns = 128 } }

local fields = {}
if sms > 0 then fields.sm_count = sms end
if channels > 0 then fields.channel_count = channels end
local workload = kernel == "none" and
                 loom.workload { name = "none", run = function() end } or
                 loom.suite[kernel](sizes[kernel])
local run = loom.run { machine = loom.preset[preset](fields),
                       workload = workload }
local reads = kernel == "none" and 0 or run.stats "gpu/dram".reads
print(("bench %d %d %.6f %d"):format(run.warp_insts, run.cycles, run.busy,
                                     reads))
