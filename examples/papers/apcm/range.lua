-- The headline for other readings of what the paper leaves open (open.lua).
local claims = require "warploom.claims"
local common = require "common"
local open = require "open"

local schemes = { "baseline", "apcm" }
for _, one in ipairs(claims.readings(open)) do
  common.reading(one.name, one.fields)
  schemes[#schemes + 1] = one.name
end

return common.experiment {
  name = "apcm_range",
  doc = "APCM on CS benchmarks, what the paper leaves open read in other ways",
  benches = common.CS, schemes = schemes,
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup(), mean = common.mean(common.CS) },
  figures = { { column = "mean", by = "scheme" } },
}
