-- loom.energy { .. }: what the events of a machine's parts take.
--
-- Every part declares its events with the energy of one on a GTX 480 at 40 nm
-- (engine/energy.h).  A model turns that into a coefficient for each instance
-- of a machine, in this order:
--
--   1. the value of the part's table, or that of the model's chip
--      (energies/<chip>.lua);
--   2. for the instance's own size: arrays as CACTI's tables say
--      (energies/cacti.lua), linear between two sizes and beyond the last two;
--      flits and bursts by their bytes;
--   3. for the node: arrays as CACTI says, linear between two nodes of its
--      tables; logic as a register bank of CACTI's changes between the chip's
--      node and this one; memory and the chip's constant part not at all;
--   4. with level = "fitted" times the factor of the chip's regression;
--   5. what the script says of an event is the coefficient as it is.
--
-- Plain arithmetic only, in a fixed order: the same bits everywhere.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local record = import "machine/record"
local types = import "machine/types"
local unit = import "base/unit"
local cost = import "policy/cost"
local cacti = import "energies/cacti"
local poison = import "base/poison"

local M = {}

local chips = { gtx480 = true, qv100 = true } -- loaded when they are used
local levels = { fitted = true, raw = true }
local model_meta = { __name = "energy model" }

function M.is_model(value) return getmetatable(value) == model_meta end

------------------------------------------------------------------------------
-- Tables of CACTI

-- Column `column` of rows { size, .. } at `size`.
local function along(rows, size, column)
  if #rows == 1 then return rows[1][column] end
  local i = 1
  while i < #rows - 1 and size > rows[i + 1][1] do i = i + 1 end
  local a, b = rows[i], rows[i + 1]
  local value = a[column] + (b[column] - a[column]) * (size - a[1]) /
                (b[1] - a[1])
  -- Far below the smallest array a line would lead below nothing.
  return math.max(value, a[column] * size / a[1] / 16)
end

-- The same at any node: linear between two of CACTI's.
local function lookup(nodes, node, size, column)
  local list = cacti.nodes
  local i = 1
  while i < #list - 1 and node > list[i + 1] do i = i + 1 end
  local a = along(nodes[list[i]], size, column)
  if node == list[i] then return a end
  local b = along(nodes[list[i + 1]], size, column)
  return a + (b - a) * (node - list[i]) / (list[i + 1] - list[i])
end

-- Logic: how a register bank changes from the chip's node to the model's.
local function logic(model, column)
  return lookup(cacti.bank, model.node, 8, column) /
         lookup(cacti.bank, model.chip.node, 8, column)
end

-- Leakage of one bit of a small table.
local function bit_leakage(node)
  return lookup(cacti.ram, node, 1024, 4) * 1e-3 / 1024
end

------------------------------------------------------------------------------
-- Factors of size and node, by type and event

local REFERENCE = { node = 40, kib = 16, lines = 128, mshrs = 32,
                    hertz = 700e6, dram_hertz = 924e6 }

-- A cache's data: the width of an access, and how many KiB of 128-byte lines.
local function cache_columns(c, model, column)
  local width = c.values.sector_bytes > 0 and 256 or 1024
  local kib = c.values.size_bytes / 1024
  return lookup(cacti.cache[width], model.node, kib, column) /
         lookup(cacti.cache[1024], REFERENCE.node, REFERENCE.kib, column)
end

local function cam(c, model, column)
  return lookup(cacti.cam, model.node, c.values.mshr_entries, column) /
         lookup(cacti.cam, REFERENCE.node, REFERENCE.mshrs, column)
end

local function line_leakage(c, model)
  local lines = math.max(c.values.size_bytes // c.values.line_bytes, 1)
  return cache_columns(c, model, 5) * REFERENCE.lines / lines *
         REFERENCE.hertz / c.hertz
end

-- Milliwatts of tags, gates and MSHRs.
local function rest_leakage(width, node, kib, mshrs)
  local t = cacti.cache[width]
  return lookup(t, node, kib, 6) + lookup(t, node, kib, 7) +
         lookup(cacti.cam, node, mshrs, 4)
end

local function from_cacti(column)
  return function(c, model)
    return cache_columns(c, model, column),
           ("CACTI, %d KiB, %g nm"):format(c.values.size_bytes // 1024,
                                           model.node)
  end
end

local function logic_energy(_, model) return logic(model, 2) end
local function logic_leakage(_, model) return logic(model, 4) end

local function by_flit(c, model)
  return logic(model, 2) * c.values.flit_bytes / model.chip.flit_bytes
end

local function by_burst(c, model)
  return c.values.bus_bytes * c.values.burst_length / model.chip.burst_bytes
end

local function standby(c) return REFERENCE.dram_hertz / c.hertz end
local function unchanged() return 1 end

local shapes = {
  cache = {
    tag = from_cacti(3), read = from_cacti(2), write = from_cacti(4),
    fill = from_cacti(4),
    mshr_search = function(c, model) return cam(c, model, 2) end,
    mshr_write = function(c, model) return cam(c, model, 3) end,
    leak_on = line_leakage, leak_drowsy = line_leakage,
    leak_gated = line_leakage,
    leak_rest = function(c, model)
      local width = c.values.sector_bytes > 0 and 256 or 1024
      return rest_leakage(width, model.node, c.values.size_bytes / 1024,
                          c.values.mshr_entries) /
             rest_leakage(1024, REFERENCE.node, REFERENCE.kib, REFERENCE.mshrs)
    end,
  },
  ldst = {
    leak = function(c, model)
      local kib = (c.values.unified_bytes > 0 and c.values.unified_bytes or
                   c.values.sm_shared_bytes) / 1024
      return lookup(cacti.shared, model.node, 48, 4) /
             lookup(cacti.shared, REFERENCE.node, 48, 4) * kib / 48
    end,
    -- A constant cache that is there has energies of its own.
    constant = function(c, model)
      return c.linked.l1c and 0 or logic(model, 2)
    end,
  },
  crossbar = { flit = by_flit },
  network = { flit_hop = by_flit },
  dram = { read = by_burst, write = by_burst, row = unchanged,
           refresh = unchanged, bank_refresh = unchanged, active = standby,
           precharged = standby, controller = logic_leakage },
  gpu = { constant = unchanged },
}

local function shape_of(c, event, model)
  local shape = shapes[c.type] and shapes[c.type][event.name]
  if not shape then
    shape = event.unit == "W" and logic_leakage or logic_energy
  end
  return shape(c, model)
end

-- Whose factors of the regression are a cache's.
local function role_of(c)
  if c.type ~= "cache" then return c.type end
  local name = c.path:match("([%a_][%w_]*)[%[%]%d]*$")
  if name == "l1c" or name == "l1t" then return name end
  return c.in_sm and "l1" or "l2"
end

------------------------------------------------------------------------------
-- Coefficients of a machine

local function values_of(item, type)
  local values = {}
  for _, spec in ipairs(type.params) do
    local value = item.params[spec.name]
    if value == nil then value = spec.default end
    values[spec.name] = value
  end
  return values
end

-- The group of a path: without indices.
local function group_of(path) return (path:gsub("%[%d+%]", "")) end

local function overridden(model, item, event)
  for _, name in ipairs { item.path, group_of(item.path), item.type } do
    local entry = model.events[name .. "." .. event.name]
    if entry then
      entry.used = true
      return { value = entry.value, source = entry.source }
    end
  end
end

local function own_value(model, role, item, event)
  local values = model.chip.values[role] or model.chip.values[item.type]
  local own = values and values[event.name]
  if own then return own[1], own[2] end
  return event.value, event.source
end

local function coefficient(model, c, event)
  local given = overridden(model, c, event)
  if given then return given end
  local role = role_of(c)
  local value, source = own_value(model, role, c, event)
  local factor, note = shape_of(c, event, model)
  value = value * factor
  if factor ~= 1 then
    source = ("%s; times %.6g%s"):format(source, factor, note and
             " for " .. note or
             (" for its size and clock, %g nm"):format(model.node))
  end
  local fit = model.level == "fitted" and model.chip.fit[role] and
              model.chip.fit[role][event.name]
  if fit then
    value = value * fit[1]
    source = ("%s; times %.6g, the regression's %s"):format(source, fit[1],
                                                           fit[2])
  end
  return { value = value, source = source }
end

local storage = { name = "storage", unit = "W" }

-- A policy: its own events, and the leakage of what it stores.
local function of_policy(model, item, parts)
  local out = {}
  local p = { path = item.path, type = item.type }
  for _, event in ipairs(types.policies[item.type].energies or {}) do
    local given = overridden(model, p, event)
    local factor = event.unit == "W" and logic(model, 4) or
                   lookup(cacti.ram, model.node, 1024, 2) /
                   lookup(cacti.ram, REFERENCE.node, 1024, 2)
    out[event.name] = given or { value = event.value * factor,
      source = factor == 1 and event.source or
               ("%s; times %.6g for %g nm"):format(event.source, factor,
                                                   model.node) }
  end
  local given = overridden(model, p, storage)
  if given then
    out.storage = given
  elseif parts and parts.total > 0 then
    out.storage = { value = parts.total * bit_leakage(model.node),
                    source = ("%d bits as in a RAM of 32 x 32 bits of " ..
                              "CACTI 7, %g nm, 340 K"):format(parts.total,
                                                              model.node) }
  end
  return out
end

-- What an override may name in this machine.
local function names_in(description)
  local names, seen = {}, {}
  local function add(name)
    if not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  local function all(item, events)
    for _, event in ipairs(events) do
      add(item.type .. "." .. event.name)
      add(group_of(item.path) .. "." .. event.name)
    end
  end
  for _, c in ipairs(description.components) do
    all(c, types.components[c.type].energies or {})
  end
  for _, p in ipairs(description.policies) do
    all(p, types.policies[p.type].energies or {})
    all(p, { storage })
  end
  return names
end

local function survey(description)
  local sms, linked = {}, {}
  for _, c in ipairs(description.components) do
    if c.type == "sm" then sms[c.path] = true end
  end
  for _, l in ipairs(description.links) do
    local ports = linked[l.client.path] or {}
    linked[l.client.path] = ports
    ports[l.client.port] = true
  end
  return sms, linked
end

local function in_sm(sms, path)
  repeat
    path = path:match("^(.*)%.[^%.]+$")
    if path and sms[path] then return true end
  until not path
  return false
end

-- path -> event -> { value =, source = } for a machine that was resolved;
-- names that it does not have are problems.
function M.coefficients(model, description)
  local out = {}
  local sms, linked = survey(description)
  for _, entry in next, model.events do entry.used = false end
  for _, c in ipairs(description.components) do
    local type = types.components[c.type]
    local item = { path = c.path, type = c.type, hertz = c.hertz,
                   values = values_of(c, type), in_sm = in_sm(sms, c.path),
                   linked = linked[c.path] or {} }
    local events = {}
    if not item.values.infinite then
      for _, event in ipairs(type.energies or {}) do
        events[event.name] = coefficient(model, item, event)
      end
    end
    out[c.path] = events
  end
  for _, item in ipairs(cost.of(description)) do
    out[item.policy.path] = of_policy(model, item.policy, item.parts)
  end
  for _, name in ipairs(record.sorted_keys(model.events)) do
    local entry = model.events[name]
    if not entry.used then
      session.problem("energy", ("the machine has no event '%s'%s"):format(
        name, suggest.hint(name, names_in(description))), entry.site)
    end
  end
  return out
end

------------------------------------------------------------------------------
-- loom.energy { chip =, node =, level =, events = {} }

local function problem(model, key, fmt, ...)
  session.problem("energy", fmt:format(...),
                  session.field(model.site, "energy", key))
end

-- "sm.float" and "gpu.l2.read" end with an event; which one tells the unit.
-- Two if parts of both units have an event of this name and `name` does not
-- say which part is meant.
local function units_of(name)
  local owner, event = name:match("^(.-)%.?([%w_]+)$")
  local units = {}
  for _, all in ipairs { types.components, types.policies } do
    for key, type in next, all do
      for _, e in ipairs(type.energies or {}) do
        if e.name == event then
          if key == owner then return { e.unit } end
          units[e.unit] = true
        end
      end
    end
  end
  if event == "storage" then units.W = true end
  return record.sorted_keys(units)
end

local function event_names()
  local names = {}
  for _, all in ipairs { types.components, types.policies } do
    for _, key in ipairs(record.sorted_keys(all)) do
      for _, e in ipairs(all[key].energies or {}) do
        names[#names + 1] = key .. "." .. e.name
      end
    end
  end
  return names
end

local function check_event(model, name, given)
  local units = type(name) == "string" and units_of(name) or {}
  if #units == 0 then
    problem(model, "events", "there is no event '%s'%s", tostring(name),
            suggest.hint(tostring(name), event_names()))
    return
  end
  local value, expected
  for _, wanted in ipairs(units) do
    if value == nil then
      value, expected = unit.check({ type = "number", unit = wanted,
                                     min = 0.0, max = 1e6 }, given)
    end
  end
  if value == nil then
    problem(model, "events", "event '%s' is %s, %s", name, unit.quote(given),
            expected)
    return
  end
  local site = session.field(model.site, "energy", "events")
  model.events[name] = { value = value, site = site,
    source = ("the script, %s:%d"):format(site.file, site.line) }
end

local function pick(model, given, key, from, default)
  local name = given[key] == nil and default or given[key]
  if from[name] == nil then
    problem(model, key, "'%s' is %s%s", key, unit.quote(name),
            suggest.hint(tostring(name), record.sorted_keys(from)))
    return default
  end
  return name
end

function M.energy(given)
  local model = setmetatable({ site = session.site(), events = {} }, model_meta)
  if given == nil then given = {} end
  if type(given) ~= "table" or getmetatable(given) then
    session.problem("energy", ("got %s, expected a table: loom.energy { " ..
      "node = 40 }"):format(unit.quote(given)), model.site)
    return poison
  end
  local fields = { "chip", "node", "level", "events" }
  for _, key in ipairs(record.sorted_keys(given)) do
    local known = false
    for _, name in ipairs(fields) do known = known or key == name end
    if not known then
      problem(model, key, "there is no field '%s'%s", tostring(key),
              suggest.hint(tostring(key), fields))
    end
  end
  model.chip = import("energies/" ..
                      pick(model, given, "chip", chips, "gtx480"))
  model.level = pick(model, given, "level", levels, "fitted")
  model.node = model.chip.node
  if given.node ~= nil then
    local node = type(given.node) == "number" and given.node or nil
    local low, high = cacti.nodes[1], cacti.nodes[#cacti.nodes]
    if node and node >= low and node <= high then
      model.node = node
    else
      problem(model, "node", "'node' is %s, expected %d..%d (nm), the nodes " ..
              "of CACTI's tables; leakage cannot be told beyond them",
              unit.quote(given.node), low, high)
    end
  end
  if type(given.events) == "table" then
    for _, name in ipairs(record.sorted_keys(given.events)) do
      check_event(model, name, given.events[name])
    end
  elseif given.events ~= nil then
    problem(model, "events", "'events' is %s, expected { [\"cache.read\"] = " ..
            "\"60pJ\" }", unit.quote(given.events))
  end
  return model
end

-- The call that makes the model again.
function M.text(model)
  local out = { ("loom.energy { chip = %q, node = %.17g, level = %q"):format(
    model.chip.name, model.node, model.level) }
  local names = record.sorted_keys(model.events)
  if #names > 0 then
    local events = {}
    for i, name in ipairs(names) do
      events[i] = ("[%q] = %.17g"):format(name, model.events[name].value)
    end
    out[#out + 1] = (", events = { %s }"):format(table.concat(events, ", "))
  end
  return table.concat(out) .. " }"
end

return M
