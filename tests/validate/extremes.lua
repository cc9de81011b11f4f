-- Every parameter of the schema at its minimum, at its maximum and at each of
-- its choices, on the smallest machine that has the part: it runs, or it is
-- refused with a reason.  Never a deadlock, a broken law or an internal error;
-- extremes.sh bounds memory and time.
--
--   WARPLOOM_PATH=tests/lua:tests/validate warploom --unsafe run
--     tests/validate/extremes.lua --set only=dram.trcd --set show=true
--
-- Cases are numbered; `from` and `count` choose some of them.
local loom = require "warploom"
local H = require "harness"
local policy_places = require "policy_places"
local core = H.import "core"
local types = H.import "machine/types"
local session = H.import "script/session"

local from = loom.option { name = "from", default = 1, doc = "The first" }
local count = loom.option { name = "count", default = 1000000,
                            doc = "How many at most" }
local only = loom.option { name = "only", default = "",
                           doc = "A part, or part.parameter" }
local show = loom.option { name = "show", default = false,
                           doc = "Print what is said to each" }
local seed = loom.option { name = "seed", default = 7, doc = "Of the kernel" }
local outer = session.script

------------------------------------------------------------------------------
-- Machines: `%s` is a table of fields of the part, or where it is set

local gpu = [[
local loom = require "warploom"
local kernel = require "random_kernel"
local m = loom.preset.tiny { sm_count = 1 }
m.driver = loom.host {}
loom.link(m.driver, m)
%s
loom.run { machine = m, memory = "64MiB", workload = kernel.workload(SEED) }
]]

local alone = [[
local loom = require "warploom"
local m = loom.mem_source { clock = "1GHz", count = 200 }
m.dram = loom.dram { channels = 1, slices_per_channel = 1,
                     map = loom.linear_map { burst_bytes = 64, columns = 64 } }
loom.link(m, m.dram)
%s
loom.run { machine = m, memory = "64MiB", stop = { cycles = 3000000 } }
]]

-- A node of traffic at both sites of a network of two routers.
local partitioned = gpu:gsub("loom.preset.tiny", "loom.preset.h100", 1)
local translated = gpu:gsub("%%s", [[
m.tlb = loom.tlb { page_bytes = "64KiB", entries = 4, ways = 4 }
m.walker = loom.walker { level_cycles = 20 }
loom.splice(m.sm[0].l1d.down, m.tlb.up, m.tlb.down)
loom.link(m.tlb.walk, m.walker.up)
%%s]], 1)
local nodes = [[
local loom = require "warploom"
local m = loom.network { clock = "1GHz", columns = 2,
                         map = loom.linear_map { interleave = 256 } }
m.node = loom.list(2, loom.traffic { nodes = 2, warmup = 100, measure = 500 })
m.node[1].node = 1
%s
for i = 0, 1 do
  loom.link(m.node[i].out, m.up)
  loom.link(m.down, m.node[i]["in"])
end
loom.run { machine = m, memory = "64MiB", stop = { cycles = 3000000 } }
]]

local timeless = [[
local loom = require "warploom"
local m = loom.locality { sms = 1, l1 = loom.cache {
  size_bytes = "1KiB", ways = 4 } }
%s
loom.run { machine = m, memory = "64MiB",
           workload = loom.suite.vectoradd { n = 1000 } }
]]

-- Where a component is in its machine.
local places = {
  cache = { gpu, "m.l2", "m.sm[0].l1d" }, crossbar = { gpu, "m.xbar" },
  dram = { gpu, "m.dram" }, gpu = { gpu, "m" }, ldst = { gpu, "m.sm[0].ldst" },
  sm = { gpu, "m.sm[0]" }, host = { gpu, "m.driver" },
  locality = { timeless, "m" },
  mem_source = { alone, "m" }, network = { nodes, "m" },
  traffic = { nodes, "m.node[0]" },
  tlb = { translated, "m.tlb" }, walker = { translated, "m.walker" },
}

-- Policies whose machine is another one, and what they need beside.
local apart = {
  direct_route = { nodes, 'm.topology, m.radix = "crossbar", 2\n' ..
                          'm.routing = %s' },
  minimal_route = { nodes, "m.routing = %s" },
  partition_route = { partitioned, "m.noc:set { routing = %s }" },
  min = { timeless, "m.l1.replacement = %s" },
}
local needs = { command_log = { file = '"/dev/null"' } }

local function policy_line(type, fields)
  local made = ("loom.%s { %s }"):format(type.name, fields)
  if apart[type.name] then
    return apart[type.name][1], apart[type.name][2]:format(made)
  end
  local part, slot = policy_places.of(type)
  if part then
    return gpu, ("%s:attach(%s%s)"):format(part, made, slot and
      (', "%s"'):format(slot) or "")
  end
  error(("no place for policy '%s'"):format(type.name), 0)
end

------------------------------------------------------------------------------
-- Cases

local function bounds(spec)
  local low, high = spec.min or 0, spec.max
  if not high then high = spec.wide and math.maxinteger or 0xffffffff end
  if spec.power_of_2 then
    local power = 1
    while power * 2 <= high and power * 2 > 0 do power = power * 2 end
    high = power
    power = 1
    while power < low do power = power * 2 end
    low = power
  end
  return low, high
end

local function literal(value)
  if type(value) == "string" then return ("%q"):format(value) end
  if value == math.huge then return "math.huge" end
  return tostring(value)
end

-- The values of a parameter as text.
local function values_of(spec)
  local list, seen = {}, {}
  local function add(value)
    local text = type(value) == "table" and value.text or literal(value)
    if not seen[text] then
      seen[text] = true
      list[#list + 1] = text
    end
  end
  if spec.choices then
    for _, choice in ipairs(spec.choices) do add(choice) end
  elseif spec.type == "boolean" then
    add(false)
    add(true)
  elseif spec.type == "string" then
    add ""
    add(("x"):rep(300))
  elseif spec.type == "list" then
    local low, high = bounds(spec)
    add { text = "{}" }
    add { text = ("{ %d }"):format(low) }
    add { text = ("{ %d }"):format(high) }
    add { text = ("load('local t = {} for i = 1, %d do t[i] = %d end " ..
                  "return t')()"):format(4096, low) }
  else
    local low, high = bounds(spec)
    add(low)
    if low == 0 and spec.type ~= "number" then add(1) end -- 0 is often "none"
    add(high)
  end
  return list
end

local function quantity(spec, text)
  local value = math.tointeger(tonumber(text))
  if value and (spec.unit == "Hz" or spec.unit == "byte/s") then
    return ('"%d%s"'):format(value, spec.unit == "Hz" and "Hz" or "B/s")
  end
  return text
end

local cases = {}

local function add_cases(type, make)
  for _, spec in ipairs(type.params) do
    for _, text in ipairs(values_of(spec)) do
      local value = quantity(spec, text)
      local machine, line = make(spec.name, value)
      cases[#cases + 1] = { part = type.name, param = spec.name,
        name = ("%s.%s = %s"):format(type.name, spec.name, #value > 60 and
                                     value:sub(1, 60) .. ".." or value),
        text = machine:gsub("SEED", seed):format((line:gsub("%%", "%%%%"))) }
    end
  end
end

for _, type in ipairs(types.component_list) do
  local place = places[type.name]
  if not place then error(("no place for '%s'"):format(type.name), 0) end
  for i = 2, #place do
    add_cases(type, function(name, value)
      return place[1], ("%s[%q] = %s"):format(place[i], name, value)
    end)
  end
end
for _, type in ipairs(types.policy_list) do
  add_cases(type, function(name, value)
    local fields = {}
    for key, given in pairs(needs[type.name] or {}) do
      if key ~= name then fields[1] = ("%s = %s"):format(key, given) end
    end
    fields[#fields + 1] = ("[%q] = %s"):format(name, value)
    return policy_line(type, table.concat(fields, ", "))
  end)
end

------------------------------------------------------------------------------

-- "runs", "refused", or nil and what is wrong.
local function judge(number, case)
  if number % 4 == 0 then collectgarbage() end -- machines and their memories
  local problems, _, status = H.run(case.text, { mode = "run" })
  local run = H.runs()[1]
  local reason = run and run.reason or ""
  if status == 0 and run and
     (run.status == "complete" or run.status == "cut") then
    return "runs", ""
  elseif status == 1 and #problems > 0 and
         not problems[1]:find("error: ", 1, true) then
    return "refused", problems[1]
  elseif status == 3 and run and run.status ~= "violation" and #reason > 20 then
    return "refused", reason
  end
  -- Nodes that do not agree are found by what arrives.
  local first = run and run.violations and run.violations[1]
  if first and first.text:find("must agree", 1, true) then
    return "refused", first.text
  end
  local lines = { ("status %s, %s: %s"):format(status, run and run.status or
                                                "no run", reason) }
  for _, v in ipairs(run and run.violations or {}) do
    lines[#lines + 1] = v.path .. ": " .. v.text
  end
  table.move(problems, 1, #problems, #lines + 1, lines)
  return nil, table.concat(lines, "\n    ")
end

local function chosen(number, case)
  return number >= from and number < from + count and
         (only == "" or only == case.part or
          only == case.part .. "." .. case.param)
end

local counts, failed, slowest = { runs = 0, refused = 0 }, 0, { 0, "" }
for number, case in ipairs(cases) do
  if chosen(number, case) then
    io.stdout:write(("%d %s\n"):format(number, case.name)):flush()
    local begun = core.wall()
    local verdict, why = judge(number, case)
    local wall = core.wall() - begun
    if wall > slowest[1] then slowest = { wall, case.name } end
    if verdict then
      counts[verdict] = counts[verdict] + 1
    else
      failed = failed + 1
      io.stdout:write(("FAILED %d %s: %s\n"):format(number, case.name, why))
    end
    if show then io.stdout:write(("  %s %.2f s %s\n"):format(verdict, wall,
                                                             why)) end
  end
end
session.reset { script = outer, set = {} }
print(("%d of %d cases: %d ran, %d were refused, %d failed; the slowest " ..
       "took %.1f s: %s"):format(counts.runs + counts.refused + failed, #cases,
       counts.runs, counts.refused, failed, slowest[1], slowest[2]))
if failed > 0 then error(failed .. " cases failed", 0) end
