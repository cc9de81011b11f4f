-- Can the benchmarks carry the claims?  What an L1D without end would gain, and
-- whether two-level bypassing's own thresholds put them where the paper has
-- them: clear by their miss rate, else by their warp occupancy.
local common = require "common"

local function of_baseline(name)
  return function(t) return t[name]:at { scheme = "baseline" } end
end

local cached_there = {}
for _, bench in ipairs(common.cached) do cached_there[bench] = true end

-- By section 3.2, with the thresholds of open.lua.
local function passes(t)
  local occupancy = of_baseline "occupancy"(t)
  return of_baseline "miss_rate"(t):map(function(miss, names)
    local busy = occupancy:value { bench = names.bench } >= 0.5
    local cached = miss < 0.1 or miss <= 0.9 and busy
    return cached == (cached_there[names.bench] == true) and 1 or 0
  end)
end

return common.experiment {
  name = "two_level_admission",
  doc = "What the benchmarks are: headroom, miss rate and warp occupancy",
  schemes = { "baseline", "infinite" },
  metrics = { cycles = common.cycles, miss_rate = common.miss_rate,
              occupancy = common.occupancy },
  derive = {
    speedup_of_an_infinite_l1d = function(t)
      return common.speedup(t):at { scheme = "infinite" }
    end,
    miss_rate_of_the_l1d = of_baseline "miss_rate",
    warp_occupancy = of_baseline "occupancy",
    passes = passes,
  },
}
