-- The command line.  Returns the exit status (main.c lists them).

local core, argv = ...

-- The sources of the library's own chunks ("@warploom/machine/record.lua"), so
-- that messages blame the user's line.
local library = {}
local loaded = { core = core, library = library }

local function import(name)
  if loaded[name] == nil then
    local chunk = core.load("warploom/" .. name .. ".lua")
    library[debug.getinfo(chunk, "S").source] = true
    loaded[name] = chunk(import)
  end
  return loaded[name]
end
library[debug.getinfo(1, "S").source] = true
loaded.import = import

local USAGE = 2

local help = [=[
usage: warploom [COMMAND] [OPTION]... ARGUMENT...

commands
  run SCRIPT [ARG]...      run a script (also: warploom SCRIPT.lua)
  run FILE.h5              make the run of a results file again, from what the
                           file has, and compare; writes only what -o says
  cuda SCRIPT -- PROGRAM [ARG]...
                           run a CUDA program, as nvcc built it, on the
                           machine that the script describes
  sweep SCRIPT [ARG]...    run all points of a script's loom.experiment, -j at
                           a time; started again it goes on (-o FOLDER)
  papers [PAPER [FIG]]     run the figures of the papers and judge what they
                           claim (-o FOLDER, --size NAME, -j N; --list)
  record SCRIPT            write the launches and streams of a workload
                           to a recording (-o FILE.wlt), without timing
  disasm FILE [KERNEL]     static tables of a .ptx program or a recording
  transform FILE           a .ptx program as a transform leaves it (--kernel
                           NAME, --with POLICY: sl1; --set its parameters,
                           machine, grid, block, shared)
  check SCRIPT             find all mistakes, run nothing
  check FILE.ptx           find kernels that cannot be executed
  info [NAME]              tell about a component or policy, or list them all
  info --cost NAME|SCRIPT  storage of a policy in bits, part by part; of all
                           policies of a script's machines
  new policy NAME          write a policy's skeleton with its test and page:
                           --lua (default), --plugin or --tree
  graph SCRIPT             write the machine as Graphviz DOT
  stubs [DIR]              write definitions for editors (LuaLS)
  stats FILE [PATTERN]     print statistics of a results file
  kernels FILE             the launches of a results file, as a profiler lists
                           them: time, occupancy, hits, bandwidth, bound
  energy FILE...           where the joules went, of runs with an energy
                           model (--all, --csv, -o FIGURE.svg)
  plot FILE... STAT...     draw statistics of results files (-o FILE.svg, or
                           .png, .html, or .json for Vega-Lite)
  report FILE...           a page with charts of them (-o FILE.html)
  diff FILE FILE [STAT]    what differs between two runs
  merge FILE...            several runs in one file (-o FILE.h5)
  export FILE...           every number, as CSV or an SQLite database
  suite list [NAME]...     benchmarks: sizes, classes in the papers
  suite verify [NAME]...   run them against their CPU references
  suite measure [NAME]...  locality of their loads, without timing
  doctor                   check the installation

options
  --set NAME=VALUE         change an option that the script declares; suite:
                           a parameter of the benchmarks
  --seed N                 seed of everything random (default 1)
  --threads N              threads of one simulation; any number gives the
                           same bits (default 1)
  --interleave N           warp instructions of a warp before the next one of
                           its CTA has its turn (default 1); what races
                           compute depends on it, and nothing else
  --budget N               warp instructions of a CTA after which a kernel is
                           endless (default 2^27; run and launch say it, too)
  -o, --out PATH           results file (.h5) or folder; graph: .dot or .svg
  -j, --jobs N             sweep: processes (default: all cores)
  --only AXIS=VALUE,..     sweep: some of the points
  --list, --dry-run        sweep: the points; what would be run
  --slurm                  sweep: write a job array's script instead
  --part I/N               sweep: every Nth point, from the Ith, unmerged
  --cache FOLDER           sweep: where streams are kept that points share
                           (default: in the sweep's folder); --no-cache
  --store FOLDER           sweep: where runs are kept that sweeps share: none
                           is simulated twice, whatever is measured of it
  --remeasure              sweep: metrics of points that were run, anew, as the
                           script has them now; nothing is simulated
  --from FOLDER            papers: other scripts than the program's
  --why                    papers: the scripts, too, that test why a claim does
                           not hold
  --record FILE            run, cuda: record the workload as well
  --card FILE              record: what the host program did instead, for
                           warploom-card, which does it on a real card
  --blind                  record --card: do not execute the launches, for
                           scripts that read nothing back
  --kernels NAME,..        run, sweep, papers, cuda: time launches of these
                           kernels only; * is anything
  --first N, --last N      time the launches from the Nth, to the Nth (from 0)
                           only; the others are executed without timing
  --stream CTA             disasm: a CTA's recorded stream (--launch N,
                           --warp N, --limit N instructions)
  --scheduled              disasm: a .ptx program as a compiler would schedule
                           it, with what is folded
  --functional             execute the workload without timing
  --sample[=ERROR]         run, sweep, papers, cuda: simulate parts of kernels
                           and estimate the rest, to that error of time (1%)
  --races                  run, cuda, suite verify: tell which instructions
                           access the same bytes with nothing to order them;
                           status 3 if there are some
  --allow FOLDER           let the script reach files there, too; it does in
                           its own, the working and the output's folder
  --load FILE.so           a plug-in that the script may use
  --unsafe                 let the script use all of Lua, files and plug-ins
  --quiet                  print no progress and no summary
  --markdown               info, suite list: the reference page
  --hook NAME              new: replacement (default), admit or observe
  --cost                   info: bits of storage; --set changes a parameter
                           of the policy or the hardware around it
  --size NAME              suite: tiny (default), small, paper, reference
  --paper NAME, --class C  suite: the benchmarks that a paper puts in a class
  --timed                  suite verify: on the GTX 480, not only functionally
  --loads, --csv           suite measure: every load; as CSV
  --model NAME=VALUE,..    suite measure: another model of the L1 caches:
                           index, flush, sms, ctas, threads
  --replacement NAME,..    suite measure: hit ratios with these policies, beside
                           lru and min, the bound
  --csv, --all             stats: as CSV; every instance
  --by launch, --csv       kernels: in their order, not by time; as CSV
  --digest                 stats: one checksum of all results in the file
  --check                  stats: does everything have units, a description
                           and scales?
  --sample LABEL           stats: another snapshot than the last
  --series NAME            stats: what happened in each window of a series
  --kind KIND, --by WHAT   plot: bar, stack, line, cdf, heat; along run,
                           kernel, instance or sample
  --normalise NAME         plot: relative to this bar or group
  --mean KIND              plot: arithmetic, geometric or harmonic mean at
                           the right end, or none
  --share, --log           plot: parts of 1; a logarithmic axis
  --only AXIS=VALUE,..     plot: a part of a merged file
  --rel NUMBER             diff: relative differences up to this are none
  --csv, --sqlite          export: which of the two
  --title, --width, --height, --ymax   plot: as they say
  --traceback              show where in the script an error came from
  --version, --help
]=]

local function fail(fmt, ...)
  io.stderr:write("warploom: ", fmt:format(...), "\n",
                  "try: warploom --help\n")
  return USAGE
end

local flags = { ["--functional"] = "functional",
                ["--scheduled"] = "scheduled", ["--races"] = "races",
                ["--unsafe"] = "unsafe",
                ["--quiet"] = "quiet", ["-q"] = "quiet",
                ["--markdown"] = "markdown", ["--csv"] = "csv",
                ["--cost"] = "cost", ["--lua"] = "lua",
                ["--plugin"] = "plugin", ["--tree"] = "tree",
                ["--digest"] = "digest", ["--check"] = "check",
                ["--all"] = "all", ["--share"] = "share",
                ["--log"] = "log",
                ["--sqlite"] = "sqlite", ["--timed"] = "timed",
                ["--loads"] = "loads", ["--traceback"] = "traceback",
                ["--list"] = "list", ["--dry-run"] = "dry",
                ["--why"] = "why",
                ["--slurm"] = "slurm",
                ["--no-cache"] = "uncached",
                ["--remeasure"] = "remeasure",
                ["--blind"] = "blind",
                ["--help"] = "help", ["-h"] = "help",
                ["--version"] = "version" }
local values = { ["--set"] = "set", ["--seed"] = "seed",
                 ["--threads"] = "threads",
                 ["--interleave"] = "interleave",
                 ["--budget"] = "budget", ["-o"] = "out",
                 ["--out"] = "out", ["--sample"] = "sample",
                 ["--series"] = "series",
                 ["--record"] = "record", ["--card"] = "card",
                 ["--stream"] = "cta",
                 ["--launch"] = "launch", ["--warp"] = "warp",
                 ["--limit"] = "limit", ["--size"] = "size",
                 ["--model"] = "model",
                 ["--paper"] = "paper", ["--class"] = "class",
                 ["--kind"] = "kind", ["--by"] = "by",
                 ["--normalise"] = "normalise", ["--mean"] = "mean",
                 ["--title"] = "title", ["--width"] = "width",
                 ["--height"] = "height", ["--ymax"] = "ymax",
                 ["--rel"] = "rel",
                 ["-j"] = "jobs", ["--jobs"] = "jobs", ["--only"] = "only",
                 ["--number"] = "number", ["--key"] = "key",
                 ["--note"] = "note", ["--cache"] = "cache",
                 ["--store"] = "store", ["--from"] = "from",
                 ["--allow"] = "allow", ["--load"] = "load",
                 ["--part"] = "part", ["--replacement"] = "replacement",
                 ["--hook"] = "hook", ["--kernels"] = "kernels",
                 ["--kernel"] = "kernel", ["--with"] = "with",
                 ["--first"] = "first", ["--last"] = "last" }

-- Values that are numbers from 0.
local whole = { cta = true, launch = true, warp = true, limit = true,
                number = true, first = true, last = true }

local function store(options, key, value, option)
  if key == "set" then
    local name, text = value:match("^([^=]+)=(.*)$")
    if not name then
      return fail("--set is '%s', expected NAME=VALUE", value)
    end
    options.set[name] = text
  elseif key == "allow" or key == "load" then
    options[key] = options[key] or {}
    table.insert(options[key], value)
  elseif key == "seed" then
    options.seed = math.tointeger(tonumber(value))
    if not options.seed or options.seed < 0 then
      return fail("%s is '%s', expected a whole number", option, value)
    end
  elseif key == "budget" then
    options.budget = math.tointeger(tonumber(value))
    if not options.budget or options.budget < 1 then
      return fail("%s is '%s', expected a whole number of warp " ..
                  "instructions, at least 1", option, value)
    end
  elseif whole[key] then
    options[key] = math.tointeger(tonumber(value))
    if not options[key] or options[key] < 0 then
      return fail("%s is '%s', expected a whole number", option, value)
    end
  elseif key == "interleave" then
    options.interleave = math.tointeger(tonumber(value))
    if not options.interleave or options.interleave < 1 or
       options.interleave > 1 << 30 then
      return fail("%s is '%s', expected a number of warp instructions, " ..
                  "1..2^30", option, value)
    end
  elseif key == "threads" or key == "jobs" then
    options[key] = math.tointeger(tonumber(value))
    if not options[key] or options[key] < 1 or options[key] > 256 then
      return fail("%s is '%s', expected 1..256", option, value)
    end
  else
    options[key] = value
  end
end

-- Is it a command for which --sample has no value of its own?
local function simulates(words)
  for _, word in ipairs(words) do
    if not word:find("^%-") then
      return word == "run" or word == "sweep" or word == "papers" or
             word == "cuda" or word == "point" or word == "host" or
             word:find("%.lua$") ~= nil
    end
  end
end

-- Which launches are timed, as --kernels, --first and --last say.
local function choose_timed(options)
  local first, last = options.first, options.last
  if options.kernels or first or last then
    options.timed = { first = first, last = last, kernels = options.kernels and
                      import "run/timed".names(options.kernels) }
  end
  if options.kernels and not options.timed.kernels[1] then
    return fail("--kernels is '%s', expected NAME,..", options.kernels)
  elseif first and last and first > last then
    return fail("--first is %d, expected at most --last, which is %d", first,
                last)
  end
end

-- Words are arguments; after the script all that follows is the script's,
-- except options of ours.
local function parse(words)
  local options, plain = { set = {} }, {}
  local samples = simulates(words) -- to others it is a snapshot's label
  local i = 1
  while i <= #words do
    local word = words[i]
    local name, attached = word:match("^(%-%-[%w%-]+)=(.*)$")
    if not name then name, attached = word:match("^(%-j)(%d+)$") end
    if word == "--" then
      options.rest = #plain -- of the words before; see commands.cuda
      table.move(words, i + 1, #words, #plain + 1, plain)
      break
    elseif flags[word] or word == "--sample" and samples then
      options[flags[word] or "sample"] = true
    elseif values[word] or name and values[name] then
      local key = values[word] or values[name]
      if not attached or not name or values[word] then
        i = i + 1
        attached = words[i]
      end
      if not attached then return nil, fail("%s needs a value", word) end
      local bad = store(options, key, attached, name or word)
      if bad then return nil, bad end
    elseif word:find("^%-.") then
      local names = {}
      for n in next, flags do names[#names + 1] = n end
      for n in next, values do names[#names + 1] = n end
      table.sort(names)
      local suggest = import "base/suggest"
      local best = suggest.nearest(name or word, names)
      return nil, fail("there is no option %s%s", word,
                       best and ("; did you mean %s?"):format(best) or "")
    else
      plain[#plain + 1] = word
    end
    i = i + 1
  end
  local bad = choose_timed(options)
  if bad then return nil, bad end
  return options, plain
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

local function execute(mode, options, plain)
  local path, text = script_of(mode, plain)
  if not path then return text end
  local session = import "script/session"
  local script = import "script/script"
  local status = script.execute(path, text, {
    mode = mode, seed = options.seed, threads = options.threads,
    interleave = options.interleave, races = options.races,
    set = options.set, unsafe = options.unsafe, allow = options.allow,
    load = options.load, quiet = options.quiet,
    out = options.out, functional = options.functional,
    budget = options.budget, sample = options.sample, timed = options.timed,
    record = options.record, card = options.card,
    blind = options.blind, point = options.point, host = options.host,
    argv = table.move(plain, 2, #plain, 1, {}) })
  if script.report() and options.traceback and session.trace then
    io.stderr:write(session.trace, "\n")
  end
  return status
end

local commands = {}

function commands.run(options, plain)
  if plain[1] and import "run/again".is_record(plain[1]) then
    return import "run/again".main(plain[1], options, plain, parse)
  end
  local status = execute("run", options, plain)
  if status == 0 and (import "script/session").experiment then
    options.jobs = options.jobs or 1
    return commands.sweep(options, plain)
  end
  return status
end

function commands.sweep(options, plain)
  local path, text = script_of("sweep", plain)
  if not path then return text end
  return import "sweep/sweep".main(path, text, options,
                             table.move(plain, 2, #plain, 1, {}))
end

function commands.papers(options, plain)
  local session = import "script/session"
  session.command = table.move(argv, 0, #argv, 1, {})
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

function commands.check(options, plain)
  if plain[1] and plain[1]:find("%.ptx$") then
    local refused, why = import "command/disasm".check(plain[1], options.quiet)
    if why then io.stderr:write("warploom: ", why, "\n") end
    return refused == 0 and 0 or 1
  end
  local status = execute("check", options, plain)
  if status ~= 0 or options.quiet then return status end
  local session = import "script/session"
  local e, shown = session.experiment, {}
  if e then
    print(("%s: ok: %d points"):format(session.script, #e.points))
  end
  for _, d in ipairs(session.machines) do
    local form = "%s: ok: %s with %d components, %d policies, %d links"
    local line = form:format(session.script, tostring(d.root), #d.components,
                             #d.policies, #d.links)
    if not (e and shown[line]) then print(line) end -- those of points, once
    shown[line] = true
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
  local ok, why = import "command/graph".write(description, options.out)
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
    lines = cost.script_lines((import "script/session").machines)
  else
    lines, problems = cost.lines(plain, options.set)
  end
  for _, problem in ipairs(problems or {}) do
    io.stderr:write("warploom: ", problem, "\n")
  end
  if not lines then return 1 end
  io.stdout:write(table.concat(lines, "\n"), "\n")
  return 0
end

function commands.info(options, plain)
  if options.cost then return costs(options, plain) end
  local info, types = import "command/info", import "machine/types"
  local lines
  if options.markdown then
    lines = not plain[1] and info.markdown() or
            info.preset_markdown(plain[1])
    if not lines then
      io.stderr:write(("warploom: --markdown knows presets made of tables, " ..
                       "not '%s'\n"):format(plain[1]))
      return 1
    end
  elseif not plain[1] then
    lines = info.overview()
  else
    lines = {}
    for _, name in ipairs(plain) do
      local more = info.script_lines(name) -- a policy may have its name
      if more then
        table.move(more, 1, #more, #lines + 1, lines)
      elseif not types.find(name) then
        local suggest = import "base/suggest"
        local best = suggest.nearest(name, types.all_names())
        io.stderr:write(("warploom: there is no type '%s'%s\n"):format(name,
          best and ("; did you mean '%s'?"):format(best) or
          "; see warploom info"))
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
    all = options.all, csv = options.csv })
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
                        "energy", "kernels" } do
  commands[name] = looking(name)
end

function commands.new(options, plain)
  local status, why = import "policy/new".main(options, plain)
  return status or fail("%s", why)
end

function commands.doctor()
  return import "command/doctor".run() and 0 or 1
end

-- Commands that end well when a signal comes: what they have done is kept.
local careful = { run = true, sweep = true, papers = true, point = true,
                  record = true, suite = true }
-- Commands that may stop anywhere, but not with a file half written.
local leave = { merge = true, export = true, plot = true, report = true,
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

local function main()
  local words = table.move(argv, 1, #argv, 1, {})
  local options, plain = parse(words)
  if not options then return plain end
  if (options.card or options.blind) and plain[1] ~= "record" then
    return fail("--card and --blind go with record")
  end
  if options.version then
    print("warploom " .. core.version)
    return 0
  elseif options.help or #plain == 0 then
    (options.help and io.stdout or io.stderr):write(help)
    return options.help and 0 or USAGE
  end
  local name = plain[1]
  if commands[name] then
    return call(name, options, table.move(plain, 2, #plain, 1, {}))
  elseif name:find("%.lua$") or name:find("%.h5$") then
    return call("run", options, plain)
  end
  local names = {}
  for n in next, commands do names[#names + 1] = n end
  table.sort(names)
  local best = import "base/suggest".nearest(name, names)
  return fail("there is no command '%s'%s", name,
              best and ("; did you mean %s?"):format(best) or "")
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
