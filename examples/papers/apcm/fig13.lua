-- Figure 13: miss rates of the L1D.
local common = require "common"

local function mean(list)
  return function(t)
    return t.relative:where { bench = list }:mean "bench"
  end
end

return common.experiment {
  name = "apcm_fig13",
  doc = "Miss rates of the L1D; what goes around it counts as a miss",
  schemes = { "baseline", "bypass", "protect", "apcm" },
  metrics = { miss_rate = common.miss_rate },
  derive = {
    relative = function(t)
      return t.miss_rate:normalise { scheme = "baseline" }
    end,
    mean_cs = mean(common.CS), mean_cm = mean(common.CM),
    mean_ci = mean(common.CI),
  },
  figures = { { column = "miss_rate", by = "bench", mean = "arithmetic" } },
}
