-- LRU or bip, whichever the leader sets say: a loop over 1.5 L1s.
--   warploom run -q examples/policies/dip.lua
local loom = require "warploom"
local common = require "common"

common.duel(loom.suite.micro_reuse { bytes = "24KiB" },
            { "lru", "bip", "dip" }, "lru", "bip")
