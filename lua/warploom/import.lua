-- How the library's files find each other: import "machine/record" is the value
-- of warploom/machine/record.lua, loaded once.

local core = ...

-- The sources of the library's own chunks ("@warploom/machine/record.lua"), so
-- that messages blame the user's line.
local library = {}
local loaded = { core = core, library = library }

local function import(name)
  if loaded[name] == nil then
    local chunk = core.load("warploom/" .. name .. ".lua")
    library[debug.getinfo(chunk, "S").source] = true
    loaded[name] = chunk(import)
  end
  return loaded[name]
end
loaded.import = import
library[debug.getinfo(1, "S").source] = true

return import
