-- Why rates differ from figures 1 and 5: what is counted.  The paper does not
-- say whether stores, which the L1D writes through and looks up in either mode,
-- are among its requests, nor which cycles its warp occupancy is of.  The same
-- runs, counted in the other ways: loads only; warps that are resident; all
-- cycles of the run instead of those with a warp.
local common = require "common"

local function l1d(run) return run.stats "gpu/sm/l1d" end

local function of_sm(over, cycles)
  return function(run)
    local sm = run.stats "gpu/sm"
    return sm[over] / sm[cycles] / 32
  end
end

return common.experiment {
  name = "two_level_why_counted",
  doc = "Rates of figures 1 and 5, of loads only and of other cycles",
  schemes = { "baseline", "two_level" },
  metrics = {
    bypassed = { doc = "Loads that went around the L1D, of all",
                 value = function(run)
      local l1 = l1d(run)
      return l1.bypasses_by_kind.load / l1.accesses_by_kind.load
    end },
    miss_rate = { doc = "Load misses and pending hits per look-up of a load",
                  value = function(run)
      local l1 = l1d(run)
      local looked = l1.accesses_by_kind.load - l1.bypasses_by_kind.load
      if looked == 0 then return 0.0 end
      return (l1.misses_by_kind.load + l1.pending_hits_by_kind.load) / looked
    end },
    resident = { doc = "Warps resident, of 32, while the SM has any",
                 value = of_sm("resident_warp_cycles", "active_cycles") },
    occupancy = { doc = "Warps with a valid instruction buffer entry, of " ..
                        "32, in all cycles of the run",
                  value = of_sm("ibuffer_warp_cycles", "cycles") },
  },
  figures = {
    { column = "bypassed", by = "bench", only = "scheme=two_level",
      mean = "arithmetic", title = "Loads that go around" },
    { column = "miss_rate", by = "bench", only = "scheme=baseline",
      title = "Miss rate of loads" },
  },
}
