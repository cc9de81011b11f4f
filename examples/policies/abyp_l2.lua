-- Whose second request proves that a bypass was false?
--   warploom run -q examples/policies/abyp_l2.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.micro_protect { rounds = 10 }, {
  { "L1" },
  { "abyp", loom.abyp {} },
  { "same SM", loom.abyp {}, loom.abyp_l2 {} },
  { "same load", loom.abyp {}, loom.abyp_l2 { same = "load" } },
})
