-- APCM's headline: figure 12; figure 15, APCM beside and on top of the best
-- static limit of warps and the best static PCAL; figures 17 and 18, other
-- bypassing and other protection.
--   warploom sweep examples/papers/apcm/quick.lua -j 2
-- Speedups over configuration 1 with LRR; `--set config=apcm2` for the other
-- one (figure 14), `--set full=true` for more limits and distances. Killed, it
-- goes on where it was.
local loom = require "warploom"
local claims = require "warploom.claims"

local size = loom.option { name = "size", default = "small",
                           choices = { "tiny", "small", "paper" },
                           doc = "Size of the benchmarks" }
local config = loom.option { name = "config", default = "apcm1",
                             choices = { "apcm1", "apcm2" },
                             doc = "Configuration of table 4" }
local full = loom.option { name = "full", default = false,
                           doc = "More limits of warps and distances" }
local fetching = claims.fetching(loom)
local abyp, apcm = fetching(loom.abyp), fetching(loom.apcm)
local pdp = fetching(loom.pdp)

-- What is attached to each SM, L1 and L2.
local schemes = {
  { "baseline" },
  { "bypass", l1d = apcm { manage = "bypass" } },
  { "protect", l1d = apcm { manage = "protect" } },
  { "apcm", l1d = apcm {} },
  { "abyp", l1d = abyp {}, l2 = loom.abyp_l2 {} },
  -- Protected for N accesses to the cache: all lines, or APCM's (APCM-pN).
  { "pd8", l1d = pdp { distance = 8, scope = "cache",
                       reset_on_hit = false } },
}
if full then
  schemes[#schemes + 1] = { "pd32", l1d = pdp { distance = 32,
    scope = "cache", reset_on_hit = false } }
  schemes[#schemes + 1] = { "apcm_p32",
    l1d = apcm { protection = "distance", distance = 32 } }
end

-- The rivals that limit warps run where caches matter, as in figure 15. PCAL
-- with a token for each warp is SWL, so best PCAL is at least best SWL.
local limits = full and { 4, 6, 8, 12, 16, 24, 32 } or { 4, 8, 16 }
local tokens = full and { { 8, 4 }, { 16, 4 }, { 16, 8 }, { 48, 4 }, { 48, 8 },
                          { 48, 16 } } or { { 16, 4 }, { 48, 8 } }
local swl, pcal, apcm_swl = { "baseline" }, {}, { "apcm" }
local function add(list, name, scheme)
  list[#list + 1] = name
  scheme[1], scheme.throttles = name, true
  schemes[#schemes + 1] = scheme
end
for _, n in ipairs(limits) do
  add(swl, "swl" .. n, { sm = loom.swl { warps = n } })
  add(apcm_swl, "apcm_swl" .. n, { l1d = apcm {},
                                   sm = loom.swl { warps = n } })
end
for _, p in ipairs(tokens) do
  add(pcal, ("pcal%d_%d"):format(p[1], p[2]),
      { l1d = fetching(loom.pcal) { warps = p[1], tokens = p[2] } })
end
table.move(swl, 1, #swl, #pcal + 1, pcal)

local values, benches, class, matters = {}, {}, {}, {}
for i, s in ipairs(schemes) do values[i] = { name = s[1], value = s } end
for _, name in ipairs { "CS", "CM", "CI" } do
  class[name] = loom.suite.list { paper = "apcm", class = name }
  table.move(class[name], 1, #class[name], #benches + 1, benches)
end
table.move(class.CS, 1, #class.CS, 1, matters)
table.move(class.CM, 1, #class.CM, #matters + 1, matters)
local sensitive = {}
for _, bench in ipairs(matters) do sensitive[bench] = true end

local function machine(scheme)
  local gpu = loom.preset[config] {}
  if scheme.sm then gpu:each "sm[*]":attach(scheme.sm) end
  if scheme.l1d then gpu:each "sm[*].l1d":attach(scheme.l1d) end
  if scheme.l2 then gpu:each "l2[*]":attach(scheme.l2) end
  return gpu
end

-- Schemes that ran on all benchmarks.
local everywhere = {}
for _, s in ipairs(schemes) do
  if not s.throttles then everywhere[#everywhere + 1] = s[1] end
end

-- Geometric mean of the speedups of some benchmarks.
local function mean(list)
  return function(t)
    return t.speedup:where { bench = list, scheme = everywhere }
      :mean("bench", "geometric")
  end
end

-- The best of some schemes for each benchmark.
local function best(list)
  return function(t)
    return t.speedup:where { bench = matters, scheme = list }:best "scheme"
  end
end

-- Geometric mean of a column, over benchmarks where caches matter.
local function over(name)
  return function(t) return t[name]:mean("bench", "geometric") end
end

return loom.experiment {
  name = "apcm_quick",
  doc = "APCM and its rivals on its first configuration",
  order = { "bench", "scheme" },
  axes = { bench = benches, scheme = values },
  filter = function(p) return sensitive[p.bench] or not p.scheme.throttles end,
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
    mean_cs = mean(class.CS),
    mean_cm = mean(class.CM),
    mean_ci = mean(class.CI),
    mean_all = mean(benches),
    best_swl = best(swl),
    best_pcal = best(pcal),
    best_apcm_swl = best(apcm_swl),
    which_swl = function(t)
      return t.speedup:where { bench = matters, scheme = swl }:which "scheme"
    end,
    mean_best_swl = over "best_swl",
    mean_best_pcal = over "best_pcal",
    mean_best_apcm_swl = over "best_apcm_swl",
    mean_apcm = function(t)
      return t.speedup:at { scheme = "apcm" }:where { bench = matters }
        :mean("bench", "geometric")
    end,
  },
}
