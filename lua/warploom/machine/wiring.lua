-- Resolving links: who is in the machine, which index of a port vector each
-- link has, and what is missing.

local import = ...
local session = import "script/session"
local record = import "machine/record"
local link_module = import "machine/link"
local edges = import "machine/edges"

local M = {}

-- `tops` has what was found before.
local function top(r, tops)
  local found = tops[r]
  if not found then
    local parent = record.known(r).parent
    found = parent and top(parent, tops) or r
    tops[r] = found
  end
  return found
end

local linked = setmetatable({}, { __mode = "k" }) -- by the records of a walk

-- Links with an end in the tree.
local function links_of(root)
  local records = record.all(root)
  linked[records] = linked[records] or edges.of(record.known, records)
  return linked[records]
end

-- Linked records that are in no tree become children of their neighbour's
-- parent.  Returns true if some did, which may have neighbours, too.
function M.adopt(root)
  local strays, order, tops = {}, {}, {}
  for _, link in ipairs(links_of(root)) do
    local c, s = link.client.record, link.server.record
    local c_in, s_in = top(c, tops) == root, top(s, tops) == root
    if c_in ~= s_in then
      local stray = top(c_in and s or c, tops)
      local neighbour = c_in and c or s
      local d = record.known(stray)
      if not strays[stray] and not (d.used and d.copies) and not d.root then
        strays[stray] = record.known(neighbour).parent or root
        order[#order + 1] = stray
      end
    end
  end
  local groups, names = {}, {}
  for _, stray in ipairs(order) do
    local parent, d = strays[stray], record.known(stray)
    local name = d.name or d.type.name
    local key = record.path(parent) .. "." .. name
    if not groups[key] then
      groups[key] = { parent = parent, name = name }
      names[#names + 1] = key
    end
    table.insert(groups[key], stray)
  end
  for _, key in ipairs(names) do
    local group = groups[key]
    local d = record.known(group.parent)
    local name = group.name
    local number = 1
    while d.children[name] do
      number = number + 1
      name = group.name .. number
    end
    for _, stray in ipairs(group) do record.known(stray).used = nil end
    record.apply(group.parent, { [name] = #group == 1 and group[1] or group },
                 record.known(group[1]).site)
  end
  return #order > 0
end

-- A machine whose GPU nobody drives gets a host, which gives it as many kernels
-- at a time as it runs; of several devices each gets one.  Returns true if it
-- did.
function M.add_host(root, types)
  local host_type = types.components.host
  local found = false
  record.walk(root, function(r)
    found = found or record.known(r).type == host_type
  end)
  if found or not host_type then return end
  local client = host_type.ports[1]
  local targets = {}
  record.walk(root, function(r)
    for _, decl in ipairs(record.known(r).type.ports) do
      if decl.protocol == client.protocol and decl.role == "server" then
        targets[#targets + 1] = { record = r, port = decl }
      end
    end
  end)
  local site = record.known(root).site
  local origin = session.origin
  session.origin = "default"
  for i = 1, math.min(#targets, session.devices) do
    local target = targets[i]
    local host = record.construct(host_type)
    record.known(host).site = site
    record.apply(host, {
      concurrent_kernels = target.record.concurrent_kernels }, site)
    record.apply(i == 1 and root or target.record, { host = host }, site)
    edges.add(record.known, {
      client = { record = host, port = client }, server = target,
      request = { latency = 1, credit = 1, capacity = 2 },
      reply = { latency = 1, credit = 1, capacity = 2 },
      site = site, origin = "default", sequence = session.next() })
  end
  session.origin = origin
  return #targets > 0
end

local function end_text(e)
  return ("%s.%s"):format(record.path(e.record), e.port.name)
end

-- "line 12", or with the file if that is another one.
local function seen_from(there, here)
  if there.file == here.file then return ("line %d"):format(there.line) end
  return ("%s:%d"):format(there.file, there.line)
end

-- Claims an index of a port; ports[record][port name] = { at = { [index] =
-- link }, count = links, highest = index, free = no lower index is }.
local function claim(ports, link, side, index)
  local e, other = link[side], side == "client" and "server" or "client"
  local of = ports[e.record]
  if not of then
    of = {}
    ports[e.record] = of
  end
  local port = of[e.port.name]
  if not port then
    port = { at = {}, count = 0, highest = -1, free = 0 }
    of[e.port.name] = port
  end
  local taken = port.at
  if index == nil then
    index = port.free
    while taken[index] do index = index + 1 end
    port.free = index
  end
  if index >= e.port.max then
    local first = taken[0]
    local text = e.port.max == 1 and first and
      ("port '%s' is linked already, to %s (%s); now also to %s"):format(
        e.port.name, end_text(first[other]),
        seen_from(first.site, link.site), end_text(link[other])) or
      ("port '%s' takes %d links at most"):format(e.port.name, e.port.max)
    session.problem(e.record, text, link.site)
    return nil
  elseif taken[index] then
    session.problem(e.record, ("port '%s[%d]' is linked already, to %s " ..
      "(%s); now also to %s"):format(e.port.name, index,
      end_text(taken[index][other]), seen_from(taken[index].site, link.site),
      end_text(link[other])), link.site)
    return nil
  end
  taken[index] = link
  port.count = port.count + 1
  if index > port.highest then port.highest = index end
  return index
end

local function check_wire(link, side)
  local w = link[side]
  if w.capacity < w.latency + w.credit then
    session.warn(("%s to %s"):format(end_text(link.client),
                                     end_text(link.server)), (
      "the %s channel has capacity %d, less than latency + credit = %d, and " ..
      "cannot run at full rate"):format(side, w.capacity,
      w.latency + w.credit), link.site)
  end
end

local function missing(r, ports)
  local of = ports[r]
  for _, decl in ipairs(record.known(r).type.ports) do
    local port = of and of[decl.name]
    local count, highest = port and port.count or 0, port and port.highest or -1
    if count < decl.min then
      local partners = link_module.partners(decl)
      session.problem(r, ("port '%s' (%s, %s) has %d links, expected at " ..
        "least %d%s"):format(decl.name, decl.protocol, decl.role, count,
        decl.min, #partners > 0 and
        "; it can be linked to " .. table.concat(partners, ", ") or ""),
        record.known(r).site)
    elseif highest ~= count - 1 then
      session.problem(r, ("port '%s' has a hole: index %d is linked, but " ..
        "there are only %d links"):format(decl.name, highest, count),
        record.known(r).site)
    end
  end
end

-- The machine's links with indices, as the description wants them.
function M.resolve(root, present)
  local ports, links = {}, {}
  for _, link in ipairs(links_of(root)) do
    local c, s = present[link.client.record], present[link.server.record]
    if c and s then
      links[#links + 1] = link
      if link.client.record == link.server.record then
        session.problem(link.client.record, ("port '%s' is linked to port " ..
          "'%s' of the component itself: what it asked for it would wait for")
          :format(link.client.port.name, link.server.port.name), link.site)
      end
    elseif c or s then
      session.problem(record.path(c and link.server.record or
        link.client.record), "is linked but not part of the machine (a " ..
        "template that was copied?)", link.site)
    end
  end
  for pass = 1, 2 do
    for i = 1, #links do
      local link = links[i]
      local c, s = link.client.index, link.server.index
      if (c ~= nil) == (pass == 1) then
        link.client_index = claim(ports, link, "client", c)
      end
      if (s ~= nil) == (pass == 1) then
        link.server_index = claim(ports, link, "server", s)
      end
    end
  end
  record.walk(root, function(r) missing(r, ports) end)
  local out = {}
  for _, link in ipairs(links) do
    check_wire(link, "request")
    check_wire(link, "reply")
    out[#out + 1] = {
      client = { path = record.path(link.client.record),
                 port = link.client.port.name,
                 index = link.client_index or 0 },
      server = { path = record.path(link.server.record),
                 port = link.server.port.name,
                 index = link.server_index or 0 },
      request = link.request, reply = link.reply,
      protocol = link.client.port.protocol }
  end
  return out
end

return M
