-- loom.plugin "./libmine.so": policies and components that were built outside
-- of the tree (engine/plugin.h).  They are then loom.<name>, as all others.

local import = ...
local core = import "core"
local session = import "session"
local files = import "files"
local record = import "record"
local types = import "types"
local unit = import "unit"
local poison = import "poison"

local M = {}

-- "./libmine.so" beside the script, or in the working directory.
local function find(name, site)
  local places = files.places(name, site.file)
  for _, path in ipairs(places) do
    if core.kind(path) == "file" then return path end
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
  -- Without a slash the loader would look in the system's folders.
  local given = path:find("/", 1, true) and path or "./" .. path
  local made, why = core.plugin(given)
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
  local digest, bytes = files.digest(path)
  session.plugins[#session.plugins + 1] =
    { path = path, sha256 = digest, bytes = bytes }
  local out = constructors(made.components)
  for key, value in pairs(constructors(made.policies)) do out[key] = value end
  return out
end

return M
