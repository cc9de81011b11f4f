-- Two-level bypassing's headline: figure 4, with the miss rate thresholds of
-- figure 3 and the switched-off L1.
--   warploom sweep examples/papers/two-level/quick.lua -j 2
-- Speedups over the same machine with its L1 always on.  Killed, it goes on
-- where it was.
local loom = require "warploom"

local size = loom.option { name = "size", default = "small",
                           choices = { "tiny", "small", "paper" },
                           doc = "Size of the benchmarks" }

local schemes = {
  { "baseline" },
  { "no_l1", loom.no_l1 {} },
  { "k0.6", loom.miss_rate_bypass { threshold = 0.6 } },
  { "k0.9", loom.miss_rate_bypass { threshold = 0.9 } },
  { "mrpb", loom.mrpb { reorder = false } },
  { "apcm", loom.apcm {} },
  { "pemp", loom.pemp {} },
  { "carb", loom.carb {} },
  { "two_level", loom.two_level {} },
}

local values, benches, class = {}, {}, {}
for i, s in ipairs(schemes) do values[i] = { name = s[1], value = s } end
for _, name in ipairs { "cache-friendly", "bypass", "named" } do
  class[name] = loom.suite.list { paper = "twolevel", class = name }
  table.move(class[name], 1, #class[name], #benches + 1, benches)
end

local function stats_of(run)
  return run.stats "gpu/sm/l1d", run.stats "gpu/sm"
end

return loom.experiment {
  name = "two_level_quick",
  doc = "Two-level bypassing and its rivals on its machine",
  order = { "bench", "scheme" },
  axes = { bench = benches, scheme = values },
  base = function(p)
    local gpu = loom.preset.gtx1080_56 {}
    if p.scheme[2] then gpu:each "sm[*].l1d":attach(p.scheme[2]) end
    return { machine = gpu, workload = loom.suite[p.bench] { size = size } }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
    -- What figure 1 shows: misses with pending hits, warps of 32.
    miss_ratio = { doc = "L1D misses and pending hits per look-up",
                   value = function(run)
      local l1d = stats_of(run)
      return (l1d.misses + l1d.pending_hits) / l1d.lookups
    end },
    occupancy = { doc = "Warps with a valid instruction buffer entry, of " ..
                        "32, while the SM has any",
                  value = function(run)
      local _, sm = stats_of(run)
      return sm.ibuffer_warp_cycles / sm.active_cycles / 32
    end },
    bypassed = { doc = "Part of the L1D's accesses that went around",
                 value = function(run)
      local l1d = stats_of(run)
      return l1d.bypasses / l1d.accesses
    end },
  },
  derive = {
    baseline_miss = function(t)
      return t.miss_ratio:at { scheme = "baseline" }
    end,
    baseline_occupancy = function(t)
      return t.occupancy:at { scheme = "baseline" }
    end,
    speedup = function(t)
      return t.cycles:normalise({ scheme = "baseline" }, "inverse")
    end,
    mean_all = function(t) return t.speedup:mean("bench", "geometric") end,
  },
}
