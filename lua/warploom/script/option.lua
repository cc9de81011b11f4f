-- loom.option: what `--set name=value` may change.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local unit = import "base/unit"
local poison = import "base/poison"

local M = {}

local fields = { "name", "default", "choices", "doc", "min", "max" }

local function convert(text, default)
  if type(default) == "boolean" then
    if text == "true" or text == "false" then return text == "true" end
  elseif math.type(default) == "integer" then
    return math.tointeger(tonumber(text))
  elseif type(default) == "number" then
    return tonumber(text)
  else
    return text
  end
end

local function chosen(value, choices)
  for _, choice in ipairs(choices) do
    if choice == value then return true end
  end
  return false
end

local function quoted(choices)
  local out = {}
  for i, c in ipairs(choices) do out[i] = tostring(c) end
  return out
end

local function wrong(spec, value, site)
  if value == nil then
    local kind = math.type(spec.default) == "integer" and "a whole number" or
                 ("a " .. type(spec.default))
    session.problem("option " .. spec.name, ("--set %s=%s: expected %s")
                    :format(spec.name, session.set[spec.name], kind), site)
  elseif spec.choices and not chosen(value, spec.choices) then
    local names = quoted(spec.choices)
    session.problem("option " .. spec.name, ("is %s, expected %s%s"):format(
      unit.quote(value), table.concat(names, ", "),
      suggest.nearest(tostring(value), names) and
      suggest.hint(tostring(value), names) or ""), site)
  elseif math.type(value) and (spec.min and value < spec.min or
                               spec.max and value > spec.max) then
    session.problem("option " .. spec.name, ("is %s, expected %s..%s"):format(
      tostring(value), tostring(spec.min or ""), tostring(spec.max or "")),
      site)
  else
    return false
  end
  return true
end

-- loom.option { name =, default =, choices =, doc = } -> its value.
function M.option(spec)
  local site = session.site()
  if type(spec) ~= "table" or type(spec.name) ~= "string" or
     spec.default == nil then
    session.problem("option", "needs a name and a default: loom.option { " ..
                    "name = .., default = .., doc = .. }", site)
    return poison
  end
  for key in next, spec do
    if not chosen(key, fields) then
      session.problem("option " .. spec.name, ("there is no field '%s'%s")
                      :format(tostring(key), suggest.hint(key, fields)), site)
    end
  end
  if session.options[spec.name] then
    session.problem("option " .. spec.name, ("is declared twice, first at " ..
      "line %d"):format(session.options[spec.name].site.line), site)
  else
    session.option_names[#session.option_names + 1] = spec.name
  end
  local made = { site = site }
  for key, value in next, spec do made[key] = value end
  session.options[spec.name] = made
  local value = spec.default
  local text = session.set[spec.name]
  if text ~= nil then value = convert(text, spec.default) end
  if wrong(spec, value, site) then value = spec.default end
  made.value = value
  return value
end

-- After a script, and before its first run (`early`), so that none is of other
-- values than was meant: every --set must have had an option.
function M.finish(early)
  if session.set_checked then return end
  session.set_checked = true
  local names = {}
  for name in next, session.set do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if not session.options[name] then
      session.problem("--set " .. name, ("the script has no option '%s'%s%s")
        :format(name, early and " before its first run" or "",
                #session.option_names > 0 and
                suggest.hint(name, session.option_names) or
                "; it declares none"),
        { file = session.script or "?", line = 0 })
    end
  end
end

return M
