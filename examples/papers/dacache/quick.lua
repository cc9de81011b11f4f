-- DaCache's headline (figure 8): cycles of LRU over those of each technique,
-- on the machine of its table 2 and our suite's twins of its 20 benchmarks.
--   warploom sweep examples/papers/dacache/quick.lua -j 2
-- Options: --set size=tiny for a first look, --set sms=4 for fewer SMs.
local loom = require "warploom"

local size = loom.option { name = "size", default = "small",
                           doc = "Size of the benchmarks" }
local sms = loom.option { name = "sms", default = 30, doc = "SMs of the GPU" }

-- As the paper's table 1 divides them.
local divergent = { "atax", "bicg", "mvt", "syrk", "syr2k", "gesummv",
                    "kmeans", "streamcluster", "bfs", "shoc_spmv",
                    "mars_index", "mars_pvc" }
local coherent = { "conv2d", "conv3d", "mm2", "mm3", "covariance",
                   "correlation", "fdtd2d", "gramschmidt" }
local benches = {}
for _, list in ipairs { divergent, coherent } do
  for _, bench in ipairs(list) do benches[#benches + 1] = bench end
end

return loom.experiment {
  name = "dacache_quick",
  doc = "DaCache against LRU, DIP and RRIP",
  order = { "bench", "technique" },
  axes = {
    bench = benches,
    technique = {
      { name = "lru", value = loom.lru {} },
      { name = "dip", value = loom.dip {} },
      { name = "rrip", value = loom.drrip {} },
      { name = "uncon", value = loom.dacache { constrained = "off" } },
      { name = "stall", value = loom.dacache { constrained = "stall" } },
      { name = "dacache", value = loom.dacache {} },
    },
  },
  base = function(p)
    local gpu = loom.preset.dacache { sm_count = sms }
    gpu:each "sm[*].l1d":attach(p.technique)
    return { machine = gpu,
             workload = loom.suite[p.bench] { size = size } }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
    mpki = { doc = "L1D misses and bypasses per thousand warp instructions",
             value = function(run)
               local l1 = run.stats "gpu/sm/l1d"
               return 1000 * (l1.misses + l1.bypasses) / run.warp_insts
             end },
  },
  derive = {
    speedup = function(t)
      return t.cycles:normalise({ technique = "lru" }, "inverse")
    end,
    misses = function(t) return t.mpki:normalise { technique = "lru" } end,
    mean_divergent = function(t)
      return t.speedup:where { bench = divergent }:mean("bench", "geometric")
    end,
    mean_coherent = function(t)
      return t.speedup:where { bench = coherent }:mean("bench", "geometric")
    end,
  },
}
