-- Does S-L1 add fewer instructions here because of how the paper is read?
-- Pointers may overlap (alias), threads leave the monitoring slice at any
-- loop (any), and both: the other readings of open.lua.
local loom = require "warploom"
local common = require "common"

local function scheme(restricted, leave)
  return { off = true, transform = loom.sl1 { line = 16, leave = leave,
                                              restricted = restricted } }
end

common.schemes.alias = scheme(false, "outer")
common.schemes.any = scheme(common.restricted, "any")
common.schemes.both = scheme(false, "any")

local function more(name)
  return function(t)
    return common.at_best(t, t[name]):normalise { scheme = "l1" } - 1
  end
end

local function mean(name)
  return function(t) return t[name]:mean("bench", "arithmetic") end
end

return common.experiment {
  name = "sl1_why_readings",
  doc = "Instructions that S-L1 adds, the paper read in other ways",
  schemes = { "l1", "alias", "any", "both" },
  filter = function(p)
    return not p.scheme.transform or p.threads >= common.many
  end,
  metrics = { "executed", "issued" },
  derive = {
    executed_more = more "executed", issued_more = more "issued",
    mean_executed = mean "executed_more", mean_issued = mean "issued_more",
  },
  figures = { { column = "executed_more", by = "bench", mean = "arithmetic",
                title = "Executed instructions, more by",
                y = "of those with the L1" },
              { column = "issued_more", by = "bench", mean = "arithmetic",
                title = "Issued instructions, more by",
                y = "of those with the L1" } },
}
