local common = require "common"
return common.experiment {
  name = "test_fig02", doc = "Schedulers", scheds = { "lrr", "gto" },
  metrics = { cycles = function(run) return run.cycles end,
              miss = "gpu.sm.l1d.miss_ratio" },
  derive = { speedup = function(t)
    return t.cycles:normalise({ sched = "lrr" }, "inverse")
  end, used = function(t)
    return t.wide:at { sched = "lrr" }:mean "bench"
  end },
  figures = { { column = "speedup", by = "bench", title = "Speedup" },
              { column = "gpu.sm.l1d.miss_ratio", by = "bench" },
              { column = "gpu.sm.policy.warp_analysis.issues_by_rank",
                by = "bench", share = true, kind = "stack" } },
}
