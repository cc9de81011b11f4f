-- What the LoSCache paper states.
local common = require "common"
local write = require "warploom.claims"

local at, one = write.readers "scheme"
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

local function without(name)
  local out = {}
  for _, bench in ipairs(common.benches) do
    if bench ~= name then out[#out + 1] = bench end
  end
  return out
end

local dead, accurate = "section I, figure 1", "section VI.A, figure 6"
local time, energy = "section VI.B, figure 7", "section VI.C, figure 8"
local overhead = "section IV.D"

-- ---- dead time ----
claim { says = "lines of the L2 are dead for 95.6 % of the time",
        where = dead, figure = "fig01", paper = 0.956, within = 0.05,
        value = at("mean", "baseline") }
claim { says = "MM's are dead for less than 60 %", where = dead,
        figure = "fig01", larger = function(t)
  return 0.6, one("dead", "baseline", "matrixmul")(t)
end }
claim { says = "all others' are dead for more than that", where = dead,
        figure = "fig01", share = function(t)
  return count(t, "dead", "baseline", without "matrixmul",
               function(x) return x > 0.6 end)
end }

-- ---- accuracy ----
claim { says = "the naive prediction is right for 54 %", where = accurate,
        figure = "fig06", paper = 0.54, value = at("mean", "naive") }
claim { says = "the adaptive prediction is right for 93 %", where = accurate,
        figure = "fig06", paper = 0.93, value = at("mean", "loscache") }
claim { says = "the adaptive prediction is better than the naive one",
        where = accurate, figure = "fig06", larger = function(t)
  return at("mean", "loscache")(t), at("mean", "naive")(t)
end }
claim { says = "adaptive, more lines get no access after the last predicted " ..
               "one than naive", where = accurate, figure = "fig06",
        larger = function(t)
  return at("mean_coverage", "loscache")(t), at("mean_coverage", "naive")(t)
end }
claim { says = "BFS: the naive prediction is right for 4 %",
        where = accurate, figure = "fig06", paper = 0.04, within = 0.5,
        value = one("accuracy", "naive", "bfs") }
claim { says = "BFS: the adaptive prediction is right for 97 %",
        where = accurate, figure = "fig06", paper = 0.97,
        value = one("accuracy", "loscache", "bfs") }
claim { says = "64H, BICG, BS, CP, FWT, NE and SP are predicted well (80 % " ..
               "or more) by the naive prediction", where = accurate,
        figure = "fig06", share = function(t)
  return count(t, "accuracy", "naive", { "histogram64", "bicg",
    "blackscholes", "cp", "fastwalsh", "nn", "scalarprod" },
    function(x) return x >= 0.8 end)
end }
claim { says = "no program has more than 21 instructions in the table",
        where = overhead, figure = "fig06", share = function(t)
  return count(t, "refused", "loscache", common.benches,
               function(x) return x == 0 end)
end }
claim { says = "lines are accessed at most 32 times: no counter of 6 bits is " ..
               "at its limit when it is asked", where = overhead,
        figure = "fig06", share = function(t)
  return count(t, "saturated", "loscache", common.benches,
               function(x) return x == 0 end)
end }

-- ---- time ----
claim { says = "programs take 0.5 % more time on average", where = time,
        figure = "fig07", paper = 1.005, within = 0.02,
        value = at("mean", "loscache") }
relative("ST3D takes 4 % more time", time, "fig07", 1.04,
         one("time", "loscache", "stencil3d"))
claim { says = "NW takes less than 1 % more time", where = time,
        figure = "fig07", larger = function(t)
  return 1.01, one("time", "loscache", "nw")(t)
end }
claim { says = "queries add 14 % to NW's traffic, the most of all",
        where = time, figure = "fig07", paper = 0.14,
        value = one("query_traffic", "loscache", "nw") }

-- ---- energy ----
claim { says = "the L2 takes 36 % of the baseline's energy", where = energy,
        figure = "fig08", paper = 0.36, value = at("mean", "loscache") }
claim { says = "with the oracle it takes 30 %", where = energy,
        figure = "fig08", paper = 0.30,
        value = function(t) return t.mean_ideal:value {} end }
claim { says = "the oracle saves 6 % more of the L2's energy than LoSCache",
        where = energy, figure = "fig08", paper = 0.06, within = 0.5,
        value = function(t)
  return at("mean", "loscache")(t) - t.mean_ideal:value {}
end }
claim { says = "the L2 of NW takes less than 1 %", where = energy,
        figure = "fig08", larger = function(t)
  return 0.01, one("energy", "loscache", "nw")(t)
end }
claim { says = "the L2 of MM takes 27 % less", where = energy,
        figure = "fig08", paper = 0.73, neutral = 1,
        value = one("energy", "loscache", "matrixmul") }
claim { says = "the L2 takes 8 % of the chip's energy", where = energy,
        figure = "fig08", paper = 0.08,
        value = function(t) return t.l2_share:value {} end }
claim { says = "the chip takes 6.2 % less energy", where = energy,
        figure = "fig08", paper = 0.938, neutral = 1,
        value = at("mean_chip", "loscache") }

-- ---- overhead ----
claim { says = "the table of a load/store unit has 165 bytes",
        where = overhead, figure = "fig08", paper = 165,
        value = at("table_size", "loscache") }
claim { says = "a line of the L2 has 6 bits more", where = overhead,
        figure = "fig08", paper = 6,
        value = at("line_size", "loscache") }
claim { says = "the area is 0.449 mm2, 0.084 % of the chip's",
        where = overhead, untested = "three quarters of it are an estimate " ..
        "for logic; the storage alone is 0.028 mm2 of CACTI's small RAM " ..
        "(docs/energy.md)" }

return list
