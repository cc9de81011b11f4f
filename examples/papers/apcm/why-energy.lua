-- Does energy fall as time does?  Both, relative to the baseline, with 15
-- accesses that make a load known and with 2, with which more time is saved.
local loom = require "warploom"
local common = require "common"

common.reading("known", { threshold = 2 })

local function relative(column)
  return function(t) return t[column]:normalise { scheme = "baseline" } end
end

local function mean(column)
  return function(t) return t[column]:mean("bench", "arithmetic") end
end

return common.experiment {
  name = "apcm_why_energy",
  doc = "Energy and time of CS benchmarks",
  benches = common.CS, schemes = { "baseline", "apcm", "known" },
  energy = loom.energy { node = 45, level = "fitted" },
  metrics = { energy = { unit = "J", doc = "Energy of the run",
                         value = function(run) return run.energy end },
              cycles = common.cycles },
  derive = { relative = relative "energy", time = relative "cycles",
             mean = mean "relative", mean_time = mean "time" },
  figures = { { column = "relative", by = "bench", mean = "arithmetic",
                y = "energy, relative to the baseline" },
              { column = "time", by = "bench", mean = "arithmetic" } },
}
