-- What the APCM paper states.
local claims = require "warploom.claims"
local common = require "common"

local count = claims.count
local at, one, the = claims.readers "scheme"
local list, claim, relative = claims.list()
local open = require "open"

local performance = "section 6.2, figure 12"

-- Mechanisms; docs/policies/apcm.md has the numbers.
local known = { script = "range", says = "how many accesses make a load " ..
  "known the paper calls predefined: it is 15 here, the largest count there " ..
  "is. With 2", with = the("mean", "threshold 2") }
local function rows(with)
  return { script = "why-rows", with = with, says = "rows of our mars_mm " ..
    "are found again in the MTA. Rows that are multiples of 4 KiB apart " ..
    "share an entry, as they share a set of the L1D, and then 95 % of its " ..
    "accesses go around, as the paper says of its MM. With such rows" }
end
local two = "with 2 accesses that make a load known instead of 15"
local function soon(with, more)
  return { script = "why-threshold", with = with, says = two .. (more or "") }
end
local function tokens(with)
  return { script = "why-pcal", with = with, says = "PCAL's warps without a " ..
    "token miss without a line, whatever load misses: they reserve no way, " ..
    "for which the baseline waits in 36 to 75 % of the cycles of eight " ..
    "benchmarks, and fetch 32 bytes instead of 128. With whole lines for both"
  }
end
local function around(with)
  return { script = "why-abyp", with = with, says = "loads that go around " ..
    "take no line and fetch 32 bytes instead of 128, and ABYP sends many " ..
    "more of them around than APCM's bypassing does. With whole lines for both"
  }
end

-- Of each CS benchmark the largest difference between what its loads gain.
local function uneven(fall)
  return count(common.CS, function(bench)
    local low, high = math.huge, -math.huge
    for n = 1, 4 do
      local x = fall(n, bench)
      if x == x then low, high = math.min(low, x), math.max(high, x) end
    end
    return high - low > 0.1
  end)
end
local function similar(scheme)
  return function(t)
    return count(common.CS, function(bench)
      return one("aps", scheme, bench)(t) > 0.8
    end)
  end
end

-- ---- motivation ----
claim { says = "limiting warps helps the loads of a program unevenly: for " ..
               "each CS benchmark the miss rates of its most frequent loads " ..
               "fall by amounts that differ by more than 0.1",
        where = "section 1, figure 1", figure = "fig01", share = function(t)
  return uneven(function(n, bench)
    return t["fall" .. n]:value { bench = bench }
  end)
end, why = { script = "fig01", says = "not explained: kmeans has two loads, " ..
  "which fall alike, and mars_wc is fastest without a limit. With a limit " ..
  "of 4 warps for all", with = function(t)
  return uneven(function(n, bench)
    return one("load" .. n, "baseline", bench)(t) -
           one("load" .. n, "swl4", bench)(t)
  end)
end } }
claim { says = "most lines of CS benchmarks have intra-warp locality (alone " ..
               "or mixed)", where = "section 3.1, figure 3",
        figure = "fig03", share = function(t)
  return count(common.CS, function(bench)
    return one("intra", "infinite", bench)(t) +
           one("mixed", "infinite", bench)(t) > 0.5
  end)
end }
claim { says = "CI benchmarks have a large part of streaming lines, more " ..
               "than CS ones", where = "section 3.1, figure 3",
        figure = "fig03", larger = function(t)
  return at("streaming_ci", "infinite")(t), at("streaming_cs", "infinite")(t)
end }
claim { says = "STN has inter-warp locality", where = "section 3.1, figure 3",
        figure = "fig03", larger = function(t)
  return one("inter", "infinite", "stencil2d")(t), 0.1
end }
claim { says = "with 16 KB most lines of CS benchmarks are used once or " ..
               "twice before they leave", where = "section 3.2, figure 4",
        figure = "fig04", share = function(t)
  return count(common.CS, function(bench)
    return one("at_most_twice", "baseline", bench)(t) > 0.5
  end)
end }
claim { says = "with an infinite L1D they are used more often",
        where = "section 3.2, figure 4", figure = "fig04",
        share = function(t)
  return count(common.CS, function(bench)
    return one("at_most_twice", "infinite", bench)(t) <
           one("at_most_twice", "baseline", bench)(t)
  end)
end }
claim { says = "the mean access pattern similarity is 0.90",
        where = "section 3.3, figure 5", figure = "fig05", paper = 0.9,
        value = the("mean", "infinite") }
claim { says = "APS is close to one (above 0.8) for most benchmarks, CS " ..
               "ones above all", where = "section 3.3, figure 5",
        figure = "fig05", most = true, share = similar "infinite",
        why = { script = "why-locality", says = "not explained: words and " ..
          "lists of neighbours begin anywhere in a line, but with lines of " ..
          "32 bytes, of which fewer are shared at their ends, it is no " ..
          "closer to one", with = similar "lines32" } }
claim { says = "intra-warp reuse (BFS) has longer distances than inter-warp " ..
               "reuse (SGM)", where = "section 4.1, figure 6",
        figure = "fig06", larger = function(t)
  return one("intra", "infinite", "bfs")(t),
         one("inter", "infinite", "sgemm")(t)
end, why = { script = "why-locality", says = "our sgemm's CTAs read each " ..
  "line once, and later ones use it again. With stencil2d, whose warps use " ..
  "lines of their neighbours, for it", with = function(t)
  return one("intra", "infinite", "bfs")(t),
         one("inter", "infinite", "stencil2d")(t)
end } }

-- ---- performance ----
local headline = relative("CS benchmarks are 34 % faster", performance,
                          "fig12", 1.34, the("mean_cs", "apcm"), known)
headline.headline = true
headline.range = claims.range(open, "scheme", "apcm", "mean")
relative("CM benchmarks are 32 % faster", performance, "fig12", 1.32,
         the("mean_cm", "apcm"), rows(the("mean_cm", "apcm")))
relative("CI benchmarks are 4 % faster", performance, "fig12", 1.04,
         the("mean_ci", "apcm"))
relative("all benchmarks are 22 % faster on average", performance, "fig12",
         1.22, the("mean_all", "apcm"), rows(the("mean_all", "apcm")))
relative("MM is 76 % faster, the most of CM", performance, "fig12", 1.76,
         the("speedup", "apcm", "mars_mm"),
         rows(the("speedup", "apcm", "rows4096")))
claim { says = "protection alone works for CS benchmarks (faster than " ..
               "without)", where = performance, figure = "fig12",
        larger = function(t) return the("mean_cs", "protect")(t), 1 end }
claim { says = "for CM benchmarks protection alone is not effective, with " ..
               "bypassing it is", where = performance, figure = "fig12",
        larger = function(t)
  return the("mean_cm", "apcm")(t), the("mean_cm", "protect")(t)
end }
claim { says = "no CI benchmark loses", where = performance,
        figure = "fig12", share = function(t)
  return count(common.CI, function(bench)
    return one("speedup", "apcm", bench)(t) > 0.99
  end)
end }
relative("on configuration 2, CS and CM benchmarks are 42 % faster",
         "section 6.2, figure 14", "fig14", 1.42, the("mean", "apcm_c2"),
         soon(function(t) return t.mean_c2 end))
relative("configuration 2 is 69 % faster than configuration 1",
         "section 6.2, figure 14", "fig14", 1.69,
         function(t) return t.over_c1 end)

-- ---- cache ----
relative("the miss rate of CS benchmarks falls by 15 %",
         "section 6.3, figure 13", "fig13", 0.85, the("mean_cs", "apcm"))
relative("that of CM benchmarks falls by 22 % with bypassing",
         "section 6.3, figure 13", "fig13", 0.78, the("mean_cm", "bypass"),
         rows(the("miss_cm", "bypass")))

-- ---- warp throttling ----
claim { says = "APCM-SWL is 49 % faster than the best static limit",
        where = "section 6.5, figure 15", figure = "fig15", paper = 1.49,
        neutral = 1, effect = function(t) return t.mean_apcm_swl end,
        why = { script = "why-limits", says = "not explained: " .. two,
                with = function(t) return t.mean end } }
claim { says = "APCM-SWL is 43 % faster than the best static PCAL",
        where = "section 6.5, figure 15", figure = "fig15", paper = 1.43,
        neutral = 1, effect = function(t)
  return t.mean_apcm_swl / t.mean_pcal
end, why = tokens(function(t) return t.apcm_swl_over_pcal_128 end) }
claim { says = "APCM alone is faster than the best limit and the best PCAL",
        where = "section 6.5, figure 15", figure = "fig15",
        larger = function(t)
  return t.mean_apcm:value {}, math.max(1, t.mean_pcal:value {})
end, why = tokens(function(t) return t.mean_apcm_128, t.mean_pcal_128 end) }
claim { says = "most benchmarks have a lower miss rate with APCM than " ..
               "without, at every limit of warps",
        where = "section 6.5, figure 16", figure = "fig16", most = true,
        share = function(t)
  local right, all = 0, 0
  for i, swl in ipairs(common.swl) do
    local r, n = count(common.sensitive, function(bench)
      return one("miss_rate", common.apcm_swl[i], bench)(t) <=
             one("miss_rate", swl, bench)(t)
    end)
    right, all = right + r, all + n
  end
  return right, all
end }

-- ---- other schemes ----
relative("APCM's bypassing alone is 15 % faster than the baseline",
         "section 6.6, figure 17", "fig17", 1.15, the("mean_all", "bypass"),
         rows(the("mean_all", "bypass")))
relative("it is 11 % faster than ABYP", "section 6.6, figure 17", "fig17",
         1.11, function(t)
  return the("mean_all", "bypass")(t) / the("mean_all", "abyp")(t)
end, around(function(t) return t.bypass_over_abyp_128 end))
claim { says = "APCM as a whole is more than 28 % faster than ABYP",
        where = "section 6.6, figure 17", figure = "fig17", paper = 1.28,
        neutral = 1, at_least = function(t)
  return the("mean_cs", "apcm")(t) / the("mean_cs", "abyp")(t)
end, why = around(function(t) return t.apcm_over_abyp_128 end) }
claim { says = "APCM's protection is better than protection by distance",
        where = "section 6.6, figure 18", figure = "fig18",
        share = function(t)
  return count({ "pd8", "pd32", "pd128", "apcm_p8", "apcm_p32",
                 "apcm_p128" }, function(name)
    return at("mean_all", "apcm")(t) > at("mean_all", name)(t)
  end)
end }

-- ---- sensitivity ----
relative("GTO is 9 % faster than LRR for CS and CM benchmarks",
         "section 6.6, figure 19", "fig19", 1.09, the("mean", "baseline_gto"))
relative("APCM is 27 % faster than GTO alone", "section 6.6, figure 19",
         "fig19", 1.27, the("mean_over_gto", "apcm_gto"))
relative("with a 32 KB L1D APCM is 21 % faster", "section 6.6, figure 20",
         "fig20", 1.21, function(t) return t.mean32 end,
         soon(function(t) return t.mean32 end))
relative("with a 48 KB L1D APCM is 18 % faster", "section 6.6, figure 20",
         "fig20", 1.18, function(t) return t.mean48 end,
         soon(function(t) return t.roomy48 end, ", and of the benchmarks " ..
              "that an L1D without end makes 10 % faster still"))
claim { says = "a larger L1D makes the baseline much faster: 48 KB by more " ..
               "than 10 %", where = "section 6.6, figure 20",
        figure = "fig20", paper = 1.1, neutral = 1,
        at_least = the("mean", "baseline_48k") }
claim { says = "other MTAs change performance by less than 5 %",
        where = "section 6.6, figure 21", figure = "fig21",
        paper = 1, by = 0.05, within = function(t)
  local out = {}
  for i, name in ipairs { "mta_dm16", "mta_dm64", "mta_as4", "mta_as8",
                          "mta_fa" } do
    out[i] = { name, the("mean", name)(t) }
  end
  return out
end }
claim { says = "32 loads gain nothing over 16", where = "section 6.6, " ..
               "figure 22", figure = "fig22", paper = 1.01, neutral = 1,
        at_most = the("mean", "ld32") }
claim { says = "fewer loads than 16 are no better", where = "section 6.6, " ..
               "figure 22", figure = "fig22", share = function(t)
  return count({ "ld4", "ld8" }, function(name)
    return at("mean", name)(t) <= 1.005
  end)
end }

-- ---- energy and storage ----
relative("KMN takes 48 % of the baseline's energy", "section 6.7, figure 23",
         "fig23", 0.48, the("relative", "apcm", "kmeans"))
claim { says = "CS benchmarks take 27 % less energy",
        where = "abstract, figure 23", figure = "fig23", paper = 0.73,
        neutral = 1, effect = function(t) return t.mean_cs end,
        why = { script = "why-energy", says = "energy falls as time does, " ..
          "both by a tenth here, as constant power, leakage and standby go " ..
          "on; " .. two .. ", which takes 18 % less time",
          with = function(t) return t.mean:at { scheme = "known" } end } }
claim { says = "CI benchmarks take somewhat less energy",
        where = "section 6.7, figure 23", figure = "fig23",
        larger = function(t) return 1, t.mean_ci end }
claim { says = "per SM 11 bits for each of 128 lines, 36 x 32 for the MTA, " ..
               "11 x 16 and 32 x 16 for its tables of loads, 6 for each of " ..
               "48 warps", where = "section 5.4, table 3",
        figure = "table3", by_construction = true, share = function(t)
  local sizes = { { "lines", 11 * 128 }, { "mta", 36 * 32 },
                  { "cait", 11 * 16 }, { "lat", 32 * 16 }, { "psb", 6 * 48 } }
  return count(sizes, function(row)
    return one(row[1], "apcm", "bfs")(t) == row[2]
  end)
end }
claim { says = "the area is 0.14 % of the L1D's", where = "section 5.4",
        untested = "it needs the synthesis of logic; as bits of a RAM " ..
                   "table 3 is 0.0022 mm2 of the paper's 0.0047" }

list.open = open
return list
