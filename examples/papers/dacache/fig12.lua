-- Figure 12: what bypassing adds to each partition; relative to the same
-- partition with unconstrained replacement.
local common = require "common"

local figures = {}
for i, name in ipairs(common.partitions) do
  figures[i] = { column = "gain_" .. name, by = "bench", mean = "geometric",
                 title = name .. " with bypassing",
                 y = "IPC, relative to the partition alone" }
end

return common.experiment {
  name = "dacache_fig12",
  doc = "What constrained replacement with bypassing adds to a partition",
  techniques = { "static0", "static1", "static2", "static3", "uncon",
                 "static0_bypass", "static1_bypass", "static2_bypass",
                 "static3_bypass", "dacache" },
  metrics = { cycles = common.cycles },
  derive = common.gains {},
  figures = figures,
}
