-- One DRAM channel of a timing set under traffic that tries to break rules, and
-- the log of its commands.  Run by tests/validate/dram.sh.
--   warploom run -q tests/validate/dram_log.lua --set set=hbm2
local loom = require "warploom"
local channel = require "channel"

local function option(name, default, doc)
  return loom.option { name = name, default = default, doc = doc }
end
local set = option("set", "gtx480", "Timing set, or gtx480 for the defaults")
local variant = option("variant", "open", "What else is changed")
local pattern = option("pattern", "mixed", "Of the requests")
local arrival = option("arrival", "closed", "Of the requests")
local count = option("count", 2000, "Requests")
local seed = option("seed", 1, "Of the requests")
local channels = option("channels", 1, "Of the device, 1 or 2")
local out = option("out", "commands.csv", "Log")

local variants = {
  open = {},
  closed = { page = loom.closed_page {} },
  late = { page = loom.closed_page { idle = 60 },
           schedule = loom.frfcfs { row_hits = 4 } },
  bank = { refresh = "bank", queue_entries = 24 },
  drain = { queue_entries = 32, write_entries = 32,
            schedule = loom.frfcfs { write_high = 26, write_low = 6 } },
  capped = { queue_entries = 20, write_entries = 40, refresh = "bank",
             schedule = loom.frfcfs { write_high = 30, write_low = 3,
                                      row_hits = 2 },
             page = loom.closed_page { idle = 20 } },
  fcfs = { schedule = loom.fcfs {}, queue_entries = 8 },
  long = { queue_entries = 150, write_entries = 50, refresh_close = "all" },
  dramsim3 = { queue_entries = 32, write_entries = 32, post_writes = true,
               schedule = loom.dramsim3_queues {} },
  ramulator = { queue_entries = 32, write_entries = 32, refresh_close = "all",
                schedule = loom.ramulator_frfcfs {} },
  ramulator1 = { queue_entries = 32, write_entries = 32, refresh_close = "all",
                 schedule = loom.ramulator_frfcfs { version = 1 } },
}
-- Four activates take longer than four distances of two.
local windows = { gddr6_faw = { set = "gddr6", tfaw = 40 } }

-- One channel, and its source.
local function source(number)
  local changes, base = {}, windows[set] or { set = set }
  for name, value in pairs(variants[variant]) do changes[name] = value end
  changes.tfaw = base.tfaw
  local m = channel.machine(base.set, changes, {
    pattern = pattern, arrival = arrival, outstanding = 120, load = 0.1,
    count = count, seed = seed + number,
    write_every = pattern ~= "mixed" and 3 or 0, rows = 32, columns = 64,
  })
  m.dram:attach(loom.command_log {
    file = number == 0 and out or out .. "." .. number })
  return m
end

local m = source(0)
-- The other channel of the device, which shares nothing.
if channels == 2 then m.other = source(1) end
local d = m.dram
print(("shape %d %d %d %d"):format(d.bank_groups, d.banks // d.bank_groups,
                                   d.dual_bus and 2 or 1, d.pseudo_channels))
local run = loom.run { machine = m }
local function commands(path)
  return run.stats(path .. "/dram/policy/command_log").commands
end
print(("commands %d"):format(commands "mem_source"))
if channels == 2 then
  print(("commands0 %d"):format(commands "mem_source"))
  print(("commands1 %d"):format(commands "mem_source/other"))
end
