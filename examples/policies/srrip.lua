-- Used once leaves before used again: short scans leave the working set
-- alone, long ones do not.
--   warploom run -q examples/policies/srrip.lua
local loom = require "warploom"
local common = require "common"

common.replacements(
  loom.suite.micro_reuse { bytes = "8KiB", uses = 4, scan_bytes = "10KiB" },
  { "lru", "srrip" })
