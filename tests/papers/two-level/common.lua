-- What the two figures of the test share.
local loom = require "warploom"
local claims = require "warploom.claims"

local M = {}

M.size = loom.option { name = "size", default = "tiny", doc = "Size" }

function M.experiment(spec)
  spec.axes = { bench = { "atax", "reduction" }, sched = spec.scheds }
  spec.order = { "bench", "sched" }
  spec.scheds = nil
  spec.base = function(p)
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*]":attach(loom.warp_analysis {})
    if p.sched == "lrr" then gpu:each "sm[*]":attach(loom.lrr {}) end
    return { machine = gpu,
             workload = loom.suite[p.bench] { size = M.size } }
  end
  spec.metrics = spec.metrics or
                 { cycles = function(run) return run.cycles end }
  for name, metric in next, claims.admission do spec.metrics[name] = metric end
  spec.differs = "a small machine"
  return loom.experiment(spec)
end

return M
