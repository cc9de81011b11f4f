-- As lip, but some new lines enter at the front: nearly as good in a loop.
--   warploom run -q examples/policies/bip.lua
local loom = require "warploom"
local common = require "common"

common.replacements(loom.suite.micro_reuse { bytes = "24KiB" },
                    { "lru", "lip", "bip" })
