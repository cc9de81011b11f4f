-- Figure 20: APCM with L1Ds of 16, 32 and 48 KB, relative to the same L1D
-- without.
local common = require "common"

local function gain(kib)
  local suffix = kib == 16 and "" or ("_%dk"):format(kib)
  return function(t)
    return t.cycles:at { scheme = "baseline" .. suffix } /
           t.cycles:at { scheme = "apcm" .. suffix }
  end
end

local function mean(name)
  return function(t) return t[name]:mean("bench", "geometric") end
end

return common.experiment {
  name = "apcm_fig20",
  doc = "APCM with larger L1Ds",
  benches = common.sensitive,
  schemes = { "baseline", "apcm", "baseline_32k", "apcm_32k", "baseline_48k",
              "apcm_48k" },
  metrics = { cycles = common.cycles },
  derive = { gain16 = gain(16), gain32 = gain(32), gain48 = gain(48),
             mean16 = mean "gain16", mean32 = mean "gain32",
             mean48 = mean "gain48", speedup = common.speedup(),
             mean = common.mean(common.sensitive) },
  figures = { { column = "gain16", by = "bench", mean = "geometric" },
              { column = "gain32", by = "bench", mean = "geometric" },
              { column = "gain48", by = "bench", mean = "geometric" } },
}
