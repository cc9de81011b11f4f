-- One DRAM channel and a source of requests, with the conventions of the
-- experiments in docs/validation.md: neighbouring bank numbers in other
-- groups, latency from acceptance to the last data.
local loom = require "warploom"

local M = {}

-- `set`: a timing set of loom.memory, or gtx480: the defaults of loom.dram.
-- `changes`: other parameters of the channel.  `source`: of the requests.
function M.machine(set, changes, source)
  local d = set == "gtx480" and loom.dram { clock = "924MHz" } or
            loom.memory[set] {}
  d.channels, d.slices_per_channel = 1, 1
  d.group_bits, d.reply_lead, d.queue_entries = "low", 1, 64
  for name, value in pairs(changes or {}) do d[name] = value end
  local burst = d.bus_bytes * d.burst_length
  local columns = source.columns or 64
  d.map = loom.linear_map { burst_bytes = burst, columns = columns,
                            banks = d.banks }
  local m = loom.mem_source { clock = ("%dHz"):format(d.clock),
                              banks = d.banks, burst_bytes = burst }
  for name, value in pairs(source) do m[name] = value end
  m.dram = d
  loom.link(m.down, m.dram.up[0],
            { request = { latency = 1, capacity = 4 },
              reply = { latency = 1, capacity = 64 } })
  return m
end

return M
