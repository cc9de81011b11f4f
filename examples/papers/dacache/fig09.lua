-- Figure 9: fully cached loads, divergent and coherent.
local common = require "common"

local function fully(kind)
  return function(run)
    local s = common.loads(run)[kind]
    local all = s.fully + s.partially + s.uncached
    return all > 0 and s.fully / all or 0 / 0
  end
end

-- Mean over the benchmarks that have such loads, relative to LRU.
local function mean(name)
  return function(t)
    return t[name]:map(function(x) return x == x and x or 0 end)
                  :mean("bench"):normalise { technique = "lru" }
  end
end

return common.experiment {
  name = "dacache_fig09",
  doc = "Loads all of whose accesses hit",
  techniques = { "lru", "rrip", "dip", "uncon", "stall", "dacache" },
  metrics = {
    divergent = { doc = "Part of the divergent loads that is fully cached",
                  value = fully "divergent" },
    coherent = { doc = "Part of the coherent loads that is fully cached",
                 value = fully "coherent" },
  },
  derive = { mean_divergent = mean "divergent",
             mean_coherent = mean "coherent" },
  figures = { { column = "divergent", by = "bench" },
              { column = "coherent", by = "bench" },
              { column = "mean_divergent" }, { column = "mean_coherent" } },
}
