-- Is less gained because of windows in which the SM idles, which have few
-- accesses?  "Our technique bypasses most of requests when few cache accesses
-- occur" (section 4), so that the next 95,000 cycles go around whatever comes.
-- The same with the L1D on after such windows: at size small more is gained, at
-- the programs' own sizes less.
local common = require "common"

common.reading("few", { few = "cache" })

return common.experiment {
  name = "two_level_why_few",
  doc = "Two-level bypassing, windows of few accesses leave the L1D on",
  schemes = { "baseline", "two_level", "few" },
  metrics = {
    cycles = common.cycles,
    idle = { doc = "Windows with few accesses, of all that were decided",
             value = function(run)
      local there, stats = pcall(run.stats, "gpu/sm/l1d/policy/two_level")
      if not there then return 0.0 end
      local all = 0
      for _, count in pairs(stats.verdicts) do all = all + count end
      return stats.verdicts.few_accesses / all
    end },
  },
  derive = { speedup = common.speedup, mean = common.mean },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to the L1 always on" },
              { column = "idle", by = "bench", only = "scheme=two_level",
                title = "Windows with few accesses" } },
}
