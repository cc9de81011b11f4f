-- A tree of bits instead of the order of uses: how near is it to LRU?
--   warploom run -q examples/policies/plru.lua
require("common").hits_without_time("lru", "plru", "min")
