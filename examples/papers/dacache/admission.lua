-- Can the benchmarks carry the claims?  What an infinite L1D would gain, and
-- the paper's own classes: coherent benchmarks have no loads of more than two
-- accesses (figure 2), and BFS, SPMV, IIX and PVC are rich in branch
-- divergence (table 1).
local common = require "common"

local divergent, branching = {}, {}
for _, bench in ipairs(common.divergent) do divergent[bench] = true end
for _, bench in ipairs { "bfs", "shoc_spmv", "mars_index", "mars_pvc" } do
  branching[bench] = true
end

local function of_lru(name)
  return function(t) return t[name]:at { technique = "lru" } end
end

return common.experiment {
  name = "dacache_admission",
  doc = "What the benchmarks are: headroom, divergence of loads and branches",
  benches = common.all, techniques = { "lru", "infinite" },
  metrics = {
    cycles = common.cycles,
    divergent = { doc = "Part of the loads that is divergent",
                  value = function(run)
      local s, by = common.loads(run), { coherent = 0, divergent = 0 }
      for kind in pairs(by) do
        for _, count in pairs(s[kind]) do by[kind] = by[kind] + count end
      end
      return by.divergent / (by.coherent + by.divergent)
    end },
    lanes = { doc = "Lanes that are active, of 32",
              value = "gpu/sm.simd_efficiency" },
  },
  derive = {
    speedup_of_an_infinite_l1d = function(t)
      return common.speedup(t):at { technique = "infinite" }
    end,
    loads_that_are_divergent = of_lru "divergent",
    active_lanes = of_lru "lanes",
    passes = function(t)
      local lanes = of_lru "lanes"(t)
      return of_lru "divergent"(t):map(function(x, names)
        local bench = names.bench
        local few = lanes:value { bench = bench } < 0.9
        return (x > 0.01) == (divergent[bench] == true) and
               few == (branching[bench] == true) and 1 or 0
      end)
    end,
  },
}
