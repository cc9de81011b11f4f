-- Pausing CTAs beside running all of them.
--   warploom run -q examples/policies/cta_limit.lua
local loom = require "warploom"
local common = require "common"

common.throttles(loom.suite.micro_lost_locality {
  words = 32, warps = 4, ctas = 8 }, "sm[*]", {
  { "gto" },
  { "gto, 1 CTA", loom.cta_limit { ctas = 1 } },
  { "gto, 2 CTAs", loom.cta_limit { ctas = 2 } },
})
