-- Does data stay in the L2 from launch to launch, or unused room, decide
-- figure 1, MM and predictions?  At small MM's matrices and what a launch of
-- BFS, FWT, KM and 64H leaves fit the 768 KB; here they do not.
local common = require "common"

return common.experiment {
  name = "loscache_why_size",
  doc = "Dead time and energy where five programs' data does not fit the L2",
  schemes = { "baseline", "naive", "loscache" },
  inputs = { matrixmul = { n = 320 }, bfs = { nodes = 65536 },
             fastwalsh = { bits = 18 }, kmeans = { points = 20480 },
             histogram64 = { bytes = 2097152 } },
  metrics = common.take("dead", "accuracy", "l2_energy"),
  derive = {
    mean_dead = function(t)
      return t.dead:at { scheme = "baseline" }:mean "bench"
    end,
    energy = common.relative "l2_energy",
    mean = function(t) return t.energy:mean "bench" end,
  },
  figures = {
    { column = "dead", by = "bench", mean = "arithmetic",
      only = "scheme=baseline", y = "dead, of the time of all lines" },
  },
}
