-- Is the level of energies why the L2 takes less of the chip's?  Energies
-- fitted to a card by GPUWattch's regression instead of raw ones.
local common = require "common"

return common.experiment {
  name = "loscache_why_level",
  doc = "The L2's part of the chip's energy with fitted energies",
  schemes = { "baseline" }, level = "fitted",
  metrics = common.take("l2_energy", "chip"),
  derive = {
    l2_share = function(t)
      return (t.l2_energy / t.chip):at { scheme = "baseline" }:mean "bench"
    end,
  },
  figures = { { column = "l2_energy", by = "bench" } },
}
