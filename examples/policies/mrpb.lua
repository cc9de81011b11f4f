-- Set conflicts: loads that find no way in their set go around.
--   warploom run -q examples/policies/mrpb.lua
local loom = require "warploom"
local common = require "common"

common.bypasses(loom.suite.micro_conflict { warps = 4, rounds = 8 }, {
  { "L1" },
  { "mrpb, bypass only", loom.mrpb { reorder = false } },
  { "mrpb, queues only", loom.mrpb { bypass_on_line = false } },
  { "mrpb", loom.mrpb {} },
})
