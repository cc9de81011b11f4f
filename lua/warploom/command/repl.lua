-- warploom repl: a prompt.  Lines are a script's, in one session: what a line
-- assigns the next ones have, a machine can be changed and run again.  What a
-- line gives is printed; a mistake ends the line, not the prompt.

local import = ...
local core = import "core"
local session = import "script/session"
local script = import "script/script"
local sandbox = import "script/sandbox"
local init = import "init"
local interrupt = import "script/interrupt"
local record = import "machine/record"
local files = import "script/files"
local text = import "base/text"

local M = {}

-- Names may be assigned here without `local`, which would end with the line.
local function environment(inner)
  local own = {}
  return setmetatable({}, {
    __index = function(_, name)
      if own[name] ~= nil then return own[name] end
      return inner[name]
    end,
    __newindex = function(_, name, value) own[name] = value end,
    __metatable = "locked",
  }), own
end

------------------------------------------------------------------------------
-- Completion

-- Names behind a value and a dot.
local function names_in(value)
  if record.is_record(value) then return record.names_of(value) end
  local names, meta = {}, debug.getmetatable(value)
  local inherited = type(meta) == "table" and meta.__index
  for _, t in ipairs { type(value) == "table" and value or {},
                       type(inherited) == "table" and inherited or {} } do
    for key in next, t do
      if type(key) == "string" and key:find "^[%a][%w_]*$" then
        names[#names + 1] = key
      end
    end
  end
  return names
end

-- What is called `part` there, without asking what does not exist.
local function step(value, part)
  local number = math.tointeger(tonumber(part))
  if record.is_list(value) then
    return number and record.data(value).items[number]
  elseif record.is_record(value) then
    return record.data(value).children[part]
  end
  return type(value) == "table" and rawget(value, number or part) or nil
end

local function common_start(list)
  local first, last = list[1], list[#list]
  local n = 0
  while n < #first and first:sub(n + 1, n + 1) == last:sub(n + 1, n + 1) do
    n = n + 1
  end
  return first:sub(1, n)
end

-- Names that can follow `path` and a dot.
local function candidates(path, own, inner)
  local given = { loom = init.names, ["loom.preset"] = function()
                    return files.names "presets"
                  end, ["loom.suite"] = function()
                    return files.names "suite"
                  end }
  if not path then
    local names = names_in(own)
    return table.move(names_in(inner), 1, #names_in(inner), #names + 1, names)
  elseif given[path] then
    return given[path]()
  end
  local value = own
  for part in path:gmatch "[%w_]+" do value = step(value, part) end
  return value ~= nil and names_in(value) or {}
end

-- What follows the cursor, and all possibilities if that is nothing.
local function complete(line, own, inner)
  local word = line:match "[%w_.:%[%]]*$"
  local path, start = word:match "^(.*)[.:]([%w_]*)$"
  start = start or word
  local found, seen = {}, {}
  for _, name in ipairs(candidates(path, own, inner)) do
    if name:sub(1, #start) == start and not seen[name] then
      seen[name] = true
      found[#found + 1] = name
    end
  end
  table.sort(found)
  if #found == 0 then return "" end
  local more = common_start(found):sub(#start + 1)
  return more, more == "" and #found > 1 and
         table.concat(text.wrap(table.concat(found, " "), 78), "\n") or nil
end

------------------------------------------------------------------------------

-- A chunk of `text`, an expression or statements; or whether more is wanted.
local function compile(typed, number, env)
  local name = "@prompt:" .. number
  local chunk = load("return " .. typed, name, "t", env)
  if chunk then return chunk end
  local why
  chunk, why = load(typed, name, "t", env)
  if chunk then return chunk end
  return nil, why, why:find "<eof>$" ~= nil
end

local function show(...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if value ~= nil then print(value) end
  end
end

-- Tells what a line did wrong, and forgets it.
local function report(stopped)
  if stopped and stopped.text then
    io.stderr:write(stopped.text, "\n")
  end
  for _, list in ipairs { session.warnings, session.problems } do
    for _, line in ipairs(session.lines(list)) do
      io.stderr:write(line, "\n")
    end
  end
  session.problems, session.warnings = {}, {}
end

local function history_file()
  local home = os.getenv "XDG_STATE_HOME" or
               os.getenv "HOME" and os.getenv "HOME" .. "/.local/state"
  if not home or not core.mkdir(home .. "/warploom") then return nil end
  return home .. "/warploom/history"
end

-- The exit status.
function M.main(options)
  local read = debug.getregistry()["loom.prompt"]
  options.mode, options.script = "run", "prompt"
  session.reset(options)
  local inner
  local loom = init.new(function() return inner end)
  inner = sandbox.environment(loom)
  local env, own = environment(inner)
  own.loom = loom
  local talks = core.terminal(0)
  local path = talks and history_file() or nil
  local function complete_line(line) return complete(line, own, inner) end
  if talks then print "warploom: Lua with loom; Ctrl-D ends it" end
  local typed, number = nil, 0
  while true do
    local line = read(typed and ">> " or "> ", complete_line, path)
    if not line then break end
    typed = typed and typed .. "\n" .. line or line
    local chunk, why, more = compile(typed, number + 1, env)
    if chunk then
      number = number + 1
      session.add_source("prompt:" .. number, typed)
      local result = table.pack(xpcall(chunk, script.handler))
      if result[1] and #session.problems == 0 then
        show(table.unpack(result, 2, result.n))
      end
      report(not result[1] and result[2] or nil)
      if interrupt.status() then return interrupt.status() end
      typed = nil
    elseif not more or line == "" then
      if typed:find "%S" then
        io.stderr:write((why:gsub("^prompt:%d+:%d+: ", "")), "\n")
      end
      typed = nil
    end
  end
  if talks then print() end
  return 0
end

return M
