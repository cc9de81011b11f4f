-- Static warp limiting beside all warps: few enough keep their lines.
--   warploom run -q examples/policies/swl.lua
local loom = require "warploom"
local common = require "common"

common.throttles(loom.suite.micro_lost_locality { words = 32 }, "sm[*]", {
  { "gto" },
  { "gto, swl 2", loom.swl { warps = 2 } },
  { "gto, swl 4", loom.swl { warps = 4 } },
  { "gto, swl 8", loom.swl { warps = 8 } },
})
