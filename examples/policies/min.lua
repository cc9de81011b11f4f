-- How much better than LRU could any replacement be?
--   warploom run -q examples/policies/min.lua
require("common").hits_without_time("lru", "min")
