-- What the DaCache paper states.
local claims = require "warploom.claims"
local common = require "common"

local fig8, fig9, fig10 = "section 5.1, figure 8", "section 5.2, figure 9",
                          "section 5.3, figure 10"
local fig11, fig12, fig13 = "section 5.4, figure 11", "section 5.5, figure 12",
                            "section 5.6, figure 13"

-- Mechanisms; docs/policies/dacache.md has the numbers.
local columns = "at small the kernels over columns of ATAX, BICG and MVT, " ..
  "whose loads are coherent, are one CTA and most of the time; without them"
local unexplained = "not explained; with rows of 4 KiB, whose lines lie in " ..
  "as few sets as the paper's"
local mshrs = "32 MSHRs (GPGPU-Sim's default; the paper gives none) reserve " ..
  "32 of 256 lines at most, so that misses hardly ever find the thrashing " ..
  "region reserved; with 256"
local full_sms = "the CTAs of SPMV, IIX and PVC are 3 to 17 % of those " ..
  "that 30 SMs hold; with two SMs"
local kmeans_decides = "kmeans decides the mean; without it"
local profiler = "the profiler finds loads without locality whose lines " ..
  "other warps use, and inserts them last; DaCache's variants without it"

local count = claims.count
local at, one, the = claims.readers "technique"
local list, claim, relative = claims.list()
local open = require "open"

-- Why, as an experiment: a script, what is changed in it, and what then comes.
local function tried(script, says, with)
  return { script = script, says = says, with = with }
end

-- Geometric mean over the divergent benchmarks but KMN, which gains most.
local function without_kmeans(column, technique)
  return function(t)
    local product = 1.0
    for _, bench in ipairs(common.divergent) do
      if bench ~= "kmeans" then
        product = product * one(column, technique, bench)(t)
      end
    end
    return product ^ (1 / (#common.divergent - 1))
  end
end

local function cached_in_part(t)
  return count({ "syr2k", "kmeans", "bfs", "shoc_spmv", "mars_index",
                 "mars_pvc" }, function(bench)
    return one("partial", "lru", bench)(t) > 0.1
  end)
end
claim { says = "among the divergent benchmarks, divergent loads are often " ..
               "cached in part: more than a tenth of those of SYR2, KMN, " ..
               "BFS, SPMV, IIX and PVC", where = "section 3.1, figure 2",
        figure = "fig02", share = cached_in_part,
        why = tried("why-warps", "not explained: those of IIX and PVC hit " ..
                    "with all accesses, also with two SMs, which are full " ..
                    "of warps", cached_in_part) }
claim { says = "58 to 91 % of the issues are the three oldest warps' of " ..
               "each scheduler (divergent benchmarks without branch " ..
               "divergence)", where = "section 3.2, figure 3",
        figure = "fig03", share = function(t)
  return count({ "atax", "bicg", "mvt", "syrk", "syr2k", "gesummv", "kmeans",
                 "streamcluster" }, function(bench)
    local x = one("top3", "lru", bench)(t)
    return x >= 0.5 and x <= 0.96
  end)
end }
local function branching(t)
  return count({ "bfs", "shoc_spmv", "mars_index", "mars_pvc" },
    function(bench)
      local x = one("top3", "lru", bench)(t)
      return x >= 0.4 and x <= 0.72
    end)
end
claim { says = "48 to 63 % are with branch divergence (BFS, SPMV, IIX, PVC)",
        where = "section 3.2, figure 3", figure = "fig03", share = branching,
        why = tried("why-warps", full_sms, branching) }
local function between_warps(t)
  return count(common.divergent, function(bench)
    local inter = one("inter_warp", "lru", bench)(t)
    return inter > one("cold", "lru", bench)(t) +
                   one("intra_warp", "lru", bench)(t)
  end)
end
claim { says = "most misses are after conflicts between warps",
        where = "section 3.2, figure 4", figure = "fig04",
        share = between_warps,
        why = tried("why-warps", full_sms, between_warps) }
local headline = relative("DaCache is 40.4 % faster than LRU on the " ..
  "divergent benchmarks", fig8, "fig08", 1.404,
  the("mean_divergent", "dacache"),
  tried("fig08", columns, the("mean_rows", "dacache")))
headline.headline = true
headline.range = claims.range(open, "technique", "dacache", "mean")
relative("DaCache-Uncon is 25.9 % faster", fig8, "fig08", 1.259,
         the("mean_divergent", "uncon"),
         tried("fig08", columns, the("mean_rows", "uncon")))
relative("DaCache-Stall is 25.6 % faster", fig8, "fig08", 1.256,
         the("mean_divergent", "stall"),
         tried("why-stall", "where loads are cached well (SYR) the locality " ..
               "region grows to all ways but one, for which misses wait; " ..
               "with two replaceable ways", the("mean", "stall2")))
relative("DIP is 12.4 % faster", fig8, "fig08", 1.124,
         the("mean_divergent", "dip"),
         tried("fig08", columns, the("mean_rows", "dip")))
claim { says = "RRIP gains nothing on average", where = fig8,
        figure = "fig08", paper = 1, near = 0.02,
        value = the("mean_divergent", "rrip"),
        why = tried("fig08", kmeans_decides,
                    without_kmeans("speedup", "rrip")) }
claim { says = "the order is DaCache, DaCache-Uncon, DaCache-Stall, DIP, " ..
               "RRIP", where = fig8, figure = "fig08", order = function(t)
  local out = {}
  for i, name in ipairs { "dacache", "uncon", "stall", "dip", "rrip" } do
    out[i] = { name, the("mean_divergent", name)(t) }
  end
  return out
end }
claim { says = "RRIP loses in ATAX, BICG, MVT and SYR", where = fig8,
        figure = "fig08", share = function(t)
  return count({ "atax", "bicg", "mvt", "syrk" }, function(bench)
    return one("speedup", "rrip", bench)(t) < 0.995
  end)
end }
relative("DIP is 8 % faster in GS", fig8, "fig08", 1.08,
         the("speedup", "dip", "gramschmidt"),
         tried("why-coherent", "a warp waits for two loads in each round, " ..
               "and what keeps one load's lines has more rounds that wait; " ..
               "with six warps instead of two, of 192 columns",
               the("speedup", "dip", "gramschmidt")))
local function unchanged(techniques)
  return function(t)
    local out = {}
    for _, technique in ipairs(techniques) do
      for _, bench in ipairs(common.coherent) do
        if bench ~= "gramschmidt" then
          out[#out + 1] = { bench .. " with " .. technique,
                            the("speedup", technique, bench)(t) }
        end
      end
    end
    return out
  end
end
claim { says = "the other coherent benchmarks do not change, whatever the " ..
               "technique (within 3 %)", where = fig8, figure = "fig08",
        paper = 1, by = 0.03,
        within = unchanged { "rrip", "dip", "uncon", "stall", "dacache" },
        why = tried("why-coherent", profiler,
                    unchanged { "uncon_known", "stall_known",
                                "dacache_known" }) }
relative("DaCache-Uncon has 35.1 % more fully cached divergent loads than LRU",
         fig9, "fig09", 1.351, the("mean_divergent", "uncon"),
         tried("why-rows", unexplained, the("mean_divergent", "uncon")))
relative("DaCache-Stall has 37.2 % more", fig9, "fig09", 1.372,
         the("mean_divergent", "stall"),
         tried("why-rows", unexplained, the("mean_divergent", "stall")))
relative("DaCache has 70 % more", fig9, "fig09", 1.7,
         the("mean_divergent", "dacache"),
         tried("why-rows", unexplained, the("mean_divergent", "dacache")))
relative("DaCache-Uncon has 27.3 % more fully cached coherent loads", fig9,
         "fig09", 1.273, the("mean_coherent", "uncon"),
         tried("why-warps", full_sms, the("mean_coherent", "uncon")))
relative("DaCache has 34.1 % more", fig9, "fig09", 1.341,
         the("mean_coherent", "dacache"),
         tried("why-warps", full_sms, the("mean_coherent", "dacache")))
claim { says = "LRU has more fully cached divergent loads than DIP and RRIP",
        where = fig9, figure = "fig09", share = function(t)
  return count({ "dip", "rrip" }, function(name)
    return at("mean_divergent", name)(t) < 1
  end)
end }
relative("DaCache has 25 % fewer misses per instruction", fig10, "fig10", 0.75,
         the("mean", "dacache"))
relative("DaCache-Uncon has 20.8 % fewer", fig10, "fig10", 0.792,
         the("mean", "uncon"))
relative("DaCache-Stall has 22.4 % fewer", fig10, "fig10", 0.776,
         the("mean", "stall"))
relative("DIP has 3.8 % fewer", fig10, "fig10", 0.962, the("mean", "dip"))
relative("RRIP has 6.4 % more", fig10, "fig10", 1.064, the("mean", "rrip"),
         tried("fig10", kmeans_decides, without_kmeans("misses", "rrip")))
relative("a static partition of one warp is 23 % faster than LRU", fig11,
         "fig11", 1.23, the("mean", "static1"))
relative("of two warps, 24.7 %", fig11, "fig11", 1.247, the("mean", "static2"))
relative("of three warps, 21.9 %", fig11, "fig11", 1.219,
         the("mean", "static3"))
claim { says = "without any, nothing is gained (-0.1 %)", where = fig11,
        figure = "fig11", paper = 0.999, near = 0.02,
        value = the("mean", "static0"),
        why = tried("fig11", kmeans_decides,
                    without_kmeans("speedup", "static0")) }
claim { says = "dynamic partitioning is better than every static one",
        where = fig11, figure = "fig11", share = function(t)
  return count({ "static0", "static1", "static2", "static3" }, function(name)
    return at("mean", "uncon")(t) >= at("mean", name)(t)
  end)
end }
for _, row in ipairs { { "static2", 1.128, "12.8 %" },
                       { "static3", 1.114, "11.4 %" },
                       { "uncon", 1.116, "11.6 %" },
                       { "static1", 0.95, "-5 %" } } do
  local function mean(t) return t["mean_" .. row[1]] end
  relative(("bypassing adds %s to %s"):format(row[3], row[1] == "uncon" and
           "dynamic partitioning" or row[1]), fig12, "fig12", row[2],
           mean, tried("why-mshrs", mshrs, mean))
end
local others = { "promo1", "promo2", "promo3", "promo5", "promo_mru" }
claim { says = "promotion by 4 positions is best", where = fig13,
        figure = "fig13", share = function(t)
  return count(others, function(name)
    return at("mean", "dacache")(t) >= at("mean", name)(t)
  end)
end, why = tried("fig13", kmeans_decides, function(t)
  return count(others, function(name)
    return without_kmeans("speedup", "dacache")(t) >=
           without_kmeans("speedup", name)(t)
  end)
end) }
claim { says = "promotion by 4 positions (41.6 %) is better than by 1 " ..
               "(37.1 %)", where = fig13, figure = "fig13",
        larger = function(t)
  return the("mean", "dacache")(t), the("mean", "promo1")(t)
end, why = tried("fig13", kmeans_decides, function(t)
  return without_kmeans("speedup", "dacache")(t),
         without_kmeans("speedup", "promo1")(t)
end) }
claim { says = "the hardware costs 172 B and 184 B for each SM",
        where = "section 4.2", untested =
  "entries of 86 and 46 bits; warploom info --cost dacache counts them" }

list.open = open
return list
