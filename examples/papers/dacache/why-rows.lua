-- Is the row pitch why less is gained?  The paper's matrices of ATAX, BICG, MVT
-- and GES have rows of 32 or 16 KiB, of which the lines of a divergent load lie
-- in 8 of the 32 sets; rows of our size small, of 1 KiB and less, in 16.  Rows
-- of 4 KiB, 1,024 columns, lie in 8, too.  --set columns=1056 has rows as long
-- whose lines lie in more sets: the two differ in the pitch alone.
local loom = require "warploom"
local common = require "common"

local columns = loom.option { name = "columns", default = 1024,
                              doc = "Columns of the matrices" }
local inputs = {}
for _, bench in ipairs { "atax", "bicg", "mvt", "gesummv" } do
  inputs[bench] = { rows = 2048, columns = columns }
end

return common.experiment {
  name = "dacache_why_rows",
  doc = "Figures 8 to 10 with rows of 4 KiB",
  inputs = inputs,
  techniques = { "lru", "rrip", "dip", "uncon", "stall", "dacache" },
  metrics = { cycles = common.cycles, mpki = common.mpki,
              divergent = common.fully "divergent",
              coherent = common.fully "coherent" },
  derive = {
    speedup = common.speedup, mean = common.mean,
    mean_divergent = common.mean_fully "divergent",
    mean_coherent = common.mean_fully "coherent",
    mean_mpki = common.mean_mpki,
  },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to LRU" } },
}
