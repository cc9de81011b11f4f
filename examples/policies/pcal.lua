-- Partial throttling beside none and beside holding warps back.
--   warploom run -q examples/policies/pcal.lua
local loom = require "warploom"
local common = require "common"

common.throttles(loom.suite.micro_partial { words = 16 }, "sm[*].l1d", {
  { "gto" },
  { "gto, swl 4", loom.swl { warps = 4 } },
  { "gto, pcal 2 tokens", loom.pcal { tokens = 2 } },
  { "gto, pcal 4 tokens", loom.pcal { tokens = 4 } },
})
