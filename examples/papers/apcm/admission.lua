-- Can the benchmarks carry the claims?  What an infinite L1D would gain, and
-- the paper's own classes (section 3): IPC with 128 KB over that with 32 KB,
-- above 1.5 for CS, below 1.1 for CI.
local common = require "common"

local classes = { CS = { 1.5, math.huge }, CM = { 1.1, 1.5 }, CI = { 0, 1.1 } }
local bounds = {}
for class, range in pairs(classes) do
  for _, bench in ipairs(common[class]) do bounds[bench] = range end
end

local function ratio(t, over, to)
  return t.cycles:at { scheme = over } / t.cycles:at { scheme = to }
end
local function by_128k(t) return ratio(t, "baseline_32k", "baseline_128k") end

return common.experiment {
  name = "apcm_admission",
  doc = "What the benchmarks are: headroom, and IPC with 128 KB over 32 KB",
  schemes = { "baseline", "infinite", "baseline_32k", "baseline_128k" },
  metrics = { cycles = common.cycles },
  derive = {
    speedup_of_an_infinite_l1d = function(t)
      return ratio(t, "baseline", "infinite")
    end,
    ipc_of_128_kb_over_32_kb = by_128k,
    passes = function(t)
      return by_128k(t):map(function(x, names)
        local range = bounds[names.bench]
        return x >= range[1] and x <= range[2] and 1 or 0
      end)
    end,
  },
}
