-- Lost locality: CCWS beside GTO and beside the best static limit.
--   warploom run -q examples/policies/ccws.lua
local loom = require "warploom"
local common = require "common"

common.throttles(loom.suite.micro_lost_locality { words = 32 }, "sm[*].l1d", {
  { "gto" },
  { "gto, ccws", loom.ccws {} },
  { "gto, swl 4", loom.swl { warps = 4 } },
})
