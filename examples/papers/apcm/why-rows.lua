-- Why APCM's bypassing does little for MM, and so for CM benchmarks: lines of
-- our mars_mm find their entry in the MTA again.  Rows that are multiples of
-- 4 KiB apart share one of its 32 entries, evict each other after one access
-- and are called streaming, as the paper says of its MM.  The same work with
-- rows of 4,096 bytes (rows4096) and of 4,112 (rows4112), which share none.
local common = require "common"

-- Eight rows of A and 1024 of B.
local n = common.size == "tiny" and 64 or 1024
local function rows(columns)
  return { "mars_mm", { rows = 8, n = n, columns = columns } }
end
local inputs = { rows4096 = rows(1024), rows4112 = rows(1028) }
local benches = table.move(common.all, 1, #common.all, 1, {})
table.move({ "rows4096", "rows4112" }, 1, 2, #benches + 1, benches)

-- A mean over benchmarks, with rows4096 for mars_mm.
local function mean(list, column, how)
  local others = {}
  for i, bench in ipairs(list) do
    others[i] = bench == "mars_mm" and "rows4096" or bench
  end
  return function(t)
    return t[column]:where { bench = others }:mean("bench", how)
  end
end

return common.experiment {
  name = "apcm_why_rows",
  doc = "APCM with rows that share an entry of the MTA",
  benches = benches, inputs = inputs,
  schemes = { "baseline", "bypass", "apcm" },
  metrics = {
    cycles = common.cycles, miss_rate = common.miss_rate,
    around = { doc = "Part of the L1D's accesses that went around",
               value = function(run)
      local l1d = run.stats "gpu/sm/l1d"
      return l1d.bypasses / l1d.accesses
    end },
  },
  derive = {
    speedup = common.speedup(),
    mean_all = mean(common.all, "speedup", "geometric"),
    mean_cm = mean(common.CM, "speedup", "geometric"),
    relative = function(t)
      return t.miss_rate:normalise { scheme = "baseline" }
    end,
    miss_cm = mean(common.CM, "relative"),
  },
  figures = { { column = "speedup", by = "bench", mean = "geometric",
                y = "IPC, relative to the baseline" },
              { column = "around", by = "bench" } },
}
