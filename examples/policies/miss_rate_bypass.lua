-- Thresholds of the miss rate above which the L1 is switched off.
--   warploom run -q examples/policies/miss_rate_bypass.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.atax { rows = 512, columns = 64 }, {
  { "L1" },
  { "k = 0.6", loom.miss_rate_bypass { threshold = 0.6 } },
  { "k = 0.7", loom.miss_rate_bypass { threshold = 0.7 } },
  { "k = 0.8", loom.miss_rate_bypass { threshold = 0.8 } },
  { "k = 0.9", loom.miss_rate_bypass { threshold = 0.9 } },
})
