-- The cases in warploom beside what a card took:
--   warploom --unsafe run -q tests/silicon/compare.lua --set card=h100_sxm
-- Prints for each program the mean absolute error of time, the geometric mean
-- of here/card and the worst case, then the same of all, and the correlation
-- of logarithms; `out` names a CSV file of all cases.
local loom = require "warploom"
local cards = require "cards"
local cases = require "cases"

local out = loom.option { name = "out", default = "",
                          doc = "A CSV file of all cases" }
local least = loom.option { name = "least", default = 0.0, min = 0,
                            doc = "Cases that last at least so many ns" }
local most = loom.option { name = "most", default = 20000000.0, min = 0,
                           doc = "Work of the largest case, in its threads" }
local part = loom.option { name = "part", default = 1, min = 1,
                           doc = "Every so-many-th case" }
local phases = loom.option { name = "phases", default = 1, min = 1,
                             doc = "How often each is run, with refreshes " ..
                                   "at other times; the median counts" }
-- How much a case is to simulate, roughly.
local function work(case)
  local v = case.values
  local n = v.size or v.vectorN and v.vectorN * v.elementN or
            v.dimX and v.dimX * v.dimY or v.iters and
            v.iters * 132 * v.block * v.thread or v.block * 32
  local power = ({ gemm = 3, ["2mm"] = 3, ["3dconv"] = 3, ["2dconv"] = 2,
                   atax = 2, bicg = 2, gesummv = 2 })[case.name] or 1
  return n ^ power
end

-- Of its kernels all that are the program's, in ns.
local function run_once(case, phase)
  local before = phase > 0 and function(dev) cases.wait(dev, phase) end
  local run = loom.run { machine = cards.machine(), memory = "64GiB",
                         workload = cases.workload(loom, case, before) }
  local ns = 0
  for i = phase > 0 and 2 or 1, #run.kernels do
    ns = ns + run.kernels[i].seconds * 1e9
  end
  return ns
end

local function median(case)
  local ns = {}
  for i = 1, phases do ns[i] = run_once(case, i - 1) end
  table.sort(ns)
  return ns[(phases + 1) // 2]
end

local times = cards.durations "cases"
local programs, order, all = {}, {}, {}
local file = out ~= "" and assert(io.open(out, "w"))
if file then file:write "program,case,card_ns,here_ns\n" end
local number, skipped = 0, 0
for _, case in ipairs(cases.list(loom, cards.only, times)) do
  local name = case.name .. "_" .. case.text
  local want = 0
  for _, ns in ipairs(times[name]) do
    want = want + ns -- of all its launches
  end
  number = number + 1
  if work(case) > most then
    skipped = skipped + 1
  elseif number % part == 0 and want >= least then
    local here = median(case)
    if not programs[case.name] then
      programs[case.name] = {}
      order[#order + 1] = case.name
    end
    local one = { text = case.text, want = want, here = here,
                  ratio = here / want }
    table.insert(programs[case.name], one)
    all[#all + 1] = one
    if file then
      file:write(("%s,%s,%.0f,%.0f\n"):format(case.name, case.text, want,
                                              here))
      file:flush()
    end
  end
end

local function summary(list)
  local sum, log, worst = 0, 0, list[1]
  for _, one in ipairs(list) do
    sum = sum + math.abs(one.ratio - 1)
    log = log + math.log(one.ratio)
    if math.abs(math.log(one.ratio)) > math.abs(math.log(worst.ratio)) then
      worst = one
    end
  end
  return sum / #list, math.exp(log / #list), worst
end

local function correlation(list)
  local n, x, y, xx, yy, xy = #list, 0, 0, 0, 0, 0
  for _, one in ipairs(list) do
    local a, b = math.log(one.want), math.log(one.here)
    x, y, xx, yy, xy = x + a, y + b, xx + a * a, yy + b * b, xy + a * b
  end
  return (n * xy - x * y) /
         math.sqrt((n * xx - x * x) * (n * yy - y * y))
end

print(("%-12s %5s %8s %8s %8s  %s"):format("program", "cases", "error",
                                           "ratio", "worst", "where"))
for _, name in ipairs(order) do
  local error, ratio, worst = summary(programs[name])
  print(("%-12s %5d %7.1f%% %8.3f %8.3f  %s"):format(name, #programs[name],
        100 * error, ratio, worst.ratio, worst.text))
end
if #all > 0 then
  local error, ratio = summary(all)
  print(("%-12s %5d %7.1f%% %8.3f           correlation of logarithms %.4f; " ..
         "%d too large"):format("all", #all, 100 * error, ratio,
                                correlation(all), skipped))
end
if file then file:close() end
assert(#all > 0, "no case has such a name")
if cards.limit > 0 and summary(all) > cards.limit then
  error(("the mean error is more than %g"):format(cards.limit))
end
