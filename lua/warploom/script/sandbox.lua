-- The world that scripts see: deterministic, and without ways to run other
-- programs, to load machine code, to reach files that are not theirs
-- (access.lua) or to change the library, unless --unsafe.
--
-- What is promised is on docs/scripts.md; tests/lua/escapes.lua has what was
-- thought of against it.
--
-- Stock Lua seeds its string hash anew in each process, so `pairs` visits
-- keys in another order each time; here it is sorted.  Names that do not
-- exist are mistakes, found when they are read.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local files = import "script/files"
local poison = import "base/poison"
local record = import "machine/record"
local core = import "core"
local access = import "script/access"
local library = import "library"

local M = {}

local function order(a, b)
  local x, y = math.type(a) and 1 or type(a) == "string" and 2 or 3,
               math.type(b) and 1 or type(b) == "string" and 2 or 3
  if x ~= y then return x < y end
  if x == 3 then return false end
  return a < b
end

-- Keys that have an order of their own.  Booleans are given one; tables and
-- functions have none but their address, which differs from run to run.
local function keys_of(t)
  local keys, odd = {}, {}
  for key in next, t do
    local kind = type(key)
    if kind == "number" or kind == "string" then
      keys[#keys + 1] = key
    elseif kind ~= "boolean" then
      error(("pairs over a table with a %s as key has no order that " ..
             "repeats; use an array"):format(kind), 3)
    end
  end
  for _, b in ipairs { false, true } do
    if rawget(t, b) ~= nil then odd[#odd + 1] = b end
  end
  table.sort(keys, order)
  return table.move(odd, 1, #odd, #keys + 1, keys)
end

local function sorted_pairs(t)
  local meta = getmetatable(t)
  if type(t) ~= "table" or meta and not (type(meta) == "table" and
                                         rawget(meta, "__sorted")) then
    return pairs(t)
  end
  local keys, i = keys_of(t), 0
  return function()
    while true do
      i = i + 1
      local key = keys[i]
      if key == nil then return nil end
      local value = rawget(t, key)
      if value ~= nil then return key, value end
    end
  end, t, nil
end

local function sorted_next(t, key)
  local keys = keys_of(t)
  if key == nil then return keys[1], keys[1] ~= nil and t[keys[1]] or nil end
  for i, k in ipairs(keys) do
    if k == key then
      local after = keys[i + 1]
      if after == nil then return nil end
      return after, t[after]
    end
  end
  error("next got a key that is not in the table", 2)
end

local function checked_ipairs(t)
  if t == poison then return function() end end
  if record.is_list(t) then
    session.problem(t, ("ipairs starts at 1, hardware indices start at 0; " ..
      "use `for i = 0, #x - 1`, pairs, or :each \"%s[*]\""):format(
      record.data(t).key or "x"))
    return function() end
  elseif record.is_record(t) then
    session.problem(t, "ipairs over a component; use pairs for its children")
    return function() end
  end
  return ipairs(t)
end

local function refused(name, why)
  return function()
    error(("%s is not available to scripts: %s"):format(name, why), 2)
  end
end

local repeats = "scripts must repeat; simulated time is run.seconds"
local programs = "it runs other programs; --unsafe allows it"

local function safe_os()
  local t = {}
  for _, name in ipairs { "time", "clock", "date", "difftime", "tmpname" } do
    t[name] = refused("os." .. name, repeats)
  end
  for _, name in ipairs { "execute", "remove", "rename", "setlocale" } do
    t[name] = refused("os." .. name, programs)
  end
  t.exit = refused("os.exit", "return from the script, or error()")
  t.getenv = refused("os.getenv", "use loom.option and --set name=value")
  return t
end

-- A file that the script reads is one of the run's inputs, unless the script
-- has written it.
local function note_input(path, real)
  if session.written[real] then return end
  local sha256, bytes = core.file_digest(path)
  if sha256 then
    session.inputs[#session.inputs + 1] = { path = path, sha256 = sha256,
                                            bytes = bytes }
  end
end

local function safe_open(path, mode)
  if type(path) ~= "string" then
    error(("io.open: got a %s, expected a path"):format(type(path)), 2)
  end
  local writes = mode and mode:find("[wa+]")
  if session.again and not writes and not session.again.inputs[path] then
    return nil, path .. ": the run that is repeated did not read it", 2
  end
  local real = access.need(path)
  local kind = core.kind(real)
  if kind and kind ~= "file" then
    return nil, ("%s: is a %s, not a file"):format(path, kind), 21
  elseif writes then
    session.written[real] = true
    -- A run that is repeated leaves nothing but its results.
    if session.again then return io.tmpfile() end
  elseif kind then
    note_input(path, real)
  end
  local file, why, code = io.open(real, mode)
  if file then return file end
  return nil, path .. why:sub(#real + 1), code
end

local function must(file, why)
  if not file then error(why, 3) end
  return file
end

-- Where nothing is run (check, graph) standard output is the command's, so what
-- a script says goes to standard error; and once it has asked for a run that
-- was not made, whose numbers are all 0, nowhere.
local function say(...)
  if session.mode == "run" then return print(...) end
  if session.pretended then return end
  local words = table.pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  io.stderr:write(table.concat(words, "\t"), "\n")
end

local function say_words(...)
  if session.mode == "run" then return io.write(...) end
  return session.pretended and io.stderr or io.stderr:write(...)
end

local function safe_io()
  local t = { write = say_words }
  for _, name in ipairs { "read", "type", "close" } do t[name] = io[name] end
  t.open = safe_open
  function t.lines(path, ...)
    if path == nil then return io.lines() end
    must(safe_open(path)):close()
    return io.lines(access.need(path), ...)
  end
  for name, mode in next, { input = "r", output = "w" } do
    t[name] = function(file)
      if type(file) == "string" then file = must(safe_open(file, mode)) end
      return io[name](file)
    end
  end
  t.stdout, t.stderr, t.stdin = io.stdout, io.stderr, io.stdin
  t.popen = refused("io.popen", programs)
  t.tmpfile = refused("io.tmpfile", repeats)
  return t
end

-- Text only: bytecode can do anything to the program.  And nothing that says
-- it is the library's: that is how its own calls are known.
local function safe_load(env)
  return function(chunk, name, _, ...)
    local given = select("#", ...) > 0 and (...) or env
    if library[name] then name = nil end
    return load(chunk, name, "t", given)
  end
end

-- Nobody catches a signal: pcall and others let that one error through.
local function lets_through(call)
  local function pass(ok, e, ...)
    if not ok and getmetatable(e) == session.Stop and
       e.kind == "interrupted" then
      error(e, 0)
    end
    return ok, e, ...
  end
  return function(...) return pass(call(...)) end
end

-- Metatables that scripts made; all others are the library's, or Lua's own.
local function own_metatables()
  local own = setmetatable({}, { __mode = "k" })
  local function get(value)
    local meta = getmetatable(value)
    if type(meta) ~= "table" or own[meta] then return meta end
    return rawget(meta, "__name") or "locked"
  end
  local function check(t, what)
    local meta = debug.getmetatable(t)
    if meta and not own[meta] then
      error(("%s: this is a %s of the library"):format(what,
            rawget(meta, "__name") or type(t)), 3)
    end
  end
  local function set(t, meta)
    check(t, "setmetatable")
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then
      error("setmetatable: no __gc, for when it runs differs from run to run",
            2)
    end
    setmetatable(t, meta)
    if meta then own[meta] = true end
    return t
  end
  local function raw(t, key, value)
    check(t, "rawset")
    return rawset(t, key, value)
  end
  return get, set, raw
end

local function copy(t)
  local c = {}
  for k, v in next, t do c[k] = v end
  return c
end

local function strict(env)
  local function globals()
    local names = {}
    for name in next, env do names[#names + 1] = name end
    names[#names + 1] = "loom"
    table.sort(names)
    return names
  end
  return setmetatable(env, {
    __index = function(_, name)
      session.problem(nil, ("there is no variable '%s'%s"):format(
        tostring(name), name == "loom" and
        "; start with: local loom = require \"warploom\"" or
        suggest.nearest(name, globals()) and
        suggest.hint(name, globals()) or ""))
      return poison
    end,
    __newindex = function(t, name, value)
      session.problem(nil, ("'%s' is assigned as a global; write local %s")
                      :format(tostring(name), tostring(name)))
      rawset(t, name, value)
    end,
    __metatable = "locked",
  })
end

-- Loads a script in the sandbox.  Returns the function, or nil and a text
-- after noting a syntax error.
function M.load(text, path, env)
  -- A script has no name of the library's.
  if library["@" .. path] then path = "./" .. path end
  session.add_source(path, text)
  if text:find("^\27") then
    session.problem(nil, "is bytecode, expected Lua source",
                    { file = path, line = 0 })
    return nil
  end
  text = text:gsub("^#[^\n]*", "")
  local chunk, message = load(text, "@" .. path, "t", env)
  if chunk then return chunk end
  local line, what = message:match(":(%d+): (.*)$")
  session.problem(nil, "syntax error: " .. (what or message),
                  { file = path, line = tonumber(line) or 0 })
end

local shared = { ["warploom.kit"] = "host/kit",
                 ["warploom.pipeline"] = "host/pipeline",
                 ["warploom.claims"] = "papers/write" }

local function make_require(loom, env)
  local copies = {}
  return function(name)
    if name == "warploom" then return loom end
    if shared[name] then -- a copy: the library goes on with its own
      copies[name] = copies[name] or copy(import(shared[name]))
      return copies[name]
    end
    if session.unsafe and name == "warploom.import" then
      return import -- the library's own modules, for its tests
    end
    if session.modules[name] ~= nil then return session.modules[name] end
    if type(name) ~= "string" then
      session.problem(nil, "require needs the name of a module")
      return poison
    end
    local site = session.site()
    local file = name:gsub("%.", "/") .. ".lua"
    local tried = {}
    local where = files.places(file, site.file)
    where[#where + 1] = "lua/" .. file
    for place in (os.getenv("WARPLOOM_PATH") or ""):gmatch("[^:]+") do
      where[#where + 1] = place .. "/" .. file
    end
    for _, path in ipairs(session.again and session.again.source_names or {}) do
      if path:sub(-#file - 1) == "/" .. file then where[#where + 1] = path end
    end
    for _, path in ipairs(where) do
      local text = files.read_script(path)
      if text then
        local chunk = M.load(text, path, env)
        if not chunk then session.stop("syntax") end
        local result = chunk(name)
        session.modules[name] = result == nil and true or result
        return session.modules[name]
      end
      tried[#tried + 1] = path
    end
    session.problem(nil, ("module '%s' is not found; tried %s"):format(
      name, table.concat(tried, ", ")))
    return poison
  end
end

-- A fresh environment.
function M.environment(loom)
  local env = {}
  env.print = say
  for _, name in ipairs { "assert", "error", "pcall", "rawequal", "rawget",
                          "rawlen", "select", "tonumber", "tostring", "type",
                          "xpcall", "_VERSION", "warn", "collectgarbage" } do
    env[name] = _G[name]
  end
  env.string, env.table = copy(string), copy(table)
  env.utf8, env.coroutine = copy(utf8), copy(coroutine)
  env.string.dump = nil
  env.pcall, env.xpcall = lets_through(pcall), lets_through(xpcall)
  env.coroutine.resume = lets_through(coroutine.resume)
  env.math = copy(math)
  math.randomseed(session.seed)
  env.math.randomseed = function(seed, ...)
    if seed == nil then
      error("math.randomseed needs a seed: scripts must repeat", 2)
    end
    math.randomseed(seed, ...)
  end
  env.pairs, env.next, env.ipairs = sorted_pairs, sorted_next, checked_ipairs
  env.load = safe_load(env)
  env.getmetatable, env.setmetatable, env.rawset = own_metatables()
  env.require = make_require(loom, env)
  env.arg = { [0] = session.script, table.unpack(session.argv) }
  if session.unsafe then
    env.os, env.io, env.debug = os, io, debug
    env.dofile, env.loadfile, env.load = dofile, loadfile, load
    env.getmetatable, env.setmetatable = getmetatable, setmetatable
    env.rawset = rawset
  else
    env.os, env.io = safe_os(), safe_io()
    env.debug = { traceback = debug.traceback }
  end
  core.guard(not session.unsafe and library or nil)
  env._G = env
  return strict(env)
end

return M
