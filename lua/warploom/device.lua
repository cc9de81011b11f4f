-- The device as a host program sees it: modules, buffers, launches.
--
-- A workload's mistakes end the run at once, with the script's line: what
-- comes after a failed launch means nothing.

local import = ...
local core = import "core"
local session = import "session"
local suggest = import "suggest"
local files = import "files"
local texture = import "texture"
local types = import "types"
local unit = import "unit"

local M = {}

local methods, buffer_methods, module_meta = {}, {}, {}
local device_meta = { __index = methods, __name = "device" }
local buffer_meta = { __index = buffer_methods, __name = "buffer" }

local widths = { f32 = 4, f64 = 8, i32 = 4, u32 = 4, i64 = 8, u8 = 1 }
local element_names = { "f32", "f64", "i32", "i64", "u32", "u8" }

local function fail(fmt, ...)
  local site = session.site()
  session.stop("workload", ("%s:%d: %s"):format(site.file, site.line,
                                                fmt:format(...)))
end

local function try(value, text, kind)
  if value == nil then
    if kind == "input" or kind == "config" or kind == "workload" or
       kind == "memory" then
      fail("%s", text)
    end
    session.stop(kind or "workload", text)
  end
  return value
end

local function is_array(value)
  return type(value) == "userdata" and pcall(function() return #value end) and
         tostring(value):find("^[fiu]%d+%[") ~= nil
end
M.is_array = is_array

-- A device for one run.
function M.new(run)
  return setmetatable({ run = run, memory = run.memory, modules = {},
                        module_names = {}, launches = 0, verdicts = {},
                        functional = session.functional, seed = run.seed },
                      device_meta)
end

------------------------------------------------------------------------------
-- Arrays and buffers

function M.array(kind, content)
  if not widths[kind] then
    fail("there is no element type '%s'%s", tostring(kind),
         suggest.hint(kind, element_names))
  end
  return core.array(kind, content)
end

function methods.array(_, kind, content) return M.array(kind, content) end

-- dev:alloc(bytes | { type =, count = }, name)
function methods:alloc(what, name)
  local kind, count, bytes
  if type(what) == "table" then
    kind, count = what.type or "f32", math.tointeger(what.count)
    if not widths[kind] then
      fail("alloc: there is no element type '%s'%s", tostring(kind),
           suggest.hint(kind, element_names))
    end
    if not count or count < 1 then
      fail("alloc: 'count' is %s, expected a whole number of at least 1",
           unit.quote(what.count))
    end
    bytes, name = count * widths[kind], name or what.name
  else
    bytes = type(what) == "string" and unit.exact(what, "byte") or
            math.tointeger(what)
    if not bytes or bytes < 1 then
      fail("alloc: the size is %s, expected bytes or { type =, count = }",
           unit.quote(what))
    end
    kind, count = "u8", bytes
  end
  local address = try(self.memory:alloc(bytes, name or ""))
  return setmetatable({ device = self, address = address, bytes = bytes,
                        type = kind, count = count, name = name or "" },
                      buffer_meta)
end

function methods:free(buffer)
  try(self.memory:free(buffer.address))
  buffer.freed = true
end

-- dev:texture{ buffer =, width =, ... }: a view that kernels fetch from.
function methods:texture(spec)
  return texture.new(fail, function(value)
    return getmetatable(value) == buffer_meta
  end, function(fields) return try(self.memory:texture(fields)) end, spec)
end

-- dev:bind(name, texture): gives it to a module's .texref or .surfref.
function methods:bind(name, view)
  if not texture.is(view) then
    fail("bind: got %s, expected a texture", unit.quote(view))
  end
  return self:constant(name, string.pack("<I8", view.handle))
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

function buffer_methods:upload(data)
  if type(data) ~= "string" then data = as_array(self, data) end
  local bytes = type(data) == "string" and #data or data:bytes()
  if bytes > self.bytes then
    fail("upload: %d bytes into buffer '%s' of %d", bytes, self.name,
         self.bytes)
  end
  try(self.device.memory:write(self.address, data))
  return self
end

function buffer_methods:download()
  return try(self.device.memory:read(self.address,
                                     core.array(self.type, self.count)))
end

buffer_meta.__len = function(buffer) return buffer.count end
buffer_meta.__tostring = function(buffer)
  return ("buffer '%s' (%s[%d])"):format(buffer.name, buffer.type,
                                         buffer.count)
end

-- dev:upload(data, name): a new buffer with this content.
function methods:upload(data, name)
  if not is_array(data) then
    fail("upload: got %s, expected a typed array; see dev:array",
         unit.quote(data))
  end
  return self:alloc({ type = data:type(), count = #data }, name):upload(data)
end

function methods.download(_, buffer)
  if getmetatable(buffer) ~= buffer_meta then
    fail("download: got %s, expected a buffer", unit.quote(buffer))
  end
  return buffer:download()
end

------------------------------------------------------------------------------
-- Modules

local function front_end(path)
  local ending = path:match("%.(%w+)$")
  for _, name in ipairs(types.frontends) do
    if name == ending then return name end
  end
  return types.frontends[1] and (function()
    for _, name in ipairs(types.frontends) do
      if name == "ptx" then return name end
    end
    return types.frontends[1]
  end)() or "ptx"
end

-- dev:module(path or text): loads a program.  Its kernels are fields.
function methods:module(what)
  if type(what) ~= "string" then
    fail("module: got %s, expected a path or the program's text",
         unit.quote(what))
  end
  local text, path
  if what:find("\n", 1, true) then
    text, path = what, "(text)"
  else
    if self.modules[what] then return self.modules[what] end
    text, path = files.find(what, session.site().file)
    if not text then fail("module '%s' is not found; tried %s", what, path) end
    self.run.inputs[#self.run.inputs + 1] = { path = path, text = text }
  end
  local program = try(core.program(self.memory, front_end(path), path, text))
  self.run.programs[#self.run.programs + 1] = program
  local kernels, names = {}, {}
  for _, info in ipairs(program:kernels()) do
    kernels[info.name] = { info = info, program = program, path = path }
    names[#names + 1] = info.name
  end
  local module = setmetatable({ kernels = kernels, names = names,
                                program = program, path = path }, module_meta)
  self.modules[what] = module
  self.module_names[#self.module_names + 1] = what
  return module
end

function module_meta.__index(module, name)
  local kernel = rawget(module, "kernels")[name]
  if kernel then return kernel end
  fail("%s has no kernel '%s'%s", rawget(module, "path"), tostring(name),
       suggest.hint(name, rawget(module, "names")))
end
module_meta.__name = "module"

-- dev:constant(name, data): fills a module-scope variable.
function methods:constant(name, data)
  for _, key in ipairs(self.module_names) do
    local address, bytes = self.modules[key].program:symbol(name)
    if address then
      local buffer = setmetatable({ device = self, address = address,
                                    bytes = bytes, type = "f32",
                                    count = bytes // 4, name = name },
                                  buffer_meta)
      if data ~= nil then buffer:upload(data) end
      return buffer
    end
  end
  fail("no module has a variable '%s'", tostring(name))
end

------------------------------------------------------------------------------
-- Launches

local function find_kernel(self, kernel)
  if type(kernel) == "table" and kernel.info then return kernel end
  if type(kernel) ~= "string" then
    fail("launch: got %s, expected a kernel or its name", unit.quote(kernel))
  end
  local names = {}
  for _, key in ipairs(self.module_names) do
    local module = self.modules[key]
    if module.kernels[kernel] then return module.kernels[kernel] end
    table.move(module.names, 1, #module.names, #names + 1, names)
  end
  fail("launch: there is no kernel '%s'%s", kernel,
       #names > 0 and suggest.hint(kernel, names) or "; load a module first")
end

local limits = { grid = { 2147483647, 65535, 65535 },
                 block = { 1024, 1024, 64 } }

local function extent(what, value, kernel)
  local list = type(value) == "table" and value or { value }
  local out = {}
  for i = 1, 3 do
    local n = list[i] == nil and i > 1 and 1 or math.tointeger(list[i])
    if not n or n < 1 or n > limits[what][i] then
      fail("launch of '%s': '%s' is %s in dimension %d, expected 1..%d",
           kernel, what, unit.quote(list[i]), i, limits[what][i])
    end
    out[i] = n
  end
  return out
end

local integer_formats = { [1] = "<i1", [2] = "<i2", [4] = "<i4", [8] = "<i8" }
local unsigned_formats = { [1] = "<I1", [2] = "<I2", [4] = "<I4",
                           [8] = "<I8" }

local function pack_number(param, value, where)
  if param.real then
    if type(value) ~= "number" then
      fail("%s is %s, expected a number", where, unit.quote(value))
    end
    local format = param.bytes == 8 and "<d" or param.bytes == 4 and "<f"
    if not format then fail("%s has %d bytes", where, param.bytes) end
    return string.pack(format, value)
  end
  local n = math.tointeger(value)
  if type(value) ~= "number" or not n then
    fail("%s is %s, expected a whole number", where, unit.quote(value))
  end
  local bits = param.bytes * 8
  if bits < 64 and (n < -(1 << (bits - 1)) or n >= 1 << bits) then
    fail("%s is %d, which does not fit %d bits", where, n, bits)
  end
  local format = n < 0 and integer_formats or unsigned_formats
  if bits == 64 then format = integer_formats end
  if not format[param.bytes] then
    fail("%s has %d bytes", where, param.bytes)
  end
  return string.pack(format[param.bytes], n)
end

local function pack_one(kernel, param, i, value)
  local where = ("launch of '%s': argument %d ('%s')"):format(kernel, i,
                                                              param.name)
  if getmetatable(value) == buffer_meta then
    if param.bytes ~= 8 or param.real then
      fail("%s is %s, expected a %s of %d bytes", where, tostring(value),
           param.real and "number" or "whole number", param.bytes)
    end
    if value.freed then fail("%s was freed", where) end
    return string.pack("<I8", value.address)
  elseif texture.is(value) and param.bytes == 8 and not param.real then
    return string.pack("<I8", value.handle)
  elseif type(value) == "string" and #value == param.bytes then
    return value
  elseif param.pointer and value ~= 0 then
    fail("%s is %s, expected a buffer", where, unit.quote(value))
  end
  return pack_number(param, value, where)
end

-- The parameter block of a launch.
local function pack(info, args)
  local by_name = args[1] == nil and next(args) ~= nil
  local count = 0
  for _ in next, args do count = count + 1 end
  if count ~= #info.params then
    fail("launch of '%s': %d arguments, expected %d", info.name, count,
         #info.params)
  end
  local block, size = {}, 0
  for i, param in ipairs(info.params) do
    local value = args[i]
    if by_name then value = args[param.name] end
    if value == nil then
      fail("launch of '%s': argument %d ('%s') is missing", info.name, i,
           param.name)
    end
    block[#block + 1] = ("\0"):rep(param.offset - size)
    block[#block + 1] = pack_one(info.name, param, i, value)
    size = param.offset + param.bytes
  end
  block[#block + 1] = ("\0"):rep(info.param_bytes - size)
  return table.concat(block)
end

local launch_fields = { "grid", "block", "shared", "args", "registers",
                        "stream", "cooperative", "interleave" }

-- Warp instructions after which the next CTA has its turn; 0: none.
local function turns(value, kernel)
  if value == nil then return 0 end
  local n = math.tointeger(value)
  if not n or n < 1 or n > 1 << 30 then
    fail("launch of '%s': 'interleave' is %s, expected a number of warp " ..
         "instructions, 1..2^30", kernel, unit.quote(value))
  end
  return n
end

-- dev:launch(kernel, { grid =, block =, shared =, args = { .. } }): runs it
-- to its end.  Returns what is known of it.
function methods:launch(kernel, spec)
  local found = find_kernel(self, kernel)
  local info = found.info
  if type(spec) ~= "table" then
    fail("launch of '%s': got %s, expected { grid =, block =, args = .. }",
         info.name, unit.quote(spec))
  end
  for key in next, spec do
    local known = false
    for _, name in ipairs(launch_fields) do known = known or name == key end
    if not known then
      fail("launch of '%s': there is no field '%s'%s", info.name,
           tostring(key), suggest.hint(key, launch_fields))
    end
  end
  local grid = extent("grid", spec.grid, info.name)
  local block = extent("block", spec.block, info.name)
  local threads = block[1] * block[2] * block[3]
  if threads > 1024 then
    fail("launch of '%s': the block has %d threads, expected 1..1024",
         info.name, threads)
  end
  local made = try(found.program:launch {
    kernel = info.name, grid = grid, block = block,
    shared = spec.shared or 0, registers = spec.registers or 0,
    number = self.launches, params = pack(info, spec.args or {}),
    cooperative = spec.cooperative and 1 or 0,
    interleave = turns(spec.interleave, info.name),
    watch = self.run.watch, pool = self.run.spec.stream_pool,
    folder = os.getenv "TMPDIR",
    machine = self.run.description.host and self.run.machine,
    host = self.run.description.host, facts = self.run.facts })
  local launch = { kernel = made, name = info.name, grid = grid,
                   block = block, number = self.launches,
                   stream = spec.stream or 0 }
  self.launches = self.launches + 1
  return self.run:execute(launch)
end

-- What modules have to say about their launches, once each.
function methods:tell()
  for _, key in ipairs(self.module_names) do
    for _, note in ipairs(self.modules[key].program:notes()) do
      session.warn("launch", note.text, self.run.site)
    end
  end
end

------------------------------------------------------------------------------
-- Verdicts and snapshots

-- dev:check(condition, message): a wrong result ends the run.
function methods:check(condition, message)
  if self.run.cut then return end -- stopped early: results are incomplete
  if not condition then
    local site = session.site()
    session.stop("verify", ("%s:%d: %s"):format(site.file, site.line,
                 tostring(message or "a check failed")))
  end
end

-- dev:verified(how): what the summary says.
function methods:verified(how)
  if not self.run.cut then
    self.verdicts[#self.verdicts + 1] = how or "yes"
  end
end

function methods:snapshot(label)
  self.run:snapshot(tostring(label), "user")
end

return M
