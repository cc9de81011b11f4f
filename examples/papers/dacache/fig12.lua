-- Figure 12: what bypassing adds to each partition; relative to the same
-- partition with unconstrained replacement.
local common = require "common"

local function gain(t)
  local from = { static0 = "static0_bypass", static1 = "static1_bypass",
                 static2 = "static2_bypass", static3 = "static3_bypass",
                 uncon = "dacache" }
  local out
  for without, with in pairs(from) do
    local one = t.cycles:at { technique = without } /
                t.cycles:at { technique = with }
    out = out or {}
    out[without] = one
  end
  return out
end

local derive = {}
for _, name in ipairs { "static0", "static1", "static2", "static3",
                        "uncon" } do
  derive["gain_" .. name] = function(t) return gain(t)[name] end
  derive["mean_" .. name] = function(t)
    return t["gain_" .. name]:mean("bench", "geometric")
  end
end

local figures = {}
for i, name in ipairs { "static0", "static1", "static2", "static3",
                        "uncon" } do
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
  derive = derive,
  figures = figures,
}
