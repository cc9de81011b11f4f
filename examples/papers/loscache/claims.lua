-- What the LoSCache paper states.
local common = require "common"
local write = require "warploom.claims"
local open = require "open"

local _, one, the = write.readers "scheme"
local list, claim, relative = write.list()

-- Of the programs that have a number: in how many it is so.
local function count(t, column, scheme, benches, is)
  local some = {}
  for _, bench in ipairs(benches) do
    local x = one(column, scheme, bench)(t)
    if x == x then some[#some + 1] = x end
  end
  return write.count(some, is)
end

-- Why, as an experiment: a script, what is changed in it, and what then comes.
local function tried(script, says, with)
  return { script = script, says = says, with = with }
end

local function without(name)
  local out = {}
  for _, bench in ipairs(common.benches) do
    if bench ~= name then out[#out + 1] = bench end
  end
  return out
end

-- Mechanisms; docs/policies/loscache.md has the numbers.
local larger = "where data of MM, BFS, FWT, KM and 64H does not fit the L2"
local unfit = "at small its matrices leave 42 % of the L2 unused, which " ..
  "is dead and gated; with 320 rows, the program's own, they do not fit"
local alike = "the lines are alike, and what the phase learns is at fault: " ..
  "of the 14 named programs' lines, those that are accessed as often as " ..
  "most of their instruction's, which no predictor with a number for each " ..
  "can pass"
local stays = "lines stay on that are predicted too high or not at all; " ..
  "where they are replaced as any other, and data that the L2 no longer has " ..
  "is predicted one access"
local mean_alike = the("mean", "baseline")

local dead, accurate = "section I, figure 1", "section VI.A, figure 6"
local time, energy = "section VI.B, figure 7", "section VI.C, figure 8"
local overhead = "section IV.D"

-- ---- dead time ----
claim { says = "lines of the L2 are dead for 95.6 % of the time",
        where = dead, figure = "fig01", paper = 0.956, near = 0.05,
        value = the("mean", "baseline"),
        why = tried("why-size", "not because inputs are small; " .. larger,
                    function(t) return t.mean_dead end) }
claim { says = "MM's are dead for less than 60 %", where = dead,
        figure = "fig01", paper = 0.6,
        at_most = the("dead", "baseline", "matrixmul"),
        why = tried("why-size", unfit, the("dead", "baseline",
                                           "matrixmul")) }
local function others(t)
  return count(t, "dead", "baseline", without "matrixmul",
               function(x) return x > 0.6 end)
end
claim { says = "all others' are dead for more than that", where = dead,
        figure = "fig01", share = others,
        why = tried("why-size",
                    "FWT's data lives on for the next launch if it " ..
                    "fits; that of BFS and KM lives where it does not, " ..
                    "too: " .. larger, others) }

-- ---- accuracy ----
claim { says = "the naive prediction is right for 54 %", where = accurate,
        figure = "fig06", paper = 0.54, value = the("mean", "naive"),
        why = tried("why-alike", alike, mean_alike) }
claim { says = "the adaptive prediction is right for 93 %", where = accurate,
        figure = "fig06", paper = 0.93, value = the("mean", "loscache"),
        why = tried("why-alike", alike, mean_alike) }
claim { says = "the same, of all requests that carry a prediction",
        where = accurate, figure = "fig06", paper = 0.93,
        value = function(t)
  return t.mean_per_request:at { scheme = "loscache" }
end }
claim { says = "the adaptive prediction is better than the naive one",
        where = accurate, figure = "fig06", larger = function(t)
  return the("mean", "loscache")(t), the("mean", "naive")(t)
end,
        why = tried("fig06", "data that is predicted once has no tag, which " ..
                    "could tell of errors and raise the threshold; with " ..
                    "tags", function(t)
  return the("mean", "loscache_tag")(t), the("mean", "naive")(t)
end) }
claim { says = "adaptive, more lines get no access after the last predicted " ..
               "one than naive", where = accurate, figure = "fig06",
        larger = function(t)
  return the("mean_coverage", "loscache")(t),
         the("mean_coverage", "naive")(t)
end }
claim { says = "BFS: the naive prediction is right for 4 %",
        where = accurate, figure = "fig06", paper = 0.04, near = 0.5,
        value = the("accuracy", "naive", "bfs"),
        why = tried("why-size", "not explained; " .. larger,
                    the("accuracy", "naive", "bfs")) }
claim { says = "BFS: the adaptive prediction is right for 97 %",
        where = accurate, figure = "fig06", paper = 0.97,
        value = the("accuracy", "loscache", "bfs"),
        why = tried("why-alike", "a constant added to a count is right for " ..
                    "no more lines than are accessed as often as most of " ..
                    "their instruction's", the("alike", "baseline", "bfs")) }
local function predicted_well(t)
  return count(t, "accuracy", "naive", { "histogram64", "bicg",
    "blackscholes", "cp", "fastwalsh", "nn", "scalarprod" },
    function(x) return x >= 0.8 end)
end
claim { says = "64H, BICG, BS, CP, FWT, NE and SP are predicted well (80 % " ..
               "or more) by the naive prediction", where = accurate,
        figure = "fig06", share = predicted_well,
        why = tried("why-size", "not explained; " .. larger, predicted_well) }
claim { says = "no program has more than 21 instructions in the table",
        where = overhead, figure = "fig06", share = function(t)
  return count(t, "refused", "loscache", common.benches,
               function(x) return x == 0 end)
end,
        why = "in one of lud's kernels more than 21 loads and " ..
              "stores reach the L2: those that come later are refused" }
claim { says = "lines are accessed at most 32 times: no counter of 6 bits " ..
               "is at its limit when it is asked", where = overhead,
        figure = "fig06", share = function(t)
  return count(t, "saturated", "loscache", common.benches,
               function(x) return x == 0 end)
end,
        why = "bfs, gaussian and mm2: all warps read one flag, row or " ..
              "column, and data stays in the L2 over launches" }

-- ---- time ----
claim { says = "programs take no more than 0.5 % more time on average",
        where = time, figure = "fig07", paper = 1.005, neutral = 1,
        at_most = the("mean", "loscache") }
relative("ST3D takes 4 % more time", time, "fig07", 1.04,
         the("time", "loscache", "stencil3d"))
claim { says = "NW takes less than 1 % more time", where = time,
        figure = "fig07", paper = 1.01, neutral = 1,
        at_most = the("time", "loscache", "nw"),
        why = tried("why-phase", "what is gated too early is read again " ..
                    "from DRAM; with the table emptied at each launch, so " ..
                    "that next to nothing is predicted",
                    the("time", "launch", "nw")) }
claim { says = "queries add 14 % to NW's traffic, the most of all",
        where = time, figure = "fig07", paper = 0.14,
        value = the("query_traffic", "loscache", "nw"),
        why = tried("why-phase", "not explained; with the table emptied at " ..
                    "each launch, so that each has queries",
                    the("query_traffic", "launch", "nw")) }

-- ---- energy ----
claim { says = "the L2 takes 36 % of the baseline's energy", where = energy,
        figure = "fig08", paper = 0.36, neutral = 1, headline = true,
        range = write.range(open, "scheme", "loscache", "mean"),
        effect = the("mean", "loscache"),
        why = tried("why-phase", stays, the("mean_energy", "both")) }
claim { says = "with the oracle it takes 30 %", where = energy,
        figure = "fig08", paper = 0.30, neutral = 1,
        effect = function(t) return t.mean_ideal end }
claim { says = "the oracle saves 6 % more of the L2's energy than LoSCache",
        where = energy, figure = "fig08", paper = 0.06, near = 0.25,
        value = function(t)
  return the("mean", "loscache")(t) - t.mean_ideal
end,
        why = tried("why-phase", stays, function(t)
  return the("mean_energy", "both")(t) - t.mean_ideal
end) }
claim { says = "the L2 of NW takes less than 1 %", where = energy,
        figure = "fig08", paper = 0.01,
        at_most = the("energy", "loscache", "nw"),
        why = tried("fig08", "accesses, tags and MSHRs take more than that " ..
                    "whatever is gated; with the oracle", function(t)
  return t.ideal:at { bench = "nw" }
end) }
claim { says = "the L2 of MM takes no more than 27 % less", where = energy,
        figure = "fig08", paper = 0.73, neutral = 1,
        at_least = the("energy", "loscache", "matrixmul"),
        why = tried("why-size", unfit, the("energy", "loscache",
                                           "matrixmul")) }
local function poor(t)
  return the("energy", "loscache", "matrixmul")(t), the("mean", "loscache")(t)
end
claim { says = "MM is the poor case: its L2 saves less than the mean",
        where = energy, figure = "fig08", larger = poor,
        why = tried("why-size", unfit, poor) }
claim { says = "the L2 takes 8 % of the chip's energy", where = energy,
        figure = "fig08", paper = 0.08,
        value = function(t) return t.l2_share end,
        why = tried("why-level", "energies fitted to a card, as " ..
                    "GPUWattch's are", function(t) return t.l2_share end) }
claim { says = "the chip takes 6.2 % less energy", where = energy,
        figure = "fig08", paper = 0.938, neutral = 1,
        effect = the("mean_chip", "loscache"),
        why = tried("fig08", "if the L2 took 8 % of the chip's energy, as " ..
                    "there, and early gatings read nothing again",
                    the("chip_at_8", "loscache")) }

-- ---- overhead ----
claim { says = "the table of a load/store unit has 165 bytes",
        where = overhead, figure = "fig08", paper = 165,
        by_construction = true,
        near = 0.15, value = the("table_size", "loscache"),
        why = "addresses have 40 bits here; with 32 it has 165.4 bytes" }
claim { says = "a line of the L2 has 6 bits more", where = overhead,
        figure = "fig08", paper = 6, by_construction = true,
        equal = the("line_size", "loscache") }
claim { says = "the area is 0.449 mm2, 0.084 % of the chip's",
        where = overhead, untested = "three quarters of it are an estimate " ..
        "for logic; the storage alone is 0.028 mm2 of CACTI's small RAM " ..
        "(docs/energy.md)" }

list.open = open
return list
