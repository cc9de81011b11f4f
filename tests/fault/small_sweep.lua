-- The smallest sweep: one point, a source of requests and a DRAM channel.
local loom = require "warploom"

return loom.experiment {
  name = "small",
  doc = "A channel",
  axes = { count = { 20 } },
  base = function(p)
    local m = loom.mem_source { clock = "924MHz", outstanding = 1,
                                count = p.count }
    m.dram = loom.dram { channels = 1, slices_per_channel = 1,
                         map = loom.linear_map {} }
    loom.link(m, m.dram, { latency = 1 })
    return { machine = m }
  end,
  metrics = { reads = "mem_source.dram.reads" },
}
