-- The headline for other readings of what the paper leaves open (open.lua).
local loom = require "warploom"
local claims = require "warploom.claims"
local common = require "common"
local open = require "open"

local techniques = { "lru", "dacache" }
for _, one in ipairs(claims.readings(open)) do
  common.techniques[one.name] = loom.dacache(one.fields)
  techniques[#techniques + 1] = one.name
end

return common.experiment {
  name = "dacache_range",
  doc = "DaCache on the divergent benchmarks, what the paper leaves open " ..
        "read in other ways",
  techniques = techniques,
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup, mean = common.mean },
  figures = { { column = "mean", by = "technique" } },
}
