-- The quick start: PolyBench's ATAX on a GTX 480.
--
--   warploom run examples/quickstart.lua --set rows=1024

local loom = require "warploom"

local rows = loom.option { name = "rows", default = 4096,
                           doc = "Rows of the matrix" }
local columns = loom.option { name = "columns", default = 256,
                              doc = "Columns of the matrix" }

local gpu = loom.preset.gtx480 {}

loom.run {
  machine = gpu,
  workload = loom.suite.atax { rows = rows, columns = columns },
  stats = { file = "atax.h5" },
}
