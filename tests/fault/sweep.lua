-- Two points.
local loom = require "warploom"

return loom.experiment {
  name = "two",
  doc = "Two schedulers",
  axes = { sched = { lrr = loom.lrr {}, gto = loom.gto {} } },
  base = function(p)
    local gpu = loom.preset.tiny { sm_count = 1 }
    gpu:each "sm[*]":attach(p.sched)
    return { machine = gpu, workload = loom.suite.vectoradd { n = 256 } }
  end,
  metrics = { cycles = function(run) return run.cycles end },
}
