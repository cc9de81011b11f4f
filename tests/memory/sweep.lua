local loom = require "warploom"
loom.experiment {
  name = "limits", axes = { rows = { 32, 64, 96 } },
  base = function(p)
    return { machine = loom.preset.gtx480 {},
             workload = loom.suite.atax { rows = p.rows, columns = 32 } }
  end,
  metrics = { cycles = function(r) return r.cycles end },
}
