-- Figure 3: lines of an infinite L1D by locality class.
local common = require "common"

local function part(class)
  return { doc = "Lines of this class per line", value = function(run)
    local s = run.stats "gpu/sm/l1d/policy/locality_analysis"
    return s.lines_by_class[class] / s.lines
  end }
end

local function mean(class, benches)
  return function(t)
    return t[class]:where { bench = benches }:mean "bench"
  end
end

local derive = {}
for _, class in ipairs { "streaming", "intra", "inter", "mixed" } do
  for _, name in ipairs { "CS", "CM", "CI" } do
    derive[class .. "_" .. name:lower()] = mean(class, common[name])
  end
end

return common.experiment {
  name = "apcm_fig03",
  doc = "Locality classes of the lines, with an infinite L1D",
  schemes = { "infinite" },
  metrics = { streaming = part "streaming", intra = part "intra",
              inter = part "inter", mixed = part "mixed" },
  derive = derive,
  figures = { { column = "gpu.sm.l1d.policy.locality_analysis.lines_by_class",
                by = "bench", kind = "stack", share = true,
                title = "Lines by locality class" } },
}
