-- Figure 4: how often lines are used before they leave, with 16 KB and with
-- an infinite L1D.
local common = require "common"

return common.experiment {
  name = "apcm_fig04",
  doc = "Lines by their number of uses",
  schemes = { "baseline", "infinite" },
  metrics = {
    once = { doc = "Lines that are used once per line", value = function(run)
      local s = run.stats "gpu/sm/l1d/policy/locality_analysis"
      return s.lines_by_uses["1"] / s.lines
    end },
    at_most_twice = { doc = "Lines that are used once or twice per line",
                      value = function(run)
      local s = run.stats "gpu/sm/l1d/policy/locality_analysis"
      return (s.lines_by_uses["1"] + s.lines_by_uses["2"]) / s.lines
    end },
  },
  figures = { { column = "at_most_twice", by = "bench", mean = "arithmetic" },
              { column = "gpu.sm.l1d.policy.locality_analysis.lines_by_uses",
                by = "bench", kind = "stack", share = true,
                only = "scheme=baseline", title = "16 KB: lines by uses" },
              { column = "gpu.sm.l1d.policy.locality_analysis.lines_by_uses",
                by = "bench", kind = "stack", share = true,
                only = "scheme=infinite", title = "Infinite: lines by uses" },
  },
}
