-- Why does stalling lose what DaCache-Uncon gains?  Where loads are cached well
-- (SYR) the locality region grows to all ways but one, for which misses wait.
-- The same with two ways that stay replaceable.
local loom = require "warploom"
local common = require "common"

common.techniques.stall2 = loom.dacache { constrained = "stall",
                                          replaceable_ways = 2 }

return common.experiment {
  name = "dacache_why_stall",
  doc = "DaCache-Stall with two ways that stay replaceable",
  techniques = { "lru", "stall", "stall2" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup, mean = common.mean },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to LRU" } },
}
