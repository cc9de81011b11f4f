-- Why APCM gains less here on every machine: how many accesses make a load
-- known.  The paper calls the number predefined, 15 is the largest there is;
-- here it is 2, for configuration 1 (figure 12), for larger L1Ds (figure 20)
-- and for configuration 2 (figure 14).  And whether inputs that fit larger L1Ds
-- are what is missing there: `room` is what an L1D without end gains over that
-- of 48 KB, `roomy48` the mean of those benchmarks where that is 10 % or more.
--   warploom sweep examples/papers/apcm/why-threshold.lua --set few=true
local loom = require "warploom"
local common = require "common"

local few = loom.option { name = "few", default = false,
                          doc = "Only kmeans, sssp and spmv" }
local benches = few and { "kmeans", "sssp", "spmv" } or common.sensitive
local cs = few and { "kmeans", "sssp" } or common.CS

local l1d = loom.apcm { threshold = 2 }
common.add("known", { l1d = l1d })
common.add("known_32k", { l1d = l1d, kib = 32 })
common.add("known_48k", { l1d = l1d, kib = 48 })
common.add("known_c2", { l1d = l1d, config = "apcm2" })

local function gain(suffix)
  return function(t)
    return t.seconds:at { scheme = "baseline" .. suffix } /
           t.seconds:at { scheme = "known" .. suffix }
  end
end

local function mean(column, list)
  return function(t)
    return t[column]:where { bench = list or benches }
      :mean("bench", "geometric")
  end
end

-- The mean of the benchmarks for which 48 KB are too little, or of none.
local function roomy(t)
  local list = {}
  for _, row in ipairs(t.room.rows) do
    if row.value >= 1.1 then list[#list + 1] = row.names.bench end
  end
  if #list == 0 then return mean("gain48")(t) * (0 / 0) end
  return mean("gain48", list)(t)
end

return common.experiment {
  name = "apcm_why_threshold",
  doc = "APCM that knows a load after two accesses, on all machines",
  benches = benches,
  schemes = { "baseline", "known", "baseline_32k", "known_32k",
              "baseline_48k", "known_48k", "baseline_c2", "known_c2",
              "infinite" },
  metrics = { seconds = { unit = "s", doc = "Time of the run",
                          value = function(run) return run.seconds end } },
  derive = {
    gain16 = gain "", gain32 = gain "_32k", gain48 = gain "_48k",
    gain_c2 = gain "_c2",
    mean_cs = mean("gain16", cs), mean16 = mean "gain16",
    mean32 = mean "gain32", mean48 = mean "gain48", mean_c2 = mean "gain_c2",
    room = function(t)
      return t.seconds:at { scheme = "baseline_48k" } /
             t.seconds:at { scheme = "infinite" }
    end,
    roomy48 = roomy,
  },
  figures = { { column = "gain16", by = "bench", mean = "geometric" },
              { column = "gain32", by = "bench", mean = "geometric" },
              { column = "gain48", by = "bench", mean = "geometric" },
              { column = "gain_c2", by = "bench", mean = "geometric" } },
}
