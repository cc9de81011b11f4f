-- APCM's figure 23: energy of the whole GPU with APCM, relative to the
-- baseline on configuration 1.
--   warploom sweep examples/papers/apcm/energy.lua -j 2
-- The paper's baseline is its configuration 1 at 45 nm with GPUWattch for the
-- GPU and CACTI for APCM's own tables; so is this one. `--set level=raw` leaves
-- GPUWattch's regression out. Killed, it goes on where it was.
local loom = require "warploom"

local size = loom.option { name = "size", default = "small",
                           choices = { "tiny", "small", "paper" },
                           doc = "Size of the benchmarks" }
local level = loom.option { name = "level", default = "fitted",
                            choices = { "fitted", "raw" },
                            doc = "With GPUWattch's regression or without" }

local benches, class = {}, {}
for _, name in ipairs { "CS", "CM", "CI" } do
  class[name] = loom.suite.list { paper = "apcm", class = name }
  table.move(class[name], 1, #class[name], #benches + 1, benches)
end

local function machine(scheme)
  local gpu = loom.preset.apcm1 {}
  if scheme == "apcm" then gpu:each "sm[*].l1d":attach(loom.apcm {}) end
  return gpu
end

-- Joules of some groups, as a part of all.
local function share(...)
  local groups = { ... }
  return function(run)
    local sum = 0.0
    for _, group in ipairs(groups) do sum = sum + run.stats(group).energy end
    return sum / run.energy
  end
end

-- Arithmetic mean of the relative energies of some benchmarks.
local function mean(list)
  return function(t)
    return t.relative:where { bench = list, scheme = { "apcm" } }
      :mean("bench", "arithmetic")
  end
end

return loom.experiment {
  name = "apcm_energy",
  doc = "Energy with APCM relative to configuration 1",
  order = { "bench", "scheme" },
  axes = { bench = benches, scheme = { "baseline", "apcm" } },
  base = function(p)
    return { machine = machine(p.scheme),
             workload = loom.suite[p.bench] { size = size },
             energy = loom.energy { node = 45, level = level } }
  end,
  metrics = {
    energy = { unit = "J", doc = "Energy of the run",
               value = function(run) return run.energy end },
    power = { unit = "W", doc = "Average power",
              value = function(run) return run.power end },
    energy_delay = { unit = "J s", doc = "Energy times delay",
                     value = function(run) return run.energy_delay end },
    l1_share = { doc = "The L1s' part of the energy",
                 value = share "gpu/sm/l1d" },
    l2_share = { doc = "The L2's part of the energy", value = share "gpu/l2" },
  },
  derive = {
    relative = function(t)
      return t.energy:normalise { scheme = "baseline" }
    end,
    relative_delay = function(t)
      return t.energy_delay:normalise { scheme = "baseline" }
    end,
    mean_cs = mean(class.CS),
    mean_cm = mean(class.CM),
    mean_ci = mean(class.CI),
    mean_all = mean(benches),
  },
}
