-- Atomics of all threads beside the card (micro.lua), with fewer iterations
-- than there; a first launch brings the words to the L2:
--   WARPLOOM_PATH=tests/silicon warploom --unsafe run -q
--     tests/silicon/atomics.lua --set card=h100_sxm --set only=same
local loom = require "warploom"
local cards = require "cards"
local micro = require "micro"

local rounds = loom.option { name = "rounds", default = 2, min = 1,
                             doc = "Iterations that are timed, of 4 atomics" }

local times = cards.durations "micro"
local count = 0
print(("%-36s %9s %9s %8s"):format("lanes per ns", cards.card, "here",
                                   "error"))
for _, case in ipairs(micro.list(loom, "^atomic ")) do
  local measured = times[case.name:gsub("%s", "_")]
  if measured and case.name:find(cards.only) then
    local run = loom.run { machine = cards.machine(), memory = "64GiB",
                           workload = loom.workload { name = case.name,
      run = function(dev) case.run(dev, { 1, 1, 1 + rounds }) end } }
    local k = run.kernels
    local here = 264 * 1024 * 4 * rounds /
                 ((k[3].seconds - k[2].seconds) * 1e9)
    local card = case.value(measured)
    count = count + 1
    print(("%-36s %9.2f %9.2f %7.1f%%"):format(case.name, card, here,
                                               100 * (here / card - 1)))
    io.stdout:flush()
  end
end
assert(count > 0, "no such atomics on this card")
