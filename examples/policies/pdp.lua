-- Protecting distances against lines that die between the uses of others.
--   warploom run -q examples/policies/pdp.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.micro_protect { rounds = 10 }, {
  { "LRU" },
  { "pdp, distance 4", loom.pdp { distance = 4 } },
  { "pdp, distance 6", loom.pdp { distance = 6 } },
  { "pdp, distance 8", loom.pdp { distance = 8 } },
  { "pdp, distance 16", loom.pdp { distance = 16 } },
  { "pdp, as in APCM", loom.pdp {
    distance = 192, scope = "cache", reset_on_hit = false } },
})
