-- srrip or brrip, whichever the leader sets say: scans of two L1s.
--   warploom run -q examples/policies/drrip.lua
local loom = require "warploom"
local common = require "common"

common.duel(
  loom.suite.micro_reuse { bytes = "8KiB", uses = 2, scan_bytes = "32KiB" },
  { "lru", "srrip", "brrip", "drrip" }, "srrip", "brrip")
