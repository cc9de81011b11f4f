-- Best SWL: the static limit of warps that suits each program best, found by
-- trying them all, as papers do who compare with "CCWS-SWL".
--   warploom sweep examples/best_swl.lua -j 2
--   warploom sweep examples/best_swl.lua --only bench=rows
local loom = require "warploom"

local programs = {
  atax = loom.suite.atax { rows = 1536, columns = 64 },
  mvt = loom.suite.mvt { rows = 768, columns = 768 },
  bfs = loom.suite.bfs { size = "tiny" },
  rows = loom.suite.micro_lost_locality { words = 32 },
}

return loom.experiment {
  name = "best_swl",
  doc = "GTO, and the best of all static limits of warps",
  order = { "bench", "warps" },
  axes = {
    bench = { "atax", "mvt", "bfs", "rows" },
    warps = { 1, 2, 4, 8, 16, 48 }, -- 48 are all: plain GTO
  },
  base = function(p)
    local gpu = loom.preset.gtx480 { sm_count = 1 }
    gpu:each "sm[*]":attach(loom.swl { warps = p.warps })
    return { machine = gpu, workload = programs[p.bench] }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
  },
  derive = {
    speedup = function(t)
      return t.cycles:normalise({ warps = 48 }, "inverse")
    end,
    best_swl = function(t) return t.speedup:best "warps" end,
    best_warps = function(t) return t.cycles:which("warps", "min") end,
    mean = function(t)
      return t.speedup:best "warps":mean("bench", "geometric")
    end,
  },
}
