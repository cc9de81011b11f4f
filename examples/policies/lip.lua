-- New lines at the end of the stack: a loop over 1.5 L1s keeps its place.
--   warploom run -q examples/policies/lip.lua
local loom = require "warploom"
local common = require "common"

common.replacements(loom.suite.micro_reuse { bytes = "24KiB" },
                    { "lru", "lip" })
