-- Figure 7: execution time with LoSCache.
local common = require "common"

return common.experiment {
  name = "loscache_fig07",
  doc = "Execution time with LoSCache, relative to the baseline",
  schemes = { "baseline", "loscache" },
  metrics = common.take("cycles", "early", "query_traffic"),
  derive = {
    time = common.relative "cycles",
    mean = function(t) return t.time:mean "bench" end,
  },
  figures = {
    { column = "time", by = "bench", mean = "arithmetic",
      only = "scheme=loscache",
      y = "time, relative to the baseline" },
  },
}
