-- Figure 6: accuracy of the naive and the adaptive prediction; and with tags
-- for data that is predicted to be accessed once.
local common = require "common"

return common.experiment {
  name = "loscache_fig06",
  doc = "Accuracy of the naive and the adaptive prediction",
  schemes = { "naive", "loscache", "loscache_tag" },
  metrics = common.take("accuracy", "per_request", "coverage", "early",
                        "predicted", "refused", "saturated"),
  derive = {
    mean = function(t) return common.mean(t.accuracy) end,
    mean_per_request = function(t) return common.mean(t.per_request) end,
    mean_coverage = function(t) return common.mean(t.coverage) end,
    mean_predicted = function(t) return common.mean(t.predicted) end,
  },
  figures = {
    { column = "accuracy", by = "bench" },
    { column = "per_request", by = "bench" },
    { column = "coverage", by = "bench" },
    { column = "predicted", by = "bench" },
  },
}
