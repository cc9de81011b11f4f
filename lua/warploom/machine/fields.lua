-- What may be written to records: parameters, clocks, slots, children, tables
-- of overrides; and what is wrong with what may not.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local types = import "machine/types"
local unit = import "base/unit"
local poison = import "base/poison"
local renamed = import "machine/renamed"
local tree = import "machine/tree"

local data_of, known = tree.data, tree.known
local plain_table, sorted_keys = tree.plain_table, tree.sorted_keys
local M = {}

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
  local record = tree.new(type_info, site)
  if fields ~= nil and not plain_table(fields) then
    session.problem(type_info.name, ("got %s, expected a table: loom.%s { ..}")
                    :format(unit.quote(fields), type_info.name), site)
    return record
  end
  apply(record, fields or {}, site, type_info.name)
  return record
end

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
  tree.own_params(d)[spec.name] = { value = checked, given = value, site = site,
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
  local list = tree.is_policy(value) and { value } or
               plain_table(value) and value
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
  if not tree.is_policy(policy) then
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
    policy = tree.placed(policy), slot = slot, site = site,
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
    if not tree.is_component(item) then return false end
  end
  return true
end

-- Components of a list or a table.
local function items_of(value)
  if not tree.is_list(value) then return value end
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
  local given = tree.is_component(value) and { value } or items_of(value)
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
  if tree.is_component(value) then
    local child = tree.placed(value)
    local c = data_of(child)
    c.parent, c.key, c.index = record, key, nil
    d.children[key] = child
    return
  end
  local items = {}
  if tree.is_list(value) then
    local l = data_of(value)
    local used = l.parent ~= nil
    for i = 0, l.count - 1 do
      items[i + 1] = used and tree.copy(l.items[i]) or l.items[i]
    end
    if not used then
      d.children[key] = tree.adopt_list(record, key, value)
      return
    end
  else
    for i, item in ipairs(value) do items[i] = tree.placed(item) end
  end
  d.children[key] = tree.adopt_list(record, key, tree.new_list(items))
end

-- A table of overrides for a child or for all of a list of them.
local function override(child, fields, site)
  if not tree.is_list(child) then
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
    if tree.is_policy(value) then
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
  local what = tree.is_policy(value) and "slot" or plain_table(value) and
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
  local made = component and (tree.is_component(value) or tree.is_list(value) or
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
M.set_field, M.note = set_field, note

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
    local policy = tree.new(types.policies[slot.default], data_of(record).site)
    M.attach_to(record, policy, slot.name, data_of(record).site)
    session.origin = origin
    found[1] = policy
  end
  return found
end
M.slot_policies = slot_policies

return M
