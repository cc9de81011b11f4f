-- Figure 23: energy of the whole GPU with APCM, relative to the baseline on
-- configuration 1; and by how much the energy of its parts falls.
-- The paper's baseline is its configuration 1 at 45 nm with GPUWattch for the
-- GPU and CACTI for APCM's own tables; so is this one.  `--set level=raw`
-- leaves GPUWattch's regression out.
local loom = require "warploom"
local common = require "common"

local level = loom.option { name = "level", default = "fitted",
                            choices = { "fitted", "raw" },
                            doc = "With GPUWattch's regression or without" }

-- Joules of some groups, as a part of all.
local function share(...)
  local groups = { ... }
  return function(run)
    local sum = 0.0
    for _, group in ipairs(groups) do sum = sum + run.stats(group).energy end
    return sum / run.energy
  end
end

-- Joules of APCM's tables, nothing without them.
local function tables(run)
  local there, apcm = pcall(run.stats, "gpu/sm/l1d/policy/apcm")
  return there and apcm.energy / run.energy or 0.0
end

-- Arithmetic mean of the relative energies of some benchmarks.
local function mean(list)
  return function(t)
    return t.relative:where { bench = list, scheme = { "apcm" } }
      :mean("bench", "arithmetic")
  end
end

return common.experiment {
  name = "apcm_fig23",
  doc = "Energy with APCM relative to configuration 1",
  schemes = { "baseline", "apcm" },
  energy = loom.energy { node = 45, level = level },
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
    apcm_share = { doc = "The part of APCM's tables", value = tables },
  },
  derive = {
    relative = function(t)
      return t.energy:normalise { scheme = "baseline" }
    end,
    relative_delay = function(t)
      return t.energy_delay:normalise { scheme = "baseline" }
    end,
    mean_cs = mean(common.CS),
    mean_cm = mean(common.CM),
    mean_ci = mean(common.CI),
    mean_all = mean(common.all),
  },
  figures = {
    { column = "relative", by = "bench", mean = "arithmetic",
      only = "scheme=apcm", y = "energy, relative to the baseline" },
  },
}
