-- Eight benchmarks, four sizes of the L1, two schedulers:
--   warploom sweep examples/sweep.lua -j 2
local loom = require "warploom"

return loom.experiment {
  name = "l1_size",
  doc = "What a larger L1 gains, under two schedulers",
  order = { "bench", "sched", "l1" },
  axes = {
    bench = { "atax", "bicg", "mvt", "gesummv", "gemm", "bfs", "reduction",
              "vectoradd" },
    sched = { lrr = loom.lrr {}, gto = loom.gto {} },
    l1 = { "16KiB", "32KiB", "64KiB", "128KiB" },
  },
  base = function(p)
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*].l1d":set { size_bytes = p.l1 }
    gpu:each "sm[*]":attach(p.sched)
    return { machine = gpu,
             workload = loom.suite[p.bench] { size = "tiny" } }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
    miss_ratio = { doc = "L1D misses per look-up",
                   value = "gpu/sm/l1d.miss_ratio" },
  },
  derive = {
    -- Against the smallest L1 under LRR, as papers draw it ..
    speedup = function(t)
      return t.cycles:normalise({ l1 = "16KiB", sched = "lrr" }, "inverse")
    end,
    -- .. with its geometric mean at the right end.
    mean = function(t) return t.speedup:mean("bench", "geometric") end,
    best_l1 = function(t) return t.cycles:which("l1", "min") end,
  },
}
