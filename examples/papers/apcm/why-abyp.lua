-- Why ABYP leads here, where the paper has APCM 1.28 times as fast (section
-- 6.6, figure 17): what goes around fetches little, and more goes around.
--   warploom papers apcm why-abyp --size small
--   warploom sweep examples/papers/apcm/why-abyp.lua --set few=true
-- Each technique with 32 bytes and with whole lines for what goes around;
-- ABYP also looks into the L1 first and then misses without a line (abyp_miss:
-- its abstract speaks of insertions and evictions that are saved, not of
-- look-ups), and without the L2's news of false bypasses (abyp_alone).
-- no_l1 sends all loads around.
local loom = require "warploom"
local common = require "common"

local few = loom.option { name = "few", default = false,
                          doc = "Only kmeans, sssp and spmv" }
local benches = few and { "kmeans", "sssp", "spmv" } or common.all
local cs = few and { "kmeans", "sssp" } or common.CS

local fetches = { 32, 128 }

local schemes = { "baseline" }
local function add(name, bytes, l1d, l2)
  schemes[#schemes + 1] = ("%s_%db"):format(name, bytes)
  common.add(schemes[#schemes], { l1d = l1d, l2 = l2 })
end

for _, bytes in ipairs(fetches) do
  add("abyp", bytes, loom.abyp { fetch_bytes = bytes }, loom.abyp_l2 {})
  add("abyp_miss", bytes, loom.abyp { fetch_bytes = bytes, when = "miss" },
      loom.abyp_l2 {})
  add("abyp_alone", bytes, loom.abyp { fetch_bytes = bytes })
  add("bypass", bytes, loom.apcm { fetch_bytes = bytes, manage = "bypass" })
  add("apcm", bytes, loom.apcm { fetch_bytes = bytes })
  add("no_l1", bytes, loom.no_l1 { fetch_bytes = bytes })
end

-- A mean over some benchmarks, of one scheme over that of another.
local function lead(mean, over, under)
  return function(t)
    return t[mean]:at { scheme = over } / t[mean]:at { scheme = under }
  end
end

return common.experiment {
  name = "apcm_why_abyp",
  doc = "ABYP and APCM by what a load that goes around fetches",
  benches = benches, schemes = schemes,
  metrics = {
    cycles = common.cycles,
    around = { doc = "Part of the L1D's accesses that went around or missed " ..
                     "without a line", value = function(run)
      local l1d = run.stats "gpu/sm/l1d"
      return (l1d.bypasses + l1d.unallocated_misses) / l1d.accesses
    end },
  },
  derive = {
    speedup = common.speedup(),
    mean_all = common.mean(benches), mean_cs = common.mean(cs),
    mean_around = function(t) return t.around:mean "bench" end,
    -- The paper's is 1.28; over which benchmarks it does not say.
    apcm_over_abyp_32 = lead("mean_cs", "apcm_32b", "abyp_32b"),
    apcm_over_abyp_128 = lead("mean_cs", "apcm_128b", "abyp_128b"),
    apcm_over_abyp_miss_32 = lead("mean_cs", "apcm_32b", "abyp_miss_32b"),
    apcm_over_abyp_miss_128 = lead("mean_cs", "apcm_128b", "abyp_miss_128b"),
    -- The paper's is 1.11.
    bypass_over_abyp_32 = lead("mean_all", "bypass_32b", "abyp_32b"),
    bypass_over_abyp_128 = lead("mean_all", "bypass_128b", "abyp_128b"),
  },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to the baseline" },
              { column = "around", by = "bench",
                y = "Accesses without a line" } },
}
