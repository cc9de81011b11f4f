-- Can the applications carry the claims?  One SM is always busy; what an L1D
-- without end would gain over none, with the best number of threads of each.
local common = require "common"

return common.experiment {
  name = "sl1_admission",
  doc = "What the applications are: speedup of an infinite L1D over none",
  schemes = { "none", "infinite" },
  derive = {
    speedup_of_an_infinite_l1d = function(t)
      return common.speedup(t):at { scheme = "infinite" }
    end,
  },
}
