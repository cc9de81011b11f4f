-- One claim for each rule and verdict, of numbers that do not depend on the
-- run, and one of a number that does.  `estimate` is one with an interval of
-- half as much on each side.
local function claim(kind, body, more)
  local out = { says = kind, where = "nowhere", figure = "fig01",
                [kind] = body }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end
local function effect(ours, paper, more)
  local out = claim("effect", function() return ours end, more)
  out.paper, out.neutral = paper, 1
  return out
end
local function number(kind, ours, paper, more)
  local out = claim(kind, function() return ours end, more)
  out.paper = paper
  return out
end
local function named(...)
  local list = {}
  for i, x in ipairs { ... } do list[i] = { "s" .. i, x } end
  return function() return list end
end
local function both(kind, a, b, more)
  return claim(kind, function() return a, b end, more)
end
-- The same number as a column with an error: of `fig02`, whose points are
-- what they are.
local function estimate(ours, half)
  return function(t)
    local c = t.speedup:at { bench = "atax", sched = "lrr" } * ours
    c.rows[1].error = half / 1.96
    return c
  end
end
local function sure(kind, ours, half, more)
  local out = claim(kind, estimate(ours, half), more)
  out.figure = "fig02"
  return out
end

local list = {
  effect(1.23, 1.3), -- holds: 77 %
  effect(1.44, 1.3), -- holds: 147 %
  effect(1.22, 1.3), -- partly: 73 %
  effect(1.46, 1.3), -- partly: 153 %
  effect(1.08, 1.3), -- partly: 27 %
  effect(1.07, 1.3, { why = { -- does not: 23 %
    script = "why-gto", says = "with another scheduler",
    with = function(t)
      return t.cycles:value { bench = "atax", sched = "gto" } > 0 and 1.25
    end } }),
  effect(0.9, 1.3),  -- does not: a loss
  effect(0.77, 0.7), -- holds: less of something
  effect(0 / 0, 1.3), -- untested
  number("value", 0.91, 1), -- holds
  number("value", 0.76, 1), -- partly
  number("value", 0.74, 1), -- does not
  number("value", 0.97, 1, { near = 0.01 }), -- does not
  number("at_most", 1.34, 1.35, { neutral = 1 }), -- holds
  number("at_most", 1.43, 1.35, { neutral = 1 }), -- partly
  number("at_most", 1.45, 1.35, { neutral = 1 }), -- does not
  number("at_least", 0.96, 0.95, { neutral = 1 }), -- holds
  number("at_least", 0.94, 0.95, { neutral = 1 }), -- partly
  number("at_least", 0.93, 0.95, { neutral = 1 }), -- does not
  number("at_most", 0.65, 0.6), -- partly
  number("at_most", 0.67, 0.6), -- does not
  claim("within", named(1, 0.98, 1.03), { paper = 1, by = 0.031 }), -- holds
  claim("within", named(1, 0.98, 1.03), { paper = 1, by = 0.025 }), -- partly
  claim("within", named(1, 0.97, 1.02), { paper = 1, by = 0.02 }), -- does not
  both("larger", 2, 1),     -- holds
  both("larger", 1.001, 1), -- partly
  both("larger", 1, 2),     -- does not
  claim("order", named(3, 2, 1)),    -- holds
  claim("order", named(4, 3, 1, 2)), -- partly
  claim("order", named(3, 1, 2)),    -- does not
  both("share", 4, 4), -- holds
  both("share", 3, 4), -- partly
  both("share", 2, 3), -- does not
  both("share", 3, 5, { most = true }), -- holds
  both("share", 2, 4, { most = true }), -- does not
  number("equal", 6, 6), -- holds
  number("equal", 6.1, 6), -- does not
  number("equal", 6, 6, { by_construction = true }),  -- by construction
  number("equal", 5, 6, { by_construction = true }),  -- does not
  sure("effect", 1.3, 0.05, { paper = 1.3, neutral = 1,
                              headline = true }), -- holds
  sure("effect", 1.23, 0.05, { paper = 1.3, neutral = 1 }), -- undecided
  sure("value", 1, 0.2, { paper = 1 }), -- undecided
  sure("at_least", 0.96, 0.02, { paper = 0.95, neutral = 1 }), -- undecided
  sure("at_most", 0.9, 0.02, { paper = 0.95 }), -- holds
  { says = "untested", where = "nowhere", untested = "no numbers" },
  { says = "run", where = "nowhere", figure = "fig02", share = function(t)
    local right = t.speedup:value { bench = "atax", sched = "lrr" } == 1 and
                  t.cycles:value { bench = "atax", sched = "gto" } > 0 and
                  t.miss:value { bench = "atax", sched = "gto" } > 0
    return right and 1 or 0, 1
  end }, -- holds
}
local close = claim("larger", estimate(1.05, 0.1), { figure = "fig02" })
local one = close.larger
close.larger = function(t) return one(t), 1 end
list[#list + 1] = close -- undecided
local order = claim("order", function(t)
  return { { "a", estimate(1.02, 0.1)(t) }, { "b", 1 } }
end, { figure = "fig02" })
list[#list + 1] = order -- undecided
local within = claim("within", function(t)
  return { { "a", estimate(1.02, 0.02)(t) }, { "b", 1 } }
end, { figure = "fig02", paper = 1, by = 0.03 })
list[#list + 1] = within -- undecided
-- Of atax, which is not admitted, and of reduction, which is.
list[#list + 1] = claim("at_least", function(t) return t.used end,
                        { figure = "fig02", paper = 0.5 }) -- does not
return list
