-- `warploom info --cost`: what policies would cost in hardware, from what
-- their types say (engine/cost.h).

local import = ...
local core = import "core"
local record = import "machine/record"
local suggest = import "base/suggest"
local json = import "base/json"
local text = import "base/text"
local types = import "machine/types"
local unit = import "base/unit"
local cacti = import "energies/cacti"

local M = {}

local shape_params = core.cost_shape()
local shape_param = {}
for _, p in ipairs(shape_params) do shape_param[p.name] = p end

local function with_defaults(list, values)
  local all = {}
  for _, p in ipairs(list) do
    local value = values[p.name]
    if value == nil then value = p.default end
    all[p.name] = value
  end
  return all
end

-- A policy in Lua has a function of its own, which answers the parts.
local function ask_lua(policy, params, shape)
  if not policy.lua.cost then return nil end
  local ok, parts = pcall(policy.lua.cost, with_defaults(shape_params, shape),
                          with_defaults(policy.params, params))
  if not ok then return nil, { { text = tostring(parts) } } end
  local out = { total = 0 }
  for i, part in ipairs(type(parts) == "table" and parts or {}) do
    local count = math.tointeger(part.count or 1)
    local bits = math.tointeger(part.bits)
    if not count or not bits or count < 0 or bits < 0 then
      return nil, { { text = ("part %d of its cost has no count and bits " ..
                              "that are whole numbers"):format(i) } }
    end
    out[i] = { name = part.name or "part", doc = part.doc or "",
               count = count, bits = bits }
    out.total = out.total + count * bits
  end
  return out
end

-- Parts and total of a policy type; nil if it does not say; nil and problems.
local function ask(type, params, shape)
  if type.lua then return ask_lua(type, params, shape) end
  return core.cost(type.name, params, shape)
end

-- Text of the command line as a value for a parameter.
local function convert(spec, given)
  if spec.type == "boolean" then
    if given == "true" then return true end
    if given == "false" then return false end
    return given
  elseif spec.type == "list" then
    local list = {}
    for item in given:gmatch("[^,]+") do
      list[#list + 1] = math.tointeger(tonumber(item)) or item
    end
    return list
  elseif spec.type == "string" then
    return given
  end
  local number = tonumber(given)
  return math.tointeger(number) or number or given
end

local function names_of(type)
  local names = {}
  for _, p in ipairs(type.params) do names[#names + 1] = p.name end
  for _, p in ipairs(shape_params) do
    names[#names + 1] = type.param[p.name] and "shape." .. p.name or p.name
  end
  return names
end

-- Values of `--set` for one policy: parameters, shape, problems.  A name that
-- both have is the policy's; "shape.NAME" is the hardware's in any case.
local function settings(type, set)
  local params, shape, problems = {}, {}, {}
  for _, name in ipairs(record.sorted_keys(set)) do
    local outer = name:match("^shape%.(.*)$")
    local spec = not outer and type.param[name]
    local into = spec and params or shape
    spec = spec or shape_param[outer or name]
    if not spec then
      local names = names_of(type)
      problems[#problems + 1] = ("--set %s: '%s' has no parameter '%s', and " ..
        "the hardware around it neither%s"):format(name, type.name, name,
        suggest.hint(name, names))
    else
      local value, expected, hint =
        unit.check(spec, convert(spec, set[name]), suggest.nearest)
      if value == nil then
        problems[#problems + 1] = ("--set %s=%s: %s%s"):format(name, set[name],
          expected, hint)
      end
      into[spec.name] = value
    end
  end
  return params, shape, problems
end

local function bytes(bits)
  return ("%.14g"):format(bits / 8)
end

local function given(list, values)
  local out = {}
  for _, p in ipairs(list) do
    local value = values[p.name]
    if value == nil then value = p.default end
    out[#out + 1] = ("%s = %s"):format(p.name, p.required and value == nil and
                     "(not given)" or unit.plain(value, p.unit))
  end
  return table.concat(out, ", ")
end

local function same(a, b)
  if #a ~= #b then return false end
  for i, part in ipairs(a) do
    if part.count ~= b[i].count or part.bits ~= b[i].bits then return false end
  end
  return true
end

-- The parts of the shape that the cost depends on: found by asking about
-- twice as much, or half, of each.
local function that_matter(type, params, shape, parts)
  local list = {}
  for _, p in ipairs(shape_params) do
    local other = {}
    for name, value in pairs(shape) do other[name] = value end
    local value = shape[p.name] or p.default
    other[p.name] = value * 2 <= p.max and value * 2 or value // 2
    local changed = ask(type, params, other)
    if not (changed and same(parts, changed)) then list[#list + 1] = p end
  end
  return list
end

local function put_wrapped(out, title, value)
  for i, line in ipairs(text.wrap(value, 94)) do
    out[#out + 1] = (i == 1 and ("  %-12s"):format(title) or (" "):rep(14)) ..
                    line
  end
end

-- Square micrometres of so many bits in small tables, without logic.
local function area(bits, node)
  local ram = cacti.ram[node][1]
  return bits * ram[5] * 1e6 / ram[1]
end

-- Lines that tell the parts of one policy.
local function table_of(out, title, type, params, shape, parts)
  out[#out + 1] = title
  if #type.params > 0 then
    put_wrapped(out, "parameters", given(type.params, params))
  end
  local depends = parts and that_matter(type, params, shape, parts) or {}
  if #depends > 0 then put_wrapped(out, "shape", given(depends, shape)) end
  if not parts then
    out[#out + 1] = "  the policy does not say what it stores"
    return
  elseif #parts == 0 then
    out[#out + 1] = "  nothing is stored"
    return
  end
  local rows = { { "part", "entries", "bits each", "bits", "meaning" } }
  for _, part in ipairs(parts) do
    rows[#rows + 1] = { part.name, text.thousands(part.count),
                        tostring(part.bits),
                        text.thousands(part.count * part.bits), part.doc }
  end
  rows[#rows + 1] = { "total", "", "", text.thousands(parts.total),
                      bytes(parts.total) .. " bytes" }
  for _, line in ipairs(text.columns(rows, { false, true, true, true },
                                     "  ")) do
    out[#out + 1] = line
  end
  out[#out + 1] = ("  area: %.4g um2 at 45 nm, %.4g um2 at 40 nm, as bits " ..
    "of a RAM of 32 x 32 (CACTI 7)"):format(area(parts.total, 45),
                                            area(parts.total, 40))
end

-- A policy by its name, with what --set says; nil: problems has why.
local function one(name, set, problems)
  local type = types.policies[name]
  if not type then
    problems[#problems + 1] = types.components[name] and
      ("'%s' is a component; --cost tells about policies"):format(name) or
      ("there is no policy '%s'%s"):format(name,
        suggest.hint(name, types.policy_names()))
    return
  end
  local params, shape, wrong = settings(type, set)
  for _, problem in ipairs(wrong) do problems[#problems + 1] = problem end
  if #wrong > 0 then return end
  local parts, refused = ask(type, params, shape)
  for _, problem in ipairs(refused or {}) do
    problems[#problems + 1] = ("%s: %s"):format(name, problem.text)
  end
  return { type = type, params = params, shape = shape, parts = parts }
end

-- A policy's parts as a JSON value.
local function value_of(item)
  local parts = {}
  for i, part in ipairs(item.parts or {}) do
    parts[i] = { name = part.name, entries = part.count, bits = part.bits,
                 doc = part.doc }
  end
  return { policy = item.type.name, parts = #parts > 0 and parts or json.empty,
           total_bits = item.parts and item.parts.total or json.null,
           path = item.policy and item.policy.path }
end

-- The policies named, with what --set says; nil and problems.
function M.lines(names, set, as_json)
  local out, values, problems = {}, {}, {}
  for _, name in ipairs(names) do
    local item = one(name, set, problems)
    if item then
      if #out > 0 then out[#out + 1] = "" end
      table_of(out, ("%s: %s"):format(name, item.type.doc), item.type,
               item.params, item.shape, item.parts)
      values[#values + 1] = value_of(item)
    end
  end
  if #problems > 0 then return nil, problems end
  return as_json and { json.encode(values) } or out
end

------------------------------------------------------------------------------
-- Policies of a machine: the hardware around each is the machine's.

-- What a component says of the shape, by its type.
local tellers = {
  cache = function(p, shape)
    shape.ways, shape.line_bytes = p.ways, p.line_bytes
    shape.sector_bytes = p.sector_bytes > 0 and p.sector_bytes or p.line_bytes
    shape.sets = math.max(p.size_bytes // (p.ways * p.line_bytes), 1)
    shape.mshrs = p.mshr_entries
  end,
  sm = function(p, shape)
    shape.warps, shape.schedulers = p.warps, p.schedulers
  end,
  gpu = function(p, shape) shape.ctas = p.sm_ctas end,
  dram = function(p, shape)
    shape.banks, shape.entries = p.banks, p.queue_entries
  end,
}

-- A component's parameters by name: a teller asks for few of many.
local function values_of(component)
  local specs = types.components[component.type].param
  return setmetatable({}, { __index = function(_, name)
    local value = component.params[name]
    if value == nil then value = specs[name].default end
    return value
  end })
end

local function tell(component, shape)
  local teller = component and tellers[component.type]
  if teller then teller(values_of(component), shape) end
end

-- Index of a description: components by path, links and SMs counted.
local function survey(description)
  local by_path, links, sms = {}, {}, 0
  for _, c in ipairs(description.components) do
    by_path[c.path] = c
    if c.type == "sm" then sms = sms + 1 end
  end
  for _, l in ipairs(description.links) do
    local c, s = l.client.path, l.server.path
    links[s] = links[s] or { into = 0, out = 0 }
    links[c] = links[c] or { into = 0, out = 0 }
    links[s].into, links[c].out = links[s].into + 1, links[c].out + 1
  end
  return { by_path = by_path, links = links, sms = sms }
end

-- The hardware around a policy: the components it is attached to, what they
-- are parts of, and for a policy of an SM that SM's L1.
local function shape_of(machine, policy)
  local shape = {}
  if machine.sms > 0 then shape.sms = machine.sms end
  for _, a in ipairs(policy.attach) do
    local path = a.component
    repeat
      local up = path:match("^(.*)%.[^%.]+$")
      local c = machine.by_path[path]
      if c and c.type == "sm" and not shape.sets then
        tell(machine.by_path[path .. ".l1d"], shape)
      end
      if path == a.component or c and c.type ~= "cache" then tell(c, shape) end
      path = up
    until not path
    local links = machine.links[a.component]
    if links and links.into > 0 and links.out > 0 then
      shape.inputs, shape.outputs = links.into, links.out
    end
    if a.slot:find "^reply" then -- replies go the other way
      shape.inputs, shape.outputs = shape.outputs, shape.inputs
    end
  end
  return shape
end

local function told(machine, p)
  local type, shape = types.policies[p.type], shape_of(machine, p)
  local parts, problems = ask(type, p.params, shape)
  return { policy = p, type = type, params = p.params, shape = shape,
           parts = parts }, problems
end

-- Of each policy of a description: { policy =, type =, params =, shape =,
-- parts = }; parts is nil where the policy does not say.
function M.of(description)
  local machine, list = survey(description), {}
  for i, p in ipairs(description.policies) do list[i] = told(machine, p) end
  return list
end

-- What scripts see as run.storage: bits of a policy's parts, and their
-- `total`, by the group of its statistics; of one instance.
function M.storage(description)
  local machine, out, silent = survey(description), {}, {}
  for _, p in ipairs(description.policies) do
    local group = p.path:gsub("%[%d+%]", ""):gsub("%.", "/")
    if not out[group] and not silent[p.type] then
      local item, problems = told(machine, p)
      local bits = item.parts and { total = item.parts.total }
      for _, part in ipairs(item.parts or {}) do
        bits[part.name] = part.count * part.bits
      end
      out[group] = bits
      silent[p.type] = not bits and not problems -- this type never says
    end
  end
  return out
end

-- Instances that differ in nothing are told once.
function M.script_json(descriptions)
  local values = {}
  for _, description in ipairs(descriptions) do
    for _, item in ipairs(M.of(description)) do
      values[#values + 1] = value_of(item)
    end
  end
  return { json.encode(#values > 0 and values or json.empty) }
end

function M.script_lines(descriptions)
  local out = {}
  for _, description in ipairs(descriptions) do
    local seen, groups, total = {}, {}, 0
    for _, item in ipairs(M.of(description)) do
      total = total + (item.parts and item.parts.total or 0)
      local key = table.concat({ item.policy.path:gsub("%[%d+%]", "[*]"),
        given(item.type.params, item.params),
        given(shape_params, item.shape) }, "\n")
      if not seen[key] then
        seen[key] = { item = item, count = 0 }
        groups[#groups + 1] = seen[key]
      end
      seen[key].count = seen[key].count + 1
    end
    for _, group in ipairs(groups) do
      local item = group.item
      if item.parts and #item.parts > 0 then
        table_of(out, ("%d x %s (%s)"):format(group.count,
          item.policy.path:gsub("%[%d+%]", "[*]"), item.type.name),
          item.type, item.params, item.shape, item.parts)
        out[#out + 1] = ""
      end
    end
    out[#out + 1] = ("all policies of %s: %s bits, %s bytes"):format(
      record.path(description.root), text.thousands(total), bytes(total))
  end
  return out
end

return M
