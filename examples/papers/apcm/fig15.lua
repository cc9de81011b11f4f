-- Figure 15: the best static PCAL, APCM, and APCM with the best limit of
-- warps, relative to the best limit of warps (CCWS-SWL).
local common = require "common"

local all = {}
for _, list in ipairs { common.pcal, common.apcm_swl } do
  table.move(list, 1, #list, #all + 1, all)
end

local function relative(list)
  return function(t)
    return common.best(list)(t) / t.best_swl
  end
end

local function mean(name)
  return function(t) return t[name]:mean("bench", "geometric") end
end

return common.experiment {
  name = "apcm_fig15",
  doc = "APCM and limits of warps, relative to the best static limit",
  benches = common.sensitive, schemes = all,
  metrics = { cycles = common.cycles },
  derive = {
    speedup = common.speedup(),
    best_swl = common.best(common.swl),
    pcal = relative(common.pcal), apcm = relative { "apcm" },
    apcm_swl = relative(common.apcm_swl),
    mean_pcal = mean "pcal", mean_apcm = mean "apcm",
    mean_apcm_swl = mean "apcm_swl",
  },
  figures = { { column = "pcal", by = "bench", mean = "geometric",
                title = "Best static PCAL" },
              { column = "apcm", by = "bench", mean = "geometric",
                title = "APCM-Baseline" },
              { column = "apcm_swl", by = "bench", mean = "geometric",
                title = "APCM-SWL" } },
}
