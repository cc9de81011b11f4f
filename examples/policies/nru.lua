-- One bit per line instead of the order of uses: how near is it to LRU?
--   warploom run -q examples/policies/nru.lua
require("common").hits_without_time("lru", "nru", "min")
