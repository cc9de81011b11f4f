-- Why Matrix Multiply does not issue fewer instructions with S-L1: a thread
-- has 8 elements of C next to each other, so that a warp's loads share
-- accesses, and what is issued again because data is late is not counted.
-- Here there are sixteen times as many elements (issued_more), and loads'
-- accesses that the L1 does not serve count once more, too (late_more).
local common = require "common"

local function more(name)
  return function(t)
    return (common.at_best(t, t[name]):normalise { scheme = "l1" } - 1)
      :at { scheme = "sl1" }
  end
end

common.metrics.late = {
  doc = "Issued, and again for loads' accesses that the L1 does not serve",
  value = function(run)
    local l1d = run.stats "gpu/sm/l1d"
    return common.metrics.issued.value(run) + l1d.misses_by_kind.load +
           l1d.bypasses_by_kind.load
  end,
}

return common.experiment {
  name = "sl1_why_matrix",
  doc = "Instructions that S-L1 adds, with larger matrices",
  schemes = { "l1", "sl1" }, benches = { "sl1_wc", "sl1_mm" },
  threads = common.tiny and { 256 } or { 256, 1024 }, more = { sl1_mm = 16 },
  metrics = { "executed", "issued", "late" },
  derive = { executed_more = more "executed", issued_more = more "issued",
             late_more = more "late" },
  figures = { { column = "issued_more", by = "bench",
                title = "Issued instructions, more by",
                y = "of those with the L1" },
              { column = "late_more", by = "bench",
                title = "With accesses that the L1 does not serve",
                y = "of those with the L1" } },
}
