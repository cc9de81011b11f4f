-- Lines enter in the middle of the stack and climb with their hits.
--   warploom run -q examples/policies/pipp.lua
require("common").hits_without_time("lru", "pipp", "min")
