-- Best PCAL: the limit of warps and the number of tokens that suit each
-- program best, beside the best limit alone (best SWL): with 48 tokens every
-- warp that may issue has one.
--   warploom sweep examples/best_pcal.lua -j 2
--   warploom sweep examples/best_pcal.lua --only bench=rows_and_stream
local loom = require "warploom"

local programs = {
  atax = loom.suite.atax { rows = 1536, columns = 64 },
  mvt = loom.suite.mvt { rows = 768, columns = 768 },
  rows_and_stream = loom.suite.micro_partial { words = 16 },
}

return loom.experiment {
  name = "best_pcal",
  doc = "The best of all static PCALs, and of all static limits of warps",
  order = { "bench", "warps", "tokens" },
  axes = {
    bench = { "atax", "mvt", "rows_and_stream" },
    warps = { 4, 8, 16, 48 },
    tokens = { 1, 2, 4, 8, 48 },
  },
  filter = function(p) return p.tokens <= p.warps or p.tokens == 48 end,
  base = function(p)
    local gpu = loom.preset.gtx480 { sm_count = 1 }
    gpu:each "sm[*].l1d":attach(loom.pcal { warps = p.warps,
                                            tokens = p.tokens })
    return { machine = gpu, workload = programs[p.bench] }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
  },
  derive = {
    speedup = function(t)
      return t.cycles:normalise({ warps = 48, tokens = 48 }, "inverse")
    end,
    best_swl = function(t)
      return t.speedup:at { tokens = 48 }:best "warps"
    end,
    best_pcal = function(t)
      return t.speedup:best "tokens":best "warps"
    end,
  },
}
