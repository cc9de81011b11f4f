-- What loom.run is given: checked before anything is built.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local record = import "machine/record"
local unit = import "base/unit"
local poison = import "base/poison"
local energy = import "machine/energy"
local given_field = import "run/given"
local parts = import "run/parts"
local checkpoint = import "run/checkpoint"

local problem, check_names = given_field.problem, given_field.check_names
local duration, whole = given_field.duration, given_field.whole
local M = {}

local fields = { "machine", "workload", "stats", "stop", "seed", "title",
                 "memory", "guard", "out_of_bounds", "patience", "transform",
                 "check", "stream_pool", "energy", "budget", "sample",
                 "timed", "timeline", "every", "checkpoint", "from" }

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
  out.sample = parts.sample(site, spec.sample)
  out.timed = parts.timed(site, spec.timed)
  out.every = check_every(site, spec.every)
  out.timeline = check_timeline(site, spec.timeline)
  check_window(site, out)
  out.checkpoint = check_checkpoint(site, spec.checkpoint)
  out.from = check_from(site, spec.from)
  out.title = spec.title
  return out
end

return M
