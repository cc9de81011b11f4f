-- Why do coherent benchmarks change?  The profiler of coherent loads sees the
-- lines of the oldest warp only; those of 2DC and 3DC are used again by other
-- warps, so that it finds them without locality, and they are inserted last.
-- DaCache's variants without it.  And GS with columns for six warps instead of
-- two, of which each waits for two loads a round.
local loom = require "warploom"
local common = require "common"

local T = common.techniques
T.uncon_known = loom.dacache { profiled = false, constrained = "off" }
T.stall_known = loom.dacache { profiled = false, constrained = "stall" }
T.dacache_known = loom.dacache { profiled = false }

return common.experiment {
  name = "dacache_why_coherent",
  doc = "Coherent benchmarks without the profiler; GS with more warps",
  benches = common.coherent,
  inputs = { gramschmidt = { rows = 192, columns = 192 } },
  techniques = { "lru", "dip", "dacache", "uncon_known", "stall_known",
                 "dacache_known" },
  metrics = { cycles = common.cycles },
  derive = { speedup = common.speedup },
  figures = { { column = "speedup", by = "bench",
                y = "IPC, relative to LRU" } },
}
