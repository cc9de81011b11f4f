-- One load at a time around the L1: which of them does not need it?
--   warploom run -q examples/policies/load_bypass.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.atax { rows = 512, columns = 64 }, {
  { "L1" },
  { "load 0", loom.load_bypass { loads = { 0 } } },
  { "load 1", loom.load_bypass { loads = { 1 } } },
  { "load 2", loom.load_bypass { loads = { 2 } } },
})
