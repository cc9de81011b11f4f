-- One small workload on one of two machines: run directly, or replayed from a
-- recording.
local loom = require "warploom"

local machine = loom.option { name = "machine", default = "gtx480",
                              choices = { "gtx480", "tiny" },
                              doc = "Which machine" }
local kernel = loom.option { name = "kernel", default = "atax",
                             choices = { "atax", "bfs", "gemm", "reduction" },
                             doc = "Which workload" }
local recording = loom.option { name = "recording", default = "",
                                doc = "Replay this" }

local sizes = {
  atax = { rows = 256, columns = 48 },
  bfs = { nodes = 700, degree = 4 },
  gemm = { n = 48, m = 64, k = 32 },
  reduction = { n = 9000, ctas = 6 },
}

local workload = loom.suite[kernel](sizes[kernel])

-- A snapshot of the user's own is part of what happened.
local function with_snapshot(dev)
  workload.run(dev, workload.values)
  dev:snapshot "mine"
end

loom.run {
  machine = loom.preset[machine] {},
  workload = recording ~= "" and loom.replay(recording) or with_snapshot,
  stats = { file = "x.h5",
            series = { bw = { every = "2us", select = "gpu.dram.bytes*" } } },
}
