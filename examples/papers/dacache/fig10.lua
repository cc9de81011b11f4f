-- Figure 10: misses per thousand instructions, relative to LRU.
local common = require "common"

return common.experiment {
  name = "dacache_fig10",
  doc = "Misses and bypasses per thousand warp instructions",
  techniques = { "lru", "rrip", "dip", "uncon", "stall", "dacache" },
  metrics = { mpki = common.mpki },
  derive = {
    misses = function(t) return t.mpki:normalise { technique = "lru" } end,
    mean = function(t) return t.misses:mean("bench", "geometric") end,
  },
  figures = { { column = "misses", by = "bench", mean = "geometric",
                y = "MPKI, relative to LRU" } },
}
