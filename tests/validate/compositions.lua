-- Techniques of papers together with what they are to be put on top of, over
-- the suite: every run ends without a broken law and with the right results.
-- All of it, resumable:
--   cmake --build build/release --target compositions_nightly
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
  -- DaCache is a replacement policy itself and needs ranks, which the GTO of
  -- its machine gives.
  { name = "dacache_swl", machine = "dacache", loom.dacache {},
    sm = loom.swl { warps = 8 } },
  { name = "dacache_two_level", machine = "dacache",
    loom.two_level { window_cycles = 500, hold_cycles = 500 },
    loom.dacache {} },
  { name = "apcm_dacache", machine = "dacache", loom.apcm {},
    loom.dacache {} },
  { name = "dacache_mrpb", machine = "dacache",
    loom.dacache { constrained = "stall" }, loom.mrpb {} },
}

local values = {}
for i, c in ipairs(combinations) do values[i] = { name = c.name, value = c } end

return loom.experiment {
  name = "compositions",
  doc = "Techniques on top of schedulers, replacement and each other",
  order = { "bench", "together" },
  axes = { bench = loom.suite.list {}, together = values },
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
    bypassed = { doc = "Part of the L1D's accesses that went around",
                 value = function(run)
      local l1d = run.stats "gpu/sm/l1d"
      return l1d.bypasses / l1d.accesses
    end },
  },
}
