-- One workload of the suite, or one calibration program, on the GTX 480.
--   warploom run tests/validate/threads.lua --set name=atax -o FILE.h5
local loom = require "warploom"
local reference = require "reference"

local name = loom.option { name = "name", default = "atax",
                           doc = "Workload or program" }
local root = loom.option { name = "root", default = ".",
                           doc = "The source tree" }

local sizes = {
  atax = { rows = 512, columns = 64 },
  bfs = { nodes = 2000, degree = 4 },
  bicg = { rows = 512, columns = 64 },
  gemm = { n = 96, m = 96, k = 64 },
  micro_alu = { op = "fp_mad", warps = 8, ctas = 30 },
  micro_atomic = { ctas = 30 },
  micro_chase = { bytes = 65536 },
  micro_const = { stride = 3, warps = 4 },
  micro_shared = { stride = 2, warps = 4 },
  micro_stream = { bytes = 983040, ctas = 30, passes = 1 },
  micro_stride = { stride = 5 },
  reduction = { n = 65536 },
  vectoradd = { n = 65536 },
}
local suite = {}
for _, known in ipairs(loom.suite.list {}) do suite[known] = true end
local micro = name:find "^micro_" -- those have no sizes by name
local workload
if sizes[name] or suite[name] or micro then
  workload = loom.suite[name](sizes[name] or micro and {} or { size = "tiny" })
else
  workload = reference.workload(root, "", name)
end
loom.run { machine = loom.preset.gtx480 {}, guard = 0, workload = workload,
           stats = { file = "threads.h5" } }
