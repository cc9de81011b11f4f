-- Sampled runs beside full ones: the programs of inputs.lua on three machines.
--
--   WARPLOOM_PATH=tests/sampling warploom sweep tests/sampling/programs.lua \
--       -o FOLDER -j 1 --csv
--
-- takes hours, and goes on where it was.  page.lua makes docs/validation.md's
-- table of FOLDER/results.csv.
local loom = require "warploom"
local inputs = require "inputs"

local names, params = {}, {}
for _, case in ipairs(inputs) do
  names[#names + 1], params[case[1]] = case[1], case[2]
end

-- A ratio that there may be none of.
local function ratio(group)
  return function(run) return run.stats(group).miss_ratio end
end

return loom.experiment {
  name = "sampling",
  doc = "Sampled runs beside full ones",
  order = { "preset", "bench", "mode" },
  axes = { preset = { "gtx480", "qv100", "h100" }, bench = names,
           mode = { "full", "sampled" } },
  base = function(p)
    return { machine = loom.preset[p.preset] {},
             workload = loom.suite[p.bench](params[p.bench]),
             sample = p.mode == "sampled" or nil }
  end,
  metrics = {
    insts = { value = function(run) return run.warp_insts end,
              doc = "Warp instructions, which are exact" },
    launches = { value = function(run) return #run.kernels end },
    cycles = { value = function(run) return run.cycles end },
    error = { value = function(run) return run.cycles_error or 0 end,
              doc = "Standard error of cycles" },
    left = { value = function(run) return run.sampled or 0 end,
             doc = "Part of the instructions that was left out" },
    l1d = { value = ratio "gpu.sm.l1d" },
    l2 = { value = ratio "gpu.l2" },
    dram = { value = function(run) return run.stats("gpu.dram").bytes end,
             unit = "byte" },
    host = { value = function(run) return run.busy end, unit = "second",
             doc = "Host time of the simulation" },
  },
}
