-- Figure 8: energy of the L2 with LoSCache and with an oracle, relative to the
-- baseline's; and what the whole chip saves (section VI.C).
local common = require "common"

-- A column of the baseline, and the mean of a quotient of two.
local function base(t, name) return t[name]:at { scheme = "baseline" } end
local function share(t, of, all)
  return (base(t, of) / base(t, all)):mean "bench"
end

-- Section IV.D's overhead, as the machine was run.
local function bits(unit, doc, value)
  return { unit = unit, doc = doc, value = function(run)
    local there, found = pcall(function()
      return value(run.storage["gpu/sm/policy/loscache"],
                   run.storage["gpu/l2/policy/loscache_l2"])
    end)
    return there and found or 0 / 0
  end }
end

local metrics = common.take("l2_energy", "leakage", "added", "chip",
                            "chip_only", "live", "gated_leak")
metrics.table_bytes = bits("byte", "Prediction table of an SM",
                           function(sm) return sm.table / 8 end)
metrics.line_bits = bits("bit", "Counter of a line of the L2",
                         function(_, l2) return l2.count / 1024 end)

return common.experiment {
  name = "loscache_fig08",
  doc = "Energy of the L2 with LoSCache and Ideal-Gating",
  schemes = { "baseline", "loscache" },
  metrics = metrics,
  derive = {
    -- All of the L2 with what is added to it, and its lines' leakage alone.
    energy = common.relative "l2_energy",
    lines = common.relative "leakage",
    ideal = common.ideal "l2_energy",
    ideal_lines = common.ideal "leakage",
    chip_left = common.relative "chip",
    mean = function(t) return t.energy:mean "bench" end,
    mean_lines = function(t) return t.lines:mean "bench" end,
    mean_ideal = function(t) return t.ideal:mean "bench" end,
    mean_ideal_lines = function(t) return t.ideal_lines:mean "bench" end,
    mean_chip = function(t) return t.chip_left:mean "bench" end,
    table_size = common.overhead "table_bytes",
    line_size = common.overhead "line_bits",
    l2_share = function(t) return share(t, "l2_energy", "chip") end,
    l2_share_of_gpu = function(t)
      return share(t, "l2_energy", "chip_only")
    end,
    lines_share = function(t) return share(t, "leakage", "l2_energy") end,
    -- What the paper's L2 would save of its chip with our figure.
    chip_at_8 = function(t) return 1 - 0.08 * (1 - t.mean) end,
  },
  figures = {
    { column = "energy", by = "bench", mean = "arithmetic",
      only = "scheme=loscache", title = "LoSCache",
      y = "energy of the L2, relative to the baseline's" },
    { column = "ideal", by = "bench", mean = "arithmetic",
      title = "Ideal-Gating",
      y = "energy of the L2, relative to the baseline's" },
    { column = "lines", by = "bench", mean = "arithmetic",
      only = "scheme=loscache", title = "LoSCache, leakage of lines",
      y = "leakage of the lines, relative to the baseline's" },
    { column = "ideal_lines", by = "bench", mean = "arithmetic",
      title = "Ideal-Gating, leakage of lines",
      y = "leakage of the lines, relative to the baseline's" },
    { column = "chip_left", by = "bench", mean = "arithmetic",
      only = "scheme=loscache",
      y = "energy of the chip, relative to the baseline's" },
  },
}
