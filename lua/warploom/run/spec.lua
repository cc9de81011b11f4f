-- What loom.run is given: checked before anything is built.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local record = import "machine/record"
local unit = import "base/unit"
local poison = import "base/poison"
local energy = import "machine/energy"
local sample = import "run/sample"
local placed = import "run/placed"
local timed = import "run/timed"
local checkpoint = import "run/checkpoint"

local M = {}

local fields = { "machine", "workload", "stats", "stop", "seed", "title",
                 "memory", "guard", "out_of_bounds", "patience", "transform",
                 "check", "stream_pool", "energy", "budget", "sample",
                 "timed", "timeline", "every", "checkpoint", "from" }

local function problem(site, key, fmt, ...)
  local keys = type(key) == "table" and key or { key }
  session.problem("run", fmt:format(...),
                  session.field(site, "run", table.unpack(keys)))
end

local function check_names(site, path, given, names)
  for _, key in ipairs(record.sorted_keys(given)) do
    local known = false
    for _, name in ipairs(names) do known = known or name == key end
    if not known then
      local keys = table.move(path, 1, #path, 1, {})
      keys[#keys + 1] = key
      local name = table.concat(keys, "."):gsub("%.(%d+)", "[%1]")
      problem(site, keys, "there is no field '%s'%s", name,
              suggest.hint(key, names))
    end
  end
end

local function duration(site, keys, value, what)
  local time = type(value) == "string" and unit.femtoseconds(value)
  if time and time > 0 then return time end
  problem(site, keys, "'%s' is %s, expected a duration with a unit, such as " ..
          "\"10us\"", what, unit.quote(value))
end

local function whole(site, keys, value, what)
  local n = math.tointeger(value)
  if n and n >= 1 then return n end
  problem(site, keys, "'%s' is %s, expected a whole number of at least 1",
          what, unit.quote(value))
end

local function check_series(site, given, out)
  for _, name in ipairs(record.sorted_keys(given)) do
    local one = given[name]
    local keys = { "stats", "series", name }
    if type(name) ~= "string" or not name:find("^[a-z][a-z0-9_]*$") or
       type(one) ~= "table" then
      problem(site, keys, "series '%s' is %s, expected name = { every = " ..
              "\"10us\", select = \"**.dram.*\" }", tostring(name),
              unit.quote(one))
    else
      check_names(site, keys, one, { "every", "select" })
      local select = type(one.select) == "string" and { one.select } or
                     one.select
      if type(select) ~= "table" or #select == 0 then
        problem(site, keys, "series '%s' needs select = a pattern or a list " ..
                "of them", name)
        select = {}
      end
      local period = duration(site, { "stats", "series", name, "every" },
                              one.every, name .. ".every")
      if period then
        out[#out + 1] = { name = name, period = period, select = select }
      end
    end
  end
end

-- What is chosen of a timeline or profile.
local function fields_of(site, where, given, names, skipped)
  local timeline, out = import "run/timeline", {}
  check_names(site, where, given, names)
  for _, key in ipairs(names) do
    if given[key] ~= nil and key ~= skipped then
      local why
      out[key], why = timeline.value(key, given[key])
      if why then
        local path = table.move(where, 1, #where, 1, {})
        path[#path + 1] = key
        problem(site, path, "'%s' %s", table.concat(path, "."), why)
      end
    end
  end
  return out
end

local PROFILED = { "kernel", "launch", "sms" }

local function check_stats(site, given)
  local out = { series = {}, profile = session.profile }
  if given == nil then
    out.kernel_end = true
    return out
  end
  if type(given) ~= "table" then
    problem(site, "stats", "'stats' is %s, expected { file = .. }",
            unit.quote(given))
    return out
  end
  check_names(site, { "stats" }, given,
              { "file", "snapshot", "series", "flush", "select", "profile" })
  if given.file ~= nil and type(given.file) ~= "string" then
    problem(site, { "stats", "file" }, "'stats.file' is %s, expected a path",
            unit.quote(given.file))
  end
  out.file = type(given.file) == "string" and given.file or nil
  local part, asked = given.profile, given.profile == true
  if type(part) == "table" and not getmetatable(part) then
    asked = fields_of(site, { "stats", "profile" }, part, PROFILED)
  elseif part ~= nil and type(part) ~= "boolean" then
    problem(site, { "stats", "profile" }, "'stats.profile' is %s, expected " ..
            "true, false or a part, such as { launch = 0 }", unit.quote(part))
  end
  out.profile = asked or out.profile
  if given.flush ~= nil then
    local time = duration(site, { "stats", "flush" }, given.flush,
                          "stats.flush")
    -- Of the host's time, in milliseconds; at least one.
    out.flush_ms = time and math.min(math.max(time // 1000000000000, 1),
                                     86400000)
  end
  local snapshot = given.snapshot or { "kernel_end" }
  if type(snapshot) == "string" then snapshot = { snapshot } end
  if type(snapshot) ~= "table" then snapshot = { snapshot } end
  for _, kind in ipairs(snapshot) do
    if kind == "kernel_end" then
      out.kernel_end = true
    elseif kind ~= "end" then
      problem(site, { "stats", "snapshot" }, "snapshot %s does not exist%s",
              unit.quote(kind), suggest.hint(tostring(kind),
                                             { "kernel_end", "end" }))
    end
  end
  if snapshot.every ~= nil then
    out.every = whole(site, { "stats", "snapshot", "every" }, snapshot.every,
                      "snapshot.every")
  end
  if given.select ~= nil then
    local list = type(given.select) == "string" and { given.select } or
                 given.select
    local good = type(list) == "table" and #list > 0
    for _, one in ipairs(good and list or {}) do
      good = good and type(one) == "string"
    end
    if good then
      out.select = list
    else
      problem(site, { "stats", "select" }, "'stats.select' is %s, expected " ..
              "a pattern such as \"gpu.sm.*\" or a list of them",
              unit.quote(given.select))
    end
  end
  if type(given.series) == "table" then
    check_series(site, given.series, out.series)
  elseif given.series ~= nil then
    problem(site, { "stats", "series" }, "'series' is %s, expected a table",
            unit.quote(given.series))
  end
  return out
end

local function check_stop(site, given)
  local out = {}
  if given == nil then return out end
  if type(given) ~= "table" then
    problem(site, "stop", "'stop' is %s, expected { warp_insts = .. }",
            unit.quote(given))
    return out
  end
  check_names(site, { "stop" }, given, { "warp_insts", "cycles", "time" })
  for _, key in ipairs { "warp_insts", "cycles" } do
    if given[key] ~= nil then
      out[key] = whole(site, { "stop", key }, given[key], "stop." .. key)
    end
  end
  if given.time ~= nil then
    out.time = duration(site, { "stop", "time" }, given.time, "stop.time")
  end
  return out
end

local function check_workload(site, given)
  if given == nil then -- for machines without a host, which run by themselves
    return { name = "none", alone = true, values = {} }
  elseif type(given) == "function" then
    return { name = "script", run = given, values = {} }
  elseif type(given) == "table" and type(given.run) == "function" then
    return { name = given.name or "script", run = given.run,
             values = given.values or given.params or {},
             suite = given.suite }
  elseif given ~= poison then
    problem(site, "workload", "'workload' is %s, expected loom.suite.NAME " ..
            "{ .. } or a function(dev)", unit.quote(given))
  end
end

-- Policies that rewrite kernels, as a list with its site; or nil.
local function check_transform(site, given)
  if given == nil or given == poison then return nil end
  local list = record.is_policy(given) and { given } or given
  local where = session.field(site, "run", "transform")
  if type(list) ~= "table" or getmetatable(list) then
    problem(site, "transform", "'transform' is %s, expected a policy or a " ..
            "list of policies", unit.quote(given))
    return nil
  end
  local out = { site = where }
  for i, policy in ipairs(list) do out[i] = policy end
  return #out > 0 and out or nil
end

-- A share, such as "1%" or 0.01.
local function share(value)
  local percent = type(value) == "string" and
                  value:match("^%s*([%d.]+)%s*%%%s*$")
  local number = percent and tonumber(percent)
  number = number and number / 100 or type(value) == "number" and value
  return number and number > 0 and number < 1 and number or nil
end

-- Windows by hand (run/placed.lua).
local function check_windows(site, given)
  local out = {}
  if getmetatable(given) or #given == 0 then
    problem(site, { "sample", "windows" }, "'sample.windows' is %s, " ..
            "expected a number or a list of { kernel = .., from = .., " ..
            "insts = .. }",
            unit.quote(given))
    return nil
  end
  for i, window in ipairs(given) do
    local at = { "sample", "windows", i }
    local function number(key, least)
      local value = window[key]
      local whole_value = math.tointeger(value)
      if whole_value and whole_value >= least then return whole_value end
      problem(site, { "sample", "windows", i, key },
              "'sample.windows[%d].%s' is %s, expected a whole number of " ..
              "at least %d", i, key, unit.quote(value), least)
    end
    if type(window) ~= "table" or getmetatable(window) then
      problem(site, at, "'sample.windows[%d]' is %s, expected " ..
              "{ kernel = .., from = .., insts = .. }", i, unit.quote(window))
      return nil
    end
    check_names(site, at, window, placed.fields)
    if type(window.kernel) ~= "string" then
      problem(site, at, "'sample.windows[%d].kernel' is %s, expected a " ..
              "kernel's name, in which * is anything", i,
              unit.quote(window.kernel))
    end
    out[i] = { kernel = window.kernel, from = number("from", 0),
               insts = number("insts", 1),
               launch = window.launch ~= nil and number("launch", 0) or nil,
               ramp = window.ramp ~= nil and number("ramp", 0) or nil }
  end
  return out
end

-- How the run is sampled, or nil.
local function check_sample(site, given)
  if given == nil then given = session.sample end
  if not given or given == poison then return nil end
  if type(given) == "string" then given = { error = given } end
  local out = {}
  for key, value in next, sample.defaults do out[key] = value end
  if given == true then return out end
  if type(given) ~= "table" or getmetatable(given) then
    problem(site, "sample", "'sample' is %s, expected true or { error = " ..
            "\"1%%\" }", unit.quote(given))
    return nil
  end
  check_names(site, { "sample" }, given, record.sorted_keys(sample.defaults))
  for _, key in ipairs(record.sorted_keys(sample.defaults)) do
    if given[key] ~= nil and key == "error" then
      out.error = share(given.error)
      if not out.error then
        problem(site, { "sample", key }, "'sample.error' is %s, expected a " ..
                "share of the time, such as \"1%%\"",
                unit.quote(given.error))
      end
    elseif key == "windows" and type(given[key]) == "table" then
      out.placed = check_windows(site, given[key])
    elseif given[key] ~= nil and (key == "warm" or key == "lives") then
      out[key] = type(given[key]) == "number" and given[key] >= 0 and
                 given[key] <= 1000 and given[key] or nil
      if not out[key] then
        problem(site, { "sample", key }, "'sample.%s' is %s, expected a " ..
                "number from 0 to 1000", key, unit.quote(given[key]))
      end
    elseif given[key] ~= nil then
      out[key] = whole(site, { "sample", key }, given[key], "sample." .. key)
    end
  end
  return out
end

-- Names of kernels, as a list.
local function check_kernels(site, given)
  local list = type(given) == "string" and timed.names(given) or given
  local good = type(list) == "table" and not getmetatable(list) and #list > 0
  for key, name in next, good and list or {} do
    good = good and math.type(key) and type(name) == "string" and
           name:find("^[%w_$*.]+$")
  end
  if good then return list end
  problem(site, { "timed", "kernels" }, "'timed.kernels' is %s, expected a " ..
          "kernel's name, in which * is anything, or a list of them",
          unit.quote(given))
end

-- Which launches are timed, or nil: all.
local function check_timed(site, given)
  if given == nil then return session.timed end
  if given == poison then return nil end
  if type(given) ~= "table" or getmetatable(given) then
    problem(site, "timed", "'timed' is %s, expected { kernels = \"name*\", " ..
            "first = .., last = .. }", unit.quote(given))
    return nil
  end
  check_names(site, { "timed" }, given, timed.fields)
  local out = {}
  if given.kernels ~= nil then
    out.kernels = check_kernels(site, given.kernels)
  end
  for _, key in ipairs { "first", "last" } do
    local n = math.tointeger(given[key])
    out[key] = n and n >= 0 and n or nil
    if given[key] ~= nil and not out[key] then
      problem(site, { "timed", key }, "'timed.%s' is %s, expected the " ..
              "number of a launch, from 0", key, unit.quote(given[key]))
    end
  end
  if out.first and out.last and out.first > out.last then
    problem(site, { "timed", "first" }, "'timed.first' is %d, expected at " ..
            "most 'timed.last', which is %d", out.first, out.last)
  end
  return out
end

-- What is written of its timeline, or nil.
local function check_timeline(site, given)
  if given == nil and not session.timeline and not session.window then
    return nil
  end
  local out = {}
  if type(given) == "string" then given = { file = given } end
  if given ~= nil and given ~= poison and
     (type(given) ~= "table" or getmetatable(given)) then
    problem(site, "timeline", "'timeline' is %s, expected { file = .. }",
            unit.quote(given))
  elseif given ~= nil and given ~= poison then
    out = fields_of(site, { "timeline" }, given,
                    import "run/timeline".fields, "file")
    out.file = type(given.file) == "string" and given.file or nil
    if not out.file and not session.timeline then
      problem(site, { "timeline", "file" }, "'timeline.file' is %s, " ..
              "expected a path", unit.quote(given.file))
    end
  end
  for key, value in next, session.window or {} do out[key] = value end
  out.text = nil
  return (out.file or session.timeline) and out or nil
end

-- What --window says goes for a profile, too; its times do not.
local function check_window(site, out)
  local window = session.window
  if out.timeline and type(out.stats.profile) == "table" then
    problem(site, { "stats", "profile" }, "a profile beside a timeline is " ..
            "of the timeline's part: 'stats.profile' is true")
  end
  if not window or out.timeline then return end
  if not out.stats.profile then
    problem(site, "timeline", "--window is given, but nothing is written " ..
            "that has one: --timeline FILE.json or --profile")
    return
  end
  for _, key in ipairs { "from", "to", "limit" } do
    if window[key] then
      problem(site, { "stats", "profile" }, "--window has times or a " ..
              "limit, which a profile has not: kernel=, launch= and sms= " ..
              "choose a part of it")
      return
    end
  end
  out.stats.profile = window
end

local watches = { uninitialised = 1, races = 2 }

-- What mistakes of programs are looked for, as bits.
local function check_watch(site, given)
  local bits = session.races and watches.races or 0
  if given == nil then return bits end
  for _, name in ipairs(type(given) == "table" and given or { given }) do
    if watches[name] then
      bits = bits | watches[name]
    else
      problem(site, "check", "'check' is %s, expected \"uninitialised\", " ..
              "\"races\" or a list of them%s", unit.quote(name),
              suggest.hint(tostring(name), { "races", "uninitialised" }))
    end
  end
  return bits
end

-- Callbacks by their periods, the shortest first.
local function check_every(site, given)
  local out = {}
  if given == nil or given == poison then return out end
  if type(given) ~= "table" or getmetatable(given) then
    problem(site, "every", "'every' is %s, expected { [\"10us\"] = " ..
            "function(now) .. end }", unit.quote(given))
    return out
  end
  for _, key in ipairs(record.sorted_keys(given)) do
    local period = duration(site, "every", key, "every")
    if period and type(given[key]) ~= "function" then
      problem(site, "every", "'every' has %s for %s, expected a function",
              unit.quote(given[key]), unit.quote(key))
    elseif period then
      out[#out + 1] = { period = period, call = given[key] }
    end
  end
  table.sort(out, function(a, b) return a.period < b.period end)
  return out
end

-- What is saved of it, and when; or nil.
local function check_checkpoint(site, given)
  if given == nil then return session.checkpoint end
  if type(given) == "string" then given = { file = given } end
  if given == poison then return nil end
  if type(given) ~= "table" or getmetatable(given) then
    problem(site, "checkpoint", "'checkpoint' is %s, expected { file = .., " ..
            "after = .. }", unit.quote(given))
    return nil
  end
  check_names(site, { "checkpoint" }, given, checkpoint.fields)
  local out = {}
  for _, key in ipairs(checkpoint.fields) do
    if given[key] ~= nil or key == "file" then
      local value, why = checkpoint.value(key, given[key])
      out[key] = value
      if why then
        problem(site, { "checkpoint", key }, "'checkpoint.%s' %s", key, why)
      end
    end
  end
  return out
end

-- The checkpoint from which it goes on, or nil.
local function check_from(site, given)
  if given == nil then return session.from end
  if type(given) == "string" then return given end
  problem(site, "from", "'from' is %s, expected the path of a checkpoint",
          unit.quote(given))
end

-- A machine with a host needs a workload, one without takes none.
function M.check_host(site, checked, host)
  if checked.workload.alone and host then
    problem(site, "workload", "'workload' is nil, expected loom.suite.NAME " ..
            "{ .. } or a function(dev)")
  elseif not checked.workload.alone and not host then
    session.problem("run", "the machine has no host: there is no free " ..
                    "launch port to put one at; it runs by itself if " ..
                    "'workload' is left out", site)
  end
end

-- A machine without time executes a workload; what is said of time is wrong.
function M.check_timeless(site, checked)
  if checked.workload.alone then
    problem(site, "workload", "'workload' is nil, expected loom.suite.NAME " ..
            "{ .. } or a function(dev)")
  end
  for _, name in ipairs { "warp_insts", "cycles", "time" } do
    if checked.stop[name] then
      problem(site, "stop", "'stop.%s' is given, but the machine has no time",
              name)
    end
  end
  if checked.timed ~= session.timed then
    problem(site, "timed", "'timed' is given, but the machine has no time")
  end
  if checked.energy then
    problem(site, "energy", "'energy' is given, but the machine has no time")
  end
  if #checked.every > 0 then
    problem(site, "every", "'every' is given, but the machine has no time")
  end
  if checked.stats.profile then
    problem(site, { "stats", "profile" }, "a profile is asked for, but the " ..
            "machine has no time")
  end
  if checked.timeline then
    problem(site, "timeline", "a timeline is asked for, but the machine has " ..
            "no time")
  end
  if #checked.stats.series > 0 then
    problem(site, { "stats", "series" }, "'stats.series' is given, but the " ..
            "machine has no time; it has snapshots")
  end
end

-- The call as it will be used; problems go to the session.
function M.check(spec, site)
  local out = {}
  if type(spec) ~= "table" or getmetatable(spec) then
    session.problem("run", ("got %s, expected a table: loom.run { machine = " ..
      ".., workload = .. }"):format(unit.quote(spec)), site)
    return out
  end
  check_names(site, {}, spec, fields)
  if record.is_component(spec.machine) then
    out.machine = spec.machine
  elseif spec.machine ~= poison then
    problem(site, "machine", "'machine' is %s, expected a component such as " ..
            "loom.preset.tiny {}", unit.quote(spec.machine))
  end
  out.workload = check_workload(site, spec.workload)
  out.stats = check_stats(site, spec.stats)
  out.stop = check_stop(site, spec.stop)
  out.seed = session.seed
  if spec.seed ~= nil then
    out.seed = whole(site, "seed", spec.seed, "seed") or 1
  end
  out.memory = 16 << 30
  if spec.memory ~= nil then
    local bytes = unit.check({ type = "integer", unit = "byte", wide = true,
                               min = 256 }, spec.memory)
    if not bytes then
      problem(site, "memory", "'memory' is %s, expected a size such as " ..
              "\"4GiB\"", unit.quote(spec.memory))
    end
    out.memory = bytes or out.memory
  end
  if spec.guard ~= nil then
    out.guard = unit.check({ type = "integer", unit = "byte", wide = true,
                             min = 0 }, spec.guard)
    if not out.guard then
      problem(site, "guard", "'guard' is %s, expected a size such as " ..
              "\"256B\" or 0", unit.quote(spec.guard))
    end
  end
  out.out_of_bounds = spec.out_of_bounds or "error"
  if out.out_of_bounds ~= "error" and out.out_of_bounds ~= "zero" then
    problem(site, "out_of_bounds", "'out_of_bounds' is %s, expected " ..
            "\"error\" or \"zero\"%s", unit.quote(spec.out_of_bounds),
            suggest.hint(tostring(spec.out_of_bounds), { "error", "zero" }))
  end
  out.transform = check_transform(site, spec.transform)
  out.watch = check_watch(site, spec.check)
  if spec.stream_pool ~= nil then
    out.stream_pool = unit.check({ type = "integer", unit = "byte",
                                   wide = true, min = 1 }, spec.stream_pool)
    if not out.stream_pool then
      problem(site, "stream_pool", "'stream_pool' is %s, expected a size " ..
              "such as \"256MiB\"", unit.quote(spec.stream_pool))
    end
  end
  if spec.budget ~= nil then
    out.budget = whole(site, "budget", spec.budget, "budget")
  end
  if spec.patience ~= nil then
    out.patience = duration(site, "patience", spec.patience, "patience")
  end
  if energy.is_model(spec.energy) then
    out.energy = spec.energy
  elseif spec.energy ~= nil and spec.energy ~= poison then
    problem(site, "energy", "'energy' is %s, expected loom.energy { .. }",
            unit.quote(spec.energy))
  end
  out.sample = check_sample(site, spec.sample)
  out.timed = check_timed(site, spec.timed)
  out.every = check_every(site, spec.every)
  out.timeline = check_timeline(site, spec.timeline)
  check_window(site, out)
  out.checkpoint = check_checkpoint(site, spec.checkpoint)
  out.from = check_from(site, spec.from)
  out.title = spec.title
  return out
end

return M
