-- Figure 9: fully cached loads, divergent and coherent.
local common = require "common"

return common.experiment {
  name = "dacache_fig09",
  doc = "Loads all of whose accesses hit",
  techniques = { "lru", "rrip", "dip", "uncon", "stall", "dacache" },
  metrics = {
    divergent = common.fully "divergent",
    coherent = common.fully "coherent",
  },
  derive = { mean_divergent = common.mean_fully "divergent",
             mean_coherent = common.mean_fully "coherent" },
  figures = { { column = "divergent", by = "bench" },
              { column = "coherent", by = "bench" },
              { column = "mean_divergent" }, { column = "mean_coherent" } },
}
