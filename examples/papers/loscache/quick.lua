-- LoSCache's headline: the means of figures 1, 6, 7 and 8 and the whole chip's
-- energy, beside the paper's, with the rivals that its section VII names.
--   warploom sweep examples/papers/loscache/quick.lua -j 2
-- The 14 programs that the paper names, and 12 more of the suites it takes its
-- 26 from; `--set list=named` for the 14 alone, `--set level=raw` for energies
-- without GPUWattch's regression.  Killed, it goes on where it was.
local common = require "common"

local los = { "naive", "loscache", "loscache_tag" }

local function paper(value)
  return function(t)
    return t.cycles:at { scheme = "baseline" }:mean "bench":map(function()
      return value
    end)
  end
end

-- Arithmetic mean of a column over the programs.
local function mean(name)
  return function(t) return t[name]:mean "bench" end
end

local function saved(name)
  return function(t) return 1 - t[name]:mean "bench" end
end

return common.experiment {
  name = "loscache_quick",
  doc = "LoSCache and its rivals on its machine",
  schemes = { "baseline", "naive", "loscache", "loscache_tag", "decay",
              "drowsy" },
  metrics = common.metrics,
  derive = {
    figure1 = function(t) return t.dead:at { scheme = "baseline" } end,
    figure6 = function(t) return t.accuracy:where { scheme = los } end,
    figure7 = common.relative "cycles",
    figure8 = common.relative "l2_energy",
    figure8_lines = common.relative "leakage",
    chip_left = common.relative "chip",
    ideal = common.ideal "l2_energy",
    ideal_lines = common.ideal "leakage",

    figure1_dead = mean "figure1",
    figure1_paper = paper(0.956),
    figure6_accuracy = function(t) return common.mean(t.figure6) end,
    figure6_coverage = function(t)
      return common.mean(t.coverage:where { scheme = los })
    end,
    figure6_paper_naive = paper(0.54),
    figure6_paper_adaptive = paper(0.93),
    figure7_time = mean "figure7",
    figure7_paper = paper(1.005),
    -- The L2 as a whole, and the leakage of its lines alone.
    figure8_energy = mean "figure8",
    figure8_ideal = mean "ideal",
    figure8_leakage = mean "figure8_lines",
    figure8_ideal_leakage = mean "ideal_lines",
    figure8_paper = paper(0.36),
    figure8_paper_ideal = paper(0.30),
    l2_share = function(t)
      local at = { scheme = "baseline" }
      return (t.l2_energy:at(at) / t.chip:at(at)):mean "bench"
    end,
    l2_share_of_gpu = function(t)
      local at = { scheme = "baseline" }
      return (t.l2_energy:at(at) / t.chip_only:at(at)):mean "bench"
    end,
    l2_share_paper = paper(0.08),
    chip_saved = saved "chip_left",
    chip_saved_paper = paper(0.062),
  },
}
