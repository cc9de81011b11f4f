-- Machines without time: a record loom.locality { .. } with caches below it.
-- Kernels are executed functionally and every access to a line is given to
-- each cache (workloads/locality/locality.h), of which the locality is linked
-- to both sides.

local import = ...
local core = import "core"
local session = import "script/session"
local record = import "machine/record"
local edges = import "machine/edges"

local M = {}

function M.is_root(r)
  return record.is_component(r) and record.data(r).type.name == "locality"
end

local function value_of(r, name)
  return record.param_value(r, record.data(r).type.param[name])
end

-- One cache below the root stands for one per SM.
local function spread(root)
  local d, sms = record.data(root), value_of(root, "sms")
  if not d.clock then -- nothing ticks
    d.clock = { value = 1000000000, site = d.site, origin = "default" }
  end
  for _, name in ipairs(d.child_names) do
    local child = d.children[name]
    if not record.is_list(child) then
      local c = record.data(child)
      c.parent, c.key = nil, nil
      d.children[name] = record.adopt_list(root, name,
                                           record.list(sms, child))
    end
  end
end

-- Things that the engine cannot see; problems go to the session.
local function check(root)
  local d, sms = record.data(root), value_of(root, "sms")
  for _, name in ipairs(d.child_names) do
    local list = d.children[name]
    local first = record.data(list[0])
    if first.type.name ~= "cache" then
      session.problem(root, ("'%s' is a %s, expected a cache")
                      :format(name, first.type.name), first.site)
    elseif #list ~= sms then
      session.problem(root, ("'%s' has %d caches, expected one, or %d: one " ..
                      "for each SM"):format(name, #list, sms), first.site)
    end
  end
end

local function port_of(r, name)
  for _, decl in ipairs(record.data(r).type.ports) do
    if decl.name == name then return decl end
  end
end

local function join(root, client, server)
  local wire = { latency = 1, credit = 1, capacity = 2 }
  edges.add(record.known, { client = client, server = server, request = wire,
    reply = wire, site = record.data(root).site, origin = "default",
    sequence = session.next() })
end

-- Accesses come from the root, and what is missed goes there.
local function link(root)
  local d, at = record.data(root), 0
  for _, name in ipairs(d.child_names) do
    local list = d.children[name]
    local fits = record.data(list[0]).type.name == "cache"
    for k = 0, fits and #list - 1 or -1 do
      local cache = list[k]
      join(root, { record = root, port = port_of(root, "caches"), index = at },
           { record = cache, port = port_of(cache, "up") })
      join(root, { record = cache, port = port_of(cache, "down") },
           { record = root, port = port_of(root, "memory"), index = at })
      record.own_params(record.data(cache)).future = { value = true,
        given = true, site = d.site, origin = "default" }
      at = at + 1
    end
  end
end

-- In a machine with time nobody knows the future.
function M.refuse(root)
  record.walk(root, function(r)
    local params = record.data(r).params
    if params.future and params.future.value == true and
        record.data(r).type.name == "cache" then
      session.problem(r, "future = true is for the caches of loom.locality: " ..
        "what a machine with time loads next, depends on what hits",
        params.future.site)
    end
  end)
end

function M.prepare(root)
  spread(root)
  check(root)
  link(root)
end

-- The model that feeds the caches of a machine that was built.
function M.model(description, machine)
  local root = description.root
  local d = record.data(root)
  local spec = { root = record.path(root), feeds = {} }
  for _, name in ipairs { "sms", "ctas", "threads" } do
    spec[name] = value_of(root, name)
  end
  for i, name in ipairs(d.child_names) do
    spec.feeds[i] = {}
    for k = 0, spec.sms - 1 do
      spec.feeds[i][k + 1] = record.path(d.children[name][k])
    end
  end
  return core.locality(spec, machine)
end

return M
