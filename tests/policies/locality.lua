-- Streams whose locality is known, one load each or all together
-- (micro_locality): apcm calls at least 99 of 100 monitored lines what table 2
-- of its paper calls them, and every SM treats the load so; two_level decides
-- by their miss rates, dacache by their width and their victims.
local loom = require "warploom"

local function run(kind, technique, fields, rounds)
  local gpu = loom.preset.apcm1 {}
  gpu:each "sm[*].l1d":attach(loom[technique](fields or {}))
  return loom.run { machine = gpu, workload = loom.suite.micro_locality {
    kind = kind, rounds = rounds or 12 } }
end

-- Counts that never are full: what table 2 says with whole numbers.
local wide = { count_bits = 16, threshold = 65535 }

local types = { "streaming", "inter", "intra", "mixed" }
local answer = {
  stream = { lines = "streaming", method = "bypass" },
  own = { lines = "intra", method = "protect" },
  -- Others use a line again, and so does its warp in the next round.
  table = { lines = "mixed", method = "normal" },
}

local function share(part, whole, text)
  assert(whole > 0, text .. ": nothing was seen")
  assert(part >= 0.99 * whole, ("%s: %d of %d"):format(text, part, whole))
  print(("%-40s %d of %d"):format(text, part, whole))
end

-- The load in this row of the statistics is of this kind.
local function expect_method(s, row, kind, text)
  local want, methods = answer[kind], 0
  for _, name in ipairs { "unknown", "normal", "bypass", "protect" } do
    methods = methods + s["load_" .. name][row]
  end
  share(s["load_" .. want.method][row], methods, text .. ": SMs")
end

local function expect(s, row, kind, text, lines)
  local all = 0
  for _, type in ipairs(types) do
    all = all + s[("load_%s_lines"):format(type)][row]
  end
  share(s[("load_%s_lines"):format(lines or answer[kind].lines)][row], all,
        text .. ": lines")
  expect_method(s, row, kind, text)
end

-- Rows are the loads in the order of the program: stream, own, table.
local rows = { stream = 0, own = 1, table = 2 }
for _, kind in ipairs { "stream", "own", "table" } do
  local s = run(kind, "apcm", wide).stats "gpu/sm/l1d/policy/apcm"
  expect(s, rows[kind], kind, kind)
  share(s.lines[answer[kind].lines], s.mta_allocations, kind .. " of all lines")
  for other, row in pairs(rows) do
    assert(other == kind or s.load_accesses[row] == 0)
  end
end
-- In one round each warp uses the table once: inter-warp.
local once = run("table", "apcm", {}, 1).stats "gpu/sm/l1d/policy/apcm"
expect(once, 2, "table", "table, one round", "inter")

-- All at once, with counts of four bits, which the table fills, and wider.
local s = run("mixed", "apcm").stats "gpu/sm/l1d/policy/apcm"
for _, kind in ipairs { "stream", "own", "table" } do
  expect_method(s, rows[kind], kind, "mixed, 4 bits: " .. kind)
end
s = run("mixed", "apcm", wide).stats "gpu/sm/l1d/policy/apcm"
for _, kind in ipairs { "stream", "own", "table" } do
  expect(s, rows[kind], kind, "mixed: " .. kind)
end
assert(s.load_bypasses[0] > 0 and s.load_bypasses[1] + s.load_bypasses[2] == 0)
assert(s.load_protections[1] > 0)
assert(s.load_protections[0] + s.load_protections[2] == 0)

-- With `probe` the stream is looked up, and its misses get no line.
local probed = run("stream", "apcm", { probe = true })
local l1d = probed.stats "gpu/sm/l1d"
assert(l1d.bypasses == 0 and l1d.unallocated_misses > 0)
assert(probed.stats "gpu/sm/l1d/policy/apcm".bypasses == l1d.unallocated_misses)

-- A stream misses always, a table that is there hits always.
local function verdicts(kind)
  return run(kind, "two_level", { window_cycles = 10000 })
    .stats "gpu/sm/l1d/policy/two_level"
end
local stream, shared = verdicts "stream", verdicts "table"
share(stream.verdicts.high_miss, stream.windows, "stream: high miss rate")
share(shared.verdicts.low_miss, shared.windows, "table: low miss rate")

-- With one threshold two_level is the rival that goes by the miss rate alone.
for _, kind in ipairs { "stream", "table" } do
  local one = run(kind, "two_level", { window_cycles = 10000, miss_low = 0.9,
                                       miss_high = 0.9, occupancy = 0 })
  local rival = run(kind, "miss_rate_bypass", { window_cycles = 10000,
                                                threshold = 0.9 })
  assert(one.cycles == rival.cycles and one.stats "gpu/sm/l1d".bypasses ==
         rival.stats "gpu/sm/l1d".bypasses, kind)
end

-- DaCache: the loads above are coherent. The victims of a stream are never
-- missed again, so that each SM finds it without locality; those of a loop
-- over own lines that do not fit are. A load of 32 lines is divergent.
local function dacache(name, fields)
  local gpu = loom.preset.dacache {}
  gpu:each "sm[*].l1d":attach(loom.dacache {})
  local done = loom.run { machine = gpu, workload = loom.suite[name](fields) }
  return done.stats "gpu/sm/l1d/policy/dacache", done.stats "gpu/sm/l1d"
end

local sms = 30
local d = dacache("micro_locality", { kind = "stream", rounds = 400 })
share(d.without_locality, sms, "dacache, stream: without locality")
assert(d.with_locality == 0)
share(d.load_mru[0] + d.load_lru[0], d.load_insts[0],
      "dacache, stream: placed as coherent")
assert(d.load_class[0] == 0 and d.load_lru[0] > 4 * d.load_mru[0])
local l1
d, l1 = dacache("micro_locality", { kind = "own", warps = 32, rounds = 24 })
share(d.with_locality, sms, "dacache, own lines: with locality")
assert(d.without_locality == 0 and d.load_lru[1] == 0)
share(d.load_mru[1], l1.fills, "dacache, own lines: inserted first")
d, l1 = dacache("micro_stride", { stride = 32 })
local divergent, coherent = 0, 0
for _, outcome in ipairs { "full", "partly", "missed" } do
  divergent = divergent + d.divergent_loads[outcome]
  coherent = coherent + d.coherent_loads[outcome]
end
share(divergent, divergent + coherent, "dacache, 32 lines: divergent")
share(d.insertions.gauged + d.insertions.lru, l1.fills,
      "dacache, 32 lines: placed by rank")
