-- Typed arrays and buffers of device memory, and the copies between them.

local import = ...
local core = import "core"
local queue = import "host/queue"
local stream = import "host/stream"
local suggest = import "base/suggest"
local unit = import "base/unit"

local M = {}

local methods = {}
local meta = { __index = methods, __name = "buffer" }
M.meta = meta

local widths = { f32 = 4, f64 = 8, i32 = 4, u32 = 4, i64 = 8, u8 = 1 }
local element_names = { "f32", "f64", "i32", "i64", "u32", "u8" }

-- Set by the device: ends the run with the script's line.
local fail

function M.reports(how) fail = how end

local function is_array(value)
  return type(value) == "userdata" and pcall(function() return #value end) and
         tostring(value):find("^[fiu]%d+%[") ~= nil
end
M.is_array = is_array

function M.array(kind, content)
  if not widths[kind] then
    fail("there is no element type '%s'%s", tostring(kind),
         suggest.hint(kind, element_names))
  end
  return core.array(kind, content)
end

-- A size from bytes, "64KiB" or { type =, count = }: bytes, type, count.
function M.size(what)
  if type(what) == "table" then
    local kind, count = what.type or "f32", math.tointeger(what.count)
    if not widths[kind] then
      fail("alloc: there is no element type '%s'%s", tostring(kind),
           suggest.hint(kind, element_names))
    end
    if not count or count < 1 then
      fail("alloc: 'count' is %s, expected a whole number of at least 1",
           unit.quote(what.count))
    end
    return count * widths[kind], kind, count
  end
  local bytes = type(what) == "string" and unit.exact(what, "byte") or
                math.tointeger(what)
  if not bytes or bytes < 1 then
    fail("alloc: the size is %s, expected bytes or { type =, count = }",
         unit.quote(what))
  end
  return bytes, "u8", bytes
end

function M.new(fields)
  return setmetatable(fields, meta)
end

function M.is(value) return getmetatable(value) == meta end

meta.__len = function(buffer) return buffer.count end
meta.__tostring = function(buffer)
  return ("buffer '%s' (%s[%d])"):format(buffer.name, buffer.type,
                                         buffer.count)
end

------------------------------------------------------------------------------
-- Copies

-- The options of a copy, all of them optional.
local function options_of(buffer, what, options, known)
  options = options or {}
  if type(options) ~= "table" then
    fail("%s: got %s, expected options such as { stream = s }", what,
         unit.quote(options))
  end
  for key in next, options do
    local good = key == "stream" or key == "offset"
    for _, name in ipairs(known) do good = good or name == key end
    if not good then
      fail("%s: there is no option '%s'%s", what, tostring(key),
           suggest.hint(key, table.move(known, 1, #known, 3,
                                        { "stream", "offset" })))
    end
  end
  if buffer.freed then fail("%s: buffer '%s' was freed", what, buffer.name) end
  return options, stream.number(buffer.device, options.stream, fail, what)
end

-- A number of bytes from the options.
local function bytes_of(what, options, key, default)
  local value = options[key]
  if value == nil then return default end
  local n = type(value) == "string" and unit.exact(value, "byte") or
            math.tointeger(value)
  if not n or n < 0 then
    fail("%s: '%s' is %s, expected bytes", what, key, unit.quote(value))
  end
  return n
end

local function inside(what, buffer, offset, bytes)
  if offset + bytes > buffer.bytes then
    fail("%s: %d bytes %s buffer '%s' of %d%s", what, bytes,
         what == "download" and "from" or "into", buffer.name, buffer.bytes,
         offset > 0 and (", at offset %d"):format(offset) or "")
  end
end

-- Anything that can be uploaded as an array of the buffer's type.
local function as_array(buffer, data)
  if is_array(data) then return data end
  if type(data) == "function" then
    return core.array(buffer.type, buffer.count):map(function(_, i)
      return data(i)
    end)
  elseif type(data) == "table" then
    return core.array(buffer.type, data)
  end
  fail("upload: got %s, expected an array, a table, a string or a function",
       unit.quote(data))
end

-- What the host's processor does: the bytes of a copy whose memory on the
-- host is not pinned go through a pinned buffer of the driver's.
function M.gather(run, bytes, number)
  return queue.copy(run, { kind = "gather", address = 0, bytes = bytes,
                           stream = number, silent = true })
end

local function stage(buffer, what, given, bytes, number)
  if given.pinned == nil or given.pinned == true then return end
  if given.pinned ~= false then
    fail("%s: 'pinned' is %s, expected true or false", what,
         unit.quote(given.pinned))
  end
  M.gather(buffer.device.run, bytes, number)
end

-- buffer:upload(data, { stream =, offset = bytes, pinned = }).  In a stream it
-- returns the copy, else the buffer.
function methods:upload(data, options)
  local given, number = options_of(self, "upload", options, { "pinned" })
  local mine = is_array(data)
  if type(data) ~= "string" then data = as_array(self, data) end
  local bytes = type(data) == "string" and #data or data:bytes()
  local offset = bytes_of("upload", given, "offset", 0)
  inside("upload", self, offset, bytes)
  -- The content counts as it is now, whenever the copy takes place.
  if number ~= 0 and mine then data = data:copy() end
  stage(self, "upload", given, bytes, number)
  local copy = queue.copy(self.device.run, {
    kind = "write", address = self.address + offset, bytes = bytes,
    data = data, name = self.name, stream = number })
  return number == 0 and self or copy
end

-- buffer:download({ stream =, offset = bytes, count = elements, pinned = }): an
-- array; in a stream the copy, whose `array` is known when it is complete.
function methods:download(options)
  local given, number = options_of(self, "download", options,
                                   { "count", "pinned" })
  local offset = bytes_of("download", given, "offset", 0)
  local width = self.bytes // math.max(self.count, 1)
  local count = given.count
  if count == nil then
    count = math.max(self.bytes - offset, 0) // width
  elseif not math.tointeger(count) or count < 0 then
    fail("download: 'count' is %s, expected a number of elements",
         unit.quote(count))
  end
  inside("download", self, offset, count * width)
  local copy = queue.copy(self.device.run, {
    kind = "read", address = self.address + offset, bytes = count * width,
    data = core.array(self.type, count), name = self.name, stream = number })
  stage(self, "download", given, count * width, number)
  return number == 0 and copy.array or copy
end

-- buffer:fill(byte, { stream =, offset =, bytes = })
function methods:fill(value, options)
  local given, number = options_of(self, "fill", options, { "bytes" })
  local byte = math.tointeger(value)
  if not byte or byte < 0 or byte > 255 then
    fail("fill: the value is %s, expected a byte, 0..255", unit.quote(value))
  end
  local offset = bytes_of("fill", given, "offset", 0)
  local bytes = bytes_of("fill", given, "bytes",
                         math.max(self.bytes - offset, 0))
  inside("fill", self, offset, bytes)
  local copy = queue.copy(self.device.run, {
    kind = "fill", address = self.address + offset, bytes = bytes,
    value = byte, name = self.name, stream = number })
  return number == 0 and self or copy
end

-- buffer:copy(from, { stream =, offset =, from_offset =, bytes = })
function methods:copy(from, options)
  local given, number = options_of(self, "copy", options,
                                   { "bytes", "from_offset" })
  if not M.is(from) or from.device ~= self.device then
    fail("copy: got %s, expected a buffer of this run", unit.quote(from))
  elseif from.freed then
    fail("copy: buffer '%s' was freed", from.name)
  end
  local offset = bytes_of("copy", given, "offset", 0)
  local start = bytes_of("copy", given, "from_offset", 0)
  local bytes = bytes_of("copy", given, "bytes",
                         math.max(from.bytes - start, 0))
  inside("copy", self, offset, bytes)
  if start + bytes > from.bytes then
    fail("copy: %d bytes at %d of buffer '%s', which has %d", bytes, start,
         from.name, from.bytes)
  end
  local copy = queue.copy(self.device.run, {
    kind = "move", address = self.address + offset, bytes = bytes,
    from = from.address + start, name = self.name, stream = number })
  return number == 0 and self or copy
end

return M
