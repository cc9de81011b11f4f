-- The command line.  Returns the exit status (main.c lists them).

local core, argv = ...

local import = core.load("warploom/import.lua")(core)
import "library"[debug.getinfo(1, "S").source] = true

local USAGE = 2

local line = import "command/line"

local function fail(fmt, ...)
  io.stderr:write("warploom: ", fmt:format(...), "\n",
                  "try: warploom --help\n")
  return USAGE
end

local function wrong(text)
  io.stderr:write("warploom: ", text, "\n")
  return 1
end

local function read_script(path)
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local text = file:read("a")
  file:close()
  if not text then return nil, path .. ": is not a file that can be read" end
  return text
end

-- The script's path and text, or nil and the exit status.
local function script_of(mode, plain)
  local path = plain[1]
  if not path then return nil, fail("%s needs a script", mode) end
  local text, why = read_script(path)
  if not text then
    io.stderr:write("warploom: ", why, "\n")
    return nil, 1
  end
  local session = import "script/session"
  session.command = table.move(argv, 0, #argv, 1, {})
  return path, text
end

-- Opens the monitor that the options ask for; nil and a status: there is none.
local function monitor_of(options, mode)
  if not options.monitor or mode ~= "run" then return nil end
  if options.monitor == true then
    local why
    options.monitor, why = import "run/monitor".open()
    if why then io.stderr:write("warploom: ", why, "\n") end
  end
  return options.monitor, not options.monitor and 1
end

local function execute(mode, options, plain)
  local path, text = script_of(mode, plain)
  if not path then return text end
  local session = import "script/session"
  local script = import "script/script"
  local monitor, failed = monitor_of(options, mode)
  if failed then return failed end
  local status = script.execute(path, text, {
    mode = mode, monitor = monitor,
    seed = options.seed, threads = options.threads,
    threads_report = options.threads_report,
    interleave = options.interleave, races = options.races,
    set = options.set, unsafe = options.unsafe, allow = options.allow,
    load = options.load, quiet = options.quiet, json = options.json,
    out = options.out, functional = options.functional,
    budget = options.budget, sample = options.sample, timed = options.timed,
    record = options.record, timeline = options.timeline,
    profile = options.profile,
    window = options.window, card = options.card,
    checkpoint = options.checkpoint, resume = options.resume,
    blind = options.blind, point = options.point, host = options.host,
    argv = table.move(plain, 2, #plain, 1, {}) })
  if script.report() and options.traceback and session.trace then
    io.stderr:write(session.trace, "\n")
  end
  return status
end

local commands = {}

-- Why a run cannot be measured, or nil.
local function unmeasured(options)
  if not options.threads_report then return nil end
  if (options.threads or 1) > 1 then
    return "--threads-report measures a run on one thread, not on --threads " ..
           options.threads
  end
  return options.functional and
         "--threads-report is of time, and --functional has none"
end

function commands.run(options, plain)
  local why = unmeasured(options)
  if why then return fail("%s", why) end
  if plain[1] and import "run/again".is_record(plain[1]) then
    return import "run/again".main(plain[1], options, plain)
  end
  local status = execute("run", options, plain)
  if status == 0 and (import "script/session").experiment then
    if options.threads_report then
      return fail "--threads-report is of a run, not of a loom.experiment"
    end
    options.jobs = options.jobs or 1
    return commands.sweep(options, plain)
  end
  return status
end

function commands.sweep(options, plain)
  local path, text = script_of("sweep", plain)
  if not path then return text end
  local _, failed = monitor_of(options, "run")
  if failed then return failed end
  return import "sweep/sweep".main(path, text, options,
                             table.move(plain, 2, #plain, 1, {}))
end

function commands.papers(options, plain)
  local session = import "script/session"
  session.command = table.move(argv, 0, #argv, 1, {})
  local _, failed = monitor_of(options, "run")
  if failed then return failed end
  return import "papers/papers".main(plain, options)
end

-- One point of a sweep, in a process of its own: started by sweep only.
function commands.point(options, plain)
  options.point = { number = options.number, key = options.key,
                    note = options.note, file = options.out,
                    cache = options.cache, store = options.store,
                    remeasure = options.remeasure }
  return execute("run", options, plain)
end

-- A CUDA program in place of a script's workload.
function commands.cuda(options, plain)
  local status, why = import "cuda/command".main(options, plain,
                                                 script_of, execute)
  return status or fail("%s", why)
end

-- The process around this library is the host program: lua/host.h.
function commands.host(options, plain)
  local path, text = script_of("host", plain)
  if not path then return text end
  return import "cuda/command".host(path, text, options, plain)
end

-- Streams do not depend on timing, so none is needed to record them.
function commands.record(options, plain)
  if not plain[1] then return fail("record needs a script") end
  options.functional = true
  if options.blind and not options.card then
    return fail("--blind goes with --card")
  elseif options.card then
    if options.out then
      return fail("--card and -o: give one of them")
    end
    local status = execute("run", options, plain)
    import "recording/card".finish(status == 0)
    return status
  end
  options.record = options.out or
                   plain[1]:gsub("%.lua$", ""):match("([^/]*)$") .. ".wlt"
  options.out = nil
  return execute("run", options, plain)
end

function commands.disasm(options, plain)
  if not plain[1] then return fail("disasm needs a .ptx or .wlt file") end
  local ok, why = import "command/disasm".run(plain[1], plain[2], options)
  if ok then return 0 end
  io.stderr:write("warploom: ", why, "\n")
  return 1
end

function commands.transform(options, plain)
  if not plain[1] then return fail("transform needs a .ptx file") end
  return import "command/transform".run(plain[1], options)
end

local function describe_option(o)
  local text = ("  --set %s=%s"):format(o.name, tostring(o.value))
  if o.choices then
    local names = {}
    for i, c in ipairs(o.choices) do names[i] = tostring(c) end
    text = text .. (" (%s)"):format(table.concat(names, ", "))
  end
  return o.doc and text .. "  " .. o.doc or text
end

-- What check finds, for programs.
local function checked_json(session)
  local json, machines, options = import "base/json", {}, {}
  for i, d in ipairs(session.machines) do
    machines[i] = { name = tostring(d.root), components = #d.components,
                    policies = #d.policies, links = #d.links }
  end
  for i, name in ipairs(session.option_names) do
    local o = session.options[name]
    options[i] = { name = name, value = o.value, choices = o.choices,
                   doc = o.doc }
  end
  return json.encode { script = session.script,
    points = session.experiment and #session.experiment.points,
    machines = #machines > 0 and machines or json.empty,
    options = #options > 0 and options or json.empty }
end

-- Programs have no arguments: what follows one is another.
local function check_programs(paths, options)
  local status = 0
  for _, path in ipairs(paths) do
    local refused, why = import "command/disasm".check(path, options)
    if why then io.stderr:write("warploom: ", why, "\n") end
    if refused ~= 0 then status = 1 end
  end
  return status
end

function commands.check(options, plain)
  if plain[1] and plain[1]:find("%.ptx$") then
    return check_programs(plain, options)
  end
  local status = execute("check", options, plain)
  if status ~= 0 or options.quiet then return status end
  local session = import "script/session"
  if options.json then
    print(checked_json(session))
    return status
  end
  local e, shown = session.experiment, {}
  if e then
    print(("%s: ok: %d points"):format(session.script, #e.points))
  end
  for _, d in ipairs(session.machines) do
    local form = "%s: ok: %s with %d components, %d policies, %d links"
    local text = form:format(session.script, tostring(d.root), #d.components,
                             #d.policies, #d.links)
    if not (e and shown[text]) then print(text) end -- those of points, once
    shown[text] = true
  end
  if #session.machines == 0 then
    print(("%s: ok, but it describes no machine"):format(session.script))
  end
  for _, name in ipairs(session.option_names) do
    print(describe_option(session.options[name]))
  end
  return status
end

function commands.graph(options, plain)
  local status = execute("graph", options, plain)
  if status ~= 0 then return status end
  local session = import "script/session"
  local description = session.machines[1]
  if not description then
    io.stderr:write("warploom: the script describes no machine\n")
    return 1
  end
  local ok, why = import "command/graph".write(description, options.out,
                                               options.json)
  if ok then return 0 end
  io.stderr:write("warploom: ", why, "\n")
  return 5
end

-- `info --cost`: of types by name, or of the machines of a script.
local function costs(options, plain)
  local cost = import "policy/cost"
  if not plain[1] then return fail("info --cost needs a policy or a script") end
  local lines, problems
  if plain[1]:find("%.lua$") then
    local status = execute("check", options, plain)
    if status ~= 0 then return status end
    local machines = (import "script/session").machines
    lines = options.json and cost.script_json(machines) or
            cost.script_lines(machines)
  else
    lines, problems = cost.lines(plain, options.set, options.json)
  end
  for _, problem in ipairs(problems or {}) do
    io.stderr:write("warploom: ", problem, "\n")
  end
  if not lines then return 1 end
  io.stdout:write(table.concat(lines, "\n"), "\n")
  return 0
end

-- The types of --load, where no script is run; false if there is a mistake.
local function load_plugins(options)
  local session = import "script/session"
  session.reset { script = "info", load = options.load }
  import "policy/plugin".load_given()
  local problems = session.lines(session.problems)
  for _, text in ipairs(problems) do io.stderr:write(text, "\n") end
  return #problems == 0
end

function commands.info(options, plain)
  if options.load and not load_plugins(options) then return 1 end
  if options.cost then return costs(options, plain) end
  local info, types = import "command/info", import "machine/types"
  local lines
  if options.json then
    local value = info.json(plain)
    if value then
      print(value)
      return 0
    end
    io.stderr:write("warploom: info --json knows components and policies\n")
    return 1
  end
  if options.markdown then
    local why
    if plain[1] then
      lines, why = info.preset_markdown(plain[1])
    else
      lines = info.markdown()
    end
    if not lines then
      return wrong(why or ("--markdown knows presets made of tables, not '%s'")
                   :format(plain[1]))
    end
  elseif not plain[1] then
    lines = info.overview()
  else
    lines = {}
    for _, name in ipairs(plain) do
      -- A policy may have its name.
      local more, why = info.script_lines(name)
      if why then return wrong(why) end
      if more then
        table.move(more, 1, #more, #lines + 1, lines)
      elseif not types.find(name) then
        io.stderr:write("warploom: ", info.unknown(name), "\n")
        return 1
      end
      for _, kind in ipairs { types.components, types.policies } do
        if kind[name] then
          if #lines > 0 then lines[#lines + 1] = "" end
          local of_type = info.type_lines(kind[name])
          table.move(of_type, 1, #of_type, #lines + 1, lines)
        end
      end
    end
  end
  io.stdout:write(table.concat(lines, "\n"), "\n")
  return 0
end

function commands.stubs(_, plain)
  local path, why = import "command/stubs".write(plain[1] or "types")
  if not path then
    io.stderr:write("warploom: ", why, "\n")
    return 5
  end
  print("wrote " .. path)
  return 0
end

local function inspect(file, options)
  local json = options.json and import "base/json"
  local count, problems = core.walk(file)
  local digest, why
  if count then
    digest, why = core.results_digest(file)
  else
    why = problems
  end
  if not digest then
    io.stderr:write("warploom: ", why or "cannot read " .. file, "\n")
    return 1
  end
  if json then
    print(json.encode { file = file, digest = digest, datasets = count,
                        problems = #problems > 0 and problems or json.empty })
    return (options.digest or #problems == 0) and 0 or 1
  end
  if options.digest then
    print(digest)
    return 0
  end
  for _, problem in ipairs(problems) do print(problem) end
  print(("%d datasets, %d problems"):format(count, #problems))
  return #problems == 0 and 0 or 1
end

function commands.stats(options, plain)
  if not plain[1] then return fail("stats needs a results file") end
  if options.digest or options.check then return inspect(plain[1], options) end
  local ok, why = core.print_stats(plain[1], {
    pattern = plain[2], sample = options.sample, series = options.series,
    all = options.all, csv = options.csv, json = options.json })
  if ok then return 0 end
  io.stderr:write("warploom: ", why, "\n")
  return 1
end

function commands.suite(options, plain)
  local status, why = import "suite/command".main(options, plain)
  return status or fail("%s", why)
end

-- A command of a file of its own: main(words, options).
local function looking(name)
  return function(options, plain)
    local status, why = import("look/" .. name).main(plain, options)
    return status or fail("%s", why)
  end
end
for _, name in ipairs { "plot", "report", "diff", "export", "merge",
                        "energy", "kernels", "explain", "profile" } do
  commands[name] = looking(name)
end
commands.look = looking "timeline"

function commands.new(options, plain)
  local status, why = import "policy/new".main(options, plain)
  return status or fail("%s", why)
end

function commands.doctor(options)
  local doctor = import "command/doctor"
  if options.report then return doctor.report() and 0 or 1 end
  return doctor.run(options.json) and 0 or 1
end

function commands.repl(options)
  return import "command/repl".main(options)
end

function commands.completion(_, plain)
  local text = line.completion(plain[1] or "")
  if not text then
    return fail("completion is for bash, zsh and fish, not '%s'",
                plain[1] or "")
  end
  io.stdout:write(text)
  return 0
end

function commands.cite(options, plain)
  return import "command/cite".main(options, plain)
end

function commands.manual(_, plain)
  local folder = plain[1] or "man"
  local count, why = import "command/manual".write(folder)
  if not count then
    io.stderr:write("warploom: ", why, "\n")
    return 5
  end
  print(("wrote %d pages into %s"):format(count, folder))
  return 0
end

-- Commands that end well when a signal comes: what they have done is kept.
local careful = { run = true, repl = true, sweep = true, papers = true,
                  point = true,
                  record = true, suite = true }
-- Commands that may stop anywhere, but not with a file half written.
local leave = { merge = true, export = true, plot = true, report = true,
                look = true,
                graph = true, check = true }

-- Other commands only print, and leave signals to the system.
local function heed_signals(name)
  local interrupt = import "script/interrupt"
  if careful[name] then
    interrupt.begin { patient = name == "point" }
  elseif leave[name] then
    interrupt.begin { anywhere = true }
  end
end

-- Runs a command; one that a signal stopped has its status.
local function call(name, options, plain)
  heed_signals(name)
  local session = import "script/session"
  local interrupt = import "script/interrupt"
  local result = table.pack(xpcall(commands[name], function(e)
    if getmetatable(e) == session.Stop and e.kind == "interrupted" then
      return e
    end
    return session.exhausted(e) or debug.traceback(tostring(e), 2)
  end, options, plain))
  if result[1] then return table.unpack(result, 2, result.n) end
  local stop = result[2]
  if getmetatable(stop) ~= session.Stop or stop.kind ~= "interrupted" then
    error(stop, 0)
  end
  return interrupt.status()
end

-- `warploom run SCRIPT --help` tells which options the script has, too.
local function print_help(name, options, plain)
  io.stdout:write(line.help_of(name))
  if not (plain[1] and plain[1]:find("%.lua$")) then return 0 end
  options.quiet = true
  local status = execute("check", options, plain)
  local session = import "script/session"
  if #session.option_names > 0 then print(("\nOptions of %s:"):format(plain[1]))
  end
  for _, option in ipairs(session.option_names) do
    print(describe_option(session.options[option]))
  end
  return status
end

local function main()
  local words = table.move(argv, 1, #argv, 1, {})
  local name, options, plain, of = line.parse(words)
  if not options then
    io.stderr:write("warploom: ", plain, "\ntry: warploom ",
                    of and of .. " " or "", "--help\n")
    return USAGE
  elseif name then
    if options.help then return print_help(name, options, plain) end
    return call(name, options, plain)
  elseif options.version then
    print("warploom " .. core.version)
    return 0
  end
  (options.help and io.stdout or io.stderr):write(line.help())
  return options.help and 0 or USAGE
end

-- A command that stops outside of a script says why, too.
local function explain(e)
  local session = import "script/session"
  return getmetatable(e) == session.Stop and e or session.exhausted(e) or
         debug.traceback(tostring(e), 2)
end
local ok, status = xpcall(main, explain)
if ok then return status end
status = import "script/session".exhausted(status) or status
if type(status) ~= "table" then error(status, 0) end
io.stderr:write("warploom: ", tostring(status.text), "\n")
return import "script/script".status[status.kind] or 1
