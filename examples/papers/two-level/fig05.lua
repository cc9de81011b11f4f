-- Figure 5: accesses and misses of the L1D that two-level bypassing leaves,
-- relative to the accesses without bypassing.
local common = require "common"

local function of(name)
  return { unit = "request", doc = "L1D " .. name, value = function(run)
    local l1d = run.stats "gpu/sm/l1d"
    if name == "misses" then return l1d.misses + l1d.pending_hits end
    return l1d[name]
  end }
end

local function relative(name)
  return function(t)
    return t[name] / t.lookups:at { scheme = "baseline" }
  end
end

return common.experiment {
  name = "two_level_fig05",
  doc = "Accesses and misses of the L1D with and without two-level bypassing",
  schemes = { "baseline", "two_level" },
  metrics = { lookups = of "lookups", misses = of "misses" },
  derive = {
    accesses_left = relative "lookups",
    misses_left = relative "misses",
    miss_rate = function(t) return t.misses / t.lookups end,
    bypassed = function(t) return 1 - t.accesses_left:at {
      scheme = "two_level" } end,
  },
  figures = {
    { column = "accesses_left", by = "bench", mean = "arithmetic" },
    { column = "misses_left", by = "bench", mean = "arithmetic" },
  },
}
