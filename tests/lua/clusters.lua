-- SMs of a cluster share a port of the network (shape.cluster of a preset's
-- tables; DaCache's has two): what both bring passes it, one flit in a cycle.
local loom = require "warploom"

local function stream(sms)
  local run = loom.run { machine = loom.preset.dacache { sm_count = sms },
                         workload = loom.suite.vectoradd { n = 1 << 15 } }
  local noc, port = run.stats "gpu.noc", run.stats "gpu.cluster"
  assert(port.request_packets == noc.request_packets and
         port.reply_packets == noc.reply_packets, "packets are lost")
  local ports, most = 0, 0
  for _, flits in pairs(noc.reply_flits_out) do
    ports, most = ports + 1, math.max(most, flits)
  end
  assert(ports == (sms + 1) // 2, "ports of the network")
  assert(most <= noc.cycles, "more than a flit in a cycle")
  return noc.reply_flits / noc.cycles, most / noc.cycles
end

-- The last of three has a port of its own.
local alone, one, two, odd = stream(1), stream(2), stream(4), stream(3)
print(("flits in a cycle: 1 SM %.3f, 2 of a port %.3f, 4 of two %.3f, " ..
       "3 of two %.3f"):format(alone, one, two, odd))
assert(one <= 1 and two > 1.5 * one and odd > one)
