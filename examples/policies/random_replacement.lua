-- Any line: better than LRU where it thrashes.
--   warploom run -q examples/policies/random_replacement.lua
require("common").hits_without_time("lru", "random_replacement", "min")
