-- Why bypassing adds little: 32 MSHRs, GPGPU-Sim's default (the paper gives
-- none), reserve 32 of 256 lines at most, so that misses hardly ever find the
-- thrashing region reserved.  The same with as many MSHRs as lines.
local common = require "common"

local techniques = { "lru" }
for _, name in ipairs(common.partitions) do
  techniques[#techniques + 1] = name
  techniques[#techniques + 1] = common.bypassing[name]
end

return common.experiment {
  name = "dacache_why_mshrs",
  doc = "Partitions with and without bypassing, with 256 MSHRs",
  techniques = techniques, l1d = { mshr_entries = 256 },
  metrics = { cycles = common.cycles },
  derive = common.gains { speedup = common.speedup, mean = common.mean },
  figures = { { column = "mean", by = "technique",
                y = "IPC, relative to LRU" } },
}
