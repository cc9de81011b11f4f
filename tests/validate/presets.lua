-- Programs of the suite, at small sizes, on a preset: results are verified and
-- conservation laws are checked, as at the end of every run.
--
--   warploom run tests/validate/presets.lua --set preset=a100
--       --set programs=atax,bfs
local loom = require "warploom"

local preset = loom.option { name = "preset", default = "gtx480",
                             doc = "The machine" }
local programs = loom.option { name = "programs", default = "vectoradd",
                               doc = "Names, with commas" }

local sizes = {
  atax = { rows = 96, columns = 24 },
  bfs = { nodes = 300, degree = 3 },
  bicg = { rows = 96, columns = 24 },
  gemm = { n = 32, m = 32, k = 32 },
  reduction = { n = 3000, ctas = 6 },
  vectoradd = { n = 4000 },
}

for name in programs:gmatch "[^,]+" do
  loom.run { machine = loom.preset[preset] {},
             workload = loom.suite[name](sizes[name] or
               name:find "^micro_" and {} or { size = "tiny" }) }
end
