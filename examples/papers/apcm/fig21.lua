-- Figure 21: sizes and associativities of the MTA, relative to 32 entries,
-- direct-mapped.
local common = require "common"

return common.experiment {
  name = "apcm_fig21",
  doc = "Configurations of the MTA, relative to table 5's",
  benches = common.sensitive,
  schemes = { "apcm", "mta_dm16", "mta_dm64", "mta_as4", "mta_as8",
              "mta_fa" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup "apcm",
             mean = common.mean(common.sensitive) },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to 32 entries, direct-mapped" } },
}
