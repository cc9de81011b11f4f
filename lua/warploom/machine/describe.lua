-- A resolved machine as JSON and as a script that returns it.

local import = ...
local record = import "machine/record"
local types = import "machine/types"
local unit = import "base/unit"

local M = {}

local function text(value)
  return '"' .. tostring(value):gsub('[%c"\\]', function(c)
    return ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local function value_of(value)
  if type(value) == "table" then
    local parts = {}
    for i, v in ipairs(value) do parts[i] = value_of(v) end
    return "[" .. table.concat(parts, ", ") .. "]"
  elseif type(value) == "string" then
    return text(value)
  elseif math.type(value) == "float" then
    return ("%.17g"):format(value)
  end
  return tostring(value)
end

-- Names of parameters are words, which need no escapes.  Copies share their
-- values (machine.lua), and so in `known` the text.
local function params(item, type, known)
  local parts, given = {}, item.params
  if known[given] then return known[given] end
  for i, spec in ipairs(type.params) do
    local value = given[spec.name]
    if value == nil then value = spec.default end
    parts[i] = '"' .. spec.name .. '": ' ..
               (math.type(value) == "integer" and value or value_of(value))
  end
  known[given] = "{" .. table.concat(parts, ", ") .. "}"
  return known[given]
end

local function wire(w)
  return ('{"latency": %d, "credit": %d, "capacity": %d}'):format(
    w.latency, w.credit, w.capacity)
end

local function port(e)
  return text(("%s.%s[%d]"):format(e.path, e.port, e.index))
end

-- All but the seed, once for each description: a point of a sweep is named by
-- it, and has it in its results.
function M.parts(description)
  if description.parts then return description.parts end
  local out, known = {}, {}
  local function list(name, items, last)
    out[#out + 1] = ('  "%s": ['):format(name)
    for i, item in ipairs(items) do
      out[#out + 1] = "    " .. item .. (i < #items and "," or "")
    end
    out[#out + 1] = "  ]" .. (last and "" or ",")
  end
  local components, policies, links = {}, {}, {}
  for i, c in ipairs(description.components) do
    components[i] = ('{"path": %s, "type": %s, "hertz": %d, "params": %s}')
      :format(text(c.path), text(c.type), c.hertz,
              params(c, types.components[c.type], known))
  end
  for i, p in ipairs(description.policies) do
    local slots = {}
    for k, a in ipairs(p.attach) do
      slots[k] = text(a.component .. "." .. a.slot)
    end
    policies[i] = ('{"path": %s, "type": %s, "slots": [%s], "params": %s}')
      :format(text(p.path), text(p.type), table.concat(slots, ", "),
              params(p, types.policies[p.type], known))
  end
  for i, l in ipairs(description.links) do
    links[i] = ('{"client": %s, "server": %s, "protocol": %s, "request": ' ..
      '%s, "reply": %s}'):format(port(l.client), port(l.server),
      text(l.protocol), wire(l.request), wire(l.reply))
  end
  list("components", components)
  list("policies", policies)
  list("links", links, true)
  out[#out + 1] = "}\n"
  description.parts = table.concat(out, "\n")
  return description.parts
end

function M.json(description)
  return ('{\n  "seed": %d,\n'):format(description.seed) ..
         M.parts(description)
end

------------------------------------------------------------------------------

local function lua_params(r, indent, out)
  local d = record.data(r)
  local same, lines = out.same[d.params], {}
  if same and same.type == d.type and same.indent == indent then
    out[#out + 1] = same.text
    return
  end
  for _, spec in ipairs(d.type.params) do
    local value = record.param_value(r, spec)
    local written
    if type(value) == "number" and spec.unit == "s" then
      written = ('"%.17gs"'):format(value)
    elseif type(value) == "number" and spec.unit == "byte/s" then
      written = ('"%.17gB/s"'):format(value)
    elseif math.type(value) == "float" then
      written = ("%.17g"):format(value)
    elseif type(value) == "table" then
      written = "{ " .. table.concat(value, ", ") .. " }"
    else
      written = unit.format(value, spec.unit)
    end
    lines[#lines + 1] = indent .. spec.name .. " = " .. written .. ","
  end
  local whole = #lines > 0 and table.concat(lines, "\n") or nil
  out[#out + 1] = whole
  out.same[d.params] = { type = d.type, indent = indent, text = whole }
end

local function lua_tree(r, indent, out)
  local d = record.data(r)
  local inner = indent .. "  "
  if d.name then out[#out + 1] = ("%sname = %q,"):format(inner, d.name) end
  if d.clock then
    out[#out + 1] = ("%sclock = %s,"):format(inner,
                                             unit.format(d.clock.value, "Hz"))
  end
  lua_params(r, inner, out)
  for _, name in ipairs(d.child_names) do
    local child = d.children[name]
    if record.is_list(child) then
      out[#out + 1] = ("%s%s = {"):format(inner, name)
      for i = 0, #child - 1 do
        out[#out + 1] = ("%s  loom.%s {"):format(inner,
          record.data(child[i]).type.name)
        lua_tree(child[i], inner .. "  ", out)
        out[#out] = out[#out] .. ","
      end
      out[#out + 1] = inner .. "},"
    else
      out[#out + 1] = ("%s%s = loom.%s {"):format(inner, name,
        record.data(child).type.name)
      lua_tree(child, inner, out)
      out[#out] = out[#out] .. ","
    end
  end
  out[#out + 1] = indent .. "}"
end

-- "gpu[0].sm[3].l1d" -> "m.sm[3].l1d"
local function local_name(path)
  return "m" .. path:gsub("^[^%.]+", "", 1)
end

-- A script that returns the machine, with every parameter written out.
function M.lua(description)
  local root = description.root
  local out = { "-- The machine of a run, every parameter written out, for " ..
                "a script's loom.run.",
                "-- The run itself is made again by: warploom run FILE.h5",
                'local loom = require "warploom"',
                ("local m = loom.%s {"):format(record.data(root).type.name),
                same = {} } -- parameters that copies share, as text
  lua_tree(root, "", out)
  for _, l in ipairs(description.links) do
    out[#out + 1] = ("loom.link(%s:port %q[%d], %s:port %q[%d], {"):format(
      local_name(l.client.path), l.client.port, l.client.index,
      local_name(l.server.path), l.server.port, l.server.index)
    for _, side in ipairs { "request", "reply" } do
      local w = l[side]
      out[#out + 1] = ("  %s = { latency = %d, credit = %d, capacity = %d },")
        :format(side, w.latency, w.credit, w.capacity)
    end
    out[#out + 1] = "})"
  end
  for _, p in ipairs(description.policy_order) do
    local many = #p.attach > 1
    local own = types.policies[p.type].lua
    if own then
      out[#out + 1] = ("-- '%s' is written in Lua, %s:%d: put its " ..
        "loom.policy { .. } above."):format(p.type, own.site.file,
                                            own.site.line)
    end
    out[#out + 1] = "do"
    out[#out + 1] = ("  local p = %sloom.%s {"):format(
      many and "loom.shared { " or
                                                       "", p.type)
    lua_params(p.record, "    ", out)
    out[#out + 1] = many and "  } }" or "  }"
    for _, a in ipairs(p.attach) do
      out[#out + 1] = ("  %s:attach(p, %q)"):format(
        local_name(a.component), a.slot)
    end
    out[#out + 1] = "end"
  end
  out[#out + 1] = "return m\n"
  return table.concat(out, "\n")
end

return M
