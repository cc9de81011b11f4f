-- Stores of parts of sectors and lines (patterns.lua), of fewer rounds than on
-- the card, which changes nothing of their rate:
--   WARPLOOM_PATH=tests/silicon warploom --unsafe run -q
--     tests/silicon/stores.lua --set only='8 bytes lane 4096'
local loom = require "warploom"
local cards = require "cards"
local micro = require "micro"

local rounds = loom.option { name = "rounds", default = 4, min = 2,
                             doc = "Rounds that are timed" }

local times = cards.durations "micro"
local count = 0
print(("%-44s %9s %9s %8s"):format("lanes per ns", cards.card, "here",
                                   "error"))
for _, case in ipairs(micro.list(loom, "^store ")) do
  local measured = times[case.name:gsub("%s", "_")]
  if measured and case.name:find(cards.only) then
    local run = loom.run { machine = cards.machine(), memory = "64GiB",
                           workload = loom.workload { name = case.name,
      run = function(dev) case.run(dev, { 2, 2, 2 + rounds }) end } }
    local k = run.kernels
    local here = 264 * 1024 * rounds /
                 ((k[3].seconds - k[2].seconds) * 1e9)
    local card = case.value(measured)
    count = count + 1
    print(("%-44s %9.1f %9.1f %7.1f%%"):format(case.name, card, here,
                                               100 * (here / card - 1)))
  end
end
assert(count > 0, "no such stores on this card")
