-- What the figures of the LoSCache paper share: machine, benchmarks, schemes,
-- and what an energy model says of the L2.
local loom = require "warploom"
local claims = require "warploom.claims"

local M = {}

M.size = loom.option { name = "size", default = "small",
                       choices = { "tiny", "small", "paper" },
                       doc = "Size of the benchmarks" }
M.list = loom.option { name = "list", default = "all",
                       choices = { "all", "named" },
                       doc = "Programs named by the paper, or 26" }
M.level = loom.option { name = "level", default = "raw",
                        choices = { "fitted", "raw" },
                        doc = "With GPUWattch's regression or without" }

-- The 14 programs that the paper names, and 12 more of the suites that it
-- takes its 26 from.
M.named = loom.suite.list { paper = "loscache" }
M.benches = table.move(M.named, 1, #M.named, 1, {})
if M.list == "all" then
  local more = { "atax", "mvt", "gesummv", "syrk", "conv2d", "mm2", -- PolyBench
                 "gaussian", "kmeans", "lud", "pathfinder",          -- Rodinia
                 "sgemm", "spmv" }                                   -- Parboil
  table.move(more, 1, #more, #M.benches + 1, M.benches)
end

M.differs = "the paper names 14 of its 26 programs: the other 12 are ours, " ..
  "of the same suites; our suite's twins, at the suite's sizes; what its " ..
  "text does not say of the machine is GPGPU-Sim 3.2.2's GTX 480; " ..
  "energies are loom.energy's at 40 nm, GPUWattch's and CACTI's numbers " ..
  "as they are, without GPUWattch's regression against a card, which the " ..
  "paper does not speak of (--set level=fitted; docs/energy.md)."

-- What is attached to each L1 and each slice of the L2.
local schemes = {
  baseline = { l2 = loom.ideal_gating {} },
  naive = { l1d = loom.loscache { max_threshold = 0 },
            l2 = loom.loscache_l2 {} },
  loscache = { l1d = loom.loscache {}, l2 = loom.loscache_l2 {} },
  -- Data predicted to be accessed once leaves its tag, so errors are noticed.
  loscache_tag = { l1d = loom.loscache {},
                   l2 = loom.loscache_l2 { once = "tag" } },
  decay = { l2 = loom.cache_decay {} },
  drowsy = { l2 = loom.drowsy {} },
}

local function machine(scheme)
  local gpu = loom.preset.loscache {}
  if scheme.l1d then gpu:each "sm[*].l1d":attach(scheme.l1d) end
  gpu:each "l2[*]":attach(scheme.l2)
  return gpu
end

-- An experiment over the benchmarks and some of the schemes, those of `extra`
-- beside the usual ones; `watch` observes the L2, `inputs` are of benchmarks
-- that have others at size small, `level` is another one of energies.
function M.experiment(spec)
  local values = {}
  for i, name in ipairs(spec.schemes) do
    values[i] = { name = name, value = { name } }
  end
  local watch, extra = spec.watch, spec.extra or {}
  local inputs = M.size == "small" and spec.inputs or {}
  local level = spec.level or M.level
  spec.schemes, spec.watch, spec.extra = nil, nil, nil
  spec.inputs, spec.level = nil, nil
  for name, metric in next, claims.admission do spec.metrics[name] = metric end
  spec.order = { "bench", "scheme" }
  spec.axes = { bench = spec.benches or M.benches, scheme = values }
  spec.benches = nil
  spec.base = function(p)
    local gpu = machine(extra[p.scheme[1]] or schemes[p.scheme[1]])
    if watch then gpu:each "l2[*]":attach(watch) end
    local input = { size = M.size }
    for name, value in next, inputs[p.bench] or {} do input[name] = value end
    return { machine = gpu, stats = claims.stats,
             workload = loom.suite[p.bench](input),
             energy = loom.energy { node = 40, level = level } }
  end
  spec.differs = M.differs
  return loom.experiment(spec)
end

------------------------------------------------------------------------------
-- Metrics

-- What a policy says, where it is there.
local none = 0 / 0
local function of(path, value)
  return function(run)
    local there, stats = pcall(run.stats, path)
    return there and value(stats, run) or none
  end
end
local predictor = "gpu/sm/policy/loscache"
local slice = "gpu/l2/policy/loscache_l2"
local ideal = "gpu/l2/policy/ideal_gating"

-- A program without a prediction has no accuracy.
local function rated(name)
  return function(s) return s.judged > 0 and s[name] or none end
end

-- Joules of a policy, nothing if it is not attached.
local function joules(run, path)
  local there, stats = pcall(run.stats, path)
  return there and stats.energy or 0.0
end

-- Queries and answers are packets of one flit each.
local function query_joules(run)
  local there, stats = pcall(run.stats, predictor)
  if not there then return 0.0 end
  local noc = run.stats "gpu/noc"
  return noc.energy_flit * (stats.queries + stats.answers) /
         (noc.request_flits + noc.reply_flits)
end

local function leakage(run)
  local l2 = run.stats "gpu/l2"
  return l2.energy_leak_on + l2.energy_leak_drowsy + l2.energy_leak_gated
end

M.metrics = {
  cycles = { unit = "cycle", doc = "Cycles of the run",
             value = function(run) return run.cycles end },
  dead = { doc = "Dead time of the L2's lines (figure 1)",
           value = of(ideal, function(s) return s.dead_ratio end) },
  accuracy = { doc = "Lines accessed as often as predicted, of all " ..
                     "predictions (figure 6)",
               value = of(slice, rated "accuracy") },
  per_request = { doc = "Requests after which another one came, or none, as " ..
                        "they were predicted, of all with a prediction",
                  value = of(slice, function(s)
    return s.judged_requests > 0 and s.request_accuracy or none
  end) },
  coverage = { doc = "Lines accessed no more often than predicted",
               value = of(slice, rated "coverage") },
  early = { doc = "Early gatings per access to the L2",
            value = of(slice, function(s, run)
    return s.early_misses / run.stats "gpu/l2".accesses
  end) },
  predicted = { doc = "Requests with a prediction, of all to the L2",
                value = of(predictor, function(s, run)
    return s.predicted / run.stats "gpu/l2".accesses
  end) },
  query_traffic = { doc = "Bytes of queries and answers, of all packets'",
                    value = of(predictor, function(s, run)
    local noc = run.stats "gpu/noc"
    return s.query_bytes / (noc.request_bytes + noc.reply_bytes)
  end) },
  refused = { unit = "request", doc = "Requests that found the table full",
              value = of(predictor, function(s) return s.entries_refused
  end) },
  saturated = { unit = "request", doc = "Counters at their limit when asked",
                value = of(predictor, function(s) return s.saturated_answers
  end) },
  -- Leakage of lines alone, and all of the L2 with what the scheme adds to it.
  leakage = { unit = "J", doc = "Leakage of the L2's lines",
              value = leakage },
  added = { unit = "J", doc = "Tables, counters and queries of LoSCache",
            value = function(run)
    return joules(run, predictor) + joules(run, slice) + query_joules(run)
  end },
  l2_energy = { unit = "J", doc = "Energy of the L2 and what is added to it",
                value = function(run)
    return run.stats "gpu/l2".energy + joules(run, predictor) +
           joules(run, slice) + query_joules(run)
  end },
  chip = { unit = "J", doc = "Energy of the GPU and its DRAM",
           value = function(run) return run.energy end },
  chip_only = { unit = "J", doc = "Energy of the GPU without its DRAM",
                value = function(run)
    return run.energy - run.stats "gpu/dram".energy
  end },
  on = { doc = "Part of the time of all lines in which they are on",
         value = of("gpu/l2", function(s)
    return s.line_on_cycles / (s.line_on_cycles + s.line_gated_cycles)
  end) },
  unpredicted = { doc = "Of that, with data whose last access carried no " ..
                        "prediction", value = of(slice, function(s, run)
    return s.unpredicted_cycles / run.stats "gpu/l2".line_on_cycles
  end) },
  late = { doc = "Lines accessed less often than predicted, of all " ..
                 "predictions", value = of(slice, function(s)
    return s.judged > 0 and s.late / s.judged or none
  end) },
  gone = { doc = "Queries whose block the L2 no longer had",
           value = of(predictor, function(s)
    return s.answers > 0 and s.empty_answers / s.answers or none
  end) },
  -- Of an oracle: its lines leak as little when they are gated as LoSCache's.
  live = { doc = "Part of the time of the L2's lines that an oracle leaves on",
           value = of(ideal, function(s) return s.on_cycles / s.line_cycles
  end) },
  gated_leak = { doc = "Leakage of a gated line, of one that is on",
                 value = of(slice, function(_, run)
    local l2 = run.stats "gpu/l2"
    return l2.energy_leak_gated / l2.line_gated_cycles /
           (l2.energy_leak_on / l2.line_on_cycles)
  end) },
}

-- Some of the metrics.
function M.take(...)
  local out = {}
  for _, name in ipairs { ... } do out[name] = M.metrics[name] end
  return out
end

------------------------------------------------------------------------------
-- Columns

-- Mean over the programs that have a number.
function M.mean(column)
  local sum = column:map(function(x) return x == x and x or 0 end)
  local count = column:map(function(x) return x == x and 1 or 0 end)
  return sum:mean("bench", "arithmetic") / count:mean("bench", "arithmetic")
end

function M.relative(name)
  return function(t) return t[name]:normalise { scheme = "baseline" } end
end

-- What a policy stores, which is the same in all programs.
function M.overhead(name)
  return function(t)
    return M.mean(t[name]:where { scheme = { "loscache" } })
  end
end

-- What an oracle that gates every line after its last access leaves of a
-- column of the baseline in which lines leak.
function M.ideal(name)
  return function(t)
    local at = { scheme = "baseline" }
    local off = 1 - t.live:at(at)
    local saved = t.leakage:at(at) * off *
                  (1 - t.gated_leak:at { scheme = "loscache" })
    return (t[name]:at(at) - saved) / t[name]:at(at)
  end
end

return M
