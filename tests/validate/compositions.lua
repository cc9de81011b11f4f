-- Techniques of papers together with what they are to be put on top of, over
-- the papers' benchmarks: every run ends without a broken law and with the
-- right results.
--   warploom sweep tests/validate/compositions.lua -j 2
local loom = require "warploom"

local size = loom.option { name = "size", default = "tiny",
                           choices = { "tiny", "small" },
                           doc = "Size of the benchmarks" }

local combinations = {
  { name = "apcm_swl", machine = "apcm1", loom.apcm {},
    sm = loom.swl { warps = 8 } },
  { name = "apcm_gto", machine = "apcm1", loom.apcm {}, sm = loom.gto {} },
  { name = "apcm_dip", machine = "apcm1", loom.apcm {}, loom.dip {} },
  { name = "two_level_drrip", machine = "gtx1080_56", loom.two_level {},
    loom.drrip {} },
  { name = "apcm_two_level", machine = "gtx1080_56", loom.apcm {},
    loom.two_level { window_cycles = 500, hold_cycles = 500 } },
}

local values, benches = {}, {}
for i, c in ipairs(combinations) do values[i] = { name = c.name, value = c } end
for _, paper in ipairs { "apcm", "twolevel" } do
  local list = loom.suite.list { paper = paper }
  table.move(list, 1, #list, #benches + 1, benches)
end

return loom.experiment {
  name = "compositions",
  doc = "Techniques on top of schedulers and replacement policies",
  order = { "bench", "together" },
  axes = { bench = benches, together = values },
  base = function(p)
    local gpu = loom.preset[p.together.machine] {}
    for _, policy in ipairs(p.together) do
      gpu:each "sm[*].l1d":attach(policy)
    end
    if p.together.sm then gpu:each "sm[*]":attach(p.together.sm) end
    return { machine = gpu, workload = loom.suite[p.bench] { size = size } }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
    miss_ratio = { doc = "L1D misses per look-up",
                   value = "gpu/sm/l1d.miss_ratio" },
  },
}
