-- Figure 13: miss rates of the L1D, per look-up; and of all accesses, where
-- what is on its way or goes around counts as a miss, too.
local common = require "common"

local function relative(column)
  return function(t) return t[column]:normalise { scheme = "baseline" } end
end

local function mean(column, list)
  return function(t)
    return t[column]:where { bench = list }:mean "bench"
  end
end

return common.experiment {
  name = "apcm_fig13",
  doc = "Miss rates of the L1D",
  schemes = { "baseline", "bypass", "protect", "apcm" },
  metrics = { miss_rate = common.miss_rate, unserved = common.unserved },
  derive = {
    relative = relative "miss_rate",
    mean_cs = mean("relative", common.CS),
    mean_cm = mean("relative", common.CM),
    mean_ci = mean("relative", common.CI),
    relative_unserved = relative "unserved",
    unserved_cs = mean("relative_unserved", common.CS),
    unserved_cm = mean("relative_unserved", common.CM),
    unserved_ci = mean("relative_unserved", common.CI),
  },
  figures = { { column = "miss_rate", by = "bench", mean = "arithmetic" },
              { column = "unserved", by = "bench", mean = "arithmetic" } },
}
