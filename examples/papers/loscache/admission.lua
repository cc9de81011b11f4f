-- Can the programs carry the claims?  What an oracle that gates each line after
-- its last access would leave of the L2's leakage, and the paper's own measure:
-- of the time of all lines 95.6 % is dead, in every program but MM 60 % or more
-- (section 1, figure 1).
local common = require "common"

local function of_baseline(name)
  return function(t) return t[name]:at { scheme = "baseline" } end
end

return common.experiment {
  name = "loscache_admission",
  doc = "What the programs are: dead time of the L2's lines",
  schemes = { "baseline" },
  metrics = common.take("dead", "live"),
  derive = {
    dead_time = of_baseline "dead",
    lines_that_an_oracle_leaves_on = of_baseline "live",
    passes = function(t)
      return of_baseline "dead"(t):map(function(x, names)
        return (x >= 0.6 or names.bench == "matrixmul") and 1 or 0
      end)
    end,
  },
}
