-- What the paper leaves open, swept: whose 100 accesses end the prediction
-- phase (its predictor's, this SM's, or those of all SMs) or whether only the
-- predictor's end does, and a phase of 400 accesses of the SM; whether the
-- table outlives a launch; what an instruction is predicted whose block the L2
-- no longer has; and whether lines that are on in vain are replaced.
--   warploom sweep examples/papers/loscache/why-phase.lua --set list=named -j 2
local loom = require "warploom"
local common = require "common"

local function scheme(l1d, l2)
  return { l1d = loom.loscache(l1d), l2 = loom.loscache_l2(l2) }
end

local extra = {
  -- Of all SMs together: 100 over six slices.
  all = scheme({ phase_accesses = 0 }, { phase_accesses = 17 }),
  sm = scheme({ counted = "sm" }, {}),
  long = scheme({ counted = "sm", phase_accesses = 400 }, {}),
  finish = scheme({ phase_accesses = 0 }, {}),
  launch = scheme({ reset = "launch" }, {}),
  sm_launch = scheme({ counted = "sm", reset = "launch" }, {}),
  gone = scheme({ gone = "once" }, {}),
  -- Data predicted once takes a way, and the replacement chooses it.
  replaced = scheme({}, { once = "tag", reuse_gated = false }),
  both = scheme({ gone = "once" }, { once = "tag", reuse_gated = false }),
}

return common.experiment {
  name = "loscache_why_phase",
  doc = "Readings of the prediction phase",
  schemes = { "baseline", "loscache", "loscache_tag", "all", "sm", "long",
              "finish", "launch", "sm_launch", "gone", "replaced", "both" },
  extra = extra,
  metrics = common.take("cycles", "accuracy", "per_request", "coverage",
                        "predicted", "leakage", "l2_energy", "live",
                        "gated_leak", "query_traffic"),
  derive = {
    time = common.relative "cycles",
    lines = common.relative "leakage",
    energy = common.relative "l2_energy",
    mean_accuracy = function(t) return common.mean(t.accuracy) end,
    mean_per_request = function(t) return common.mean(t.per_request) end,
    mean_coverage = function(t) return common.mean(t.coverage) end,
    mean_predicted = function(t) return common.mean(t.predicted) end,
    mean_time = function(t) return t.time:mean "bench" end,
    mean_lines = function(t) return t.lines:mean "bench" end,
    ideal = common.ideal "l2_energy",
    mean_ideal = function(t) return t.ideal:mean "bench" end,
    mean_energy = function(t) return t.energy:mean "bench" end,
  },
}
