-- The headline for other readings of what the paper leaves open (open.lua).
local loom = require "warploom"
local claims = require "warploom.claims"
local common = require "common"
local open = require "open"

local schemes = { "none", "sl1" }
for _, one in ipairs(claims.readings(open)) do
  local all = { line = 16, restricted = common.restricted }
  for key, value in next, one.fields do all[key] = value end
  common.schemes[one.name] = { off = true, transform = loom.sl1(all) }
  schemes[#schemes + 1] = one.name
end

return common.experiment {
  name = "sl1_range",
  doc = "S-L1 over no L1, what the paper leaves open read in other ways",
  schemes = schemes,
  derive = {
    speedup = common.speedup,
    mean = function(t) return t.speedup:mean("bench", "arithmetic") end,
  },
  figures = { { column = "mean", by = "scheme" } },
}
