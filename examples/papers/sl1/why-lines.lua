-- Lines of 8 bytes are not slower than 16 for applications that hardly cache:
-- their threads end while they monitor, or soon after.  30 accesses monitored
-- instead of 300, as if a thread had ten times the input, and more input of
-- sl1_mm and sl1_kmeans.
local common = require "common"

return common.experiment {
  name = "sl1_why_lines",
  doc = "Lines of 8 bytes relative to 16, with less monitoring",
  schemes = { "early_8", "early" }, more = common.more,
  filter = function(p) return p.threads >= common.many end,
  metrics = { "monitoring", "hits" },
  derive = {
    speedup = function(t)
      return common.best(t):normalise({ scheme = "early" }, "inverse")
    end,
  },
  figures = { { column = "speedup", by = "bench", mean = "arithmetic",
                y = "Speedup over lines of 16 bytes" } },
}
