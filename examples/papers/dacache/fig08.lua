-- Figure 8: IPC of RRIP, DIP and DaCache's variants, relative to LRU.  Also
-- without the kernels over columns of ATAX, BICG and MVT: their loads are
-- coherent, and of narrow matrices they have one CTA, which takes most of the
-- time.
local common = require "common"

return common.experiment {
  name = "dacache_fig08",
  doc = "Performance relative to LRU",
  benches = common.all,
  techniques = { "lru", "rrip", "dip", "uncon", "stall", "dacache" },
  metrics = {
    cycles = common.cycles,
    rows = { unit = "s", doc = "Time of the kernels that are not over columns",
             value = function(run)
      local seconds = 0.0
      for _, kernel in ipairs(run.kernels) do
        if not kernel.untimed and not kernel.name:find "_columns$" then
          seconds = seconds + kernel.seconds
        end
      end
      return seconds
    end },
  },
  derive = {
    mean_rows = function(t)
      return t.rows:normalise({ technique = "lru" }, "inverse")
                   :where { bench = common.divergent }
                   :mean("bench", "geometric")
    end,
    speedup = common.speedup,
    mean_divergent = common.mean,
    mean_coherent = common.mean_coherent,
  },
  figures = { { column = "speedup", by = "bench", y = "IPC, relative to LRU" },
              { column = "mean_divergent" }, { column = "mean_coherent" } },
}
