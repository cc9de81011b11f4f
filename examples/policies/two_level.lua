-- A stream and a table that is used again and again: what the two stages say.
--   warploom run -q examples/policies/two_level.lua
local loom = require "warploom"
local common = require "common"

common.kinds_of_loads(8, { "stream", "table" }, 26, {
  { "L1" },
  { "two_level", loom.two_level { window_cycles = 10000 } },
  { "two_level, 9 of 10 warps", loom.two_level {
    window_cycles = 10000, miss_low = 0, occupancy = 0.9 } },
  { "miss_rate_bypass", loom.miss_rate_bypass { window_cycles = 10000 } },
})
