-- Figure 1: miss rates of the L1D, and warp occupancy.
local common = require "common"

return common.experiment {
  name = "two_level_fig01",
  doc = "Miss rates of the L1D and warp occupancy",
  schemes = { "baseline" },
  metrics = {
    miss_rate = { doc = "L1D misses and pending hits per look-up",
                  value = function(run)
      local l1d = run.stats "gpu/sm/l1d"
      return (l1d.misses + l1d.pending_hits) / l1d.lookups
    end },
    occupancy = { doc = "Warps with a valid instruction buffer entry, of 32",
                  value = function(run)
      local sm = run.stats "gpu/sm"
      return sm.ibuffer_warp_cycles / sm.active_cycles / 32
    end },
  },
  figures = {
    { column = "miss_rate", by = "bench", mean = "arithmetic" },
    { column = "occupancy", by = "bench", mean = "arithmetic" },
  },
}
