-- Several GPUs in one machine, all alike: device 0 is what the script
-- describes, the others are copies of it below it: peer[0] is device 1.
--
-- Each has its host component, with streams of its own.  A stream's number has
-- its device above 32 bits; below is 0 for that device's default stream.

local import = ...
local link = import "machine/link"
local record = import "machine/record"
local session = import "script/session"
local tree = import "machine/tree"
local types = import "machine/types"

local M = {}

function M.of(stream) return stream >> 32 end
function M.is_default(stream) return stream & 0xffffffff == 0 end

-- GB/s each way between two devices that presets are of.
local nvlink4, nvlink3 = 450, 300 -- whitepapers: 18 and 12 links of 25 GB/s
local pcie4, pcie3, pcie2 = 31.5, 15.75, 8 -- 16 lanes
-- h100_pcie: bridges of 600 GB/s both ways; v100: 6 links of 25; qv100 and
-- rtx3090: bridges of 200 and 112.5 both ways (data sheets).
local rates = {
  h200 = nvlink4, h100 = nvlink4, h100_sxm = nvlink4, h100_pcie = nvlink3,
  a100 = nvlink3, v100 = 150, qv100 = 100, rtx3090 = 56.25, rtx4090 = pcie4,
  gtx480 = pcie2, gtx480_v322 = pcie2 }
-- Nanoseconds of a way.  Of NVLink: Dutta and others, "Spy in the GPU-box",
-- ISCA 2023: a P100 has an L2 hit in another's memory some 360 cycles later
-- than in its own.  Of PCI Express: ours.
local nvlink_time, pcie_time = 120, 500

-- The network of a machine that leads to its L2 slices, or nil.
local function network_of(machine)
  local noc = record.data(machine).children.noc
  return noc and not record.is_list(noc) and
         record.data(noc).type.name == "crossbar" and noc
end

-- A network from each device to each, of flits of 32 bytes.
local function make_network(devices, hertz, site)
  local numbers = {}
  for i = 1, devices do numbers[i] = i - 1 end
  local map = record.construct(types.policies.linear_map)
  record.apply(map, { interleave = "1TiB" }, site)
  local between = record.construct(types.components.network)
  record.apply(between, {
    clock = ("%dHz"):format(hertz), topology = "point_to_point",
    columns = devices, flit_bytes = 32, buffer_flits = 64, credit_delay = 1,
    slices = numbers, map = map }, site)
  return between
end

-- What goes to another device's window of addresses leaves by the last links of
-- its own network.  There are as many as take the rate, each in a network.
local function join(machine, all)
  local site = record.data(machine).site
  local noc = network_of(machine)
  local rate = rates[record.data(machine).preset] or pcie3
  local hertz = record.clock(noc).value
  local flit = noc.request_flit_bytes ~= 0 and noc.request_flit_bytes or
               noc.flit_bytes
  local count = math.min(math.ceil(rate * 1e9 / (flit * hertz)), 64)
  local far = math.floor(rate * 1e9 / count / 32) -- hertz of a network
  local time = rate > pcie4 and nvlink_time or pcie_time
  local function wire(clock)
    local cycles = math.ceil(time * 1e-9 * clock)
    return { latency = cycles, credit = 1, capacity = cycles + 16 }
  end
  local networks = {}
  for i = 1, count do networks[i] = make_network(#all, far, site) end
  record.apply(machine, { between = tree.new_list(networks) }, site)
  for i, device in ipairs(all) do
    local own = network_of(device)
    record.apply(own, { devices = #all, device = i - 1, far_links = count },
                 site)
    for _, between in ipairs(networks) do
      link.link(own.down, between.up[i - 1],
                { request = wire(far), reply = wire(hertz) })
      link.link(between.down[i - 1], own.up)
    end
  end
end

-- The machine with the others below it.
function M.add(machine)
  if session.devices == 1 then return machine end
  local copies = {}
  for i = 1, session.devices - 1 do copies[i] = record.copy(machine) end
  record.apply(machine, { peer = tree.new_list(copies) },
               record.data(machine).site)
  if network_of(machine) then join(machine, { machine, table.unpack(copies) })
  end
  return machine
end

-- Is there a way from one to another?
function M.joined(description)
  for _, c in ipairs(description.components) do
    if c.path == record.path(description.root) .. ".between[0]" then
      return true
    end
  end
  return false
end

-- The components of a description that are a device's.
function M.parts(description, device)
  if session.devices == 1 then return description.components end
  local from, parts = #record.path(description.root) + 1, {}
  for _, c in ipairs(description.components) do
    local peer = tonumber(c.path:match("^%.peer%[(%d+)%]", from))
    if (peer or -1) + 1 == device then parts[#parts + 1] = c end
  end
  return parts
end

-- The paths of all hosts, by device.
function M.hosts(description)
  local hosts = {}
  for device = 0, session.devices - 1 do
    for _, c in ipairs(M.parts(description, device)) do
      if c.type == "host" then hosts[device] = c.path end
    end
  end
  return hosts
end

return M
