-- Series of what apcm, dacache and two_level decided, on one SM each; modes.sh
-- looks how they change.
local loom = require "warploom"

local function go(name, preset, technique, workload)
  local gpu = loom.preset[preset] { sm_count = 1 }
  gpu:each "sm[*].l1d":attach(technique)
  local run = loom.run { machine = gpu, workload = workload, stats = {
    file = name .. ".h5",
    series = { modes = { every = "100ns",
                         select = "gpu.sm.l1d.policy." .. name .. ".*" } } } }
  return run.stats("gpu/sm/l1d/policy/" .. name)
end

-- A stream: each window of 500 cycles ends in mode B, which lasts as long.
local t = go("two_level", "gtx1080_56",
             loom.two_level { window_cycles = 500, hold_cycles = 500 },
             loom.suite.micro_locality { kind = "stream", ctas = 2,
                                         rounds = 40 })
assert(t.verdicts.high_miss + t.verdicts.few_accesses == t.windows)
print("two_level", t.to_bypass + t.to_cache)

-- One launch with a streaming, an intra-warp and a shared load.
local a = go("apcm", "apcm1", loom.apcm {},
             loom.suite.micro_locality { kind = "mixed", ctas = 20 })
print("apcm", a.protections)

local d = go("dacache", "dacache", loom.dacache {},
             loom.suite.atax { rows = 256, columns = 256 })
print("dacache", d.fcw_raised, d.fcw_lowered)
