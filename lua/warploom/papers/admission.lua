-- Can a point carry a claim?  Metrics that every figure's points have, and the
-- rule that admits a benchmark.
--
--   wide    part of the cycles with a kernel in which nine of ten SMs or more
--           hold a CTA
--   waves   CTAs of the main kernel's largest launch, in those that all SMs
--           hold at a time
--   main    the main kernel's part of the kernels' time
--
-- The main kernel is the one whose launches take longest together.  A paper may
-- have a script admission.lua besides, for what it asks of its benchmarks: its
-- columns over benchmarks are shown, and `passes`, of 1 and 0, decides, too.

local M = {}

-- Of a kernel's name, its time and its waves.
local function main_kernel(run)
  local by_name, all, best = {}, 0.0, nil
  for _, kernel in ipairs(run.kernels) do
    if not kernel.untimed then
      local one = by_name[kernel.name] or { seconds = 0.0, waves = 0.0 }
      by_name[kernel.name] = one
      one.seconds = one.seconds + kernel.seconds
      one.waves = math.max(one.waves, kernel.waves or 0.0)
      all = all + kernel.seconds
      if not best or one.seconds > best.seconds then best = one end
    end
  end
  return best or { seconds = 0.0, waves = 0.0 }, all
end

local function part(all, piece) return all > 0 and piece / all or 0.0 end

M.metrics = {
  wide = { doc = "Part of the active cycles with nine of ten SMs busy",
           value = function(run)
    local gpu = run.stats "gpu"
    return part(gpu.active_cycles, gpu.wide_cycles)
  end },
  waves = { doc = "Waves of CTAs of the main kernel's largest launch",
            value = function(run) return main_kernel(run).waves end },
  main = { doc = "The main kernel's part of the kernels' time",
           value = function(run)
    local kernel, all = main_kernel(run)
    return part(all, kernel.seconds)
  end },
}

-- What is asked of a benchmark: the baseline's machine is in use for half of
-- the time.  Waves are shown only: some papers' own inputs have less than one.
M.least_wide = 0.5

-- What a paper's own admission derives, over benchmarks: name -> column, and
-- the names in order, without `passes`.
function M.own(experiment, columns)
  local out, names = {}, {}
  for name in next, experiment.derive do
    out[name] = columns[name]
    if name ~= "passes" then names[#names + 1] = name end
  end
  table.sort(names)
  return out, names
end

local function passes(own, bench)
  return not (own and own.passes) or own.passes:value { bench = bench } ~= 0
end

-- Of a figure's experiment: { bench = { wide =, waves =, main =, admitted = } }
-- by the first point of each benchmark, which is the baseline's; nil where the
-- figure does not measure it.  Second, the benchmarks in order; third, how many
-- are not admitted.  `own`: the paper's own columns, or nil.
function M.of(experiment, own)
  local out, order, refused = {}, {}, 0
  for _, point in ipairs(experiment.points) do
    local bench = point.names.bench
    local m = point.result and point.result.metrics
    if not bench or not m or not m.wide then return nil end
    if not out[bench] then
      order[#order + 1] = bench
      out[bench] = { wide = m.wide, waves = m.waves, main = m.main,
                     admitted = m.wide >= M.least_wide and
                                passes(own, bench) }
      refused = refused + (out[bench].admitted and 0 or 1)
    end
  end
  return out, order, refused
end

-- The same experiment without the points of benchmarks that are not admitted.
function M.only(experiment, by_bench)
  local points = {}
  for _, point in ipairs(experiment.points) do
    if by_bench[point.names.bench].admitted then
      points[#points + 1] = point
    end
  end
  return setmetatable({ points = points }, { __index = experiment })
end

return M
