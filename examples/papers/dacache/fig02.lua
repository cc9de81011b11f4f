-- Figure 2: misses per load instruction (MPLI) with LRU, of coherent and
-- divergent loads.
local common = require "common"

local metrics = {}
for _, kind in ipairs { "coherent", "divergent" } do
  for _, group in ipairs { "0", "1", "2", "3_31", "32" } do
    metrics[kind .. "_" .. group] = {
      doc = ("Part of all loads that are %s and have %s misses"):format(kind,
        (group:gsub("_", " to "))),
      value = function(run)
        local s, all = common.loads(run), 0
        for _, own in ipairs { s.coherent_misses, s.divergent_misses } do
          for _, count in pairs(own) do all = all + count end
        end
        return s[kind .. "_misses"][group] / all
      end }
  end
end
metrics.partial = common.partial

return common.experiment {
  name = "dacache_fig02",
  doc = "Misses per load instruction in the L1D with LRU",
  benches = common.all, techniques = { "lru" },
  metrics = metrics,
  figures = {
    { column = "gpu.sm.ldst.policy.load_analysis.coherent_misses",
      by = "bench", share = true, kind = "stack",
      title = "Misses of coherent loads" },
    { column = "gpu.sm.ldst.policy.load_analysis.divergent_misses",
      by = "bench", share = true, kind = "stack",
      title = "Misses of divergent loads" },
  },
}
