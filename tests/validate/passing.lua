-- Where parts of a kernel are passed over, the rest takes the time that it
-- would: cycles per warp instruction in time, beside the full run's.
--
--   warploom --unsafe run tests/validate/passing.lua
local H = require "harness"
local session = H.import "script/session"

local outer = session.script

-- What may change, in percent.  Most of it is what is not passed over alike:
-- the start of a kernel and its end, which take longer per instruction.
local programs = {
  { "blackscholes", "pairs = 400000", percent = 6 },
  { "btree", "keys = 100000, queries = 2000, ranges = 1000", percent = 6 },
  { "vectoradd", "n = 1048576", percent = 6 },
}

local function run(program, passing)
  local text = ([[
local loom = require "warploom"
loom.run { workload = loom.suite.%s { %s },
           machine = loom.preset.gtx480() }
]]):format(program[1], program[2])
  local _, _, status = H.run(text, { passing = passing })
  local r = H.runs()[1]
  if status ~= 0 or r.status ~= "complete" then
    error(("%s: %s"):format(program[1], r and r.reason or "not run"), 0)
  end
  return r, session.passed
end

print "program       insts        full    passed over  cycles per instruction"
local failed = 0
for _, program in ipairs(programs) do
  local full = run(program)
  local part, passed = run(program, { every = 6000, insts = 60000 })
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
session.reset { script = outer, set = {} }
if failed > 0 then error(failed .. " programs are off", 0) end
