-- What a script gets where it asked for something that does not exist: a
-- value that swallows everything done with it, so that the script goes on
-- and its other mistakes are found too.  The mistake itself has been noted.

local poison = {}
local meta = { __name = "unknown" }

local function itself() return poison end

meta.__index = itself
meta.__newindex = function() end
meta.__call = function(_, ...)
  -- A generic for asks with two nils: stop there.
  if select("#", ...) == 2 and select(1, ...) == nil then return nil end
  return poison
end
for _, event in ipairs { "add", "sub", "mul", "div", "mod", "pow", "unm",
                         "idiv", "band", "bor", "bxor", "shl", "shr", "bnot",
                         "concat" } do
  meta["__" .. event] = itself
end
meta.__len = function() return 0 end
meta.__lt = function() return false end
meta.__le = function() return false end
meta.__tostring = function() return "(unknown)" end
meta.__pairs = function() return function() end end
meta.__metatable = "unknown"

return setmetatable(poison, meta)
