-- loom.trace: a recorded program, in Accel-Sim's SASS traces, as a workload.
--
--   loom.trace "traces/bfs/kernelslist.g"
--   loom.trace { list = "traces/bfs", kernels = function(k) .. end }
--
-- The list, the heads of its kernels and the instructions are read in C when
-- the workload runs; the opcode tables are the data in opcodes/.

local import = ...
local core = import "core"
local access = import "script/access"
local session = import "script/session"
local suggest = import "base/suggest"
local files = import "script/files"
local queue = import "host/queue"
local record = import "machine/record"
local unit = import "base/unit"
local poison = import "base/poison"

local M = {}

local tables = { "sm35", "sm60", "sm70", "sm75", "sm80", "sm89", "sm90",
                 "sm100" }
local fields = { "list", "kernels", "name", "opcodes", "preload" }

-- The opcodes of a table, inherited ones included; inner ones win.
local function flatten(table, out)
  for name, entry in next, table.opcodes or table do
    if out[name] == nil then out[name] = entry end
  end
  if table.base then flatten(table.base, out) end
  return out
end

-- All tables as the text that the front end reads.  `more` are the user's
-- entries, which win everywhere.
local function opcode_text(more)
  local lines = {}
  for _, name in ipairs(tables) do
    local one = import("opcodes/" .. name)
    lines[#lines + 1] = "arch " .. table.concat(one.versions, " ")
    local all = {}
    for key, entry in next, more or {} do all[key] = entry end
    flatten(one, all)
    for _, key in ipairs(record.sorted_keys(all)) do
      lines[#lines + 1] = key .. " " .. all[key]
    end
  end
  return table.concat(lines, "\n") .. "\n"
end
M.opcode_text = opcode_text

local function stop(kind, text)
  local site = session.site()
  session.stop(kind, ("%s:%d: trace: %s"):format(site.file, site.line, text))
end

-- The files that a list names are the script's to reach, too.
local function check_files(path)
  local folder = path:match("^(.*/)[^/]*$") or ""
  if session.again then return end -- they are what they were
  for line in (files.read(path) or ""):gmatch("[^\n]+") do
    local name = line:match("^%S+$")
    if name and line:find("/") then
      name = name:find("^/") and name or folder .. name
      for _, ending in ipairs { "", ".xz", ".gz", ".zst" } do
        if core.kind(name .. ending) then access.need(name .. ending) end
      end
    end
  end
end

-- What a kernel filter sees and may keep.
local function describe(item, index, copies)
  return { index = index, id = item.id, name = item.name, file = item.key,
           grid = item.grid, block = item.block, stream = item.stream,
           registers = item.registers, shared_bytes = item.shared_bytes,
           copies = copies,
           threads = item.grid[1] * item.grid[2] * item.grid[3] *
                     item.block[1] * item.block[2] * item.block[3] }
end

local function wanted(spec, k)
  if not spec.kernels then return true end
  local ok, value = pcall(spec.kernels, k)
  if not ok then
    stop("workload", ("the filter 'kernels' failed at kernel '%s': %s")
         :format(k.file, tostring(value)))
  end
  return value
end

-- Kernels of streams other than 0 are launched ahead, so that they overlap
-- where the machine has room; each keeps its file open until it has ended, so
-- no more than this many.
local ahead = 33

local function launch(dev, program, k, open)
  if #open == ahead then table.remove(open, 1):sync() end
  local made, text, kind = program:launch {
    kernel = k.file, grid = k.grid, block = k.block, number = dev.launches,
    params = "",
    complete = dev.run.recording and 1 or 0 } -- a recording begins with it
  if made == nil then stop(kind or "input", text) end
  local number = dev.launches
  dev.launches = number + 1
  local done = queue.launch(dev.run, {
    kernel = made, name = k.name, grid = k.grid, block = k.block,
    number = number, stream = k.stream, registers_from = "trace" })
  if k.stream ~= 0 then open[#open + 1] = done end
  return done
end

-- The files of the kernels that ran are inputs of the run, too.
local function note_inputs(dev, spec)
  local folder = spec.path:match("^(.*/)[^/]*$") or ""
  for _, k in ipairs(spec.result.kernels) do
    local name = k.file:find("^/") and k.file or folder .. k.file
    for _, ending in ipairs { "", ".xz", ".gz", ".zst" } do
      local digest, bytes = core.file_digest(name .. ending)
      if digest then
        dev.run.inputs[#dev.run.inputs + 1] =
          { path = name .. ending, sha256 = digest, bytes = bytes }
        break
      end
    end
  end
end

-- Each oddity once; the number is that of the whole run.
local function tell(program, site)
  for _, note in ipairs(program:notes()) do
    if note.count > 0 then
      session.warn("trace", ("%s (%d times)"):format(note.text, note.count),
                   site)
    end
  end
end

local function run(dev, spec)
  check_files(spec.path)
  local program, text, kind = core.program(dev.memory, "trace", spec.path,
                                           opcode_text(spec.opcodes))
  if program == nil then stop(kind or "input", text) end
  dev.run.programs[#dev.run.programs + 1] = program
  dev.run.inputs[#dev.run.inputs + 1] = {
    path = spec.path, text = files.read(spec.path) or "" }
  local result = spec.result
  local index, copies, open = 0, {}, {}
  local ok, why = pcall(function()
    for _, item in ipairs(program:recorded()) do
      if item.key then
        local k = describe(item, index, copies)
        index, copies = index + 1, {}
        if wanted(spec, k) then
          k.done = launch(dev, program, k, open)
          result.kernels[#result.kernels + 1] = k
        end
      else
        queue.copy(dev.run, { kind = "write", address = item.address,
                              bytes = item.bytes, stream = 0,
                              silent = true })
        copies[#copies + 1] = { address = item.address, bytes = item.bytes }
        result.copies[#result.copies + 1] = copies[#copies]
        result.copied_bytes = result.copied_bytes + item.bytes
      end
    end
    queue.join(dev.run)
  end)
  tell(program, spec.site)
  note_inputs(dev, spec)
  if not ok then error(why, 0) end
  if #result.kernels == 0 then
    stop("workload", ("the filter 'kernels' takes none of %d kernels")
         :format(index))
  end
  dev:verified("block and instruction counts as recorded")
end

local function check_opcodes(given, site)
  if given == nil then return nil end
  local good = type(given) == "table"
  for key, entry in next, good and given or {} do
    good = good and type(key) == "string" and type(entry) == "string" and
           not (key .. entry):find("\n") and not key:find("%s")
  end
  if good then return given end
  session.problem("trace", "'opcodes' is not a table of entries such as " ..
                  "{ NEWOP = \"int_add\" }",
                  session.field(site, "trace", "opcodes"))
end

-- What the call was given, or nil after telling what is wrong.
local function check(given, site)
  if type(given) == "string" then given = { list = given } end
  if type(given) ~= "table" or getmetatable(given) then
    session.problem("trace", ("got %s, expected a path or { list = .. }")
                    :format(unit.quote(given)), site)
    return nil
  end
  local good = true
  local function problem(key, fmt, ...)
    good = false
    session.problem("trace", fmt:format(...),
                    session.field(site, "trace", key))
  end
  for _, key in ipairs(record.sorted_keys(given)) do
    local known = false
    for _, name in ipairs(fields) do known = known or name == key end
    if not known then
      problem(key, "there is no field '%s'%s", tostring(key),
              suggest.hint(key, fields))
    end
  end
  if given.kernels ~= nil and type(given.kernels) ~= "function" then
    problem("kernels", "'kernels' is %s, expected a function(k) that " ..
            "returns whether to run kernel k", unit.quote(given.kernels))
  end
  if given.preload ~= nil and type(given.preload) ~= "boolean" then
    problem("preload", "'preload' is %s, expected true or false",
            unit.quote(given.preload))
  elseif given.preload then
    session.warn("trace", "preload: copies to the device are counted, but " ..
                 "do not fill the L2 yet",
                 session.field(site, "trace", "preload"))
  end
  local path, places
  if type(given.list) ~= "string" then
    problem("list", "'list' is %s, expected the path of a kernelslist.g",
            unit.quote(given.list))
  else
    path, places = files.where(given.list, site.file, "kernelslist.g")
    if not path then
      problem("list", "'%s' is not found; tried %s", given.list, places)
    end
  end
  local opcodes = check_opcodes(given.opcodes, site)
  if not good or (given.opcodes and not opcodes) then return nil end
  return { path = path, kernels = given.kernels, opcodes = opcodes,
           name = given.name, site = site }
end

-- A name for results: the folder of the list.
local function name_of(path)
  return path:match("([^/]+)/[^/]+$") or path:match("([^/.]+)[^/]*$") or
         "trace"
end

-- loom.trace(path or fields): the workload.  After a run its field `kernels`
-- lists the kernels that ran and `copies` the copies to the device.
function M.trace(given)
  local site = session.site()
  local spec = check(given, site)
  if not spec then return poison end
  local workload = { name = spec.name or name_of(spec.path), values = {},
                     kernels = {}, copies = {}, copied_bytes = 0 }
  spec.result = workload
  function workload.run(dev)
    workload.kernels, workload.copies = {}, {}
    workload.copied_bytes = 0
    run(dev, spec)
  end
  return setmetatable(workload, { __name = "workload" })
end

return M
