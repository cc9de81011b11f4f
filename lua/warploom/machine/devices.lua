-- Several GPUs in one machine, all alike: device 0 is what the script
-- describes, the others are copies of it below it: peer[0] is device 1.
--
-- Each has its host component, with streams of its own.  A stream's number has
-- its device above 32 bits; below is 0 for that device's default stream.

local import = ...
local record = import "machine/record"
local session = import "script/session"
local tree = import "machine/tree"

local M = {}

function M.of(stream) return stream >> 32 end
function M.is_default(stream) return stream & 0xffffffff == 0 end

-- The machine with the others below it.
function M.add(machine)
  local copies = {}
  for i = 1, session.devices - 1 do copies[i] = record.copy(machine) end
  if #copies > 0 then
    record.apply(machine, { peer = tree.new_list(copies) },
                 record.data(machine).site)
  end
  return machine
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
