-- Loads whose lines die go around; the L2 tells which did not deserve it.
--   warploom run -q examples/policies/abyp.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.micro_protect { rounds = 10 }, {
  { "L1" },
  { "abyp", loom.abyp {} },
  { "abyp and abyp_l2", loom.abyp {}, loom.abyp_l2 {} },
})
