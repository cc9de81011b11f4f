-- Where CTAs are left out of time, the rest takes the time that it would:
-- cycles per warp instruction in time, beside the full run's.
--
--   warploom --unsafe run tests/validate/passing.lua
local H = require "harness"
local session = H.import "script/session"

local outer = session.script

-- What may change, in percent.  Most of it is what is not passed over alike:
-- the start of a kernel and its end, which take longer per instruction.
local programs = {
  { "blackscholes", "pairs = 400000", percent = 6, ctas = 100 },
  { "btree", "keys = 100000, queries = 2000, ranges = 1000", percent = 6,
    ctas = 100 },
  { "vectoradd", "n = 1048576", percent = 6, ctas = 100 },
}

local function run(program, passing, options)
  local text = ([[
local loom = require "warploom"
loom.run { workload = loom.suite.%s { %s },
           machine = loom.preset.%s() }
]]):format(program[1], program[2], program.machine or "gtx480")
  options = options or {}
  options.passing = passing
  local _, _, status = H.run(text, options)
  local r = H.runs()[1]
  if status ~= 0 or r.status ~= "complete" then
    error(("%s: %s"):format(program[1], r and r.reason or "not run"), 0)
  end
  return r, session.passed, session.skipped
end

print "program       insts        full    passed over  cycles per instruction"
local failed = 0
for _, program in ipairs(programs) do
  local full = run(program)
  local part, passed = run(program, { every = 6000, ctas = program.ctas,
                                      warm = 90 })
  local one = full.cycles / full.warp_insts
  local other = part.cycles / (part.warp_insts - passed)
  local off = 100 * (other / one - 1)
  local good = math.abs(off) <= program.percent and passed > 0 and
               part.warp_insts == full.warp_insts
  failed = failed + (good and 0 or 1)
  print(("%-12s %7d  %10d  %9.1f %%  %.4f, in full %.4f: %+.1f %%%s"):format(
        program[1], full.warp_insts, full.cycles,
        100 * passed / part.warp_insts, other, one, off,
        good and "" or "  FAILED"))
end

-- Time that passes without anybody taking part moves all that follows, and
-- changes nothing else.
local program = { "vectoradd", "n = 131072" }
local full = run(program)
local held, _, skipped = run(program, { every = 700, ctas = 0, time = 3 })
local late = held.seconds - full.seconds - skipped / 1e15
if skipped == 0 or math.abs(late) > 1e-12 or held.digest ~= full.digest then
  print(("vectoradd with %.3f us skipped takes %.6f us more  FAILED"):format(
        skipped / 1e9, (held.seconds - full.seconds) * 1e6))
  failed = failed + 1
end

-- A sampled run is the same, whatever its threads and the order of ticks: one
-- of many CTAs, and one of many launches.
local sampled = {
  { "btree", "keys = 40000, queries = 1000, ranges = 500", machine = "tiny" },
  { "jacobi1d", "n = 8192, steps = 40", machine = "tiny" },
}
local function key(options)
  options.sample = true
  local r = run(program, nil, options)
  if r.sampled == 0 then
    error(("nothing of %s was left out"):format(program[1]), 0)
  end
  return ("%s %d cycles +- %a"):format(r.digest, r.cycles, r.cycles_error)
end
for _, each in ipairs(sampled) do
  program = each
  local one = key {}
  for _, options in ipairs { { threads = 2 }, { shuffle = 1 } } do
    local other = key(options)
    if other ~= one then
      print(("%s: %s, not %s  FAILED"):format(program[1], other, one))
      failed = failed + 1
    end
  end
end
session.reset { script = outer, set = {} }
if failed > 0 then error(failed .. " programs are off", 0) end
