-- What a CUDA program wants of its devices' memory: calls as those of cuda.lua.

local import = ...
local core = import "core"
local devices = import "machine/devices"
local errors = import "cuda/errors"
local queue = import "host/queue"
local record_file = import "recording/file"
local session = import "script/session"

local guarded = errors.guarded
local M = {}

-- All devices have one address space: `owner` has the device of what was
-- allocated at an address, `variables` of what a module has there, `used` the
-- bytes of each.
local function used(state, device) return state.used[device] or 0 end

local function device_of(state, base)
  return state.owner[base] or state.variables[base]
end

-- Memory of a device that is in the process, as what is adopted.
function M.take(state, bytes, device)
  local now = used(state, device) + bytes
  if now > state.run.spec.memory then return errors.memory end
  state.used[device] = now
  return 0
end

function M.give(state, bytes, device)
  state.used[device] = used(state, device) - bytes
  return 0
end

-- What is allocated next is that device's, where there are several.
function M.window(state, device)
  if state.run.hosts[1] then state.memory:window(device) end
end

-- `common` is 1 for what all devices see: managed memory.
function M.alloc(state, bytes, device, common)
  local run = state.run
  guarded(state, queue.join, run, device)
  local now = used(state, device) + bytes
  if now > run.spec.memory then return errors.memory end
  M.window(state, device)
  local address = state.memory:alloc(bytes, "")
  if not address then return errors.memory end
  record_file.event(run, "alloc", address, bytes, "")
  state.used[device], state.owner[address] = now, device
  state.common[address] = common == 1 or nil
  return 0, address
end

function M.free(state, address)
  local run = state.run
  local base, bytes = state.memory:find(address)
  local device = state.owner[address] -- not of variables
  if base ~= address or state.adopted[address] or not device then
    return errors.invalid_value
  end
  guarded(state, queue.join, run, device)
  local ok, text = state.memory:free(address)
  if not ok then return errors.invalid_value, text end
  record_file.event(run, "free", address, bytes, "")
  state.used[device], state.owner[address] = state.used[device] - bytes, nil
  state.common[address] = nil
  return 0
end

-- Memory of the process that kernels may use where it is; it is given back
-- before the process does anything else with it.
function M.adopt(state, address, bytes, device)
  local ok, text = state.memory:adopt(address, bytes)
  if not ok then return errors.memory, text end
  state.adopted[address], state.owner[address] = true, device
  return 0
end

function M.disown(state, address)
  guarded(state, queue.join, state.run)
  state.adopted[address] = nil
  local ok, text = state.memory:free(address)
  if not ok then return errors.invalid_value, text end
  return 0
end

-- Start and bytes of the allocation that holds an address, and its device.
function M.find(state, address)
  local base, bytes = state.memory:find(address)
  if not base then return errors.invalid_value end
  return 0, base, bytes, device_of(state, base) or 0
end

function M.free_memory(state, device)
  local total = state.run.spec.memory
  return 0, math.max(total - used(state, device), 0), total
end

-- From now on kernels of one device may reach what is another's.
function M.peers(state)
  if not state.peers and not state.run.functional and not session.quiet and
     not devices.joined(state.run.description) then
    io.stderr:write("warploom: what a kernel reaches of another device's " ..
      "memory takes the time that its own memory takes (docs/cuda.md)\n")
  end
  state.peers = true
  return 0
end

local function inside(state, address, bytes)
  local base, size = state.memory:find(address)
  return base and address - base + bytes <= size
end

local kinds = { [0] = "write", "read", "move", "fill" }

-- Is all that a copy touches of the device's memory its stream's own, so that
-- no kernel of another device sees it?
local function is_own(state, shape)
  local device, memory = devices.of(shape.stream), state.memory
  local function own(address)
    local base = memory:find(address)
    return device_of(state, base) == device and not state.common[base]
  end
  return not state.peers and not shape.silent and
         (shape.kind == "read" or own(shape.to)) and
         (shape.kind == "write" or shape.kind == "fill" or own(shape.from))
end

-- Rows of a copy, as parts that memory does one after the other.  What the
-- host wrote is taken as it is now if the copy must wait for a kernel.
local function parts_of(state, shape)
  local parts, run = {}, state.run
  local later = shape.kind == "write" and
                (shape.silent or not queue.waits(run, shape.stream)) and
                queue.last_of(run, shape)
  for z = 0, shape.depth - 1 do
    for y = 0, shape.height - 1 do
      local to = shape.to + y * shape.to_pitch + z * shape.to_slice
      local from = shape.from + y * shape.from_pitch + z * shape.from_slice
      local part = { kind = shape.kind, bytes = shape.width, address = to,
                     value = shape.from & 0xffffffff, unit = shape.unit }
      if shape.kind == "write" then
        if later then
          part.data = core.bytes(from, shape.width)
        else
          part.pointer = from
        end
      elseif shape.kind == "read" then
        part.address, part.pointer = from, to
      elseif shape.kind == "move" then
        part.from = from
      end
      local device = part.address
      if not inside(state, device, shape.width) or
         part.from and not inside(state, part.from, shape.width) then
        return nil
      end
      parts[#parts + 1] = part
    end
  end
  return parts
end

-- Is what is copied from one device to another?
local function between(state, from, to)
  local memory = state.memory
  return device_of(state, (memory:find(from))) ~=
         device_of(state, (memory:find(to)))
end

-- A copy of width x height x depth bytes, rows and planes; kind 0: to the
-- device, 1: from it, 2: within it, 3: a fill with the first `from_pitch` bytes
-- of `from`.
local function copy(state, silent, kind, to, from, width, height, depth,
                    to_pitch, from_pitch, to_slice, from_slice, stream)
  local shape = { kind = kinds[kind], silent = silent, to = to, from = from,
                  width = width, height = height, depth = depth,
                  to_pitch = to_pitch, from_pitch = from_pitch,
                  to_slice = to_slice, from_slice = from_slice,
                  stream = stream }
  if kind == 3 then
    shape.unit, shape.from_pitch, shape.from_slice = from_pitch, 0, 0
  end
  shape.own = is_own(state, shape)
  local parts = parts_of(state, shape)
  if not parts then return errors.invalid_value end
  if silent then
    queue.transfer(state.run, { parts = parts, stream = stream })
    return 0
  end
  local first = parts[1]
  guarded(state, queue.copy, state.run, {
    kind = shape.kind, address = first.address, from = first.from,
    bytes = width * height * depth, value = first.value, name = "",
    stream = stream, parts = parts, own = shape.own,
    between = kind == 2 and between(state, from, to) })
  return 0
end

function M.copy(state, ...) return copy(state, false, ...) end

-- The same, but the machine does not see it.
function M.peek(state, ...) return copy(state, true, ...) end

return M
