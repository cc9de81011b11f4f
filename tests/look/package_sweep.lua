-- Four points.
local loom = require "warploom"

return loom.experiment {
  name = "sizes",
  axes = { size = { "2KiB", "4KiB" }, ways = { 2, 4 } },
  base = function(p)
    return {
      machine = loom.preset.tiny { sm = { l1d = { size_bytes = p.size,
                                                  ways = p.ways } } },
      workload = loom.suite.vectoradd {},
    }
  end,
  metrics = { cycles = function(run) return run.cycles end },
}
