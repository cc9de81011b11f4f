-- Columns: means, selections and arithmetic, against values worked by hand.
local import = require "warploom.import"
local column = import "sweep/column"

local function axis(name, names)
  local a = { name = name, names = names, value = {} }
  for _, n in ipairs(names) do a.value[n] = n end
  return a
end

local bench = axis("bench", { "a", "b", "c" })
local sched = axis("sched", { "lrr", "gto" })

local function make(values, skip)
  local points = {}
  for i, b in ipairs(bench.names) do
    for k, s in ipairs(sched.names) do
      if not (skip and skip[b .. s]) then
        points[#points + 1] = { names = { bench = b, sched = s },
                                v = values[i][k] }
      end
    end
  end
  return column.from_points({ bench, sched }, points,
                            function(p) return p.v end)
end

local failures, count = 0, 0
local function check(what, got, want)
  count = count + 1
  local same = got == want or got ~= got and want ~= want or
               math.type(got) and math.abs(got - want) <= 1e-15 * math.abs(want)
  if not same then
    failures = failures + 1
    print(("FAIL %s: %s, expected %s"):format(what, got, want))
  end
end
local function refuses(what, body, pattern)
  count = count + 1
  local ok, why = pcall(body)
  if ok or not tostring(why):find(pattern) then
    failures = failures + 1
    print(("FAIL %s: %s"):format(what, tostring(why)))
  end
end

local cycles = make { { 100, 50 }, { 80, 160 }, { 30, 10 } }
local speedup = cycles:normalise({ sched = "lrr" }, "inverse")
check("speedup a", speedup:value { bench = "a", sched = "gto" }, 2)
check("speedup b", speedup:value { bench = "b", sched = "gto" }, 0.5)
check("baseline", speedup:value { bench = "c", sched = "lrr" }, 1)
check("normalised", cycles:normalise { sched = "lrr" }
      :value { bench = "b", sched = "gto" }, 2)
-- 2, 1/2, 3
check("arithmetic", speedup:mean "bench":value { sched = "gto" }, 5.5 / 3)
check("geometric", speedup:mean("bench", "geometric")
      :value { sched = "gto" }, 3 ^ (1 / 3))
check("harmonic", speedup:mean("bench", "harmonic")
      :value { sched = "gto" }, 3 / (0.5 + 2 + 1 / 3))
check("best", cycles:best("sched", "min"):value { bench = "b" }, 80)
check("which", cycles:which("sched", "min"):value { bench = "b" }, "lrr")
check("which", cycles:which("sched", "max"):value { bench = "b" }, "gto")
-- Twice the number where the cycles are the fewest.
check("at best", (2 * cycles):at_best(cycles, "sched", "min")
      :value { bench = "b" }, 160)
check("at best", (2 * cycles):at_best(-cycles, "sched", "min")
      :value { bench = "b" }, 320)
refuses("at best", function() cycles:at_best(cycles, "color") end,
        "there is no axis 'color'")
check("map", cycles:map(function(x, names)
  return names.bench == "b" and names.sched == "lrr" and -x or x
end):value { bench = "b", sched = "lrr" }, -80)
check("spread", cycles:spread "sched":value { bench = "a" }, 50 / 75)
check("deviation", cycles:deviation "sched":value { bench = "a" },
      math.sqrt(2 * 25 * 25))
check("sum", (cycles + 1):value { bench = "a", sched = "lrr" }, 101)
check("difference", (1 - cycles):value { bench = "a", sched = "lrr" }, -99)
check("broadcast", (cycles / cycles:mean "sched")
      :value { bench = "a", sched = "lrr" }, 100 / 75)
check("where", cycles:where { bench = { "a", "c" } }:mean "bench"
      :value { sched = "lrr" }, 65)
check("all", cycles:mean "bench":mean "sched":value(), 430 / 6)

-- What a script has instead of a misspelt list would never end.
local poison = import "base/poison"
check("where of nothing", pcall(function()
  return cycles:where { bench = poison }
end), false)

-- Standard errors: those of independent values, by the change of each.
local function near(what, got, want)
  check(what, math.abs(got - want) <= 1e-6 * math.abs(want), true)
end
local axes = cycles.axes
local values = { { 100, 50 }, { 80, 160 }, { 30, 10 } }
local unsure = { { 3, 1 }, { 2, 4 }, { 0.5, 0 } }
local names = { bench = { "a", "b", "c" }, sched = { "lrr", "gto" } }
local function numbers(shift_b, shift_s, by)
  local points = {}
  for b = 1, 3 do
    for s = 1, 2 do
      local here = b == shift_b and s == shift_s
      points[#points + 1] = { names = { bench = names.bench[b],
                                        sched = names.sched[s] },
        value = values[b][s] + (here and by * unsure[b][s] or 0),
        error = by == nil and unsure[b][s] > 0 and unsure[b][s] or nil }
    end
  end
  return column.from_points(axes, points, function(point)
    return point.value, point.error
  end)
end
-- By values that are moved a little instead of by rules.
local function by_moving(f)
  local sum, small = 0, 1e-4
  for b = 1, 3 do
    for s = 1, 2 do
      local d = (f(numbers(b, s, small)):value() -
                 f(numbers(b, s, -small)):value()) / (2 * small)
      sum = sum + d * d
    end
  end
  return math.sqrt(sum)
end
local made = {
  sum = function(c) return c:at { bench = "a" }:at { sched = "lrr" } * 3 - 1
  end,
  product = function(c)
    return c:at { bench = "a", sched = "lrr" } *
           c:at { bench = "b", sched = "gto" }
  end,
  quotient = function(c)
    return c:at { bench = "a", sched = "lrr" } /
           c:at { bench = "b", sched = "gto" }
  end,
  inverse = function(c) return 7 / c:at { bench = "a", sched = "lrr" } end,
  arithmetic = function(c)
    return c:at { sched = "gto" }:mean("bench", "arithmetic")
  end,
  geometric = function(c)
    return c:normalise({ sched = "lrr" }, "inverse"):at { sched = "gto" }
           :mean("bench", "geometric")
  end,
  harmonic = function(c)
    return c:at { sched = "lrr" }:mean("bench", "harmonic")
  end,
  best = function(c) return c:max "bench":at { sched = "gto" } end,
  where = function(c)
    return c:where { bench = { "a", "b" } }:mean "bench":at { sched = "lrr" }
  end,
}
for name, f in next, made do
  near("error of " .. name, f(numbers()):error(), by_moving(f))
end
near("error of map", numbers():map(function(x) return x * x end)
     :error { bench = "a", sched = "lrr" }, 600)
check("exact", numbers():error { bench = "c", sched = "gto" }, 0)
check("error of the baseline", numbers():normalise { sched = "lrr" }
      :error { bench = "a", sched = "lrr" }, 0)

-- A failed point makes means NaN, but not those it is no part of.
local holes = make { { 100, 0 / 0 }, { 80, 160 }, { 30, 10 } }
check("NaN", holes:mean "bench":value { sched = "gto" }, 0 / 0)
check("no NaN", holes:mean "bench":value { sched = "lrr" }, 70)
check("best of what is", holes:best("sched", "max"):value { bench = "a" }, 100)
-- A point that was left out is no hole.
local fewer = make({ { 100, 50 }, { 80, 160 }, { 30, 10 } }, { bgto = true })
check("left out", fewer:mean "bench":value { sched = "gto" }, 30)
check("NaN baseline", fewer:normalise({ sched = "gto" })
      :value { bench = "b", sched = "lrr" }, 0 / 0)

-- The geometric mean, by factors that neither overflow nor round badly.
check("huge", column.geometric { 1e300, 1e300, 1e300 }, 1e300)
check("tiny", column.geometric { 1e-300, 4e-300 }, 2e-300)
check("mixed", column.geometric { 2 ^ 1000, 2 ^ -1000, 8 }, 2)
check("one", column.geometric { 0.75 }, 0.75)
check("zero", column.geometric { 0, 1 }, 0 / 0)
for n = 2, 60 do
  local list = {}
  for i = 1, n do list[i] = 1 + i / 7 end
  local sum = 0
  for _, v in ipairs(list) do sum = sum + math.log(v) end
  count = count + 1
  local want = math.exp(sum / n)
  if math.abs(column.geometric(list) - want) > 4e-15 * want then
    failures = failures + 1
    print(("FAIL geometric of %d: %.17g, expected %.17g"):format(n,
          column.geometric(list), want))
  end
end

refuses("axis", function() return cycles:mean "benhc" end, "no axis 'benhc'")
refuses("mean", function() return cycles:mean("bench", "median") end,
        "expected arithmetic")
refuses("value", function() return cycles:at { sched = "xyz" } end,
        "no value 'xyz'")
refuses("best", function() return cycles:best("bench", "least") end, "\"max\"")
refuses("one", function() return cycles:value { bench = "a" } end, "2 values")
refuses("fit", function()
  return cycles:mean "bench" + cycles:mean "sched"
end, "do not fit")

print(("%d tests, %d failed"):format(count, failures))
if failures > 0 then error(failures .. " tests failed", 0) end
