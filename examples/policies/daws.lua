-- Footprints that fit: DAWS beside GTO and beside CCWS.
--   warploom run -q examples/policies/daws.lua
local loom = require "warploom"
local common = require "common"

common.throttles(loom.suite.micro_lost_locality { words = 32 }, "sm[*].l1d", {
  { "gto" },
  { "gto, ccws", loom.ccws {} },
  { "gto, daws", loom.daws {} },
})
