-- Two-level bypassing's headline: figure 4, with the miss rate thresholds of
-- figure 3 (k6: 0.6), the switched-off L1, and what figure 1 shows.
--   warploom sweep examples/papers/two-level/quick.lua -j 2
-- Speedups over the same machine with its L1 always on.  Killed, it goes on
-- where it was; with --store it shares its runs with the figures of
-- `warploom papers`.
local common = require "common"

return common.experiment {
  name = "two_level_quick",
  doc = "Two-level bypassing and its rivals on its machine",
  schemes = { "baseline", "no_l1", "k6", "k9", "mrpb", "apcm", "pemp", "carb",
              "two_level" },
  metrics = {
    cycles = common.cycles,
    miss_rate = common.miss_rate,
    occupancy = common.occupancy,
    bypassed = { doc = "Part of the L1D's accesses that went around",
                 value = function(run)
      local l1d = run.stats "gpu/sm/l1d"
      return l1d.bypasses / l1d.accesses
    end },
  },
  derive = {
    baseline_miss = function(t)
      return t.miss_rate:at { scheme = "baseline" }
    end,
    baseline_occupancy = function(t)
      return t.occupancy:at { scheme = "baseline" }
    end,
    speedup = common.speedup,
    mean_all = common.mean,
  },
}
