-- Records: what scripts describe machines with, as they see them: fields that
-- are read, lists, ports, methods.  The data are machine/tree.lua's, what is
-- written goes to machine/fields.lua; this has what both have.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local unit = import "base/unit"
local poison = import "base/poison"
local renamed = import "machine/renamed"
local tree = import "machine/tree"
local writing = import "machine/fields"

local M = {}
for _, part in ipairs { tree, writing } do
  for name, value in next, part do M[name] = value end
end
local meta, list_meta, port_meta = M.meta, M.list_meta, M.port_meta
local methods, list_methods = {}, {}
M.methods = methods
local data_of, known = M.data, M.known
local note, apply = M.note, M.apply

function meta.__index(record, key)
  local d = known(record)
  if methods[key] then return methods[key] end
  if d.children[key] then return d.children[key] end
  if d.type.param[key] then return M.param_value(record, d.type.param[key]) end
  if d.kind == "component" then
    if key == "clock" then
      local clock = M.clock(record)
      return clock and clock.value
    end
    local slot = d.type.slot[key]
    if slot then
      local policies = M.slot_policies(record, slot)
      return slot.chain and M.new_list(policies) or policies[1]
    end
    if d.type.port[key] then return M.new_port(record, d.type.port[key]) end
  end
  if key == "name" then return d.name or d.type.name end
  local current = renamed.current(d.type.name, key, record)
  if current then return record[current] end
  note(record, ("there is no '%s'%s"):format(
         tostring(key), suggest.hint(key, M.names_of(record))))
  return poison
end

function meta.__newindex(record, key, value)
  M.set_field(record, key, value, session.site())
end

-- A policy that the script declared: another one with other parameters.
function meta.__call(record, fields)
  local d = data_of(record)
  if d.type.lua then return M.construct(d.type, fields) end
  error(("%s is not a function"):format(tostring(record)), 2)
end

function meta.__tostring(record) return M.path(record) end
meta.__name = "record"
meta.__metatable = "record"

-- Iterates over children by name.
function meta.__pairs(record)
  local d, i = data_of(record), 0
  return function()
    i = i + 1
    local name = d.child_names[i]
    if name then return name, d.children[name] end
  end
end

------------------------------------------------------------------------------
-- Lists

local function list_name(list)
  local d = data_of(list)
  if d.parent then return M.path(d.parent) .. "." .. d.key end
  return "list"
end

function list_meta.__index(list, key)
  local d = known(list)
  local item = d.items[key]
  if item then return item end
  local i = math.tointeger(key)
  if i or type(key) == "number" then
    session.problem(list, ("index %s does not exist, expected 0..%d"):format(
                      tostring(key), d.count - 1))
  elseif list_methods[key] then
    return list_methods[key]
  else
    local name = d.key or "x"
    session.problem(list, ("'%s' of all %d is not one thing; name one, " ..
      "%s[0].%s, or use :each \"%s[*].%s\""):format(tostring(key), d.count,
      name, tostring(key), name, tostring(key)))
  end
  return poison
end

function list_meta.__newindex(list, key, value)
  local d = data_of(list)
  if d.items[key] and M.plain_table(value) then
    return apply(d.items[key], value, session.site(), "=")
  end
  session.problem(list, ("'%s' is set on all %d at once; use :each \"%s[*]\"" ..
    ":set { %s = .. }"):format(tostring(key), d.count, d.key or "x",
    tostring(key)))
end

function list_meta.__len(list) return data_of(list).count end
list_meta.__tostring = list_name
list_meta.__name = "list"
list_meta.__metatable = "record"

function list_meta.__pairs(list)
  local d, i = data_of(list), -1
  return function()
    i = i + 1
    if i < d.count then return i, d.items[i] end
  end
end

------------------------------------------------------------------------------
-- Ports

function port_meta.__index(port, key)
  local d = known(port)
  local i = math.tointeger(key)
  if i and i >= 0 and i < d.decl.max and d.index == nil then
    return M.new_port(d.record, d.decl, i)
  end
  if type(key) == "number" then
    session.problem(d.record, ("port '%s' has no index %s, expected 0..%d")
                    :format(d.decl.name, tostring(key), d.decl.max - 1))
  else
    session.problem(d.record, ("'%s' is a port and has no '%s'"):format(
                      d.decl.name, tostring(key)))
  end
  return poison
end

function port_meta.__newindex(port)
  local d = data_of(port)
  session.problem(d.record, ("port '%s' is not assigned but linked: " ..
    "loom.link(a, b)"):format(d.decl.name))
end

function port_meta.__tostring(port)
  local d = data_of(port)
  local index = d.index and ("[%d]"):format(d.index) or ""
  return ("%s.%s%s"):format(M.path(d.record), d.decl.name, index)
end
port_meta.__name = "port"
port_meta.__metatable = "record"

------------------------------------------------------------------------------
-- Methods

function methods.port(record, name)
  local decl = data_of(record).type.port and data_of(record).type.port[name]
  if decl then return M.new_port(record, decl) end
  local names = {}
  for _, port in ipairs(data_of(record).type.ports or {}) do
    names[#names + 1] = port.name
  end
  note(record, ("there is no port '%s'%s"):format(tostring(name),
       suggest.hint(name, names)))
  return poison
end

-- rec:attach(policy): each facet to the slot of the island that asks it;
-- rec:attach(policy, "slot"): one facet to this slot of this component.
function methods.attach(record, policy, slot)
  local site = session.site()
  if data_of(record).kind ~= "component" then
    note(record, "policies are attached to components only", site)
    return record
  end
  if slot ~= nil and not data_of(record).type.slot[slot] then
    local names = {}
    for i, s in ipairs(data_of(record).type.slots) do names[i] = s.name end
    note(record, ("there is no slot '%s'%s"):format(tostring(slot),
         suggest.hint(slot, names)), site)
    return record
  end
  M.attach_to(record, policy, slot, site)
  return record
end

function methods.set(record, fields)
  local site = session.site()
  if not M.plain_table(fields) then
    note(record, ("set got %s, expected a table"):format(unit.quote(fields)),
         site)
    return record
  end
  apply(record, fields, site, "set")
  return record
end

-- loom.shared { policy }: one instance wherever it is attached, instead of
-- one for each place.
function M.shared(given)
  local policy = M.plain_table(given) and given[1] or given
  if M.is_policy(policy) then
    data_of(policy).shared = true
  elseif policy ~= poison then
    session.problem("shared", ("got %s, expected a policy: loom.shared { " ..
                    "loom.lru {} }"):format(unit.quote(policy)))
    return poison
  end
  return policy
end

function methods.copy(record)
  return M.copy(record)
end

return M
