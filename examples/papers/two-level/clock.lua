-- What the paper leaves open, swept: whether the clock of samples goes on from
-- launch to launch, 5,000 cycles of every 100,000 (`two_level`), or starts with
-- each kernel's first CTA, which decides until the next one (`launch`).
--   warploom sweep examples/papers/two-level/clock.lua -j 2
local common = require "common"

return common.experiment {
  name = "two_level_clock",
  doc = "Readings of when two-level bypassing samples",
  schemes = { "baseline", "no_l1", "two_level", "launch" },
  metrics = {
    cycles = common.cycles,
    bypassed = { doc = "Part of the L1D's accesses that went around",
                 value = function(run)
      local l1d = run.stats "gpu/sm/l1d"
      return l1d.bypasses / l1d.accesses
    end },
  },
  derive = { speedup = common.speedup, mean_all = common.mean },
}
