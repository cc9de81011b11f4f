-- Are clear misses, and windows in which an SM idles, why SPMV, STC and CF go
-- around L1Ds that they should keep?  The same where no miss rate is clearly
-- high, so that the occupancy decides (`unclear`), and where windows of few
-- accesses leave the L1D on, too (`kept`).
local common = require "common"

common.reading("unclear", { miss_high = 1 })
common.reading("kept", { miss_high = 1, few = "cache" })

return common.experiment {
  name = "two_level_why_clear",
  doc = "Two-level bypassing without clear misses",
  benches = common.cached,
  schemes = { "baseline", "two_level", "unclear", "kept" },
  metrics = {
    cycles = common.cycles,
    bypassed = { doc = "L1D accesses that went around it, of all",
                 value = function(run)
      local l1 = run.stats "gpu/sm/l1d"
      return l1.bypasses / l1.accesses
    end },
  },
  derive = { speedup = common.speedup },
  figures = { { column = "speedup", by = "bench",
                y = "IPC, relative to the L1 always on" },
              { column = "bypassed", by = "bench" } },
}
