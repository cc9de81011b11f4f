-- Two levels of warps beside one.
--   warploom run -q examples/policies/two_level_scheduler.lua
local loom = require "warploom"
local common = require "common"

common.throttles(loom.suite.atax { rows = 512, columns = 64 }, "sm[*]", {
  { "gto" }, { "lrr", loom.lrr {} },
  { "two_level 4", loom.two_level_scheduler { active_warps = 4 } },
  { "two_level 8", loom.two_level_scheduler { active_warps = 8 } },
})
