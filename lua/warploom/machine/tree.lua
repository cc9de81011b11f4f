-- Records as data: what they are, where they are, how they are made and copied.
--
-- A record stands for one component or policy, a list for several of one
-- kind, both with children, parameters and policies in slots.  Nothing of
-- the engine exists yet.  A record is a template: used in one place it is
-- that place, used again it is copied, with all that is below it.
--
-- What scripts see of them is in machine/record.lua, which has all of this,
-- too; what may be written to them is in machine/fields.lua.

local import = ...
local session = import "script/session"
local unit = import "base/unit"
local poison = import "base/poison"
local edges = import "machine/edges"

local M = {}
local DATA = {} -- key of a record's own data, out of scripts' reach
-- Filled by machine/record.lua.
local meta, list_meta, port_meta = {}, {}, {}
M.meta, M.list_meta, M.port_meta = meta, list_meta, port_meta

M.ranks = { default = 0, preset = 1, argument = 2, instance = 3 }

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

function M.plain_table(value)
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

M.new = new

local function new_list(items)
  local d = { kind = "list", items = {}, count = #items }
  for i, item in ipairs(items) do d.items[i - 1] = item end
  return setmetatable({ [DATA] = d }, list_meta)
end
M.new_list = new_list

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
-- What a record has

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

return M
