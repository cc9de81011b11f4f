-- The device as a host program sees it: modules, buffers, launches.
--
-- A workload's mistakes end the run at once, with the script's line: what
-- comes after a failed launch means nothing.

local import = ...
local card = import "recording/card"
local core = import "core"
local session = import "script/session"
local suggest = import "base/suggest"
local files = import "script/files"
local buffer_module = import "host/buffer"
local queue = import "host/queue"
local result = import "run/result"
local record_file = import "recording/file"
local stream = import "host/stream"
local texture = import "host/texture"
local types = import "machine/types"
local unit = import "base/unit"

local M = {}

local methods, module_meta = {}, {}
local device_meta = { __index = methods, __name = "device" }

local function fail(fmt, ...)
  local site = session.site()
  session.stop("workload", ("%s:%d: %s"):format(site.file, site.line,
                                                fmt:format(...)))
end
buffer_module.reports(fail)

local function try(value, text, kind)
  if value == nil then
    if kind == "input" or kind == "config" or kind == "workload" then
      fail("%s", text)
    elseif kind == "memory" then
      local site = session.site()
      session.stop_as(kind, ("%s:%d: %s"):format(site.file, site.line, text))
    end
    session.stop(kind or "workload", text)
  end
  return value
end

local is_array = buffer_module.is_array
M.array = buffer_module.array

-- Marks of the statistics, for scripts: what is behind them is not theirs.
local marks = setmetatable({}, { __mode = "k" })
local mark_meta = { __name = "mark" }

-- Of a run that goes on from a checkpoint: the machine is not yet what it was.
local function repeated(run, what)
  if run.replay then
    fail("%s of the time before a checkpoint are not known to a run that " ..
         "goes on from it", what)
  end
end

-- dev.stats(path), dev.stats(path, mark): what was counted until now, or since
-- then.
local function stats_of(run)
  return function(path, since)
    repeated(run, "statistics")
    if since ~= nil and marks[since] == nil then
      fail("stats: got %s, expected a mark: dev:mark()", unit.quote(since))
    elseif since ~= nil and marks[since].run ~= run then
      fail("stats: the mark belongs to another run")
    end
    if not since or not run.catalog then return run.stats(path) end
    return result.stats(run.catalog, marks[since].catalog)(path)
  end
end

-- A device for one run.
function M.new(run)
  return setmetatable({ run = run, stats = stats_of(run), memory = run.memory,
                        modules = {}, module_names = {}, launches = 0,
                        verdicts = {}, functional = run.functional,
                        seed = run.seed }, device_meta)
end

------------------------------------------------------------------------------
-- Arrays and buffers

function methods.array(_, kind, content) return M.array(kind, content) end

-- dev:alloc(bytes | { type =, count = }, name)
function methods:alloc(what, name)
  local bytes, kind, count = buffer_module.size(what)
  if type(what) == "table" then name = name or what.name end
  queue.join(self.run)
  local address = try(self.memory:alloc(bytes, name or ""))
  record_file.event(self.run, "alloc", address, bytes, name or "")
  return buffer_module.new { device = self, address = address, bytes = bytes,
                             type = kind, count = count, name = name or "" }
end

function methods:free(buffer)
  if not buffer_module.is(buffer) then
    fail("free: got %s, expected a buffer", unit.quote(buffer))
  end
  queue.join(self.run)
  try(self.memory:free(buffer.address))
  record_file.event(self.run, "free", buffer.address, buffer.bytes,
                    buffer.name)
  buffer.freed = true
end

-- dev:texture{ buffer =, width =, ... }: a view that kernels fetch from.
function methods:texture(spec)
  return texture.new(fail, function(value)
    return buffer_module.is(value)
  end, function(fields) return try(self.memory:texture(fields)) end, spec)
end

-- dev:bind(name, texture): gives it to a module's .texref or .surfref.
function methods:bind(name, view)
  if not texture.is(view) then
    fail("bind: got %s, expected a texture", unit.quote(view))
  end
  return self:constant(name, string.pack("<I8", view.handle))
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
  if not buffer_module.is(buffer) then
    fail("download: got %s, expected a buffer", unit.quote(buffer))
  end
  return buffer:download()
end

-- dev:file(path): its bytes, to be uploaded or made an array of.
function methods:file(path)
  if type(path) ~= "string" then
    fail("file: got %s, expected a path", unit.quote(path))
  end
  local text, found = files.find(path, session.site().file)
  if not text then fail("file '%s' is not found; tried %s", path, found) end
  self.run.inputs[#self.run.inputs + 1] = { path = found, text = text }
  return text
end

------------------------------------------------------------------------------
-- Streams

function methods:stream() return stream.new(self, fail) end

-- dev:gather(bytes, { stream = }): the host's processor collects so many bytes
-- in a pinned buffer, or spreads them out of one.
function methods:gather(bytes, options)
  local count = type(bytes) == "string" and unit.exact(bytes, "byte") or
                math.tointeger(bytes)
  if not count or count < 0 then
    fail("gather: got %s, expected bytes", unit.quote(bytes))
  end
  local given = options or {}
  for key in next, given do
    if key ~= "stream" then
      fail("gather: there is no option '%s'%s", tostring(key),
           suggest.hint(key, { "stream" }))
    end
  end
  local number = stream.number(self, given.stream, fail, "gather")
  return buffer_module.gather(self.run, count, number)
end

-- Waits until everything is done.
function methods:sync() queue.sync(self.run) end

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
  queue.join(self.run)
  local program = try(core.program(self.memory, front_end(path), path, text,
    (self.run.facts or {}).scheduled))
  self.run.programs[#self.run.programs + 1] = program
  card.module(self.run, path, text)
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
      card.symbol(self.run, name, address, bytes)
      local buffer = buffer_module.new {
        device = self, address = address, bytes = bytes, type = "f32",
        count = bytes // 4, name = name }
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
                 block = { 1024, 1024, 64 },
                 cluster = { 16, 16, 16 } }

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
  if buffer_module.is(value) then
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

-- The parameter block of a launch, the names of buffers in it and where their
-- addresses are.
local function pack(info, args)
  local by_name = args[1] == nil and next(args) ~= nil
  local count = 0
  for _ in next, args do count = count + 1 end
  if count ~= #info.params then
    fail("launch of '%s': %d arguments, expected %d", info.name, count,
         #info.params)
  end
  local block, size, buffers, pointers = {}, 0, {}, {}
  for i, param in ipairs(info.params) do
    local value = args[i]
    if by_name then value = args[param.name] end
    if value == nil then
      fail("launch of '%s': argument %d ('%s') is missing", info.name, i,
           param.name)
    end
    buffers[i] = buffer_module.is(value) and value.name or false
    if buffers[i] then pointers[#pointers + 1] = param.offset end
    block[#block + 1] = ("\0"):rep(param.offset - size)
    block[#block + 1] = pack_one(info.name, param, i, value)
    size = param.offset + param.bytes
  end
  block[#block + 1] = ("\0"):rep(info.param_bytes - size)
  return table.concat(block), buffers, pointers
end

local launch_fields = { "grid", "block", "cluster", "shared", "args",
                        "registers", "stream", "cooperative", "interleave",
                        "budget", "programmatic" }

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

-- Warp instructions after which the kernel counts as endless; 0: the front
-- end's default.
local function budget(value, run, kernel)
  if value == nil then return run.spec.budget or session.budget or 0 end
  local n = math.tointeger(value)
  if not n or n < 1 then
    fail("launch of '%s': 'budget' is %s, expected a whole number of warp " ..
         "instructions, at least 1", kernel, unit.quote(value))
  end
  return n
end

local function check_fields(spec, known, kernel)
  if type(spec) ~= "table" then
    fail("launch of '%s': got %s, expected { grid =, block =, args = .. }",
         kernel, unit.quote(spec))
  end
  for key in next, spec do
    local found = false
    for _, name in ipairs(known) do found = found or name == key end
    if not found then
      fail("launch of '%s': there is no field '%s'%s", kernel, tostring(key),
           suggest.hint(key, known))
    end
  end
end

-- What launches and questions about them have in common.
local function described(self, info, spec)
  local grid = extent("grid", spec.grid, info.name)
  local block = extent("block", spec.block, info.name)
  local threads = block[1] * block[2] * block[3]
  if threads > 1024 then
    fail("launch of '%s': the block has %d threads, expected 1..1024",
         info.name, threads)
  end
  local cluster = spec.cluster and extent("cluster", spec.cluster, info.name)
  return { kernel = info.name, name = info.name, grid = grid, block = block,
           cluster = cluster,
           shared = spec.shared or 0, registers = spec.registers or 0,
           number = self.launches, params = "",
           machine = self.run.description.host and self.run.machine,
           host = self.run.description.host, facts = self.run.facts }
end

-- What all launches are told of the run; whether this one is timed.
local function settings(run, asked)
  asked.turn = session.interleave
  asked.watch, asked.pool = run.watch, run.spec.stream_pool
  asked.folder = os.getenv "TMPDIR"
  local in_time = queue.in_time(run, asked)
  asked.timed = in_time and 1 or 0
  return in_time
end

-- A launch by a kernel of the program (host/children.lua).
local function child(self, program, item, stream_number)
  local info
  for _, key in ipairs(self.module_names) do
    local module = self.modules[key]
    info = module.program == program and module.kernels[item.name].info or info
  end
  local asked = described(self, info, item)
  asked.params, asked.cooperative, asked.interleave = item.params, 0, 0
  asked.budget = budget(nil, self.run, info.name)
  local in_time = settings(self.run, asked)
  local launch = { kernel = try(program:launch(asked)), name = info.name,
                   grid = asked.grid, block = asked.block, buffers = {},
                   number = self.launches, stream = stream_number,
                   in_time = in_time }
  launch.child = function(...) return child(self, program, ...) end
  self.launches = self.launches + 1
  return launch
end

-- dev:launch(kernel, { grid =, block =, shared =, args = { .. } }): runs it
-- to its end; in a stream, returns at once.  What is known of it is returned.
function methods:launch(kernel, spec)
  local found = find_kernel(self, kernel)
  local info = found.info
  check_fields(spec, launch_fields, info.name)
  local number = stream.number(self, spec.stream, fail,
                               ("launch of '%s'"):format(info.name))
  local asked = described(self, info, spec)
  local buffers, pointers
  asked.params, buffers, pointers = pack(info, spec.args or {})
  asked.cooperative = spec.cooperative and 1 or 0
  asked.interleave = turns(spec.interleave, info.name)
  asked.budget = budget(spec.budget, self.run, info.name)
  local in_time = settings(self.run, asked)
  local launch = { kernel = try(found.program:launch(asked)),
                   name = info.name, grid = asked.grid, block = asked.block,
                   number = self.launches, stream = number,
                   buffers = buffers, in_time = in_time,
                   begins = spec.programmatic and "early" or nil,
                   registers_from = asked.registers ~= 0 and "launch" or nil,
                   child = function(...)
                     return child(self, found.program, ...)
                   end }
  self.launches = self.launches + 1
  card.launch(self.run, asked, pointers, number)
  return queue.launch(self.run, launch)
end

-- dev:rewritten(kernel, { grid =, block =, shared = }): the program's text as
-- the run's transforms leave it for such a launch.
function methods:rewritten(kernel, spec)
  local found = find_kernel(self, kernel)
  check_fields(spec, { "grid", "block", "shared" }, found.info.name)
  local asked = described(self, found.info, spec)
  asked.params = ("\0"):rep(found.info.param_bytes)
  return try(found.program:rewritten(asked))
end

-- The races that were found; the exit status says that there are some.
function methods:tell_races()
  if self.run.watch & 2 == 0 then return end
  local races, beyond, forgotten = self.run.memory:races()
  for _, race in ipairs(races) do
    io.stderr:write(("race, %d times, first %s\n"):format(race.count,
                    race.text or "(no memory for its text)"))
  end
  local tail = beyond > 0 and (", and %d of other pairs"):format(beyond) or ""
  if forgotten > 0 then
    tail = tail .. ("; %d words were forgotten, with their races"):format(
                   forgotten)
  end
  if not session.quiet or #races > 0 then
    io.stderr:write(("races: %d pairs of instructions%s\n"):format(#races,
                                                                   tail))
  end
  session.races_found = session.races_found + #races
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
-- Verdicts, snapshots and what is asked in between

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
    record_file.event(self.run, "verified", 0, 0, how or "yes")
    self.verdicts[#self.verdicts + 1] = how or "yes"
  end
end

-- What the statistics are now, so that dev.stats() can tell what happens next.
function methods:mark()
  repeated(self.run, "marks")
  local mark = setmetatable({}, mark_meta)
  marks[mark] = { run = self.run, catalog = self.run.catalog and
                  self.run.catalog:mark() }
  return mark
end

-- dev:every("10us", function(now) .. end): from here on, as loom.run's `every`.
function methods:every(period, call)
  local time = type(period) == "string" and unit.femtoseconds(period)
  if not time or time <= 0 or type(call) ~= "function" then
    fail("every: got %s and %s, expected a duration with a unit, such as " ..
         "\"10us\", and a function", unit.quote(period), unit.quote(call))
  end
  repeated(self.run, "callbacks")
  if self.run.every then self.run.every:add(time, call) end
end

function methods:snapshot(label)
  record_file.event(self.run, "snapshot", 0, 0, tostring(label))
  self.run:snapshot(tostring(label), "user")
end

return M
