-- The smallest run that has a series: a source of requests and a DRAM channel.
local loom = require "warploom"

local m = loom.mem_source { clock = "924MHz", outstanding = 1, count = 20 }
m.dram = loom.dram { channels = 1, slices_per_channel = 1,
                     map = loom.linear_map {} }
loom.link(m, m.dram, { latency = 1 })
loom.run {
  machine = m,
  stats = { file = "r.h5",
            series = { bw = { every = "1us", select = "**.dram.bytes" } } },
}
