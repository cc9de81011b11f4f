-- Figure 11: instructions executed and issued with S-L1, over those with the
-- hardware L1, in percent more.
local common = require "common"

local function more(t, column)
  return (common.at_best(t, column):normalise { scheme = "l1" } - 1)
    :at { scheme = "sl1" }
end

return common.experiment {
  name = "sl1_fig11",
  doc = "Instructions that S-L1 adds to those with the hardware L1",
  schemes = { "l1", "sl1" },
  metrics = { "executed", "issued" },
  derive = {
    executed_more = function(t) return more(t, t.executed) end,
    issued_more = function(t) return more(t, t.issued) end,
    mean_executed = function(t)
      return t.executed_more:mean("bench", "arithmetic")
    end,
    mean_issued = function(t)
      return t.issued_more:mean("bench", "arithmetic")
    end,
  },
  figures = {
    { column = "executed_more", by = "bench", mean = "arithmetic",
      title = "Executed instructions, more by", y = "of those with the L1" },
    { column = "issued_more", by = "bench", mean = "arithmetic",
      title = "Issued instructions, more by", y = "of those with the L1" },
  },
  differs = common.differs .. "; issued again are memory instructions, for " ..
    "each access beyond the first and each bank conflict",
}
