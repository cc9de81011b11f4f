-- What the figures of the DaCache paper share: machine, benchmarks,
-- techniques.
local loom = require "warploom"
local claims = require "warploom.claims"

local M = {}

M.size = loom.option { name = "size", default = "small",
                       choices = { "tiny", "small", "paper" },
                       doc = "Size of the benchmarks" }
local sms = loom.option { name = "sms", default = 30, doc = "SMs of the GPU" }

-- "Aligned 32B segments" (section 4.3): how much of the gain is due to that?
local dacache = claims.fetching(loom)(loom.dacache)

-- As table 1 divides and orders them.
M.divergent = { "atax", "bicg", "mvt", "syrk", "syr2k", "gesummv", "kmeans",
                "streamcluster", "bfs", "shoc_spmv", "mars_index",
                "mars_pvc" }
M.coherent = { "conv2d", "conv3d", "mm2", "mm3", "covariance", "correlation",
               "fdtd2d", "gramschmidt" }
M.all = table.move(M.coherent, 1, #M.coherent, #M.divergent + 1,
                   table.move(M.divergent, 1, #M.divergent, 1, {}))

M.differs = "table 2's machine; our suite's twins of the benchmarks, at " ..
  "inputs that are smaller than the paper's unless size is paper; the paper " ..
  "does not give the number of MSHRs, which is GPGPU-Sim's 32 here: see " ..
  "docs/policies/dacache.md for what that means for bypassing."

-- A static partition of `warps` warps of each of the two schedulers, which
-- takes 2 * warps of the 8 ways: F = warps / 4.
local function static(warps, constrained)
  return dacache { partition = "static", f = warps / 4,
                   constrained = constrained }
end

M.techniques = {
  lru = loom.lru {},
  infinite = loom.lru {}, -- in an L1D without end
  dip = loom.dip {},
  rrip = loom.drrip {},
  uncon = dacache { constrained = "off" },
  stall = dacache { constrained = "stall" },
  dacache = dacache {},
}
for warps = 0, 3 do
  M.techniques["static" .. warps] = static(warps, "off")
  M.techniques["static" .. warps .. "_bypass"] = static(warps, "bypass")
end
for _, n in ipairs { 1, 2, 3, 5 } do
  M.techniques["promo" .. n] = dacache { promotion = n }
end
M.techniques.promo_mru = dacache { promotion = 0 }

-- An experiment over benchmarks and some of the techniques; `l1d` are
-- parameters of the L1Ds that are others than the paper's, `inputs` of
-- benchmarks that are others at size small, `sms` another number of SMs.
-- What watches changes no number, so every point has it and figures share runs.
function M.experiment(spec)
  local values, l1d, inputs = {}, spec.l1d, spec.inputs or {}
  local count = spec.sms or sms
  spec.l1d, spec.inputs, spec.sms = nil, nil, nil
  for i, name in ipairs(spec.techniques) do
    values[i] = { name = name, value = { name, M.techniques[name] } }
  end
  spec.order = { "bench", "technique" }
  spec.axes = { bench = spec.benches or M.divergent, technique = values }
  spec.techniques, spec.benches = nil, nil
  for name, metric in next, claims.admission do spec.metrics[name] = metric end
  spec.base = function(p)
    local gpu = loom.preset.dacache { sm_count = count }
    if p.technique[1] == "infinite" then
      gpu:each "sm[*].l1d":set { infinite = true }
    end
    if l1d then gpu:each "sm[*].l1d":set(l1d) end
    gpu:each "sm[*].l1d":attach(p.technique[2])
    gpu:each "sm[*].l1d":attach(loom.load_analysis {})
    if p.technique[1] == "lru" then
      gpu:each "sm[*].l1d":attach(loom.conflict_analysis {})
      gpu:each "sm[*]":attach(loom.warp_analysis {})
    end
    local input = { size = M.size }
    for name, value in next, M.size == "small" and inputs[p.bench] or {} do
      input[name] = value
    end
    return { machine = gpu, stats = claims.stats,
             workload = loom.suite[p.bench](input) }
  end
  spec.differs = M.differs
  return loom.experiment(spec)
end

M.cycles = { unit = "cycle", doc = "Cycles of the run",
             value = function(run) return run.cycles end }

M.mpki = { doc = "L1D misses and bypasses per thousand warp instructions",
           value = function(run)
  local l1 = run.stats "gpu/sm/l1d"
  return 1000 * (l1.misses + l1.bypasses) / run.warp_insts
end }

-- Over the benchmarks, relative to LRU.
function M.mean_mpki(t)
  return t.mpki:normalise({ technique = "lru" }):mean("bench", "geometric")
end

function M.speedup(t)
  return t.cycles:normalise({ technique = "lru" }, "inverse")
end

-- Mean speedups over the divergent and the coherent benchmarks.
function M.mean(t)
  return t.speedup:where { bench = M.divergent }:mean("bench", "geometric")
end

function M.mean_coherent(t)
  return t.speedup:where { bench = M.coherent }:mean("bench", "geometric")
end

-- What bypassing adds to each partition, relative to the same partition with
-- unconstrained replacement: columns, of them their means, and the techniques.
M.bypassing = { static0 = "static0_bypass", static1 = "static1_bypass",
                static2 = "static2_bypass", static3 = "static3_bypass",
                uncon = "dacache" }
M.partitions = { "static0", "static1", "static2", "static3", "uncon" }
function M.gains(derive)
  for without, with in pairs(M.bypassing) do
    derive["gain_" .. without] = function(t)
      return t.cycles:at { technique = without } /
             t.cycles:at { technique = with }
    end
    derive["mean_" .. without] = function(t)
      return t["gain_" .. without]:mean("bench", "geometric")
    end
  end
  return derive
end

function M.loads(run) return run.stats "gpu/sm/ldst/policy/load_analysis" end

-- Of the divergent loads, those that miss some of their blocks but not all.
M.partial = { doc = "Part of the divergent loads that is partially cached",
              value = function(run)
  local d = M.loads(run).divergent
  return d.partially / (d.fully + d.partially + d.uncached)
end }

-- Share of the issues that the `ranks` oldest warps of each scheduler have.
function M.oldest(ranks)
  return { doc = ("The %d oldest warps of a scheduler"):format(ranks),
           value = function(run)
    local by_rank = run.stats "gpu/sm/policy/warp_analysis".issues_by_rank
    local some, all = 0, 0
    for rank, count in pairs(by_rank) do
      all = all + count
      if rank < ranks then some = some + count end
    end
    return some / all
  end }
end

-- Of the loads' accesses, misses of a kind.
function M.misses(of, doc)
  return { doc = doc .. " per access", value = function(run)
    local s = run.stats "gpu/sm/l1d/policy/conflict_analysis"
    return s.misses[of] / s.loads
  end }
end

-- Part of the loads of a kind all of whose accesses hit; and the mean of such
-- a column over the benchmarks that have these loads, relative to LRU.
function M.fully(kind)
  return { doc = ("Part of the %s loads that is fully cached"):format(kind),
           value = function(run)
    local s = M.loads(run)[kind]
    local all = s.fully + s.partially + s.uncached
    return all > 0 and s.fully / all or 0 / 0
  end }
end
function M.mean_fully(name)
  return function(t)
    return t[name]:map(function(x) return x == x and x or 0 end)
                  :mean("bench"):normalise { technique = "lru" }
  end
end

return M
