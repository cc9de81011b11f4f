-- The C registry, indexed by name.

local import = ...
local core = import "core"

local M = { components = {}, policies = {}, frontends = {}, names = {} }

local function by_name(list)
  local map = {}
  for _, item in ipairs(list) do map[item.name] = item end
  return map
end

local function add(type, into)
  type.param = by_name(type.params)
  type.stat = by_name(type.stats)
  type.port = by_name(type.ports or {})
  type.slot = by_name(type.slots or {})
  into[type.name] = type
  if not M.names[type.name] then M.names[type.name] = type end
end

local registry = core.registry()
M.component_list = registry.components
M.policy_list = registry.policies
for _, type in ipairs(registry.components) do add(type, M.components) end
for _, type in ipairs(registry.policies) do add(type, M.policies) end
for _, front in ipairs(registry.frontends) do
  M.frontends[#M.frontends + 1] = front.name
end

-- Types that a script makes or loads: forgotten when another script runs.
local added = {}

local function row_of(list, name)
  for i, type in ipairs(list) do
    if type.name == name then return i end
  end
end

local function add_type(type, into, list)
  add(type, into)
  list[#list + 1] = type
  table.sort(list, function(a, b) return a.name < b.name end)
  added[#added + 1] = { name = type.name, into = into, list = list }
end

function M.add_policy(type) add_type(type, M.policies, M.policy_list) end
function M.add_component(type)
  add_type(type, M.components, M.component_list)
end

function M.forget()
  for _, one in ipairs(added) do
    one.into[one.name] = nil
    M.names[one.name] = nil
    table.remove(one.list, row_of(one.list, one.name))
  end
  added = {}
end

-- A component type and a policy type of one name: `what` tells them apart.
function M.find(name)
  return M.components[name] or M.policies[name]
end

function M.all_names()
  local names = {}
  for name in pairs(M.names) do names[#names + 1] = name end
  table.sort(names)
  return names
end

function M.policy_names()
  local names = {}
  for i, policy in ipairs(M.policy_list) do names[i] = policy.name end
  return names
end

-- Names of policies that answer a hook.
function M.answering(hook)
  local names = {}
  for _, policy in ipairs(M.policy_list) do
    for _, facet in ipairs(policy.facets) do
      if facet.hook == hook then names[#names + 1] = policy.name end
    end
  end
  table.sort(names)
  return names
end

return M
