-- Which files a script may reach: docs/scripts.md says what is promised.
--
-- All that scripts name goes through here just before it is opened: what they
-- read and write themselves, modules, programs, recordings, traces, results.
-- What the user names on the command line does not.

local import = ...
local core = import "core"
local session = import "script/session"

local M = {}

-- What is no file of anybody, wherever a folder lies.  /dev/shm is a disk.
local function special(path)
  return path:find("^/proc/") or path:find("^/sys/") or
         path:find("^/dev/") and not path:find("^/dev/shm/.")
end

local function add(roots, folder)
  local path = folder and core.resolve(folder)
  if path and path ~= "/" and not special(path .. "/") then
    roots[#roots + 1] = path .. "/"
  end
end

local function folder_of(path) return path:match("^(.*/)[^/]*$") or "." end

-- Folders that a script may use: its own, the working directory, those of the
-- output and of streams that points share, and those that the user names.
function M.roots()
  local roots = {}
  if session.again then -- where its script was says nothing here
    add(roots, session.again.here)
  else
    add(roots, folder_of(session.script or ""))
    add(roots, ".")
  end
  if session.out then
    add(roots, core.kind(session.out) == "directory" and session.out or
               folder_of(session.out))
  end
  if session.point and session.point.cache then
    add(roots, session.point.cache)
  end
  for _, name in ipairs { "LUA", "PATH", "PRESETS", "SUITE" } do
    for folder in (os.getenv("WARPLOOM_" .. name) or ""):gmatch("[^:]+") do
      add(roots, folder)
    end
  end
  for _, folder in ipairs(session.allow) do
    local path = core.resolve(folder)
    if path then roots[#roots + 1] = path == "/" and path or path .. "/" end
  end
  return roots
end

-- Below a folder that may be used, and in it nothing that is hidden: settings
-- of other programs are.
local function inside(path, root)
  return path:sub(1, #root) == root and
         not path:find("/.", #root, true) and
         (not special(path) or special(root))
end

-- The path without links if a script may use it; nil and why not.
function M.look(path)
  if session.unsafe then return path end
  if path:find("\0", 1, true) then return nil, "it has a zero byte" end
  local real, why = core.resolve(path)
  if not real then -- nothing can be opened in a folder that is not there
    if not core.kind(folder_of(path)) then return path end
    return nil, why
  end
  if session.again and session.again.inputs[path] then return real end
  session.roots = session.roots or M.roots()
  for _, root in ipairs(session.roots) do
    if inside(real, root) then return real end
  end
  return nil, ("scripts reach files in their folder, the working directory " ..
               "and the output's, none that is hidden; --allow %s adds a " ..
               "folder"):format(folder_of(real):gsub("(.)/$", "%1"))
end

local function absolute(path)
  return path:find("^/") and path or core.cwd() .. "/" .. path
end

-- The words of a command line that give another process what `options`, of
-- this one's, give to its script.
function M.words(options)
  local words = { options.unsafe and "--unsafe" or nil }
  for _, name in ipairs { "allow", "load" } do
    for _, path in ipairs(options[name] or {}) do
      words[#words + 1] = ("--%s=%s"):format(name, absolute(path))
    end
  end
  return words
end

-- The path without links; throws a text if a script must not use it.
function M.need(path)
  local real, why = M.look(path)
  if not real then error(("'%s' cannot be used: %s"):format(path, why), 0) end
  return real
end

return M
