-- The L1 and no L1.
--   warploom run -q examples/policies/no_l1.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.atax { rows = 512, columns = 64 }, {
  { "L1" },
  { "no_l1", loom.no_l1 {} },
  { "no_l1, whole lines", loom.no_l1 { fetch_bytes = 128 } },
})
