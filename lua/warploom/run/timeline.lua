-- The timeline of a run: --timeline, --window, and `timeline` of loom.run; and
-- its profile: --profile, and `profile` of `stats`.
--
-- Probes are attached to the machine as it is built (lua/timeline/): they are
-- in no description of it and in no results.

local import = ...
local core = import "core"
local access = import "script/access"
local files = import "script/files"
local session = import "script/session"
local record = import "machine/record"
local text = import "base/text"
local unit = import "base/unit"

local M = {}

M.fields = { "file", "from", "to", "kernel", "launch", "sms", "limit" }

local LIMIT = 256 << 20 -- viewers take a while with more

-- A time, as { femtoseconds = } or { cycles = } of the machine's clock.
local function moment(value)
  local cycles = math.tointeger(value)
  if cycles then return cycles >= 0 and { cycles = cycles } or nil end
  local time = type(value) == "string" and unit.femtoseconds(value)
  return time and { femtoseconds = time } or nil
end

local function size(value)
  return unit.check({ type = "integer", unit = "byte", wide = true, min = 1 },
                    value)
end

-- SMs, as a set, of a list, a number or "0..3".
local function numbers(value)
  local out = {}
  local list = type(value) == "table" and value or { value }
  for _, item in ipairs(list) do
    local from, to = tostring(item):match("^(%d+)%.%.(%d+)$")
    from = math.tointeger(tonumber(from or item))
    to = math.tointeger(tonumber(to or item))
    if not from or not to or from < 0 or to < from or to > 65535 then
      return nil
    end
    for n = from, to do out[n] = true end
  end
  return next(out) and out or nil
end

local kinds = {
  from = { moment, "a time such as \"10us\", or a number of cycles" },
  to = { moment, "a time such as \"10us\", or a number of cycles" },
  kernel = { function(v) return type(v) == "string" and v ~= "" and v or nil
             end, "a kernel's name, in which * is anything" },
  launch = { function(v) v = math.tointeger(v); return v and v >= 0 and v or nil
             end, "the number of a launch, from 0" },
  sms = { numbers, "numbers of SMs, such as 0..3" },
  limit = { size, "a size such as \"64MiB\"" },
}

-- The value of a field, or nil and what was expected.
function M.value(name, given)
  local read = kinds[name]
  local value = read[1](given)
  if value ~= nil then return value end
  return nil, ("is %s, expected %s"):format(unit.quote(given), read[2])
end

-- What --window says: "10us..20us,kernel=mv*,sms=0..3".  Nil, and what is
-- wrong.
function M.parse(given)
  local out = { text = given }
  for word in (given .. ","):gmatch("([^,]*),") do
    local name, value = word:match("^(%l+)=(.+)$")
    local from, to = word:match("^(.-)%.%.(.*)$")
    local why
    if name and kinds[name] and name ~= "from" and name ~= "to" then
      out[name], why = M.value(name, tonumber(value) or value)
    elseif not name and from then
      if from ~= "" then
        out.from, why = M.value("from", tonumber(from) or from)
      end
      if to ~= "" and not why then
        out.to, why = M.value("to", tonumber(to) or to)
      end
    else
      return nil, ("--window is '%s', expected FROM..TO, kernel=, launch=, " ..
        "sms= or limit=, with commas between"):format(word)
    end
    if why then return nil, ("--window: '%s' %s"):format(word, why) end
  end
  return out
end

------------------------------------------------------------------------------

-- The number in the last brackets of a path: hardware index.
local function index(path)
  return math.tointeger(tonumber(path:match(".*%[(%d+)%]") or 0))
end

local slots = { sm = "observe", ldst = "observe", cache = "observe",
                dram = "commands" }

-- Is a part watched, of the SMs that were chosen?
local function watched(component, choice, level)
  if not slots[component.type] then return false end
  local in_sm = component.type == "sm" or component.type == "ldst" or
                component.type == "cache" and (level or "l1") == "l1"
  return not in_sm or not choice.sms or choice.sms[index(component.path)]
end

local function time_of(value, hertz)
  return value and (value.femtoseconds or
                    math.tointeger(value.cycles * 1000000000000000 // hertz))
end

-- Where it is written: the first run of a script to the path given, the next
-- ones beside it.
local function path_of(choice)
  if session.timeline then
    session.timelines = session.timelines + 1
    return files.numbered(session.timeline, session.timelines)
  end
  local real, why = access.look(choice.file)
  if not real then
    session.stop("output", ("'%s' cannot be used: %s"):format(choice.file, why))
  end
  return choice.file
end

-- Of a run that is to have one of them: { path =, file =, described = the
-- description with its probes }.
function M.prepare(spec, description)
  local profile = spec.stats.profile
  local choice = spec.timeline or type(profile) == "table" and profile or {}
  if session.mode ~= "run" then return nil end
  local hertz = record.clock(description.root).value
  local from, to = time_of(choice.from, hertz), time_of(choice.to, hertz)
  local sms, parts, probes = 0, 0, {}
  local name = ("timeline %d"):format(session.run_count)
  for _, c in ipairs(description.components) do
    parts = parts + 1
    if c.type == "sm" then sms = math.max(sms, index(c.path) + 1) end
    if watched(c, choice, c.params.level) then
      probes[#probes + 1] = {
        path = c.path .. ".timeline", type = name, params = {},
        attach = { { component = c.path, slot = slots[c.type] } } }
    end
  end
  local path = spec.timeline and path_of(choice) or nil
  local file, why = core.timeline {
    path = path, profile = profile and true, name = name, from = from,
    to = to, kernel = choice.kernel, launch = choice.launch,
    limit = choice.limit or LIMIT, sms = sms, parts = parts }
  if not file then session.stop("output", why) end
  local described = {}
  for key, value in next, description do described[key] = value end
  described.policies = table.move(probes, 1, #probes,
    #description.policies + 1, { table.unpack(description.policies) })
  return { path = path, file = file, described = described }
end

-- After the run; true, or nil and why it could not be written.
function M.finish(run)
  local timeline = run.timeline
  if not timeline.path then return true end
  local totals, why = timeline.file:finish(run.machine:now())
  if not totals then return nil, ("'%s': %s"):format(timeline.path, why) end
  timeline.totals = totals
  return true
end

-- What the summary says of it.
function M.tells(run)
  local t = run.timeline.totals
  local note = ("%s slices"):format(text.thousands(t.slices))
  if t.full then
    note = ("%s until %.3f us, where its limit was reached"):format(note,
      t.last / 1e9)
  end
  if t.left_out > 0 then
    note = ("%s; %s found no place"):format(note, text.thousands(t.left_out))
  end
  return note
end

return M
