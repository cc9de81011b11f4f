-- `warploom graph`: a machine as Graphviz DOT.  Boxes are components, nested
-- as their paths are, with their sizes; arrows go from clients to servers and
-- say how long a message takes.  Like parts of a list are one box, "x 15".

local import = ...
local core = import "core"
local json = import "base/json"
local types = import "machine/types"
local unit = import "base/unit"

local M = {}

local FOLD = 3 -- like parts, from so many on, are one box
local TIMES = "\u{d7}"

-- What a box says of its parameters, values with their units.  Those that are
-- 0 are left out.
M.shown = {
  gpu = { { "sm_threads", "%s threads an SM" } },
  sm = { { "warps", "%s warps" }, { "schedulers", "%s schedulers" } },
  ldst = { { "sm_shared_bytes", "shared %s" }, { "shared_latency", "%s" } },
  cache = { { "size_bytes", "%s" }, { "ways", "%s ways" },
            { "line_bytes", "lines of %s" }, { "mshr_entries", "%s MSHRs" },
            { "hit_latency", "hit %s" } },
  crossbar = { { "flit_bytes", "flits of %s" }, { "latency", "%s" } },
  network = { { "topology", "%s" }, { "columns", "%s columns" },
              { "rows", "%s rows" }, { "flit_bytes", "flits of %s" },
              { "vcs", "%s virtual channels" }, { "link_latency", "link %s" } },
  dram = { { "banks", "%s banks" }, { "bus_bytes", "bus of %s" },
           { "cl", "CL %s" }, { "trcd", "tRCD %s" }, { "trp", "tRP %s" } },
  tlb = { { "entries", "%s entries" }, { "ways", "%s ways" },
          { "page_bytes", "pages of %s" } },
}

local function parent_of(path)
  return path:match("^(.*)%.[^%.]+$")
end

local function last_of(path) return path:match("([^%.]+)$") end

local function quote(s)
  return '"' .. s:gsub('[\\"]', "\\%0") .. '"'
end

local palette = { "#f4f4f4", "#e8eef7", "#eaf5ea", "#fbf3e2" }

------------------------------------------------------------------------------
-- Which parts are alike

local function sorted(list)
  table.sort(list)
  return table.concat(list, ";")
end

local function words_of(params)
  local out = {}
  for name, value in next, params do
    out[#out + 1] = name .. "=" .. unit.format(value)
  end
  return sorted(out)
end

local function without_indices(path) return (path:gsub("%[%d+%]", "")) end

-- What is in a machine: { by = path -> component, children = path -> paths,
-- policies = path -> list, links = path -> list }.
local function index_of(description)
  local m = { by = {}, children = {}, policies = {}, links = {} }
  for _, c in ipairs(description.components) do
    m.by[c.path] = c
    local parent = parent_of(c.path) or ""
    m.children[parent] = m.children[parent] or {}
    table.insert(m.children[parent], c.path)
    m.policies[c.path], m.links[c.path] = {}, {}
  end
  for _, p in ipairs(description.policies) do
    for _, a in ipairs(p.attach) do
      table.insert(m.policies[a.component], { slot = a.slot, policy = p })
    end
  end
  for _, l in ipairs(description.links) do
    for from, to in next, { [l.client] = l.server, [l.server] = l.client } do
      table.insert(m.links[from.path], { to = to.path,
        says = ("%s %s %d %d"):format(from.port, to.port, l.request.latency,
                                      l.reply.latency) })
    end
  end
  return m
end

-- A text that is the same for parts that are alike, with all that is in them;
-- reach(path) is what a part at the other end of a link is called.
local function signature(m, path, reach)
  local c, parts = m.by[path], {}
  parts[1] = ("%s %d %s"):format(c.type, c.hertz, words_of(c.params))
  local list = {}
  for i, one in ipairs(m.policies[path]) do
    list[i] = ("%s %s %s"):format(one.slot, one.policy.type,
                                  words_of(one.policy.params))
  end
  local links = {}
  for i, link in ipairs(m.links[path]) do
    links[i] = link.says .. " " .. reach(link.to)
  end
  parts[2], parts[3] = table.concat(list, ";"), sorted(links)
  for _, child in ipairs(m.children[path] or {}) do
    parts[#parts + 1] = last_of(child) .. "{" ..
                        signature(m, child, reach) .. "}"
  end
  return table.concat(parts, "|")
end

-- "0..13,15"
local function ranges(numbers)
  local out, i = {}, 1
  while i <= #numbers do
    local k = i
    while numbers[k + 1] == numbers[k] + 1 do k = k + 1 end
    out[#out + 1] = k > i and numbers[i] .. ".." .. numbers[k] or
                    tostring(numbers[i])
    i = k + 1
  end
  return table.concat(out, ",")
end

-- Which path stands for which: m.stands, and m.group[path] = the indices.
local function fold_once(m, reach)
  m.stands, m.group = {}, {}
  local function visit(parent)
    local lists = {}
    for _, path in ipairs(m.children[parent] or {}) do
      local name, number = last_of(path):match("^(.*)%[(%d+)%]$")
      if name then
        local key = name .. " " .. signature(m, path, reach)
        lists[key] = lists[key] or {}
        table.insert(lists[key], { path = path, number = tonumber(number) })
      end
    end
    for _, list in next, lists do
      table.sort(list, function(a, b) return a.number < b.number end)
      local numbers = {}
      for i, one in ipairs(list) do numbers[i] = one.number end
      for i, one in ipairs(list) do
        if #list >= FOLD then
          m.stands[one.path] = list[1].path
          if i == 1 then m.group[one.path] = numbers end
        end
      end
    end
    for _, path in ipairs(m.children[parent] or {}) do
      if not m.stands[path] or m.stands[path] == path then visit(path) end
    end
  end
  visit("")
end

-- The path that stands for a path, and how many it stands for.
local function shown_path(m, path)
  local out, count = "", 1
  for part in path:gmatch("[^%.]+") do
    out = out == "" and part or out .. "." .. part
    out = m.stands[out] or out
    if m.group[out] then count = count * #m.group[out] end
  end
  return out, count
end

-- Parts that are linked to parts that differ differ themselves, so it is done
-- again with what was found.
local function fold(m)
  fold_once(m, without_indices)
  for _ = 1, 3 do
    local before = { stands = m.stands, group = m.group }
    fold_once(m, function(path) return (shown_path(before, path)) end)
  end
end

local function common(a, b)
  local same = ""
  local list = {}
  for part in b:gmatch("[^%.]+") do list[#list + 1] = part end
  local i = 0
  for part in a:gmatch("[^%.]+") do
    i = i + 1
    if part ~= list[i] then break end
    same = same == "" and part or same .. "." .. part
  end
  return same
end

------------------------------------------------------------------------------
-- Words

local function name_of(m, path)
  local numbers = m.group[path]
  if not numbers then return last_of(path) end
  return ("%s[%s] %s%d"):format(last_of(path):match("^(.*)%["),
                                ranges(numbers), TIMES, #numbers)
end

local function value_of(c, name)
  local value, spec = c.params[name], types.components[c.type].param[name]
  if value == nil then value = spec.default end
  if value == nil or value == 0 or value == "" then return nil end
  local text = unit.plain(value, spec.unit)
  if spec.unit == "byte" then
    return (text:gsub("^%d+$", "%0 B"):gsub("(%d)(%a+B)$", "%1 %2"))
  elseif spec.unit == "cycle" then
    return text .. (value == 1 and " cycle" or " cycles")
  end
  return text
end

local function sizes(c)
  local out, line = {}, ""
  for _, one in ipairs(M.shown[c.type] or {}) do
    local value = value_of(c, one[1])
    local text = value and one[2]:format(value)
    if text and #line + #text > 32 then
      out[#out + 1], line = line, text
    elseif text then
      line = line == "" and text or line .. ", " .. text
    end
  end
  if line ~= "" then out[#out + 1] = line end
  return out
end

local function clock_of(hertz)
  if hertz >= 1e9 then return ("%.4g GHz"):format(hertz / 1e9) end
  return ("%.4g MHz"):format(hertz / 1e6)
end

local function node(m, path, is_cluster)
  local c = m.by[path]
  local name = is_cluster and c.type or name_of(m, path)
  local lines = { name }
  if not is_cluster and last_of(path):match("^[%w_]+") ~= c.type then
    lines[2] = c.type
  end
  table.move(sizes(c), 1, 9, #lines + 1, lines)
  local parent = m.by[parent_of(path) or ""]
  if not parent or parent.hertz ~= c.hertz then
    lines[#lines + 1] = clock_of(c.hertz)
  end
  for _, one in ipairs(m.policies[path]) do
    lines[#lines + 1] = ("%s: %s"):format(one.slot, one.policy.type)
  end
  return ("%s [label=%s];"):format(quote(path),
                                   quote(table.concat(lines, "\\n"))
                                   :gsub("\\\\n", "\\n"))
end

local function cycles(request, reply)
  if request == reply then
    return ("%d %s"):format(request, request == 1 and "cycle" or "cycles")
  end
  return ("%d / %d cycles"):format(request, reply)
end

-- Arrows between what is shown, with how many links each stands for.
local function edges(m, links)
  local list, known = {}, {}
  for _, l in ipairs(links) do
    local client, server = shown_path(m, l.client.path),
                           shown_path(m, l.server.path)
    local says = cycles(l.request.latency, l.reply.latency)
    local key = client .. " " .. server .. " " .. says
    if not known[key] then
      local _, within = shown_path(m, common(client, server))
      known[key] = { client = client, server = server, says = says, count = 0,
                     within = within }
      list[#list + 1] = known[key]
    end
    known[key].count = known[key].count + 1
  end
  return list
end

function M.dot(description)
  local m = index_of(description)
  fold(m)
  local out = { "digraph machine {", "  rankdir=TB; compound=true;",
    '  node [shape=box, style="rounded,filled", fillcolor=white, ' ..
    'fontname="sans-serif", fontsize=10];',
    '  edge [fontname="sans-serif", fontsize=8, color="#555555"];' }
  local function emit(path, depth)
    if m.stands[path] and m.stands[path] ~= path then return end
    local indent = ("  "):rep(depth + 1)
    if not m.children[path] then
      out[#out + 1] = indent .. node(m, path)
      return
    end
    out[#out + 1] = ("%ssubgraph %s {"):format(indent,
                                               quote("cluster " .. path))
    out[#out + 1] = ('%s  label=%s; style="rounded,filled"; fillcolor="%s";')
      :format(indent, quote(name_of(m, path)), palette[depth % #palette + 1])
    out[#out + 1] = indent .. "  " .. node(m, path, true)
    for _, child in ipairs(m.children[path]) do emit(child, depth + 1) end
    out[#out + 1] = indent .. "}"
  end
  for _, path in ipairs(m.children[""] or {}) do emit(path, 0) end
  for _, e in ipairs(edges(m, description.links)) do
    local count = e.count // e.within
    out[#out + 1] = ("  %s -> %s [label=%s];"):format(quote(e.client),
      quote(e.server), quote(count > 1 and ("%s, %s%d"):format(e.says, TIMES,
                                                               count) or
                             e.says))
  end
  out[#out + 1] = "}\n"
  return table.concat(out, "\n")
end

local function end_of(e) return e.path .. "." .. e.port end

-- The same machine for programs, part by part: parameters that are not given
-- have their defaults.
function M.json(description)
  local out = { components = {}, policies = {}, links = {} }
  for i, c in ipairs(description.components) do
    out.components[i] = { path = c.path, type = c.type, hertz = c.hertz,
                          params = c.params }
  end
  for i, p in ipairs(description.policies) do
    local slots = {}
    for k, a in ipairs(p.attach) do
      slots[k] = a.component .. "." .. a.slot
    end
    out.policies[i] = { path = p.path, type = p.type, params = p.params,
                        slots = slots }
  end
  for i, l in ipairs(description.links) do
    out.links[i] = { client = end_of(l.client), server = end_of(l.server),
                     request_latency = l.request.latency,
                     request_capacity = l.request.capacity,
                     reply_latency = l.reply.latency,
                     reply_capacity = l.reply.capacity }
  end
  for _, list in next, out do
    for i, one in ipairs(list) do list[i] = json.encode(one) end
  end
  return ('{"components":[\n%s],\n"policies":[\n%s],\n"links":[\n%s]}\n')
         :format(table.concat(out.components, ",\n"),
                 table.concat(out.policies, ",\n"),
                 table.concat(out.links, ",\n"))
end

-- Writes DOT, or SVG if the name ends so and `dot` is installed.  Returns
-- true, or nil and why not.
function M.write(description, path, as_json)
  local dot = as_json and M.json(description) or M.dot(description)
  if not path or path == "-" then
    io.stdout:write(dot)
    return true
  end
  if as_json or not path:find("%.svg$") then
    return core.write(path, dot)
  end
  local temporary = path .. ".working"
  local fresh, why = core.fresh(path, temporary)
  if not fresh then return nil, why end
  local quoted = "'" .. temporary:gsub("'", "'\\''") .. "'"
  local pipe = io.popen("dot -Tsvg -o " .. quoted, "w")
  if not pipe then return nil, "cannot run dot" end
  local ok = pipe:write(dot)
  ok = pipe:close() and ok
  if not ok then
    core.remove(temporary)
    return nil, "dot failed; is Graphviz installed? A name that ends in " ..
                ".dot needs no dot"
  end
  return core.move(temporary, path)
end

return M
