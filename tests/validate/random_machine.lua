-- Random machines as text: a script that describes one and runs a random
-- kernel on it.
--
-- Parameters are drawn from the schema, so those that are added later are
-- drawn too.  What the parts' own rules refuse is put back to its default,
-- one parameter after the other; the messages say which.
local import = require "warploom.import"
local core = import "core"
local types = import "machine/types"
local unit = import "base/unit"
local generator = require "random_kernel".generator

local M = {}

------------------------------------------------------------------------------
-- Values

-- Between low and high, small ones as likely as large ones.
local function spread(draw, low, high)
  local bits = 0
  while high - low >> bits > 0 do bits = bits + 1 end
  local top = 1 << draw(0, bits)
  return low + math.min(draw(0, top - 1), high - low)
end

local function whole(draw, spec)
  local low = spec.min or 0
  local default = math.tointeger(spec.default) or low
  local high = math.min(spec.max or math.maxinteger,
                        math.max(64, 16 * default))
  local kind = draw(1, 100)
  if kind <= 40 then return default end
  if kind <= 50 then return low end
  if not spec.power_of_2 then return spread(draw, low, high) end
  local list, power = {}, 1
  while power <= high do
    if power >= low then list[#list + 1] = power end
    power = power * 2
  end
  return #list > 0 and list[draw(1, #list)] or default
end

-- A value of a parameter; nil: its default.
local function value_of(draw, spec)
  if spec.choices then
    return spec.choices[draw(1, #spec.choices)]
  elseif spec.type == "bool" or type(spec.default) == "boolean" then
    if draw(1, 100) <= 65 then return nil end
    return draw(0, 1) == 1
  elseif type(spec.default) == "table" or type(spec.default) == "string" then
    return nil
  end
  return whole(draw, spec)
end

local function params_of(draw, type)
  local out = {}
  for _, spec in ipairs(type.params) do
    out[spec.name] = value_of(draw, spec)
  end
  return out
end

local function get(part, name)
  local value = part.params[name]
  if value ~= nil then return value end
  return part.type.param[name].default
end

-- Puts the parameters that a message names, or all, back to their defaults.
local function put_back(part, text)
  local some = false
  for name in text:gmatch "'([%w_]+)'" do
    if part.params[name] ~= nil then
      part.params[name] = nil
      some = true
    end
  end
  if not some then part.params = {} end
  part.repaired = (part.repaired or 0) + 1
  if part.tie then part.tie() end
end

local function obey(part)
  for round = 1, 12 do
    local problems = core.validate(part.type.kind, part.type.name,
                                   part.params)
    if #problems == 0 then return end
    put_back(part, round < 6 and problems[1].text or "")
  end
  error(("%s: its own defaults are refused"):format(part.type.name))
end

------------------------------------------------------------------------------
-- Parts

local function component(m, name, type_name)
  local type = types.components[type_name]
  local part = { name = name, type = type, slots = {},
                 params = params_of(m.draw, type) }
  m.parts[name] = part
  m.order[#m.order + 1] = name
  return part
end

local function policy(m, name)
  local type = types.policies[name]
  local part = { name = name, type = type, params = params_of(m.draw, type) }
  obey(part)
  return part
end

-- One of the policies for each slot that takes one, some for each chain.
local function fill_slots(m, part)
  for _, slot in ipairs(part.type.slots) do
    local names = types.answering(slot.hook)
    -- A log of commands writes files.
    if slot.hook ~= "map" and slot.hook ~= "commands" and #names > 0 then
      local list = {}
      if slot.chain then
        for _, name in ipairs(names) do
          local alone = #types.policies[name].facets == 1
          if alone and m.draw(1, 4) == 1 then
            list[#list + 1] = policy(m, name)
          end
        end
      elseif slot.default or m.draw(1, 3) == 1 then
        list[1] = policy(m, names[m.draw(1, #names)])
      end
      part.slots[slot.name] = list
    end
  end
end

local lines = { 32, 64, 128 }

-- A cache of lines of at least `least` and at most `most` bytes.
local function cache(m, name, level, least, most)
  local draw = m.draw
  local part = component(m, name, "cache")
  local p = part.params
  local big = {}
  for _, line in ipairs(lines) do
    if line >= least and line <= (most or 128) then big[#big + 1] = line end
  end
  local line = big[draw(1, #big)]
  local sets = 1 << draw(0, 6)
  local infinite = draw(1, 12) == 1
  if draw(1, 3) > 1 then p.sector_bytes = nil end
  part.tie = function()
    p = part.params
    p.level, p.line_bytes = level, line
    p.infinite = infinite or nil
    p.infinite_lines = infinite and 65536 or nil
    if p.ways and p.ways > 32 then p.ways = 32 end
    p.size_bytes = sets * get(part, "ways") * line
    p.map_channels, p.map_slices = m.channels, m.slices
  end
  part.tie()
  part.line = line
  return part
end

local function wire(draw)
  local one = { latency = spread(draw, 1, 40), credit = spread(draw, 1, 8) }
  one.capacity = draw(1, 4) == 1 and spread(draw, 1, 64) or
                 one.latency + one.credit + draw(0, 8)
  return one
end

local function link(m, from, to)
  m.links[#m.links + 1] = { from = from, to = to, request = wire(m.draw),
                            reply = wire(m.draw) }
end

local function clock(draw) return draw(50, 3000) * 1000000 - draw(0, 999999) end

-- The address map: the same wherever one is wanted.
local function map(m)
  local draw = m.draw
  local banks = get(m.parts.dram, "banks")
  local part = { name = "linear_map", type = types.policies.linear_map,
                 params = { interleave = 128 << draw(0, 4),
                            burst_bytes = 32 << draw(0, 3),
                            columns = spread(draw, 1, 256), banks = banks } }
  if banks == 16 and m.slices <= 2 and draw(0, 1) == 1 then
    part = { name = "gpgpusim_map", type = types.policies.gpgpusim_map,
             params = { slice_bits = m.slices == 1 and {} or nil } }
  end
  for _, name in ipairs { "noc", "dram", "l2" } do
    if m.parts[name] and (name ~= "l2" or m.parts.noc and draw(0, 1) == 1) then
      m.parts[name].slots.map = { part }
    end
  end
end

------------------------------------------------------------------------------
-- Machines

-- What of the SM's parameters the gpu and the load/store unit must know.
local function tie_limits(m)
  local gpu, sm, ldst = m.parts.gpu, m.parts.sm, m.parts.ldst
  sm.tie = function()
    sm.params.warps = math.max(get(sm, "warps"), 8)
    local per = 64 * get(sm, "schedulers")
    sm.params.warps = math.min(sm.params.warps, per)
    sm.params.flush_l1 = m.l1
    if not m.parts.l1i then sm.params.l0i_sets = nil end
    if m.parts.l1i then
      sm.params.fetch_bytes = math.min(get(sm, "fetch_bytes"), 32)
      sm.params.l0i_line_bytes = math.min(get(sm, "l0i_line_bytes"),
                                          m.parts.l1i.line)
    end
    if gpu.tie then gpu.tie() end
  end
  gpu.tie = function()
    local g = gpu.params
    g.sm_threads = math.max(256, math.min(get(gpu, "sm_threads") // 32 * 32,
                                          get(sm, "warps") * 32))
    g.sm_registers = math.max(get(gpu, "sm_registers"), 32768)
    g.sm_shared_bytes = math.max(get(gpu, "sm_shared_bytes"), 8192)
    if ldst.tie then ldst.tie() end
  end
  ldst.tie = function()
    local l = ldst.params
    l.warps, l.sms = get(sm, "warps"), m.sms
    l.line_bytes = m.access
    for _, name in ipairs { "sm_threads", "sm_registers", "sm_shared_bytes",
                            "sm_ctas" } do
      l[name] = get(gpu, name)
    end
    l.flushes_l1 = m.l1
    l.unified_bytes, l.shared_options = nil, nil
    if m.unified then
      local all = (l.sm_shared_bytes + 1023) // 1024
      l.shared_options = { 0, all // 3, all }
      l.unified_bytes = all * 1024 + m.parts.l1d.params.size_bytes
    end
    l.local_base, l.param_base = nil, nil
    l.const_line_bytes = math.min(get(ldst, "const_line_bytes"),
                                  m.parts.l1c and m.parts.l1c.line or 128)
    l.texture_line_bytes = math.min(get(ldst, "texture_line_bytes"),
                                    m.parts.l1t and m.parts.l1t.line or 128)
  end
  sm.tie()
end

-- Shapes of a network with sites for so many links, as functions of a draw.
local shapes = {
  { name = "crossbar", at = function(_, need) return { radix = need } end },
  { name = "butterfly", at = function(draw, need)
      local stages, radix = draw(2, 3), 2
      while radix ^ stages < need do radix = radix + 1 end
      return { radix = radix, stages = stages }
    end },
  { name = "point_to_point", at = function(draw, need)
      local columns = draw(2, 5)
      return { columns = columns, rows = 1,
               concentration = (need + columns - 1) // columns }
    end },
  { name = "ring", least = 2, at = function(draw, need)
      local columns = draw(2, 6)
      return { columns = columns, rows = 1,
               concentration = (need + columns - 1) // columns }
    end },
}
for _, name in ipairs { "mesh", "torus" } do
  shapes[#shapes + 1] = { name = name, least = name == "torus" and 2 or 1,
    at = function(draw, need)
      local columns, rows = draw(2, 4), draw(1, 4)
      return { columns = columns, rows = rows,
               concentration = (need + columns * rows - 1) //
                               (columns * rows) }
    end }
end

-- At most: what is slower than this takes minutes and shows nothing new.
local bounds = { buffer_flits = 64, routing_delay = 8, switch_delay = 8,
                 link_latency = 50, link_period = 4, credit_delay = 60 }

-- A network of routers where the crossbar was, with as many links.
local function draw_network(m)
  local draw, crossbar = m.draw, m.parts.noc
  local ups, downs = 0, m.channels * m.slices
  for _, one in ipairs(m.links) do
    if one.to == "gpu.noc" then ups = ups + m.sms end
  end
  local need = draw(0, 1) == 1 and ups + downs or math.max(ups, downs)
  local shape = shapes[draw(1, #shapes)]
  local size = shape.at(draw, math.max(need, 2))
  local part = component(m, "noc", "network")
  m.order[#m.order] = nil
  part.tie = function()
    local p = part.params
    for name, most in pairs(bounds) do
      if p[name] then p[name] = math.min(p[name], most) end
    end
    for _, name in ipairs { "columns", "rows", "radix", "stages",
                            "concentration" } do
      p[name] = size[name]
    end
    p.topology, p.slices_per_channel = shape.name, m.slices
    local least = (shape.least or 1) * (get(part, "shared") and 2 or 1)
    p.vcs = math.max(get(part, "vcs") // least, 1) * least
  end
  part.tie()
  obey(part)
  fill_slots(m, part)
  part.slots.map = crossbar.slots.map
end

-- A texture cache, an L1 that divides its memory with shared memory, and a
-- network of routers instead of the crossbar.  Drawn last and from numbers of
-- their own: what else a seed is, it stays.
local function draw_more(m)
  local drawn = m.draw
  m.draw = generator(m.seed + (1 << 32))
  if m.noc and m.draw(1, 3) == 1 then
    local most = m.parts.l2 and m.parts.l2.line or 128
    local part = cache(m, "l1t", "l1", m.draw(0, 1) == 1 and most or 32, most)
    obey(part)
    fill_slots(m, part)
    link(m, "sm.ldst.l1t", "sm.l1t.up")
    link(m, "sm.l1t.down", "gpu.noc")
  end
  m.unified = m.l1 and m.draw(1, 4) == 1
  m.parts.ldst.tie()
  obey(m.parts.ldst)
  if m.noc and m.draw(1, 2) == 1 then draw_network(m) end
  m.draw = drawn
end

local function draw_parts(m)
  local draw = m.draw
  component(m, "gpu", "gpu")
  component(m, "sm", "sm")
  component(m, "ldst", "ldst")
  m.l1 = draw(1, 4) > 1
  m.noc = draw(1, 6) > 1
  m.sms = m.noc and draw(1, 4) or 1
  m.channels = m.noc and draw(1, 3) or 1
  m.slices = m.noc and draw(1, 2) or 1
  m.l2 = draw(1, 6) > 1
  m.access = lines[draw(1, 3)]
  local least = m.access
  if m.l1 then least = cache(m, "l1d", "l1", least).line end
  if m.noc and draw(1, 4) == 1 then
    m.parts.l1c = cache(m, "l1c", "l1", lines[draw(1, 2)])
  end
  if m.noc and draw(1, 4) == 1 then
    m.parts.l1i = cache(m, "l1i", "l1", lines[draw(1, 2)])
  end
  for _, name in ipairs { "l1c", "l1i" } do
    if m.parts[name] then least = math.max(least, m.parts[name].line) end
  end
  if m.l1 and draw(1, 6) == 1 then
    least = math.max(least, cache(m, "l15", "l15", m.parts.l1d.line).line)
  end
  if m.noc then
    local noc = component(m, "noc", "crossbar")
    noc.tie = function() noc.params.slices_per_channel = m.slices end
    noc.tie()
  end
  if m.l2 then least = cache(m, "l2", "l2", least).line end
  if m.l2 and draw(1, 6) == 1 then cache(m, "l3", "l3", least) end
  local dram = component(m, "dram", "dram")
  dram.tie = function()
    dram.params.channels = m.channels
    dram.params.slices_per_channel = m.slices
    -- Ratios, so that transfers are whole.
    dram.params.burst_length = get(dram, "data_rate") *
      math.max(get(dram, "burst_length") // get(dram, "data_rate"), 1)
  end
  dram.tie()
  tie_limits(m)
end

-- Ends of links as the text has them; i, s and c count SMs, slices and
-- channels.
local function draw_links(m)
  link(m, "gpu", "sm.gpu")
  link(m, "sm", "sm.ldst.sm")
  local last = "sm.ldst.l1"
  for _, name in ipairs { "l1d", "l15" } do
    if m.parts[name] then
      link(m, last, ("sm.%s.up"):format(name))
      last = ("sm.%s.down"):format(name)
    end
  end
  local side = {}
  if m.parts.l1c then
    link(m, "sm.ldst.l1c", "sm.l1c.up")
    side[#side + 1] = "sm.l1c.down"
  end
  if m.parts.l1i then
    link(m, "sm.l1i", "sm.icache.up")
    side[#side + 1] = "sm.icache.down"
  end
  if m.noc then
    link(m, last, "gpu.noc")
    for _, name in ipairs(side) do link(m, name, "gpu.noc") end
    last = "gpu.noc.down"
  end
  for _, name in ipairs { "l2", "l3" } do
    if m.parts[name] then
      link(m, last, ("gpu.%s.up"):format(name))
      last = ("gpu.%s.down"):format(name)
    end
  end
  link(m, last, "gpu.dram.up")
end

function M.new(seed)
  local m = { seed = seed, draw = generator(seed), parts = {}, order = {},
              links = {}, clocks = {} }
  draw_parts(m)
  for _, name in ipairs(m.order) do
    obey(m.parts[name])
    fill_slots(m, m.parts[name])
  end
  map(m)
  draw_links(m)
  m.clocks.gpu = clock(m.draw)
  for _, name in ipairs { "noc", "l2", "l3", "dram" } do
    if m.parts[name] and m.draw(0, 1) == 1 then
      m.clocks[name] = clock(m.draw)
    end
  end
  draw_more(m)
  return m
end

------------------------------------------------------------------------------
-- Text

local function sorted(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local function literal(value, spec)
  if type(value) == "table" then
    return ("{ %s }"):format(table.concat(value, ", "))
  end
  return unit.format(value, spec and spec.unit or "1")
end

-- `raw` holds fields as text that replace or add to the parameters.
local function fields(part, indent)
  local out, raw = {}, part.raw or {}
  for _, key in ipairs(sorted(part.params)) do
    local spec = part.type.param[key]
    if raw[key] == nil then
      out[#out + 1] = ("%s%s = %s,"):format(indent, key,
                                            literal(part.params[key], spec))
    end
  end
  for _, key in ipairs(sorted(raw)) do
    out[#out + 1] = ("%s%s = %s,"):format(indent, key, raw[key])
  end
  return out
end

local function policy_text(part)
  return ("loom.%s { %s }"):format(part.name, table.concat(fields(part, ""),
                                                            " "))
end

local function part_text(m, name)
  local part = m.parts[name]
  local out = { ("local %s = loom.%s {"):format(name, part.type.name) }
  table.move(fields(part, "  "), 1, 1000, 2, out)
  for _, slot in ipairs(sorted(part.slots)) do
    if part.raw and part.raw[slot] then goto next end
    local list = {}
    for i, one in ipairs(part.slots[slot]) do list[i] = policy_text(one) end
    if #list > 0 then
      out[#out + 1] = ("  %s = { %s },"):format(slot, table.concat(list,
                                                                  ", "))
    end
    ::next::
  end
  if m.clocks[name] then
    out[#out + 1] = ('  clock = %s,'):format(unit.format(m.clocks[name],
                                                         "Hz"))
  end
  out[#out + 1] = "}"
  return table.concat(out, "\n")
end

local function wire_text(one)
  return ("{ latency = %d, credit = %d, capacity = %d }"):format(
    one.latency, one.credit, one.capacity)
end

-- A link, in a loop over SMs or over slices.  The ends are as draw_links()
-- names them.
local function link_text(m, one)
  local per_slice = false
  local function at(name)
    if name == "gpu.noc" then return 'gpu.noc:port "up"' end
    if name:find "^sm" then return (name:gsub("^sm", "gpu.sm[i]")) end
    if name == "gpu.dram.up" then
      per_slice = true
      return ("gpu.dram[s // %d].up[s %% %d]"):format(m.slices, m.slices)
    elseif name == "gpu.noc.down" then
      per_slice = true
      return "gpu.noc.down[s]"
    elseif name ~= "gpu" then
      per_slice = true
      return (name:gsub("^gpu%.(l%d)", "gpu.%1[s]"))
    end
    return name
  end
  local text = ("loom.link(%s, %s, {\n    request = %s,\n    reply = %s })")
    :format(at(one.from), at(one.to), wire_text(one.request),
            wire_text(one.reply))
  if not per_slice then
    return ("for i = 0, %d do\n  %s\nend"):format(m.sms - 1, text)
  elseif text:find("[i]", 1, true) then -- one SM, one slice, no network
    return ("for i = 0, 0 do\n  local s = 0\n  %s\nend"):format(text)
  end
  return ("for s = 0, %d do\n  %s\nend"):format(m.channels * m.slices - 1,
                                               text)
end

-- The whole script.
function M.text(m)
  local out = { 'local loom = require "warploom"',
                'local kernel = require "random_kernel"' }
  for _, name in ipairs(m.order) do out[#out + 1] = part_text(m, name) end
  local function add(format, ...) out[#out + 1] = format:format(...) end
  add("sm.ldst = ldst")
  if m.parts.l1d then add("sm.l1d = l1d") end
  if m.parts.l15 then add("sm.l15 = l15") end
  if m.parts.l1c then add("sm.l1c = l1c") end
  if m.parts.l1t then add("sm.l1t = l1t") end
  if m.parts.l1i then add("sm.icache = l1i") end
  add("gpu.sm = loom.list(%d, sm)", m.sms)
  if m.parts.noc then add("gpu.noc = noc") end
  for _, name in ipairs { "l2", "l3" } do
    if m.parts[name] then
      add("gpu.%s = loom.list(%d, %s)", name, m.channels * m.slices, name)
    end
  end
  add("gpu.dram = loom.list(%d, dram)", m.channels)
  for _, one in ipairs(m.links) do out[#out + 1] = link_text(m, one) end
  for _, line in ipairs(m.more or {}) do out[#out + 1] = line end
  add("loom.run { machine = gpu, workload = %s }", m.workload or
      ("kernel.workload(%d)"):format(m.seed))
  return table.concat(out, "\n") .. "\n"
end

-- Does a message name a policy, or a parameter that it has and its part has
-- not?
local function concerns(text, one, part)
  if text:find(one.name, 1, true) then return true end
  for name in text:gmatch "'([%w_]+)'" do
    if one.params[name] ~= nil and not part.type.param[name] then
      return true
    end
  end
end

-- Takes the policy that a message is about out of its slot.
local function drop_policy(part, text)
  for slot, list in pairs(part.slots) do
    for _, one in ipairs(list) do
      if slot ~= "map" and concerns(text, one, part) then
        part.slots[slot] = nil
        return true
      end
    end
  end
end

-- Puts back what the messages of a refused script name.  Returns false if no
-- message names a part of the machine.
function M.repair(m, messages)
  local found = false
  for _, message in ipairs(messages) do
    local path, text = message:match "^[^:]*:%d+: (gpu%S*): (.*)$"
    path = path and path:gsub("%.policy%..*$", "")
    local name = path and path:match "([%a_][%w_]*)%[?%d*%]?$"
    local part = m.parts[name == "icache" and "l1i" or name]
    if part then
      found = true
      part.refused = (part.refused or 0) + 1
      -- A policy of a part may be refused by another one, that it watches.
      local host = text:match "([%a_][%w_]*)%[?%d*%]?%.policy%."
      local owner = m.parts[host == "icache" and "l1i" or host] or part
      if not drop_policy(owner, message) then
        put_back(part, part.refused > 3 and "" or text)
        obey(part)
      end
    end
  end
  return found
end

return M
