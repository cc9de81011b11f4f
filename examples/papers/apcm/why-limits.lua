-- Why APCM adds less to the best static limit of warps (figure 15): its loads
-- are known after 15 accesses; here after 2.
--   warploom sweep examples/papers/apcm/why-limits.lua --set few=true
local loom = require "warploom"
local common = require "common"

local few = loom.option { name = "few", default = false,
                          doc = "Only kmeans, sssp and spmv" }

local l1d = loom.apcm { threshold = 2 }
common.add("known", { l1d = l1d })
local known = { "known" }
local schemes = table.move(common.swl, 1, #common.swl, 1, {})
for _, n in ipairs(common.limits) do
  known[#known + 1] = "known_swl" .. n
  common.add(known[#known], { l1d = l1d, sm = loom.swl { warps = n } })
end
table.move(known, 1, #known, #schemes + 1, schemes)

return common.experiment {
  name = "apcm_why_limits",
  doc = "Limits of warps, and APCM on them that knows a load after 2 accesses",
  benches = few and { "kmeans", "sssp", "spmv" } or common.sensitive,
  schemes = schemes,
  metrics = { cycles = common.cycles },
  derive = {
    speedup = common.speedup(),
    swl = common.best(common.swl), apcm_swl = common.best(known),
    over_swl = function(t) return t.apcm_swl / t.swl end,
    mean = function(t) return t.over_swl:mean("bench", "geometric") end,
  },
  figures = { { column = "over_swl", by = "bench", mean = "geometric",
                y = "APCM on the best limit, over the best limit" } },
}
