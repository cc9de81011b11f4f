-- One claim for each rule and verdict, of numbers that do not depend on the
-- run, and one of a number that does.
local function value(ours, paper, neutral)
  return { says = ("value %g %g"):format(ours, paper), where = "nowhere",
           figure = "fig01", paper = paper, neutral = neutral,
           value = function() return ours end }
end
local function order(...)
  local list = {}
  for i, x in ipairs { ... } do list[i] = { "s" .. i, x } end
  return { says = "order", where = "nowhere", figure = "fig02",
           order = function() return list end }
end
local function other(kind, a, b)
  return { says = kind, where = "nowhere", figure = "fig02",
           [kind] = function() return a, b end }
end
return {
  value(1.2, 1.3, 1),   -- holds
  value(1.1, 1.3, 1),   -- weakly: a third
  value(1.9, 1.3, 1),   -- weakly: three times
  value(0.9, 1.3, 1),   -- does not: a loss
  value(1.003, 1.3, 1), -- does not: no effect
  value(0.9, 1.0),      -- holds
  value(0.6, 1.0),      -- weakly
  value(0.4, 1.0),      -- does not
  value(0 / 0, 1.0),    -- untested
  order(3, 2, 1),       -- holds
  order(3, 1, 2),       -- weakly
  order(1, 2, 3),       -- does not
  other("larger", 2, 1),         -- holds
  other("larger", 1.001, 1),     -- weakly
  other("larger", 1, 2),         -- does not
  other("share", 4, 4),          -- holds
  other("share", 3, 4),          -- weakly
  other("share", 2, 4),          -- does not
  { says = "untested", where = "nowhere", untested = "no numbers" },
  { says = "run", where = "nowhere", figure = "fig02", share = function(t)
    local right = t.speedup:value { bench = "atax", sched = "lrr" } == 1 and
                  t.cycles:value { bench = "atax", sched = "gto" } > 0 and
                  t.miss:value { bench = "atax", sched = "gto" } > 0
    return right and 1 or 0, 1
  end }, -- holds
}
