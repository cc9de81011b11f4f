-- Loads that missed in one window go around in the next four.
--   warploom run -q examples/policies/pemp.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.atax { rows = 512, columns = 64 }, {
  { "L1" },
  { "pemp", loom.pemp {} },
  { "pemp, short windows", loom.pemp { window_cycles = 1000 } },
})
