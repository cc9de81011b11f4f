-- DaCache's headline (figure 8): cycles of LRU over those of each technique,
-- on the machine of its table 2 and our suite's twins of its 20 benchmarks.
--   warploom sweep examples/papers/dacache/quick.lua -j 2
-- With --store it shares its runs with the figures of `warploom papers`.
-- Options: --set size=tiny for a first look, --set sms=4 for fewer SMs.
local common = require "common"

return common.experiment {
  name = "dacache_quick",
  doc = "DaCache against LRU, DIP and RRIP",
  benches = common.all,
  techniques = { "lru", "dip", "rrip", "uncon", "stall", "dacache" },
  metrics = { cycles = common.cycles, mpki = common.mpki },
  derive = {
    speedup = common.speedup,
    misses = function(t) return t.mpki:normalise { technique = "lru" } end,
    mean_divergent = common.mean,
    mean_coherent = common.mean_coherent,
  },
}
