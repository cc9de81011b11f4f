-- Records: what scripts describe machines with.
--
-- A record stands for one component or policy, a list for several of one
-- kind, both with children, parameters and policies in slots.  Nothing of
-- the engine exists yet.  A record is a template: used in one place it is
-- that place, used again it is copied, with all that is below it.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local types = import "machine/types"
local unit = import "base/unit"
local poison = import "base/poison"
local edges = import "machine/edges"
local renamed = import "machine/renamed"

local M = {}
local DATA = {} -- key of a record's own data, out of scripts' reach
local meta, list_meta, port_meta = {}, {}, {}
local methods, list_methods = {}, {}
M.methods = methods

local ranks = { default = 0, preset = 1, argument = 2, instance = 3 }
M.ranks = ranks

local function data_of(value)
  if getmetatable(value) == "record" then return rawget(value, DATA) end
end
M.data = data_of

-- The same of what is a record, a list or a port for sure: in loops over all.
local function known(record) return record[DATA] end
M.known = known

function M.is_record(value)
  local d = data_of(value)
  return d ~= nil and d.kind ~= "list" and d.kind ~= "port"
end
function M.is_component(value)
  local d = data_of(value)
  return d ~= nil and d.kind == "component"
end
function M.is_policy(value)
  local d = data_of(value)
  return d ~= nil and d.kind == "policy"
end
function M.is_list(value)
  local d = data_of(value)
  return d ~= nil and d.kind == "list"
end
function M.is_port(value)
  local d = data_of(value)
  return d ~= nil and d.kind == "port"
end

local function plain_table(value)
  return type(value) == "table" and getmetatable(value) == nil
end

local function sorted_keys(t)
  local keys = {}
  for key in next, t do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    local x, y = type(a), type(b)
    if x ~= y then return x < y end
    if x == "number" or x == "string" then return a < b end
    return false
  end)
  return keys
end
M.sorted_keys = sorted_keys

------------------------------------------------------------------------------
-- Paths

-- While a machine is resolved its tree stays as it is, and each path is asked
-- for several times: M.remember(true) keeps them, M.remember(false) no more.
-- Likewise what is below a record, which is walked through several times.
local paths, walks

function M.remember(yes)
  paths, walks = yes and {} or nil, yes and {} or nil
end

local path_of

-- "gpu[0].sm[3].l1d"; a record that is nowhere yet is its type's name.
function M.path(record)
  local path = paths and paths[record]
  if path then return path end
  local d = known(record)
  path = path_of(d)
  if paths and d.kind == "component" then paths[record] = path end
  return path
end

function path_of(d)
  if d.kind == "policy" then
    return d.host and M.path(d.host) .. ".policy." ..
           (d.name or d.type.name) or d.type.name
  end
  if not d.parent then
    local name = d.name or d.type.name
    return d.root and name .. "[0]" or name
  end
  local parent = M.path(d.parent)
  if d.index then return ("%s.%s[%d]"):format(parent, d.key, d.index) end
  return parent .. "." .. d.key
end

------------------------------------------------------------------------------
-- Making records

-- What nothing was given to has in common with all of its type.
local nothing = {} -- no children, none of a policy's
local no_params = setmetatable({}, { __mode = "k" }) -- by type

-- What is nil at first has its room from the beginning.
local function new(type_info, site, params)
  local component = type_info.kind == "component"
  if not params then
    params = no_params[type_info] or {}
    no_params[type_info] = params
  end
  local d = { kind = type_info.kind, type = type_info, site = site,
              params = params, sharing = true, child_names = nothing,
              children = component and {} or nothing,
              attached = component and {} or nothing, origin = session.origin,
              name = nil, parent = nil, key = nil, index = nil, links = nil }
  return setmetatable({ [DATA] = d }, meta), d
end

local function new_list(items)
  local d = { kind = "list", items = {}, count = #items }
  for i, item in ipairs(items) do d.items[i - 1] = item end
  return setmetatable({ [DATA] = d }, list_meta)
end

local set_field -- forward

-- Applies the fields of a constructor or of a table of overrides.  `keys`
-- lead to them from `anchor`, for lines in messages.
local function apply(record, fields, site, anchor, keys)
  for _, key in ipairs(sorted_keys(fields)) do
    local path = table.move(keys or {}, 1, #(keys or {}), 1, {})
    path[#path + 1] = key
    local where = { file = site.file, line = site.line, anchor = anchor,
                    keys = path }
    set_field(record, key, fields[key], where)
  end
end
M.apply = apply

function M.construct(type_info, fields, where)
  local site = where or session.site()
  local record = new(type_info, site)
  if fields ~= nil and not plain_table(fields) then
    session.problem(type_info.name, ("got %s, expected a table: loom.%s { ..}")
                    :format(unit.quote(fields), type_info.name), site)
    return record
  end
  apply(record, fields or {}, site, type_info.name)
  return record
end

local function collect(record, list)
  list[#list + 1] = record
  local d = known(record)
  local names = d.child_names
  for k = 1, #names do
    local child = d.children[names[k]]
    local items = known(child)
    if items.kind == "list" then
      for i = 0, items.count - 1 do collect(items.items[i], list) end
    else
      collect(child, list)
    end
  end
  return list
end

-- All records at and below one, depth first, in the order of names.
function M.all(record)
  local list = walks and walks[record] or collect(record, {})
  if walks then walks[record] = list end
  return list
end

function M.walk(record, visit)
  local list = M.all(record)
  for i = 1, #list do visit(list[i]) end
end

-- The parameters given to a record, to be written.  Copies share what was
-- given until one of them is given something else.
function M.own_params(d)
  if d.sharing then
    local own = {}
    for name, entry in next, d.params do own[name] = entry end
    d.params, d.sharing = own, nil
  end
  return d.params
end

local function copy_policy(policy, map)
  local d = data_of(policy)
  if d.shared then return policy end
  if map[policy] then return map[policy] end
  local copy, c = new(d.type, d.site, d.params)
  d.sharing = true
  c.name, c.origin = d.name, d.origin
  d.copies = (d.copies or 0) + 1
  map[policy] = copy
  return copy
end

-- `linked`: those that have links.
local function copy_tree(record, map, linked)
  local d = known(record)
  local copy, c = new(d.type, d.site, d.params)
  map[record] = copy
  if d.links then linked[#linked + 1] = record end
  c.name, c.clock, c.origin, c.height = d.name, d.clock, d.origin, d.height
  d.copies = (d.copies or 0) + 1
  d.sharing, c.child_names = true, d.child_names
  for _, entry in ipairs(d.attached) do
    local e = {}
    for k, v in pairs(entry) do e[k] = v end
    e.policy = copy_policy(entry.policy, map)
    c.attached[#c.attached + 1] = e
  end
  for _, name in ipairs(d.child_names) do
    local child = d.children[name]
    local items = known(child)
    if items.kind == "list" then
      local copies = {}
      for k = 0, items.count - 1 do
        copies[k + 1] = copy_tree(items.items[k], map, linked)
      end
      c.children[name] = M.adopt_list(copy, name, new_list(copies))
    else
      local made = copy_tree(child, map, linked)
      local m = known(made)
      m.parent, m.key = copy, name
      c.children[name] = made
    end
  end
  return copy
end

-- A copy of a record, all below it, and the links between them.
function M.copy(record)
  local map, linked = {}, {}
  if M.is_policy(record) then return copy_policy(record, map) end
  local copy = copy_tree(record, map, linked)
  for _, link in ipairs(edges.of(known, linked)) do
    local client, server = map[link.client.record], map[link.server.record]
    if client and server then
      local made = {}
      for k, v in pairs(link) do made[k] = v end
      made.client = { record = client, port = link.client.port,
                      index = link.client.index }
      made.server = { record = server, port = link.server.port,
                      index = link.server.index }
      edges.add(known, made)
    end
  end
  return copy
end

function M.adopt_list(parent, key, list)
  local items = data_of(list)
  items.parent, items.key = parent, key
  for i = 0, items.count - 1 do
    local d = data_of(items.items[i])
    d.parent, d.key, d.index = parent, key, i
  end
  return list
end

-- The record itself if it is used nowhere yet, else a copy of it.
local function placed(record)
  local d = data_of(record)
  if d.shared then return record end
  if d.parent or d.root or d.used then return M.copy(record) end
  d.used = true
  return record
end
M.placed = placed

-- loom.list(count, template): that many instances.
function M.list(count, template)
  local site = session.site()
  local n = math.tointeger(count)
  if not n or n < 1 or n > 65536 then
    session.problem("list", ("the count is %s, expected 1..65536")
                    :format(unit.quote(count)), site)
    return poison
  end
  if template == poison then return poison end
  if not M.is_component(template) then
    session.problem("list", ("got %s, expected a component such as loom.sm {}")
                    :format(unit.quote(template)), site)
    return poison
  end
  -- Always copies: a template that was one of them would be a trap.
  local items = {}
  for i = 1, n do items[i] = M.copy(template) end
  data_of(template).used = true
  return new_list(items)
end

------------------------------------------------------------------------------
-- Writing fields

local function note(record, text, site)
  session.problem(record, text, site)
end

local function set_param(record, spec, value, site)
  local d = data_of(record)
  local checked, expected, hint = unit.check(spec, value, suggest.nearest)
  if checked == nil then
    note(record, ("parameter '%s' is %s, %s%s"):format(
           spec.name, unit.quote(value), expected, hint), site)
    d.broken = true
    return
  end
  if spec.unit == "byte" and type(value) == "string" and
     value:find("kB", 1, true) then
    session.warn(record, ("parameter '%s' is %s: kB is 1000 bytes, KiB 1024")
                 :format(spec.name, unit.quote(value)), site)
  end
  M.own_params(d)[spec.name] = { value = checked, given = value, site = site,
                                      origin = session.origin }
end

local clock_spec = { name = "clock", type = "integer", unit = "Hz", min = 1,
                     max = 1000000000000, wide = true }

local function set_clock(record, value, site)
  local checked, expected, hint = unit.check(clock_spec, value)
  if checked == nil then
    note(record, ("'clock' is %s, %s%s"):format(unit.quote(value), expected,
                                                 hint), site)
    data_of(record).clock = { value = 1000000000, site = site,
                              origin = session.origin }
    return
  end
  data_of(record).clock = { value = checked, site = site,
                            origin = session.origin }
end

-- Fills a slot: removes what was given for it before.
local function set_slot(record, slot, value, site)
  local d = data_of(record)
  local list = M.is_policy(value) and { value } or plain_table(value) and value
  if not list then
    local names = types.answering(slot.hook)
    local best = type(value) == "string" and suggest.nearest(value, names)
    local example = best and "; did you mean loom.%s {}?" or
                    names[1] and " such as loom.%s {}" or ""
    note(record, ("slot '%s' is %s, expected a policy%s"):format(
           slot.name, unit.quote(value), example:format(best or names[1])),
         site)
    return
  end
  if #list > 1 and not slot.chain then
    note(record, ("slot '%s' got %d policies, but takes one"):format(
           slot.name, #list), site)
    return
  end
  local kept = {}
  for _, entry in ipairs(d.attached) do
    if entry.slot ~= slot.name then kept[#kept + 1] = entry end
  end
  d.attached = kept
  for _, policy in ipairs(list) do
    M.attach_to(record, policy, slot.name, site)
  end
end

-- Notes that `policy` is attached to a component; slots are chosen when the
-- machine is complete.
function M.attach_to(record, policy, slot, site)
  local d = data_of(record)
  if policy == poison then return end
  if not M.is_policy(policy) then
    note(record, ("got %s, expected a policy such as loom.lru {}"):format(
           unit.quote(policy)), site)
    return
  end
  if slot then
    local decl = d.type.slot[slot]
    local fits = false
    for _, facet in ipairs(data_of(policy).type.facets) do
      fits = fits or facet.hook == decl.hook
    end
    if not fits then
      local names = types.answering(decl.hook)
      note(record, ("slot '%s' asks '%s', which policy '%s' does not answer%s")
           :format(slot, decl.hook, data_of(policy).type.name,
                   #names > 0 and "; these do: " .. table.concat(names, ", ")
                   or ""), site)
      return
    end
  end
  d.attached[#d.attached + 1] = {
    policy = placed(policy), slot = slot, site = site,
    origin = session.origin, sequence = session.next() }
end

local deepest = 64 -- levels of a machine

-- Why a component that is nowhere yet cannot be put below `record`, or nil.
local function misplaced(record, key, value)
  local d, v = data_of(record), data_of(value)
  local levels = 1
  while d do
    if d == v then
      return ("child '%s' is %s: a component cannot be a part of itself")
             :format(key, v == data_of(record) and "the component itself" or
                     "the component that it is in")
    end
    d, levels = d.parent and data_of(d.parent), levels + 1
  end
  if levels + (v.height or 0) > deepest then
    return ("child '%s' is on level %d, expected at most %d"):format(
           key, levels + (v.height or 0), deepest)
  end
end

-- All above know how many levels are below them.
local function grow(record, child)
  local d, levels = data_of(record), (data_of(child).height or 0) + 1
  while d and (d.height or 0) < levels do
    d.height, levels = levels, levels + 1
    d = d.parent and data_of(d.parent)
  end
end

local function components_only(value)
  if not plain_table(value) or #value == 0 then return false end
  for _, item in ipairs(value) do
    if not M.is_component(item) then return false end
  end
  return true
end

-- Components of a list or a table.
local function items_of(value)
  if not M.is_list(value) then return value end
  local l, items = data_of(value), {}
  for i = 0, l.count - 1 do items[i + 1] = l.items[i] end
  return items
end

local function set_child(record, key, value)
  local d = data_of(record)
  if type(key) ~= "string" or not key:find("^[a-z][a-z0-9_]*$") or
     #key > 64 then
    note(record, ("child name '%s' is not a lower-case word of at most 64 " ..
                  "letters"):format(tostring(key):sub(1, 64)))
    return
  end
  local given = M.is_component(value) and { value } or items_of(value)
  for _, child in ipairs(given) do
    local why = misplaced(record, key, child)
    if why then return note(record, why) end
  end
  for _, child in ipairs(given) do grow(record, child) end
  if not d.children[key] then -- copies share the names
    local names = table.move(d.child_names, 1, #d.child_names, 1, {})
    names[#names + 1] = key
    table.sort(names)
    d.child_names = names
  end
  if M.is_component(value) then
    local child = placed(value)
    local c = data_of(child)
    c.parent, c.key, c.index = record, key, nil
    d.children[key] = child
    return
  end
  local items = {}
  if M.is_list(value) then
    local l = data_of(value)
    local used = l.parent ~= nil
    for i = 0, l.count - 1 do
      items[i + 1] = used and M.copy(l.items[i]) or l.items[i]
    end
    if not used then
      d.children[key] = M.adopt_list(record, key, value)
      return
    end
  else
    for i, item in ipairs(value) do items[i] = placed(item) end
  end
  d.children[key] = M.adopt_list(record, key, new_list(items))
end

-- A table of overrides for a child or for all of a list of them.
local function override(child, fields, site)
  if not M.is_list(child) then
    return apply(child, fields, site, site.anchor, site.keys)
  end
  local l = data_of(child)
  for i = 0, l.count - 1 do
    apply(l.items[i], fields, site, site.anchor, site.keys)
  end
end

-- Everything that may be written to or read from a record.
local function names_of(record)
  local d = data_of(record)
  local names = {}
  for _, param in ipairs(d.type.params) do names[#names + 1] = param.name end
  for _, slot in ipairs(d.type.slots or {}) do names[#names + 1] = slot.name end
  for _, port in ipairs(d.type.ports or {}) do names[#names + 1] = port.name end
  for _, child in ipairs(d.child_names) do names[#names + 1] = child end
  if d.kind == "component" then names[#names + 1] = "clock" end
  return names
end
M.names_of = names_of

-- What the value could be given to: names, and which of them take it.
local function takers(record, value)
  local d = data_of(record)
  local function accepts(name)
    local spec, slot = d.type.param[name], d.kind == "component" and
                                           d.type.slot[name]
    if M.is_policy(value) then
      for _, facet in ipairs(slot and data_of(value).type.facets or {}) do
        if facet.hook == slot.hook then return true end
      end
      return false
    elseif d.children[name] then
      return plain_table(value)
    elseif name == "clock" and d.kind == "component" then
      return unit.accepts(clock_spec, value)
    end
    return spec ~= nil and unit.accepts(spec, value)
  end
  return names_of(record), accepts
end

function M.takes(record, key, value)
  local _, accepts = takers(record, value)
  return accepts(key)
end

local function unknown_write(record, key, value, site)
  local d = data_of(record)
  if d.type.port and d.type.port[key] then
    note(record, ("port '%s' is not assigned but linked: loom.link(a.%s, b.x)")
         :format(key, key), site)
    return
  end
  local what = M.is_policy(value) and "slot" or plain_table(value) and
               d.kind == "component" and "child" or "parameter"
  note(record, ("there is no %s '%s' (it was given %s)%s"):format(
         what, tostring(key), unit.quote(value),
         suggest.hint(key, takers(record, value))), site)
end

local function set_name(record, value, site)
  if type(value) ~= "string" or not value:find("^[a-z][a-z0-9_]*$") or
     #value > 64 then
    note(record, ("'name' is %s, expected a lower-case word of at most 64 " ..
                  "letters"):format(unit.quote(value)), site)
    return
  end
  data_of(record).name = value
end

-- Is this part of a template that was copied and is itself nowhere?  Then a
-- change would come too late.
local function stale(d)
  while d.parent do d = data_of(d.parent) end
  return d.copies and d.copies > 0 and d.used and not d.root
end

function set_field(record, key, value, site)
  local d = data_of(record)
  local component = d.kind == "component"
  if value == poison then return end
  if stale(d) then
    return note(record, ("'%s' is set after the template was copied; set it " ..
                         "before, or on each copy"):format(tostring(key)), site)
  end
  local spec = d.type.param[key]
  local slot = component and d.type.slot[key]
  local made = component and (M.is_component(value) or M.is_list(value) or
                              components_only(value))
  if key == "name" then
    set_name(record, value, site)
  elseif key == "clock" and component then
    set_clock(record, value, site)
  elseif spec then
    set_param(record, spec, value, site)
  elseif made and not slot then
    set_child(record, key, value)
  elseif component and d.children[key] and plain_table(value) then
    override(d.children[key], value, site)
  elseif slot then
    set_slot(record, slot, value, site)
  else
    local current = renamed.current(d.type.name, key, record, site)
    if current then return set_field(record, current, value, site) end
    unknown_write(record, key, value, site)
  end
end

------------------------------------------------------------------------------
-- Reading fields

-- The policies given for a slot so far, the default one included (which then
-- exists, so that its parameters can be set).
local function slot_policies(record, slot)
  local found = {}
  for _, entry in ipairs(known(record).attached) do
    local answers = entry.slot == slot.name
    if not entry.slot then
      for _, facet in ipairs(known(entry.policy).type.facets) do
        answers = answers or facet.hook == slot.hook
      end
    end
    if answers then found[#found + 1] = entry.policy end
  end
  if #found == 0 and slot.default and types.policies[slot.default] then
    local origin = session.origin
    session.origin = "default"
    local policy = new(types.policies[slot.default], data_of(record).site)
    M.attach_to(record, policy, slot.name, data_of(record).site)
    session.origin = origin
    found[1] = policy
  end
  return found
end
M.slot_policies = slot_policies

-- The value of a parameter as it stands.
function M.param_value(record, spec)
  local entry = data_of(record).params[spec.name]
  if entry then return entry.value end
  return spec.default
end

-- The clock that a record runs at: its own or that of the nearest ancestor.
function M.clock(record)
  local d = known(record)
  while d do
    if d.clock then return d.clock end
    d = d.parent and known(d.parent)
  end
end

local function new_port(record, decl, index)
  return setmetatable({ [DATA] = { kind = "port", record = record,
                                   decl = decl, index = index } }, port_meta)
end
M.new_port = new_port

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
      local policies = slot_policies(record, slot)
      return slot.chain and new_list(policies) or policies[1]
    end
    if d.type.port[key] then return new_port(record, d.type.port[key]) end
  end
  if key == "name" then return d.name or d.type.name end
  local current = renamed.current(d.type.name, key, record)
  if current then return record[current] end
  note(record, ("there is no '%s'%s"):format(
         tostring(key), suggest.hint(key, names_of(record))))
  return poison
end

function meta.__newindex(record, key, value)
  set_field(record, key, value, session.site())
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
  if d.items[key] and plain_table(value) then
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
    return new_port(d.record, d.decl, i)
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
  if decl then return new_port(record, decl) end
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
  if not plain_table(fields) then
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
  local policy = plain_table(given) and given[1] or given
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
