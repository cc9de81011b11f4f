-- The headline for other readings of what the paper leaves open (open.lua).
local loom = require "warploom"
local claims = require "warploom.claims"
local common = require "common"
local open = require "open"

local schemes, extra = { "baseline", "loscache" }, {}
for _, one in ipairs(claims.readings(open)) do
  -- One parameter is of the L2's part.
  local l1d, l2 = one.fields, {}
  if l1d.reuse_gated ~= nil then l1d, l2 = {}, l1d end
  extra[one.name] = { l1d = loom.loscache(l1d), l2 = loom.loscache_l2(l2) }
  schemes[#schemes + 1] = one.name
end

return common.experiment {
  name = "loscache_range",
  doc = "Energy of the L2 with LoSCache, what the paper leaves open read in " ..
        "other ways",
  schemes = schemes, extra = extra,
  metrics = common.take("l2_energy"),
  derive = { energy = common.relative "l2_energy",
             mean = function(t) return t.energy:mean "bench" end },
  figures = { { column = "mean", by = "scheme" } },
}
