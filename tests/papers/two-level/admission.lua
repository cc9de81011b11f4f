local common = require "common"
return common.experiment {
  name = "test_admission", doc = "What a benchmark is", scheds = { "lrr" },
  derive = {
    length = function(t) return t.cycles:at { sched = "lrr" } end,
    passes = function(t)
      return t.cycles:map(function(_, names)
        return names.bench == "atax" and 0 or 1
      end):at { sched = "lrr" }
    end,
  },
  figures = { { column = "cycles", by = "bench" } },
}
