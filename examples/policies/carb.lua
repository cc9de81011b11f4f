-- A share of the loads goes around, by the class of the miss rate.
--   warploom run -q examples/policies/carb.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.atax { rows = 512, columns = 64 }, {
  { "L1" },
  { "carb", loom.carb {} },
  { "carb, short windows", loom.carb { window_cycles = 1000 } },
})
