-- DRAM channels of all shapes under more requests than they hold: every run
-- comes to its end, and what went in came out.
--   warploom run -q tests/validate/dram_shapes.lua
local loom = require "warploom"
local channel = require "channel"

local schedules = {
  dramsim3 = loom.dramsim3_queues {},
  deep_queues = loom.dramsim3_queues { depth = 64 },
  ramulator = loom.ramulator_frfcfs {},
  ramulator1 = loom.ramulator_frfcfs { version = 1 },
  frfcfs = loom.frfcfs {}, capped = loom.frfcfs { row_hits = 3 },
  fcfs = loom.fcfs {},
}
-- Banks, and what goes with them.
local shapes = {
  { banks = 16, queue_entries = 100, write_entries = 100,
    refresh_close = "all" },
  { banks = 32, queue_entries = 500, write_entries = 500, refresh = "bank",
    page = loom.closed_page { idle = 30 } },
  { banks = 64, queue_entries = 100, write_entries = 100 },
}
local patterns = { "random", "random_blocks", "mixed", "row_conflict" }

local runs, failed = 0, 0
local function try(shape, pattern, delay, name, set)
  local changes = { schedule = schedules[name], delay = delay, trefi = 8000,
                    post_writes = name == "dramsim3" or delay ~= 0 }
  for key, value in pairs(shape) do changes[key] = value end
  local m = channel.machine(set, changes, {
    pattern = pattern, arrival = "closed", outstanding = 1000, count = 1500,
    rows = 16, columns = 64, write_every = pattern ~= "mixed" and 3 or 0,
  })
  runs = runs + 1
  if not pcall(loom.run, { machine = m }) then
    failed = failed + 1
    print(("%d banks, %s, delay %d, %s, %s"):format(shape.banks, pattern,
                                                    delay, name, set))
  end
end

for _, shape in ipairs(shapes) do
  for _, pattern in ipairs(patterns) do
    for _, delay in ipairs { 0, 20 } do
      for name in pairs(schedules) do
        try(shape, pattern, delay, name, "gddr6")
        try(shape, pattern, delay, name, "hbm2_pseudo")
      end
    end
  end
end
print(("%d runs, %d failed"):format(runs, failed))
assert(failed == 0)
