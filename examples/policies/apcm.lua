-- Each warp's own lines, a table and a stream: what apcm does with each.
--   warploom run -q examples/policies/apcm.lua
local loom = require "warploom"
local common = require "common"

common.kinds_of_loads(16, { "own", "mixed" }, 22, {
  { "L1" },
  { "apcm, bypass only", loom.apcm { manage = "bypass" } },
  { "apcm, protection only", loom.apcm { manage = "protect" } },
  { "apcm", loom.apcm {} },
})
