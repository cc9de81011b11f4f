-- Machines with one mistake each: refused with a message that names what is
-- wrong, or, where only the run shows it, ended with a reason; never a crash.
--
--   warploom --unsafe run tests/validate/invalid.lua --set count=100
local loom = require "warploom"
local H = require "harness"
local machine = require "random_machine"
local session = H.import "script/session"
local types = H.import "machine/types"

local first = loom.option { name = "seed", default = 1, doc = "The first" }
local count = loom.option { name = "count", default = 10,
                            doc = "How many machines get each mistake" }
local show = loom.option { name = "show", default = false,
                           doc = "Print the messages" }
local outer = session.script

-- A part, and one of its parameters that `fits`; nil if there is none.
local function pick(m, fits)
  local found = {}
  for _, name in ipairs(m.order) do
    for _, spec in ipairs(m.parts[name].type.params) do
      if fits(spec) then
        found[#found + 1] = { part = m.parts[name], spec = spec }
      end
    end
  end
  local one = found[m.draw(1, #found)]
  one.part.raw = {}
  return one.part, one.spec
end

local function is_whole(spec)
  return math.type(spec.default) == "integer" and not spec.choices
end

-- Each mistake changes the machine and says what a message must contain.
-- `late` ones are found by the run; `warned` ones are only warned of.
local mistakes = {}
local names = {}
local function mistake(name, make, how)
  names[#names + 1] = name
  mistakes[name] = { make = make, how = how or {} }
end

mistake("above its range", function(m)
  local part, spec = pick(m, function(s) return is_whole(s) and s.max end)
  part.raw[spec.name] = tostring(spec.max + 1)
  return { ("parameter '%s' is "):format(spec.name) }
end)

mistake("below its range", function(m)
  local part, spec = pick(m, function(s)
    return is_whole(s) and s.min and s.min > 0
  end)
  part.raw[spec.name] = tostring(spec.min - 1)
  return { ("parameter '%s' is "):format(spec.name) }
end)

mistake("negative", function(m)
  local part, spec = pick(m, is_whole)
  part.raw[spec.name] = "-1"
  return { ("parameter '%s' is -1"):format(spec.name) }
end)

mistake("not whole", function(m)
  local part, spec = pick(m, is_whole)
  part.raw[spec.name] = "2.5"
  return { ("parameter '%s' is 2.5"):format(spec.name) }
end)

mistake("a table for a number", function(m)
  local part, spec = pick(m, is_whole)
  part.raw[spec.name] = "{}"
  return { ("'%s'"):format(spec.name) }
end)

mistake("a word for a number", function(m)
  local part, spec = pick(m, is_whole)
  part.raw[spec.name] = '"many"'
  return { ("parameter '%s' is \"many\""):format(spec.name) }
end)

mistake("a number for a boolean", function(m)
  local part, spec = pick(m, function(s)
    return type(s.default) == "boolean"
  end)
  part.raw[spec.name] = "1"
  return { ("parameter '%s' is 1, expected true or false"):format(spec.name) }
end)

mistake("no such choice", function(m)
  local part, spec = pick(m, function(s) return s.choices end)
  part.raw[spec.name] = '"sometimes"'
  return { ("parameter '%s' is \"sometimes\""):format(spec.name),
           spec.choices[1] }
end)

mistake("not a power of two", function(m)
  local part, spec = pick(m, function(s)
    return s.power_of_2 and (s.max or 1 << 20) >= 4 and (s.min or 1) <= 32
  end)
  part.raw[spec.name] = tostring(math.max(spec.min or 1, 2) * 3 // 2)
  return { ("parameter '%s' is "):format(spec.name), "power of two" }
end)

mistake("no such parameter", function(m)
  local part, spec = pick(m, function(s)
    return #s.name > 3 and is_whole(s) and not s.power_of_2
  end)
  part.raw[spec.name .. "x"] = tostring(math.tointeger(spec.max or 64))
  return { ("there is no parameter '%sx'"):format(spec.name),
           "did you mean" }
end)

mistake("a size that ways do not divide", function(m)
  local part = m.parts.l2 or m.parts.l1d or m.parts.l1c
  if not part then return nil end
  part.raw = { infinite = "false", ways = "3",
               size_bytes = tostring(4 * part.line) }
  part.raw.max_ways = "0"
  return { "parameter 'size_bytes' is " }
end)

mistake("two policies in a slot", function(m)
  m.parts.sm.raw = { scheduler = "{ loom.lrr {}, loom.gto {} }" }
  return { "slot 'scheduler' got 2 policies" }
end)

mistake("two attached to a slot", function(m)
  m.parts.sm.raw = { scheduler = "{ loom.lrr {} }" }
  m.more = { "gpu.sm[0]:attach(loom.gto {})" }
  return { "gpu[0].sm[0]: slot 'scheduler' already holds 'lrr'" }
end)

mistake("a policy that does not answer", function(m)
  m.parts.sm.raw = { scheduler = "{ loom.lru {} }" }
  return { "slot 'scheduler' asks 'scheduler', which policy 'lru' does not" }
end)

-- An open port 'l1' of a load/store unit is found by the first access.
mistake("a link that is missing", function(m)
  table.remove(m.links, m.draw(1, #m.links))
  m.workload = "loom.suite.vectoradd { n = 64 }"
  return { "port '" }
end, { late = true })

mistake("a link that is there twice", function(m)
  local at = m.draw(1, #m.links)
  local from = m.links[at].from
  if from == "gpu" then return nil end
  m.links[#m.links + 1] = m.links[at]
  return { "port '" }
end)

mistake("ports that do not fit", function(m)
  m.more = { "loom.link(gpu.sm[0].gpu, gpu.dram[0])" }
  return { "has no port that fits" }
end)

mistake("a latency of 0", function(m)
  m.links[m.draw(1, #m.links)].request.latency = 0
  return { "link: 'latency' is 0, expected 1..100000" }
end)

mistake("a machine without a clock", function(m)
  m.clocks.gpu = nil
  return { "there is no clock" }
end)

mistake("half a collector", function(m)
  m.parts.sm.raw = { register_banks = "16", sp_collectors = "0",
                     generic_collectors = "0", sub_core = "false",
                     tensor_queue = "0" }
  return { "'sp_collectors'" }
end)

mistake("refresh and nothing else", function(m)
  m.parts.dram.raw = { trefi = "10", trfc = "10" }
  return { "gpu[0].dram[0]: parameter 'trefi' is 10" }
end)

mistake("a capacity below the full rate", function(m)
  local one = m.links[m.draw(1, #m.links)]
  one.reply.capacity = one.reply.latency + one.reply.credit - 1
  one.request.capacity = one.request.latency + one.request.credit - 1
  return { "cannot run at full rate" }
end, { warned = true })

mistake("an SM smaller than the gpu expects", function(m)
  m.parts.gpu.raw = { sm_threads = "4096", sm_ctas = "64",
                      sm_registers = "16777216", spread_ctas = "false",
                      sm_shared_bytes = '"1MiB"' }
  m.parts.sm.raw = { warps = "1" }
  m.workload = "loom.suite.vectoradd { n = 2048 }"
  return { "gpu[0].sm[" }
end, { late = true })

mistake("a bank that is not there", function(m)
  local map = "{ loom.linear_map { banks = 64, columns = 1, " ..
              "interleave = 128, burst_bytes = 128 } }"
  m.parts.dram.raw = { banks = "1", bank_groups = "1",
                       pseudo_channels = "1", map = map }
  return { "parameter 'banks' of the map is 64" }
end, { late = true })

mistake("lines that become smaller downwards", function(m)
  if not m.parts.l2 or not m.parts.l1d or m.parts.l15 then return nil end
  for _, name in ipairs { "l1d", "l2" } do
    local part = m.parts[name]
    part.raw = { infinite = "false", line_bytes = name == "l2" and "32" or
                 "128", sector_bytes = "0", split_sectors = "false",
                 mshr_unit = '"line"', size_bytes = "8192", ways = "4",
                 max_ways = "0", set_index = "{}" }
  end
  m.workload = "loom.suite.vectoradd { n = 64 }"
  return { "gpu[0].l2[", "lines may not become shorter" }
end, { late = true, maybe = true }) -- where no access is that long it runs

------------------------------------------------------------------------------

-- A valid machine of the seed.
local function valid(seed)
  local m = machine.new(seed)
  for _ = 1, 30 do
    local problems = H.run(machine.text(m), { mode = "check" })
    if #problems == 0 then return m end
    if not machine.repair(m, problems) then error(problems[1], 0) end
  end
  error "no valid machine"
end

local function contains(lines, wanted)
  for _, text in ipairs(wanted) do
    local found = false
    for _, line in ipairs(lines) do
      found = found or line:find(text, 1, true) ~= nil
    end
    if not found then return false, text end
  end
  return true
end

local tried, failed = 0, 0
local function complain(seed, name, what, lines)
  failed = failed + 1
  -- Not print: what other scripts have left of it.
  io.stdout:write(("FAILED seed %d, %s: %s\n  %s\n"):format(seed, name, what,
                  table.concat(lines, "\n  ")))
end

-- What the run of a late mistake says.
local function late_lines(text)
  local problems, _, status = H.run(text, { mode = "run" })
  local run = H.runs()[1]
  if run and run.reason then problems[#problems + 1] = run.reason end
  return problems, status
end

local function try(seed, name)
  local m = valid(seed)
  local wanted = mistakes[name].make(m)
  if not wanted then return end
  local how = mistakes[name].how
  io.stdout:write(("seed %d, %s\n"):format(seed, name)):flush()
  tried = tried + 1
  local problems, warnings, status = H.run(machine.text(m), { mode = "check" })
  if how.late and #problems == 0 then
    problems, status = late_lines(machine.text(m))
  end
  local lines = how.warned and warnings or problems
  if show then print(table.concat(lines, "\n")) end
  if how.maybe and status == 0 then return end
  if how.warned and status ~= 0 then
    return complain(seed, name, "is not only warned of", problems)
  elseif not how.warned and status == 0 then
    return complain(seed, name, "is not refused", warnings)
  end
  local good, text = contains(lines, wanted)
  if not good then
    complain(seed, name, ("no message contains \"%s\""):format(text), lines)
  end
end

for seed = first, first + count - 1 do
  for _, name in ipairs(names) do try(seed, name) end
end
session.reset { script = outer, set = {} }
print(("%d mistakes of %d kinds in %d machines of %d component types, %d " ..
       "not refused as they should be"):format(tried, #names, count,
       #types.component_list, failed))
if failed > 0 then error(failed .. " mistakes", 0) end
