-- loom.policy: a policy whose answers are Lua functions.
--
--     local mine = loom.policy { name = "mine", params = { k = 4 },
--                                admit = function(access, self) .. end }
--     l1d:attach(mine)          -- with the defaults
--     l1d:attach(mine { k = 8 })
--
-- Checks the declaration, words its mistakes, and hands it to the C side
-- (lua/policy/), which makes a policy type of it.

local import = ...
local core = import "core"
local session = import "script/session"
local suggest = import "base/suggest"
local record = import "machine/record"
local types = import "machine/types"
local unit = import "base/unit"
local poison = import "base/poison"

local M = {}

core.policy_hint(suggest.hint)

-- What may be declared, from the C side's tables: hook -> list of calls.
local calls, units = core.policy_calls()
local hooks, hook_names, plain, events = {}, {}, {}, {}
for _, call in ipairs(calls) do
  local head, tail = call.name:match("^([%w_]+)%.([%w_]+)$")
  if not head then
    plain[call.name] = true
  elseif head == "observe" then
    events[#events + 1] = tail
    events[tail] = call
  else
    if not hooks[head] then
      hooks[head] = {}
      hook_names[#hook_names + 1] = head
    end
    table.insert(hooks[head], tail)
    hooks[head][tail] = call
  end
end

local others = { "name", "doc", "params", "stats", "cost", "observe" }
local fields = table.move(others, 1, #others, 1, {})
for name in pairs(plain) do fields[#fields + 1] = name end
for _, name in ipairs(hook_names) do fields[#fields + 1] = name end
table.sort(fields)

local param_fields = { "default", "type", "unit", "min", "max", "choices",
                       "doc", "source", "required", "power_of_2" }
local stat_fields = { "kind", "unit", "doc", "axis", "keys", "count",
                      "numerator", "denominator" }
local stat_kinds = { "counter", "gauge", "vector", "array", "histogram",
                     "ratio", "rate" }

local function contains(list, value)
  for _, v in ipairs(list) do
    if v == value then return true end
  end
  return false
end

-- One declaration under way.
local function problem(d, keys, fmt, ...)
  d.bad = true
  session.problem("policy" .. (d.name and " " .. d.name or ""),
                  fmt:format(...),
                  #keys > 0 and session.field(d.site, "policy",
                                              table.unpack(keys)) or d.site)
end

local function check_names(d, keys, given, names, what)
  for _, key in ipairs(record.sorted_keys(given)) do
    if not contains(names, key) then
      local path = table.move(keys, 1, #keys, 1, {})
      path[#path + 1] = key
      problem(d, path, "%s has no '%s'%s", what, tostring(key),
              suggest.hint(tostring(key), names))
    end
  end
end

local function is_word(name)
  return type(name) == "string" and #name <= 48 and
         name:find("^[a-z][a-z0-9_]*$") ~= nil
end

local function spoken(name) return (name:gsub("_", " ")) end

local function check_unit(d, keys, value)
  if value == nil then return "1" end
  if contains(units, value) then return value end
  problem(d, keys, "unit is %s, expected one of %s", unit.quote(value),
          table.concat(units, ", "))
  return "1"
end

local function type_of(value)
  if math.type(value) == "integer" then return "integer" end
  if type(value) == "table" then return "list" end
  return type(value)
end

local value_types = { "boolean", "integer", "number", "string", "list" }

local function add_param(d, name, given)
  local keys = { "params", tostring(name) }
  if not is_word(name) then
    return problem(d, { "params" }, "parameter '%s' is not a lower-case word",
                   tostring(name))
  end
  if type(given) ~= "table" or given[1] ~= nil then
    given = { default = given }
  end
  check_names(d, keys, given, param_fields, "parameter '" .. name .. "'")
  local spec = { name = name, doc = given.doc or spoken(name),
                 source = given.source, choices = given.choices,
                 min = given.min, max = given.max,
                 power_of_2 = given.power_of_2 or false,
                 required = given.required or false,
                 type = given.type or type_of(given.default), wide = true,
                 unit = check_unit(d, keys, given.unit) }
  if given.default == nil and not spec.required then
    return problem(d, keys, "parameter '%s' needs default = .. or required " ..
                   "= true and type = ..", name)
  elseif not contains(value_types, spec.type) then
    return problem(d, keys, "parameter '%s' has type %s, expected one of %s",
                   name, unit.quote(spec.type), table.concat(value_types, ", "))
  end
  if not spec.required then
    local value, expected, hint = unit.check(spec, given.default,
                                             suggest.nearest)
    if value == nil then
      return problem(d, keys, "the default of parameter '%s' is %s, %s%s",
                     name, unit.quote(given.default), expected, hint or "")
    end
    spec.default = value
  end
  d.params[#d.params + 1] = spec
end

local function read_params(d, given)
  d.params = {}
  if given == nil then return end
  if type(given) ~= "table" then
    return problem(d, { "params" }, "params is %s, expected a table: params " ..
                   "= { k = { default = 4, doc = \"..\" } }", unit.quote(given))
  end
  for _, name in ipairs(record.sorted_keys(given)) do
    add_param(d, name, given[name])
  end
end

-- The length of an array: a number, or the name of an integer parameter.
local function array_length(d, keys, name, given)
  local count = math.tointeger(given)
  if not count or count < 1 or count > 1 << 20 then
    problem(d, keys, "the count of array '%s' is %s, expected 1..1048576",
            name, unit.quote(given))
    return 1
  end
  return count
end

local function check_axis(d, keys, name, spec, given)
  if spec.kind ~= "vector" and spec.kind ~= "array" then return end
  spec.axis = given.axis
  if not is_word(given.axis) then
    problem(d, keys, "%s '%s' needs axis = the name of what it is counted by",
            spec.kind, name)
  end
  if spec.kind == "array" then
    spec.count = array_length(d, keys, name, given.count)
    return
  end
  spec.keys = given.keys
  local good = type(given.keys) == "table" and #given.keys > 0
  for _, key in ipairs(good and given.keys or {}) do
    good = good and is_word(key)
  end
  if not good then
    problem(d, keys, "vector '%s' needs keys = { \"a\", \"b\" .. }, " ..
            "lower-case words", name)
  end
end

local function add_stat(d, name, given)
  local keys = { "stats", tostring(name) }
  if not is_word(name) or name == "lua_calls" then
    return problem(d, { "stats" }, "statistic '%s' is not a lower-case word " ..
                   "of its own", tostring(name))
  end
  if type(given) == "string" then given = { doc = given } end
  if type(given) ~= "table" then
    return problem(d, keys, "statistic '%s' is %s, expected a description " ..
                   "or { kind =, unit =, doc = }", name, unit.quote(given))
  end
  check_names(d, keys, given, stat_fields, "statistic '" .. name .. "'")
  local spec = { name = name, kind = given.kind or "counter",
                 doc = given.doc or spoken(name),
                 unit = given.unit == nil and "event" or
                        check_unit(d, keys, given.unit),
                 numerator = given.numerator, denominator = given.denominator }
  if not contains(stat_kinds, spec.kind) then
    return problem(d, keys, "statistic '%s' is a %s, expected one of %s%s",
                   name, tostring(spec.kind), table.concat(stat_kinds, ", "),
                   suggest.hint(tostring(spec.kind), stat_kinds))
  end
  if spec.kind == "ratio" and given.unit == nil then spec.unit = "1" end
  check_axis(d, keys, name, spec, given)
  d.stats[#d.stats + 1] = spec
end

-- Ratios and rates name counters.
local function check_derived(d)
  local counters = {}
  for _, s in ipairs(d.stats) do
    if s.kind == "counter" then counters[#counters + 1] = s.name end
  end
  for _, s in ipairs(d.stats) do
    local wanted = s.kind == "ratio" and { "numerator", "denominator" } or
                   s.kind == "rate" and { "numerator" } or {}
    for _, side in ipairs(wanted) do
      if not contains(counters, s[side]) then
        problem(d, { "stats", s.name }, "the %s of '%s' is %s, expected the " ..
                "name of a counter%s", side, s.name, unit.quote(s[side]),
                suggest.hint(tostring(s[side]), counters))
      end
    end
  end
end

local function read_stats(d, given)
  d.stats = {}
  if given == nil then return end
  if type(given) ~= "table" then
    return problem(d, { "stats" }, "stats is %s, expected a table: stats = " ..
                   "{ bypassed = \"Accesses sent around the L1\" }",
                   unit.quote(given))
  end
  for _, name in ipairs(record.sorted_keys(given)) do
    add_stat(d, name, given[name])
  end
  check_derived(d)
end

local function put_function(d, keys, name, value)
  if type(value) ~= "function" then
    return problem(d, keys, "'%s' is %s, expected a function", name,
                   unit.quote(value))
  end
  d.functions[name] = value
end

-- The lengths of an order's queues.
local function order_size(d, key, value)
  local n = math.tointeger(value)
  local limit = key == "queues" and 64 or 4096
  if not n or n < 1 or n > limit then
    return problem(d, { "order", key }, "'order.%s' is %s, expected 1..%d",
                   key, unit.quote(value), limit)
  end
  d[key] = n
end

local function read_hook(d, name, given)
  local parts = hooks[name]
  if type(given) == "function" then given = { [parts[1]] = given } end
  if type(given) ~= "table" then
    return problem(d, { name }, "'%s' is %s, expected a function or a table " ..
                   "of functions: %s", name, unit.quote(given),
                   table.concat(parts, ", "))
  end
  for _, key in ipairs(record.sorted_keys(given)) do
    if name == "order" and (key == "queues" or key == "depth") then
      order_size(d, key, given[key])
    elseif not parts[key] then
      problem(d, { name, key }, "'%s' has no '%s'%s", name, tostring(key),
              suggest.hint(tostring(key), parts))
    else
      put_function(d, { name, key }, name .. "." .. key, given[key])
    end
  end
  for _, part in ipairs(parts) do
    if parts[part].required and given[part] == nil then
      problem(d, { name }, "'%s' needs a function '%s'", name, part)
    end
  end
  d.answers = d.answers + 1
end

local function read_observe(d, given)
  if type(given) ~= "table" then
    return problem(d, { "observe" }, "'observe' is %s, expected a table of " ..
                   "functions by event: observe = { evict = function(e) .. " ..
                   "end }", unit.quote(given))
  end
  for _, key in ipairs(record.sorted_keys(given)) do
    if not events[key] then
      problem(d, { "observe", key }, "there is no event '%s'%s", tostring(key),
              suggest.hint(tostring(key), events))
    else
      put_function(d, { "observe", key }, "observe." .. key, given[key])
      d.answers = d.answers + 1
    end
  end
end

local function check_name(d, name)
  if not is_word(name) then
    return problem(d, {}, "needs a name, a lower-case word: loom.policy { " ..
                   "name = \"mine\", .. }")
  end
  d.name = name
  local known = types.find(name)
  if known and known.lua then
    problem(d, { "name" }, "'%s' is declared twice, first at line %d; " ..
            "declare it once and call it: %s { .. }", name,
            known.lua.site.line, name)
  elseif known or contains(M.reserved(), name) then
    problem(d, { "name" }, "there is '%s' already in this build; choose " ..
            "another name", name)
  end
end

-- Set by init.lua: names of functions and libraries of the module.
function M.reserved() return {} end

local function read_functions(d, spec)
  d.functions, d.answers = {}, 0
  for name in pairs(plain) do
    if spec[name] ~= nil then put_function(d, { name }, name, spec[name]) end
  end
  for _, name in ipairs(hook_names) do
    if spec[name] ~= nil then read_hook(d, name, spec[name]) end
  end
  if spec.observe ~= nil then read_observe(d, spec.observe) end
  if spec.cost ~= nil and type(spec.cost) ~= "function" then
    problem(d, { "cost" }, "'cost' is %s, expected a function",
            unit.quote(spec.cost))
  end
  if d.answers == 0 and not d.bad then
    problem(d, {}, "answers no question; the hooks are observe, %s",
            table.concat(hook_names, ", "))
  end
end

function M.policy(spec)
  local site = session.site()
  local d = { site = site }
  if type(spec) ~= "table" or getmetatable(spec) ~= nil then
    problem(d, {}, "got %s, expected a table: loom.policy { name = .., .. }",
            unit.quote(spec))
    return poison
  end
  check_name(d, spec.name)
  check_names(d, {}, spec, fields, "a policy")
  if spec.doc ~= nil and type(spec.doc) ~= "string" then
    problem(d, { "doc" }, "'doc' is %s, expected a string",
            unit.quote(spec.doc))
  end
  read_params(d, spec.params)
  read_stats(d, spec.stats)
  read_functions(d, spec)
  if d.bad then return poison end
  d.doc = ("%s (in Lua, %s:%d: slow)"):format(spec.doc or "A prototype",
                                              site.file, site.line)
  local made = core.policy(d)
  made.lua = { site = site, cost = spec.cost }
  types.add_policy(made)
  return record.construct(made, {}, site)
end

return M
