-- The headline for other readings of what the paper leaves open (open.lua).
local claims = require "warploom.claims"
local common = require "common"
local open = require "open"

local schemes = { "baseline", "two_level" }
for _, one in ipairs(claims.readings(open)) do
  common.reading(one.name, one.fields)
  schemes[#schemes + 1] = one.name
end

return common.experiment {
  name = "two_level_range",
  doc = "Two-level bypassing, what the paper leaves open read in other ways",
  schemes = schemes,
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup, mean = common.mean },
  figures = { { column = "mean", by = "scheme" } },
}
