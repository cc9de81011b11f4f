-- New lines are predicted to be far away: scans leave the working set alone.
--   warploom run -q examples/policies/brrip.lua
local loom = require "warploom"
local common = require "common"

common.replacements(
  loom.suite.micro_reuse { bytes = "8KiB", uses = 2, scan_bytes = "32KiB" },
  { "lru", "brrip" })
