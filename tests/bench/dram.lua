-- One benchmark: a DRAM channel alone, with a queue that is always full.
local loom = require "warploom"

local pattern = loom.option { name = "pattern", default = "sequential",
                              choices = { "sequential", "random" },
                              doc = "Of the requests" }
local set = loom.option { name = "set", default = "gddr5",
                          doc = "Timing set of loom.memory" }
local count = 1000000

local d = loom.memory[set] { channels = 1, slices_per_channel = 1,
                             queue_entries = 32 }
local burst = d.bus_bytes * d.burst_length
d.map = loom.linear_map { burst_bytes = burst, banks = d.banks }
local m = loom.mem_source { clock = ("%dHz"):format(d.clock),
                            pattern = pattern, outstanding = 64,
                            count = count, burst_bytes = burst }
m.dram = d
loom.link(m, m.dram, { request = { latency = 1, capacity = 4 },
                       reply = { latency = 1, capacity = 8 } })
local run = loom.run { machine = m }
print(("bench dram_%s %d %d %.6f"):format(pattern, count, run.cycles,
                                          run.busy))
