-- APCM's headline: figure 12, with what figures 15, 17 and 18 compare it with.
--   warploom sweep examples/papers/apcm/quick.lua -j 2
-- Speedups over configuration 1 with LRR; `--set config=apcm2` for the other
-- one (figure 14). Killed, it goes on where it was.
local loom = require "warploom"

local size = loom.option { name = "size", default = "small",
                           choices = { "tiny", "small", "paper" },
                           doc = "Size of the benchmarks" }
local config = loom.option { name = "config", default = "apcm1",
                             choices = { "apcm1", "apcm2" },
                             doc = "Configuration of table 4" }

-- What is attached to each SM, L1 and L2.
local schemes = {
  { "baseline" },
  { "swl8", sm = loom.swl { warps = 8 } },
  { "swl16", sm = loom.swl { warps = 16 } },
  { "abyp", l1d = loom.abyp {}, l2 = loom.abyp_l2 {} },
  -- Lines protected for 8 accesses to the cache.
  { "pd8", l1d = loom.pdp { distance = 8, scope = "cache",
                            reset_on_hit = false } },
  { "bypass", l1d = loom.apcm { manage = "bypass" } },
  { "protect", l1d = loom.apcm { manage = "protect" } },
  { "apcm", l1d = loom.apcm {} },
  { "apcm_swl8", l1d = loom.apcm {}, sm = loom.swl { warps = 8 } },
}

local values, benches, class = {}, {}, {}
for i, s in ipairs(schemes) do values[i] = { name = s[1], value = s } end
for _, name in ipairs { "CS", "CM", "CI" } do
  class[name] = loom.suite.list { paper = "apcm", class = name }
  table.move(class[name], 1, #class[name], #benches + 1, benches)
end

local function machine(scheme)
  local gpu = loom.preset[config] {}
  if scheme.sm then gpu:each "sm[*]":attach(scheme.sm) end
  if scheme.l1d then gpu:each "sm[*].l1d":attach(scheme.l1d) end
  if scheme.l2 then gpu:each "l2[*]":attach(scheme.l2) end
  return gpu
end

-- Geometric mean of the speedups of a class.
local function mean(name)
  return function(t)
    return t.speedup:where { bench = class[name] }:mean("bench", "geometric")
  end
end

return loom.experiment {
  name = "apcm_quick",
  doc = "APCM and its rivals on its first configuration",
  order = { "bench", "scheme" },
  axes = { bench = benches, scheme = values },
  base = function(p)
    return { machine = machine(p.scheme),
             workload = loom.suite[p.bench] { size = size } }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
    miss_ratio = { doc = "L1D misses per look-up",
                   value = "gpu/sm/l1d.miss_ratio" },
    bypassed = { doc = "Part of the L1D's accesses that went around",
                 value = function(run)
      local l1d = run.stats "gpu/sm/l1d"
      return l1d.bypasses / l1d.accesses
    end },
  },
  derive = {
    speedup = function(t)
      return t.cycles:normalise({ scheme = "baseline" }, "inverse")
    end,
    mean_cs = mean "CS",
    mean_cm = mean "CM",
    mean_ci = mean "CI",
    mean_all = function(t) return t.speedup:mean("bench", "geometric") end,
  },
}
