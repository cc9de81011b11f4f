-- LoSCache's headline: the means of figures 1, 6, 7 and 8, beside the paper's,
-- with the rivals that its section VII names.
--   warploom sweep examples/papers/loscache/quick.lua -j 2
-- The 14 programs that the paper names, and 12 more of the suites it takes its
-- 26 from; `--set list=named` for the 14 alone.  Killed, it goes on where it was.
local loom = require "warploom"

local size = loom.option { name = "size", default = "small",
                           choices = { "tiny", "small", "paper" },
                           doc = "Size of the benchmarks" }
local list = loom.option { name = "list", default = "all",
                           choices = { "all", "named" },
                           doc = "Programs named by the paper, or 26" }

local benches = loom.suite.list { paper = "loscache" }
if list == "all" then
  local more = { "atax", "mvt", "gesummv", "syrk", "conv2d", "mm2",  -- PolyBench
                 "gaussian", "kmeans", "lud", "pathfinder",          -- Rodinia
                 "sgemm", "spmv" }                                   -- Parboil
  table.move(more, 1, #more, #benches + 1, benches)
end

-- What is attached to each L1 and each slice of the L2.
local schemes = {
  { "baseline", l2 = loom.ideal_gating {} },
  { "naive", l1d = loom.loscache { max_threshold = 0 },
    l2 = loom.loscache_l2 {} },
  { "loscache", l1d = loom.loscache {}, l2 = loom.loscache_l2 {} },
  -- Data predicted to be accessed once leaves its tag, so errors are noticed.
  { "loscache_tag", l1d = loom.loscache {},
    l2 = loom.loscache_l2 { once = "tag" } },
  { "decay", l2 = loom.cache_decay {} },
  { "drowsy", l2 = loom.drowsy {} },
}
local values = {}
for i, s in ipairs(schemes) do values[i] = { name = s[1], value = s } end

local function machine(scheme)
  local gpu = loom.preset.loscache {}
  if scheme.l1d then gpu:each "sm[*].l1d":attach(scheme.l1d) end
  gpu:each "l2[*]":attach(scheme.l2)
  return gpu
end

-- Leakage of a line: on is 1; drowsy and gated as the caches declare it.
local drowsy, gated = 0.15, 0.03

local function static(run)
  local l2 = run.stats "gpu/l2"
  return l2.line_on_cycles + drowsy * l2.line_drowsy_cycles +
         gated * l2.line_gated_cycles
end

-- What a policy says, where it is there.
local none = 0 / 0
local function of(path, value)
  return function(run)
    local there, stats = pcall(run.stats, path)
    return there and value(stats, run) or none
  end
end
local los = { "naive", "loscache", "loscache_tag" }
local predictor = "gpu/sm/policy/loscache"
local ideal = "gpu/l2/policy/ideal_gating"
local slice = "gpu/l2/policy/loscache_l2"

-- Mean over the programs that have a number.
local function mean(column)
  local sum = column:map(function(x) return x == x and x or 0 end)
  local count = column:map(function(x) return x == x and 1 or 0 end)
  return sum:mean "bench" / count:mean "bench"
end
local function paper(value)
  return function(t)
    return t.cycles:at { scheme = "baseline" }:mean "bench":map(function()
      return value
    end)
  end
end

return loom.experiment {
  name = "loscache_quick",
  doc = "LoSCache and its rivals on its machine",
  order = { "bench", "scheme" },
  axes = { bench = benches, scheme = values },
  base = function(p)
    return { machine = machine(p.scheme),
             workload = loom.suite[p.bench] { size = size } }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
    leakage = { doc = "Line-cycles of the L2, by what they leak",
                value = static },
    dead = { doc = "Dead time of the L2's lines (figure 1)",
             value = of(ideal, function(s) return s.dead_ratio end) },
    ideal_leakage = { doc = "The same, of an oracle",
                      value = of(ideal, function(s)
      return s.on_cycles + gated * (s.line_cycles - s.on_cycles)
    end) },
    accuracy = { doc = "Lines accessed as often as predicted, of all " ..
                       "predictions (figure 6)",
                 value = of(slice, function(s) return s.accuracy end) },
    coverage = { doc = "Lines accessed no more often than predicted",
                 value = of(slice, function(s) return s.coverage end) },
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
  },
  derive = {
    figure1 = function(t) return t.dead:at { scheme = "baseline" } end,
    figure6 = function(t) return t.accuracy:where { scheme = los } end,
    figure7 = function(t)
      return t.cycles:normalise { scheme = "baseline" }
    end,
    figure8 = function(t)
      return t.leakage:normalise { scheme = "baseline" }
    end,
    figure1_dead = function(t)
      return t.figure1:mean "bench"
    end,
    figure1_paper = paper(0.956),
    figure6_accuracy = function(t) return mean(t.figure6) end,
    figure6_coverage = function(t)
      return mean(t.coverage:where { scheme = los })
    end,
    figure6_paper_naive = paper(0.54),
    figure6_paper_adaptive = paper(0.93),
    figure7_time = function(t) return t.figure7:mean "bench" end,
    figure7_paper = paper(1.005),
    figure8_static = function(t) return t.figure8:mean "bench" end,
    figure8_ideal = function(t)
      return (t.ideal_leakage:at { scheme = "baseline" } /
              t.leakage:at { scheme = "baseline" }):mean "bench"
    end,
    figure8_paper = paper(0.36),
    figure8_paper_ideal = paper(0.30),
  },
}
