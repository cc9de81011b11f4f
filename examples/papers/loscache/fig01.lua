-- Figure 1: how much of the time the L2's lines are dead.
local common = require "common"

return common.experiment {
  name = "loscache_fig01",
  doc = "Dead time of the L2's lines",
  schemes = { "baseline" },
  metrics = common.take("dead", "live"),
  derive = {
    mean = function(t) return t.dead:mean "bench" end,
  },
  figures = {
    { column = "dead", by = "bench", mean = "arithmetic",
      y = "dead, of the time of all lines" },
  },
}
