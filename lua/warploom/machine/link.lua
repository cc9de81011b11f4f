-- Links between ports, and cutting a link to put something in.

local import = ...
local session = import "script/session"
local record = import "machine/record"
local suggest = import "base/suggest"
local types = import "machine/types"
local unit = import "base/unit"
local poison = import "base/poison"
local edges = import "machine/edges"

local M = {}

-- Names of options, in the order in which messages list them.
local function set(names)
  local known = {}
  for _, name in ipairs(names) do known[name] = true end
  return { names = names, known = known }
end
local wire_fields = set { "latency", "credit", "capacity" }
local link_fields = set { "latency", "credit", "capacity", "request", "reply" }
local max = { latency = 100000, credit = 100000, capacity = 1000000 }

local function wire_number(fields, key, def, site)
  local value = fields[key]
  if value == nil then return def end
  local n = math.tointeger(value)
  if not n or n < 1 or n > max[key] then
    session.problem("link", ("'%s' is %s, expected 1..%d (%s)"):format(
      key, unit.quote(value), max[key],
      key == "capacity" and "messages" or "cycle"),
      session.field(site, "link", key))
    return def
  end
  return n
end

-- One direction.  Full rate needs capacity >= latency + credit, which is
-- what it is unless the script says otherwise.
local function wire(fields, site)
  local latency = wire_number(fields, "latency", 1, site)
  local credit = wire_number(fields, "credit", 1, site)
  local capacity = wire_number(fields, "capacity", latency + credit, site)
  return { latency = latency, credit = credit, capacity = capacity }
end

local function merged(options, own)
  local out = {}
  for _, key in ipairs(wire_fields.names) do out[key] = options[key] end
  for key, value in pairs(own or {}) do out[key] = value end
  return out
end

local function check_names(fields, allowed, site)
  local unknown = {}
  for key in next, fields do
    if not allowed.known[key] then unknown[key] = true end
  end
  if next(unknown) == nil then return end
  for _, key in ipairs(record.sorted_keys(unknown)) do
    session.problem("link", ("there is no option '%s'%s"):format(
      tostring(key), suggest.hint(key, allowed.names)),
      session.field(site, "link", key))
  end
end

local checked = setmetatable({}, { __mode = "k" })

-- The library's own `request` and `reply`, both complete, which it will not
-- change: they are looked at once, for all links.
function M.check(options)
  for _, side in ipairs { "request", "reply" } do
    options[side] = wire(options[side], session.site())
  end
  checked[options] = true
end

local function wires(options, site)
  options = options or {}
  if checked[options] then return options.request, options.reply end
  if type(options) ~= "table" then
    session.problem("link", ("got %s, expected a table such as " ..
                    "{ latency = 4 }"):format(unit.quote(options)), site)
    options = {}
  end
  check_names(options, link_fields, site)
  for _, side in ipairs { "request", "reply" } do
    if type(options[side]) == "table" then
      check_names(options[side], wire_fields, site)
    end
  end
  if not options.request and not options.reply then
    local both = wire(options, site)
    return both, both
  end
  return wire(merged(options, options.request), site),
         wire(merged(options, options.reply), site)
end

-- Ports of a record in a role, for a record given in a port's place.
local function ports_of(value, role)
  if record.is_port(value) then
    local p = record.data(value)
    return { { record = p.record, port = p.decl, index = p.index } }, true
  end
  local out = {}
  for _, decl in ipairs(record.data(value).type.ports) do
    if decl.role == role then
      out[#out + 1] = { record = value, port = decl }
    end
  end
  return out, false
end

local function describe(list)
  local names = {}
  for i, e in ipairs(list) do
    names[i] = ("%s.%s"):format(record.path(e.record), e.port.name)
  end
  return table.concat(names, ", ")
end

-- Pairs of a client port of the first and a server port of the second with
-- one protocol.
local function pairs_of(clients, servers)
  local found = {}
  for _, c in ipairs(clients) do
    for _, s in ipairs(servers) do
      if c.port.protocol == s.port.protocol and c.port.role == "client" and
         s.port.role == "server" then
        found[#found + 1] = { client = c, server = s }
      end
    end
  end
  return found
end

-- A component's first port of a protocol is its main one; further ones that
-- take one link and may stay open (a constant cache's, say) must be named.
local function further(e)
  if e.port.min ~= 0 or e.port.max ~= 1 then return false end
  for _, decl in ipairs(record.data(e.record).type.ports) do
    if decl.role == e.port.role and decl.protocol == e.port.protocol then
      return decl ~= e.port
    end
  end
end

local function main_of(found)
  local kept = {}
  for _, f in ipairs(found) do
    if not further(f.client) and not further(f.server) then
      kept[#kept + 1] = f
    end
  end
  return #kept > 0 and kept or found
end

local function explain(a, b, site)
  local x, y = ports_of(a, "client")[1], ports_of(b, "server")[1]
  if record.is_port(a) and record.is_port(b) then
    if x.port.protocol ~= y.port.protocol then
      session.problem("link", ("%s speaks '%s' and %s '%s'; linked ports " ..
        "have one protocol"):format(tostring(a), x.port.protocol,
        tostring(b), y.port.protocol), site)
    else
      session.problem("link", ("%s and %s are both %ss; a link has a client " ..
        "and a server"):format(tostring(a), tostring(b), x.port.role), site)
    end
    return
  end
  session.problem("link", ("%s has no port that fits one of %s"):format(
    tostring(a), tostring(b)), site)
end

local function usable(value, site)
  if value == poison then return false end
  if record.is_port(value) or record.is_component(value) then return true end
  local hint = record.is_list(value) and "; name one of the list, [0] say" or ""
  session.problem("link", ("got %s, expected a port or a component%s"):format(
    unit.quote(value), hint), site)
  return false
end

-- A client and a server port that are named and fit need no search.
local function named(a, b)
  if not record.is_port(a) or not record.is_port(b) then return nil end
  local p, q = record.known(a), record.known(b)
  if p.decl.role ~= "client" then p, q = q, p end
  if p.decl.role == "client" and q.decl.role == "server" and
     p.decl.protocol == q.decl.protocol then
    return { record = p.record, port = p.decl, index = p.index },
           { record = q.record, port = q.decl, index = q.index }
  end
end

local function searched(a, b, site)
  local found = pairs_of((ports_of(a, "client")), (ports_of(b, "server")))
  if #found == 0 and (record.is_port(a) or record.is_port(b)) then
    found = pairs_of((ports_of(b, "client")), (ports_of(a, "server")))
  end
  if #found > 1 then found = main_of(found) end
  if #found == 1 then return found[1].client, found[1].server end
  if #found == 0 then
    explain(a, b, site)
    return nil
  end
  local servers, clients = {}, {}
  for i, f in ipairs(found) do
    clients[i], servers[i] = f.client, f.server
  end
  session.problem("link", ("several ports fit: %s with %s; name them")
                  :format(describe(clients), describe(servers)), site)
end

-- loom.link(client, server, options): each a port, or a component of which
-- one port fits.  Two ports may come in either order.
function M.link(a, b, options)
  local site = session.site()
  local request, reply = wires(options, site)
  local client, server = named(a, b)
  if not client then
    local first, second = usable(a, site), usable(b, site)
    if not first or not second then return poison end
    client, server = searched(a, b, site)
    if not client then return poison end
  end
  local link = { client = client, server = server, request = request,
                 reply = reply, site = site, origin = session.origin,
                 sequence = session.next(), number = nil, -- see edges.add
                 client_index = nil, server_index = nil }
  edges.add(record.known, link)
  return link
end

local function is_end(e, port)
  local p = record.data(port)
  return e.record == p.record and e.port == p.decl and
         (p.index == nil or p.index == e.index)
end

local function links_at(port)
  local found = {}
  for _, link in ipairs(edges.of(record.known, { record.data(port).record })) do
    if is_end(link.client, port) or is_end(link.server, port) then
      found[#found + 1] = link
    end
  end
  return found
end

local function one_end(port, role, what, site)
  if port == poison then return nil end
  if not record.is_port(port) then
    session.problem("splice", ("%s is %s, expected a port"):format(what,
                    unit.quote(port)), site)
    return nil
  end
  local d = record.data(port)
  if d.decl.role ~= role then
    session.problem("splice", ("%s is %s, which is a %s; expected a %s")
                    :format(what, tostring(port), d.decl.role, role), site)
    return nil
  end
  return { record = d.record, port = d.decl, index = d.index }
end

-- loom.splice(edge, in_port, out_port): cuts the link at a port and leads it
-- through a component: the old client to in_port, out_port to the old server.
function M.splice(edge, in_port, out_port)
  local site = session.site()
  local server = one_end(in_port, "server", "the second argument", site)
  local client = one_end(out_port, "client", "the third argument", site)
  if edge == poison or not server or not client then return end
  local link = type(edge) == "table" and not getmetatable(edge) and edge
  if not link and not record.is_port(edge) then
    session.problem("splice", ("the first argument is %s, expected a linked " ..
                    "port"):format(unit.quote(edge)), site)
    return
  end
  if not link then
    local found = links_at(edge)
    if #found ~= 1 then
      session.problem("splice", ("%s has %d links, expected one%s"):format(
        tostring(edge), #found, #found > 1 and "; give an index" or ""), site)
      return
    end
    link = found[1]
  end
  for _, pair in ipairs { { link.client, server }, { client, link.server } } do
    if pair[1].port.protocol ~= pair[2].port.protocol then
      session.problem("splice", ("%s speaks '%s' and %s '%s'"):format(
        describe { pair[1] }, pair[1].port.protocol, describe { pair[2] },
        pair[2].port.protocol), site)
      return
    end
  end
  local second = {}
  for k, v in pairs(link) do second[k] = v end
  second.client, second.site = client, site
  second.sequence = session.next()
  edges.move(record.known, link, "server", server)
  link.site = site
  edges.add(record.known, second)
end

-- Types of components with a port that could be linked to this one.  A
-- locality links itself.
function M.partners(decl)
  local names = {}
  for _, type in ipairs(types.component_list) do
    for _, port in ipairs(type.ports) do
      if port.protocol == decl.protocol and port.role ~= decl.role and
         type.name ~= "locality" then
        names[#names + 1] = ("%s.%s"):format(type.name, port.name)
      end
    end
  end
  table.sort(names)
  return names
end

return M
