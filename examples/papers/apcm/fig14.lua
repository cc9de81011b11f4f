-- Figure 14: configuration 2, and APCM on it.
local common = require "common"

return common.experiment {
  name = "apcm_fig14",
  doc = "APCM on configuration 2",
  benches = common.sensitive,
  schemes = { "baseline", "baseline_c2", "bypass_c2", "protect_c2",
              "apcm_c2" },
  metrics = { seconds = { unit = "s", doc = "Time of the run",
                          value = function(run) return run.seconds end } },
  derive = {
    speedup = function(t)
      return t.seconds:normalise({ scheme = "baseline_c2" }, "inverse")
    end,
    mean = common.mean(common.sensitive),
    over_c1 = function(t)
      return (t.seconds:at { scheme = "baseline" } /
              t.seconds:at { scheme = "baseline_c2" }):mean("bench",
                                                            "geometric")
    end,
  },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "speed, relative to configuration 2" } },
}
