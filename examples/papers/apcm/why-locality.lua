-- Three questions about the locality of loads, with an L1D without end.
-- Is the similarity of a load's lines (figure 5) low because words and lists of
-- neighbours begin anywhere in a line, so that the next warp uses its end, too?
-- Lines of 32 bytes instead of 128 (lines32) have fewer such ends.  Because
-- threads have little each?  NAME_long has 512 bytes of text for each thread
-- instead of a line of text, and 32 neighbours of a node instead of 6.
-- Is sgemm's reuse between warps late (figure 6) because its CTAs read each
-- line once?  stencil2d's warps use lines of their neighbours.
local common = require "common"

common.add("lines32", { infinite = true, line = 32 })

local part = common.size == "tiny" and 16 or 1
local inputs = {
  mars_wc_long = { "mars_wc", { lines = 1600 // part, piece = 512 } },
  mars_index_long = { "mars_index", { lines = 4096 // part, piece = 512 } },
  sssp_long = { "sssp", { nodes = 4096 // part, degree = 32 } },
}
local benches = table.move(common.CS, 1, #common.CS, 1, {})
table.move({ "mars_wc_long", "mars_index_long", "sssp_long", "stencil2d" }, 1,
           4, #benches + 1, benches)

return common.experiment {
  name = "apcm_why_locality",
  doc = "Similarity with short lines and long lists; stencil2d's distances",
  benches = benches, inputs = inputs, schemes = { "infinite", "lines32" },
  filter = function(p)
    return not inputs[p.bench] or p.scheme[1] == "infinite"
  end,
  metrics = {
    aps = "gpu/sm/l1d/policy/locality_analysis.access_pattern_similarity",
    inter = common.median "other_warp_distance",
    intra = common.median "same_warp_distance",
  },
  figures = { { column = "aps", by = "bench" } },
}
