-- Table 3: what APCM stores, of the machine as it was run: bits of each part of
-- the table.
local common = require "common"

local function bits(part)
  return { unit = "bit", doc = "Storage of the part " .. part .. " of an SM",
           value = function(run)
    return run.storage["gpu/sm/l1d/policy/apcm"][part]
  end }
end

-- Of configuration 1; one program tells it, and figure 12 runs it, too.
return common.experiment {
  name = "apcm_table3",
  doc = "What APCM stores",
  benches = { "bfs" },
  schemes = { "apcm" },
  metrics = { lines = bits "lines", mta = bits "mta", cait = bits "cait",
              lat = bits "lat", psb = bits "psb", total = bits "total" },
  figures = { { column = "mta" }, { column = "total" } },
}
