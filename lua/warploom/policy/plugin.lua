-- `--load libmine.so` or loom.plugin "./libmine.so": policies and components
-- that were built outside of the tree (engine/plugin.h).  They are then
-- loom.<name>, as all others.  It is machine code, so a script that is not
-- trusted names only what the command line has named.

local import = ...
local core = import "core"
local session = import "script/session"
local files = import "script/files"
local record = import "machine/record"
local types = import "machine/types"
local unit = import "base/unit"
local poison = import "base/poison"

local M = {}

-- "./libmine.so" beside the script, or in the working directory.
local function find(name, site)
  local places = files.places(name, site.file)
  for _, path in ipairs(places) do
    if files.exists(path) then return path end
  end
  return nil, table.concat(places, ", ")
end

local function constructors(made)
  local out = {}
  for _, type in ipairs(made) do
    out[type.name] = function(fields) return record.construct(type, fields) end
  end
  return out
end

-- Loads the library at `path` once a session.
local function load_types(path, site)
  local real = core.resolve(path)
  local loaded = session.modules["plugin " .. real]
  if loaded then return loaded end
  local made, why = core.plugin(real)
  if not made then
    session.problem("plugin", ("'%s' %s"):format(path, why), site)
    return poison
  end
  for _, t in ipairs(made.policies) do
    if not types.policies[t.name] then types.add_policy(t) end
  end
  for _, t in ipairs(made.components) do
    if not types.components[t.name] then types.add_component(t) end
  end
  local sha256, bytes = files.digest(path)
  session.plugins[#session.plugins + 1] = { path = path, sha256 = sha256,
                                            bytes = bytes }
  local out = constructors(made.components)
  for key, value in pairs(constructors(made.policies)) do out[key] = value end
  session.modules["plugin " .. real] = out
  return out
end

-- Those of the command line, before the script runs.
function M.load_given()
  local site = { file = "--load", line = 0 }
  for _, path in ipairs(session.load) do
    if core.kind(path) ~= "file" then
      session.problem("plugin", ("there is no file %s"):format(path), site)
    else
      load_types(path, site)
    end
  end
end

local function may_load(path)
  local real = core.resolve(path)
  for _, given in ipairs(session.load) do
    if core.resolve(given) == real then return true end
  end
  return session.unsafe
end

-- Loads a plug-in; returns a table of its constructors by name.
function M.plugin(name)
  local site = session.site()
  if type(name) ~= "string" then
    session.problem("plugin", ("got %s, expected a path: loom.plugin " ..
                    "\"./libmine.so\""):format(unit.quote(name)), site)
    return poison
  end
  local path, tried = find(name, site)
  if not path then
    session.problem("plugin", ("there is no file %s"):format(tried), site)
    return poison
  end
  if not may_load(path) then
    session.problem("plugin", ("'%s' is machine code, which may do " ..
      "anything: " ..
      "the command line names what is loaded, --load %s (or --unsafe)")
      :format(path, path), site)
    return poison
  end
  return load_types(path, site)
end

return M
