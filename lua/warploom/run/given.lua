-- What is wrong with a field that loom.run is given.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local record = import "machine/record"
local unit = import "base/unit"

local M = {}

function M.problem(site, key, fmt, ...)
  local keys = type(key) == "table" and key or { key }
  session.problem("run", fmt:format(...),
                  session.field(site, "run", table.unpack(keys)))
end

-- Fields that are not there are problems.
function M.check_names(site, path, given, names)
  for _, key in ipairs(record.sorted_keys(given)) do
    local known = false
    for _, name in ipairs(names) do known = known or name == key end
    if not known then
      local keys = table.move(path, 1, #path, 1, {})
      keys[#keys + 1] = key
      local name = table.concat(keys, "."):gsub("%.(%d+)", "[%1]")
      M.problem(site, keys, "there is no field '%s'%s", name,
              suggest.hint(key, names))
    end
  end
end

function M.duration(site, keys, value, what)
  local time = type(value) == "string" and unit.femtoseconds(value)
  if time and time > 0 then return time end
  M.problem(site, keys, "'%s' is %s, expected a duration with a unit, " ..
            "such as \"10us\"", what, unit.quote(value))
end

function M.whole(site, keys, value, what)
  local n = math.tointeger(value)
  if n and n >= 1 then return n end
  M.problem(site, keys, "'%s' is %s, expected a whole number of at least 1",
            what, unit.quote(value))
end

return M
