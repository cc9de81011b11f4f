-- The micro-kernels in warploom beside what a card gave:
--   warploom --unsafe run -q tests/silicon/table.lua --set card=h100_sxm
local loom = require "warploom"
local cards = require "cards"
local micro = require "micro"

-- GHz of both cards' SMs, as measured under load, if the case does not say.
local clock = 1.98

local times = cards.durations "micro"
local far, count = 0, 0
print(("%-44s %-11s %9s %9s %8s"):format("micro-kernel", "unit", cards.card,
                                         "here", "error"))
for _, case in ipairs(micro.list(loom, cards.only)) do
  local measured = times[case.name:gsub("%s", "_")]
  if measured then
    local g = cards.machine()
    local run = loom.run { machine = g, memory = "64GiB",
                           workload = micro.workload(loom, case) }
    local here = {}
    for i, k in ipairs(run.kernels) do here[i] = k.seconds * 1e9 end
    local a = case.value(measured, case.clock or clock)
    local b = case.value(here, g.clock / 1e9)
    local error = b / a - 1
    count = count + 1
    if cards.limit > 0 and math.abs(error) > cards.limit then far = far + 1 end
    print(("%-44s %-11s %9.2f %9.2f %7.1f%%"):format(case.name, case.unit, a,
          b, 100 * error))
  end
end
assert(count > 0, "no micro-kernel has such a name")
if far > 0 then
  error(("%d of %d are off by more than %g"):format(far, count, cards.limit))
end
