-- Networks with a node of traffic at every site, and what they measure.
local loom = require "warploom"

local M = {}

-- Sites of a network described by `net`, a table of loom.network's fields.
function M.sites(net)
  local c = net.concentration or 1
  if net.topology == "crossbar" then return net.radix end
  if net.topology == "butterfly" then
    local n = 1
    for _ = 1, net.stages do n = n * net.radix end
    return n
  end
  return net.columns * (net.topology == "ring" and 1 or net.rows or 1) * c
end

-- One run of a seed.  `load` are fields of loom.traffic; `only`, a node, is the
-- only one that sends.  Flits have 8 bytes, so a packet of L flits has 8 L - 8
-- of data.
function M.run(net, load, only, seed)
  local n = M.sites(net)
  local fields = {}
  for key, value in pairs(net) do fields[key] = value end
  local make = net.part and loom[net.part] or loom.network
  fields.part = nil
  if net.part == "crossbar" then
    fields.radix, fields.topology, fields.slices_per_channel = nil, nil, 1
  end
  fields.clock = "1GHz"
  fields.flit_bytes = 8
  fields.map = loom.linear_map { interleave = 256 }
  local one = { nodes = n, flit_bytes = 8, interleave = 256 }
  for key, value in pairs(load) do one[key] = value end
  local flits = one.flits
  one.flits, one.size_bytes = nil, 8 * flits - 8
  fields.node = loom.list(n, loom.traffic(one))
  local machine = make(fields)
  for i = 0, n - 1 do
    local node = machine.node[i]
    node.node = i
    if only and i ~= only then node.rate = 0 end
    local wire = { request = { capacity = 16 }, reply = { capacity = 16 } }
    loom.link(node.out, machine.up, wire)
    loom.link(machine.down, node["in"], wire)
  end
  local run = loom.run { machine = machine, seed = seed }
  local path = net.part or "network"
  local nodes, noc = run.stats(path .. "/node"), run.stats(path)
  local latency = nodes.latency
  return {
    nodes = n, cycles = run.cycles,
    sent = nodes.packets_sent, received = nodes.packets_received,
    overtaken = nodes.overtaken, strangers = nodes.strangers,
    accepted = nodes.bytes_accepted / 8 / n / (load.measure or 10000),
    latency = latency.count > 0 and latency.sum / latency.count or 0,
    min = latency.min, max = latency.max,
    hops = net.part and 1 or
           noc.request_hops / math.max(noc.request_packets, 1),
  }
end

------------------------------------------------------------------------------
-- What the topology says, worked out again from its definition

local function apart(a, b, size, wraps)
  local d = math.abs(a - b)
  return wraps and math.min(d, size - d) or d
end

-- Routers that a packet from site a to site b passes.
function M.routers(net, a, b)
  if net.topology == "crossbar" then return 1 end
  if net.topology == "butterfly" then return net.stages end
  local c = net.concentration or 1
  local from, to = a // c, b // c
  if net.topology == "point_to_point" then return from == to and 1 or 2 end
  local wraps = net.topology ~= "mesh"
  local columns = net.columns
  local rows = net.topology == "ring" and 1 or net.rows or 1
  return 1 + apart(from % columns, to % columns, columns, wraps) +
         apart(from // columns, to // columns, rows, wraps)
end

-- Cycles from a head's arrival at a router to the link behind it. With
-- internal_speedup s a cycle has s rounds: a stage of one cycle takes one, and
-- one of more cycles ends after the first round of its last cycle.
function M.router_cycles(net)
  local s = net.internal_speedup or 1
  local routing, switch = net.routing_delay or 1, net.switch_delay or 2
  local round = routing <= 1 and routing or s * (routing - 1) + 1
  round = round + (net.speculative and 0 or 1) -- of the switch's grant
  return math.max((round + 1) // s + switch - 1, round // s + 1)
end

-- Cycles of a packet alone in the network, from its making to its last flit,
-- with links of one cycle at both ends:
-- T0 = H (routing + VC + switch) + (H - 1) link + 3 + (L - 1).
function M.zero_load(net, hops, flits)
  return hops * M.router_cycles(net) + (hops - 1) * (net.link_latency or 1) +
         3 + flits - 1
end

-- loom.crossbar as BookSim's switch with one virtual channel of `buffer` flits
-- and stages of a cycle: allocation of the channel, of the switch, traversal.
-- A place at an input takes the next flit 4 cycles after the switch granted
-- the last one there and not the next cycle, one at an output 3 later.
function M.one_switch(radix, speedup, buffer)
  local latency = 2 + 2 // speedup
  return { part = "crossbar", topology = "crossbar", radix = radix,
           latency = latency, packet_gap = 1, internal_speedup = speedup,
           input_buffer_flits = buffer - 3,
           output_buffer_flits = speedup == 1 and 16 or buffer - 3 - latency }
end

return M
