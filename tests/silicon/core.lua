-- What the core alone decides, row by row: a chain of dependent FFMA, and the
-- kernels that do nothing or chains of FFMA of a card, at all sizes measured.
--   warploom --unsafe run -q tests/silicon/core.lua --set card=h100_pcie
-- Fails if FFMA is off by more than 2 % or one row by more than `limit`.  A
-- dependent FFMA is the slope of ffmakernel's rows of 3 CTAs by iterations,
-- of 132 FFMA each.
local loom = require "warploom"
local cards = require "cards"
local cases = require "cases"

local part = loom.option { name = "part", default = 1, min = 1,
                           doc = "Every so-many-th row" }
local limit = cards.limit > 0 and cards.limit or 0.1
local far, count = 0, 0

local function row(name, card, here, most)
  local error = here / card - 1
  count = count + 1
  if math.abs(error) > most then far = far + 1 end
  print(("%-44s %12.2f %12.2f %7.1f%%%s"):format(
    name, card, here, 100 * error, math.abs(error) > most and " <" or ""))
end

print(("%-44s %12s %12s %8s"):format("", cards.card, "here", "error"))
local rows = cards.only ~= "" and cards.only or "^[ef][mf][pm]"
local times = cards.durations "cases"
local number, clock = 0, 0
local slope = { { n = 0, x = 0, y = 0, xx = 0, xy = 0 },
                { n = 0, x = 0, y = 0, xx = 0, xy = 0 } }
for _, case in ipairs(cases.list(loom, rows, times)) do
  local want = 0
  for _, ns in ipairs(times[case.name .. "_" .. case.text]) do
    want = want + ns
  end
  want = want / #times[case.name .. "_" .. case.text] -- one launch each
  number = number + 1
  if number % part == 0 then
    local run = loom.run { machine = cards.machine(), memory = "64GiB",
                           workload = cases.workload(loom, case) }
    local here = 0
    for _, k in ipairs(run.kernels) do here = here + k.seconds * 1e9 end
    row(case.name .. " " .. case.text .. ", ns", want, here, limit)
    local v = case.values
    if case.name == "ffmakernel" and v.block == 3 then
      for i, ns in ipairs { want, here } do
        local s = slope[i]
        s.n, s.x, s.y = s.n + 1, s.x + v.iters, s.y + ns
        s.xx, s.xy = s.xx + v.iters ^ 2, s.xy + v.iters * ns
      end
      clock = cards.machine().clock / 1e9
    end
  end
end
local cycles = {}
for i, s in ipairs(slope) do
  cycles[i] = (s.n * s.xy - s.x * s.y) / (s.n * s.xx - s.x ^ 2) / 132 * clock
end
if slope[1].n > 2 then
  row("dependent FFMA, cycles", cycles[1], cycles[2], 0.02)
end
assert(count > 1, "this card has no such rows")
print(("%d of %d are off by more than they may"):format(far, count))
if far > 0 then error "some rows are off" end
