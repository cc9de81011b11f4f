-- What the figures of the APCM paper share: machines, benchmarks, schemes.
local loom = require "warploom"
local claims = require "warploom.claims"

local M = {}

M.size = loom.option { name = "size", default = "small",
                       choices = { "tiny", "small", "paper" },
                       doc = "Size of the benchmarks" }

local fetching = claims.fetching(loom)
local abyp, apcm = fetching(loom.abyp), fetching(loom.apcm)
local pcal, pdp = fetching(loom.pcal), fetching(loom.pdp)

-- As table 1 orders them.
M.CS = { "bfs", "kmeans", "mars_index", "mars_wc", "color", "sssp" }
M.CM = { "spmv", "mars_mm", "mars_ss", "ccl" }
M.CI = { "gaussian", "srad", "mri_gridding", "sgemm", "stencil2d", "apsp" }
local function joined(...)
  local out = {}
  for _, list in ipairs { ... } do
    table.move(list, 1, #list, #out + 1, out)
  end
  return out
end
M.sensitive = joined(M.CS, M.CM)
M.all = joined(M.CS, M.CM, M.CI)

M.differs = "table 4's machines, completed with GPGPU-Sim 3.2.2's GTX 480 " ..
  "where it is silent; our suite's twins of the benchmarks; what their " ..
  "inputs were is not known: at small about a million warp instructions, at " ..
  "paper such that the main kernels fill the SMs eight times."

-- What is attached to each SM, L1 and L2, and the machine if it is not
-- configuration 1 with LRR and its 16 KB L1; `line` are bytes of its lines.
local schemes = {
  baseline = {},
  bypass = { l1d = apcm { manage = "bypass" } },
  protect = { l1d = apcm { manage = "protect" } },
  apcm = { l1d = apcm {} },
  abyp = { l1d = abyp {}, l2 = loom.abyp_l2 {} },
}
for _, n in ipairs { 8, 32, 128 } do
  schemes["pd" .. n] = { l1d = pdp { distance = n, scope = "cache",
                                     reset_on_hit = false } }
  schemes["apcm_p" .. n] = { l1d = apcm { protection = "distance",
                                          distance = n } }
end
M.limits = { 4, 8, 16, 24 }
for _, n in ipairs(M.limits) do
  schemes["swl" .. n] = { sm = loom.swl { warps = n } }
  schemes["apcm_swl" .. n] = { l1d = apcm {}, sm = loom.swl { warps = n } }
end
for _, p in ipairs { { 16, 4 }, { 48, 4 }, { 48, 8 }, { 48, 16 } } do
  schemes[("pcal%d_%d"):format(p[1], p[2])] =
    { l1d = pcal { warps = p[1], tokens = p[2] } }
end
M.swl = { "baseline", "swl4", "swl8", "swl16", "swl24" }
M.pcal = joined(M.swl, { "pcal16_4", "pcal48_4", "pcal48_8", "pcal48_16" })
M.apcm_swl = { "apcm", "apcm_swl4", "apcm_swl8", "apcm_swl16", "apcm_swl24" }
for name, one in pairs { baseline = {}, bypass = schemes.bypass,
                         protect = schemes.protect, apcm = schemes.apcm } do
  schemes[name .. "_c2"] = { l1d = one.l1d, config = "apcm2" }
  schemes[name .. "_gto"] = { l1d = one.l1d, gto = true }
  for _, kib in ipairs { 32, 48 } do
    schemes[("%s_%dk"):format(name, kib)] = { l1d = one.l1d, kib = kib }
  end
end
for name, one in pairs { dm16 = { 16, 1 }, dm64 = { 64, 1 },
                         as4 = { 32, 4 }, as8 = { 32, 8 }, fa = { 32, 32 } } do
  schemes["mta_" .. name] = { l1d = apcm { mta_entries = one[1],
                                           mta_ways = one[2] } }
end
for _, n in ipairs { 4, 8, 32 } do
  schemes["ld" .. n] = { l1d = apcm { loads = n } }
end
schemes.baseline_128k = { kib = 128 }
schemes.infinite = { infinite = true }

-- Another scheme: what is attached, as above.
function M.add(name, scheme) schemes[name] = scheme end

-- APCM with other parameters, as a scheme.
function M.reading(name, fields) M.add(name, { l1d = apcm(fields) }) end

-- What watches changes no number: it is where figures of the baseline need it.
local function watch(gpu, name)
  if name == "baseline" or schemes[name].infinite then
    gpu:each "sm[*].l1d":attach(loom.locality_analysis {})
  end
  if name == "baseline" or name:find "^swl" then
    gpu:each "sm[*].l1d":attach(loom.load_analysis {})
  end
end

local function machine(name)
  local s = schemes[name]
  local gpu = loom.preset[s.config or "apcm1"] {}
  if s.kib then
    -- 48 KB has 64 sets of 6 ways, as Fermi's.
    gpu:each "sm[*].l1d":set { size_bytes = s.kib .. "KiB",
                               ways = s.kib == 48 and 6 or 4 }
  end
  if s.line then
    gpu:each "sm[*].l1d":set { line_bytes = s.line }
    gpu:each "sm[*].ldst":attach(loom.sector_coalesce {})
  end
  if s.infinite then gpu:each "sm[*].l1d":set { infinite = true } end
  if s.gto then gpu:each "sm[*]":attach(loom.gto {}) end
  if s.sm then gpu:each "sm[*]":attach(s.sm) end
  if s.l1d then gpu:each "sm[*].l1d":attach(s.l1d) end
  if s.l2 then gpu:each "l2[*]":attach(s.l2) end
  watch(gpu, name)
  return gpu
end

-- Section 6.1: kmeans stops after its first kernel, as later ones load from
-- textures only.
local parts = { kmeans = { last = 0 } }

-- An experiment over benchmarks (all, if it names none) and some schemes, with
-- an energy model if it names one; `inputs` are benchmarks with names and
-- parameters of their own: NAME = { BENCH, PARAMETERS }.
function M.experiment(spec)
  local values, inputs = {}, spec.inputs or {}
  for i, name in ipairs(spec.schemes) do
    values[i] = { name = name, value = { name } }
  end
  spec.order = { "bench", "scheme" }
  spec.axes = { bench = spec.benches or M.all, scheme = values }
  for name, metric in next, claims.admission do spec.metrics[name] = metric end
  local energy = spec.energy
  spec.schemes, spec.benches, spec.energy, spec.inputs = nil, nil, nil, nil
  spec.base = function(p)
    local own = inputs[p.bench] or { p.bench, { size = M.size } }
    return { machine = machine(p.scheme[1]), energy = energy,
             workload = loom.suite[own[1]](own[2]),
             timed = parts[p.bench], stats = claims.stats }
  end
  spec.differs = M.differs
  return loom.experiment(spec)
end

M.cycles = { unit = "cycle", doc = "Cycles of the run",
             value = function(run) return run.cycles end }

-- What goes around is "directly assigned to the interconnection without
-- accessing L1 cache" (section 5.2), so it is no access of the L1D; that an
-- access to data on its way is none of GPGPU-Sim's misses, either, is how it
-- prints them.  Section 6.3 does not say what it counts.
M.miss_rate = { doc = "L1D misses per look-up",
                value = "gpu/sm/l1d.miss_ratio" }
-- The other reading: whatever the L1D did not serve.
M.unserved = { doc = "L1D misses, pending hits and bypasses per access",
               value = function(run)
  local l1 = run.stats "gpu/sm/l1d"
  return (l1.misses + l1.pending_hits + l1.bypasses) / l1.accesses
end }

-- The lower end of the bin (powers of two) of a histogram of distances in
-- which the median lies.
function M.median(name)
  return { unit = "request", doc = "Median reuse distance, as a power of 2",
           value = function(run)
    local h = run.stats "gpu/sm/l1d/policy/locality_analysis"[name]
    local sum = 0
    for bin = 0, 64 do
      sum = sum + (h[bin] or 0)
      if h.count > 0 and sum * 2 >= h.count then
        return bin == 0 and 0 or 2.0 ^ (bin - 1)
      end
    end
    return 0 / 0
  end }
end

-- Speedups over a scheme, and their mean over a list of benchmarks.
function M.speedup(over)
  return function(t)
    return t.cycles:normalise({ scheme = over or "baseline" }, "inverse")
  end
end

function M.mean(list, column)
  return function(t)
    local c = t[column or "speedup"]
    return c:where { bench = list or M.all }:mean("bench", "geometric")
  end
end

function M.best(list, column)
  return function(t)
    return t[column or "speedup"]:where { scheme = list }:best "scheme"
  end
end

return M
