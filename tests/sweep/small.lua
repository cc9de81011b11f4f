-- Twelve quick points on a small machine.
local loom = require "warploom"

return loom.experiment {
  name = "small",
  doc = "Schedulers and L1 sizes on a small machine",
  order = { "bench", "sched", "size" },
  axes = {
    bench = { "vectoradd", "atax", "reduction" },
    sched = { lrr = loom.lrr {}, gto = loom.gto {} },
    size = { "16KiB", "32KiB" },
  },
  base = function(p)
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*].l1d":set { size_bytes = p.size }
    gpu:each "sm[*]":attach(p.sched)
    return { machine = gpu, workload = loom.suite[p.bench] { size = "tiny" } }
  end,
  metrics = {
    cycles = function(run) return run.cycles end,
    miss = { value = "gpu/sm/l1d.miss_ratio", doc = "Misses per look-up" },
  },
  derive = {
    speedup = function(t)
      return t.cycles:normalise({ sched = "lrr" }, "inverse")
    end,
    mean = function(t) return t.speedup:mean("bench", "geometric") end,
    best_size = function(t) return t.cycles:which("size", "min") end,
  },
}
