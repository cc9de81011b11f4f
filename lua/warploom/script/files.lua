-- Finding and reading what scripts name: beside the script that names it,
-- in the working directory, or in the program itself ("suite/atax/..").

local import = ...
local core = import "core"
local session = import "script/session"
local access = import "script/access"

local M = {}

-- Is there such a file?  A run that is repeated knows those that it knew.
function M.exists(path)
  local again = session.again
  if again then return again.inputs[path] == "disk" end
  return core.kind(path) == "file"
end

-- Text of a file that the user or the library names; nil if there is none.
function M.read_disk(path)
  local file = core.kind(path) == "file" and io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

-- Text of a file that a script names.
local function read(path)
  local source = session.again and session.again.sources[path]
  if source or not M.exists(path) then return source end
  return M.read_disk(access.need(path))
end
M.read_script = read

-- Text of a file on disk or in the program.
function M.read(path)
  return read(path) or core.source(path)
end

-- SHA-256 of a file and its bytes.  One that cannot be read ends the run: what
-- is named after a digest must not be named after none.
function M.digest(path)
  local digest, bytes = core.file_digest(path)
  if not digest then session.stop("output", bytes) end
  return digest, bytes
end

-- Of several files of one name the first has it, the next ones x-2.end, x-3.end
-- and so on.
function M.numbered(path, count)
  if count == 1 then return path end
  local base, ending = path:match("^(.*)(%.[^./]*)$")
  return ("%s-%d%s"):format(base or path, count, ending or "")
end

local function folder(path)
  return path:match("^(.*)/[^/]*$") or "."
end

local function join(base, name)
  if name:find("^/") or base == "." then return name end
  return base .. "/" .. name
end

-- The places where `name` is looked for, as seen from a source file.
function M.places(name, from)
  local list = { join(folder(from or "."), name) }
  if list[1] ~= name then list[2] = name end
  return list
end

-- The path of the file `name`, which is read elsewhere; or nil and the places
-- that were tried.  A folder of that name holds it as `inside`.
function M.where(name, from, inside)
  local places = M.places(name, from)
  for i, path in ipairs(places) do
    if inside and core.kind(path) == "directory" then
      path = path .. "/" .. inside
      places[i] = path
    end
    if M.exists(path) then
      access.need(path)
      return path
    end
  end
  return nil, table.concat(places, ", ")
end

-- The text of `name` and the path at which it was found; or nil and the
-- places that were tried.
function M.find(name, from)
  local places = M.places(name, from)
  for _, path in ipairs(places) do
    local text = M.read(path)
    if text then return text, path end
  end
  return nil, table.concat(places, ", ")
end

-- Library folders of a kind ("presets", "suite"): the user's, the source
-- tree's and the program's.
function M.find_named(kind, name)
  local inside = kind == "suite" and ("suite/%s/%s.lua"):format(name, name)
                 or ("warploom/%s/%s.lua"):format(kind, name)
  local places = {}
  local script = session.script and folder(session.script)
  if script then places[1] = join(script, ("%s/%s.lua"):format(kind, name)) end
  local path = os.getenv("WARPLOOM_" .. kind:upper())
  if path then
    places[#places + 1] = kind == "suite" and
      ("%s/%s/%s.lua"):format(path, name, name) or
      ("%s/%s.lua"):format(path, name)
  end
  if kind == "presets" and os.getenv("WARPLOOM_LUA") then
    places[#places + 1] = os.getenv("WARPLOOM_LUA") .. "/" .. inside
  end
  places[#places + 1] = session.again and inside or nil
  for _, place in ipairs(places) do
    local text = read(place)
    if text then return text, place end
  end
  local text = core.source(inside)
  if text then return text, inside end
end

-- Names that find_named would find in the program.
function M.names(kind)
  local names = {}
  local pattern = kind == "suite" and "^suite/([^/]+)/%1%.lua$" or
                  "^warploom/" .. kind .. "/([^/]+)%.lua$"
  for _, source in ipairs(core.sources()) do
    local name = source:match(pattern)
    if name then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

return M
