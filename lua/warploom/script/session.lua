-- What is known of the script that runs: its sources, its options, and the
-- problems found so far.
--
-- Problems are collected and reported together.  A script stops early only
-- at a syntax error, at a Lua error of its own, or at the first loom.run once
-- there are problems.

local import = ...
local core = import "core"
local locate = import "script/locate"

local M = {}

-- Chunks of the library; frames in them are never "where the user is".
local library = import "library"

function M.reset(options)
  import "machine/types".forget()
  M.mode = options.mode or "run"
  M.spare = ("x"):rep(1024):rep(1024) -- see M.exhausted
  M.seed = options.seed or 1
  M.threads = options.threads or 1
  M.threads_report = options.threads_report or false -- see run/threads.lua
  M.interleave = options.interleave or 1 -- instructions of a warp's turn
  M.budget = options.budget -- of warp instructions: workloads/ptx/exec/exec.h
  M.sample = options.sample -- true, or the error that is wanted, as text
  M.timed = options.timed -- which launches are: see run/timed.lua
  M.races, M.races_found = options.races or false, 0
  M.shuffle = options.shuffle -- tests: seed of another order of ticks
  M.passing = options.passing -- tests: see run/passing.lua
  M.passed, M.skipped = 0, 0 -- warp instructions; femtoseconds
  M.unsafe = options.unsafe or false
  M.allow, M.load = options.allow or {}, options.load or {}
  M.roots = nil -- see access.lua
  M.again = options.again -- the record that is repeated; see run/again.lua
  M.functional = options.functional or false
  M.devices = options.devices or 1 -- GPUs; see machine/devices.lua
  M.locality = options.locality -- told of each launch; see host/queue.lua
  M.tick = options.tick -- told how many launches are over, functionally
  M.quiet = options.quiet or false
  M.json = options.json or false -- what is told of runs
  M.monitor = options.monitor -- see run/monitor.lua
  M.out = options.out
  M.point = options.point -- { number =, file =, note = }: see sweep/point.lua
  M.experiment = nil
  M.coarse, M.sound = options.coarse, options.sound -- sweep/experiment.lua
  M.wanted = options.wanted -- a point that the sweep is to run
  M.at, M.probe = nil, nil -- what is being checked; see sweep/experiment.lua
  M.host = options.host -- whose process this is, if no script's: cuda/host.lua
  M.record, M.recordings = options.record, 0
  M.timeline, M.timelines = options.timeline, 0
  M.profile = options.profile or false
  M.window = options.window -- see run/timeline.lua
  M.checkpoint, M.from = options.checkpoint, options.resume
  M.checkpoints = {} -- digests of those that were written
  M.placed = setmetatable({}, { __mode = "v" }) -- see run/checkpoint.lua
  M.card, M.blind = options.card, options.blind -- see recording/card.lua
  M.set = options.set or {}
  M.set_checked = false
  M.argv = options.argv or {}
  M.script = options.script
  M.problems, M.warnings = {}, {}
  M.options, M.option_names = {}, {}
  M.sources, M.source_names = {}, {}
  M.machines, M.runs, M.run_count = {}, {}, 0
  M.pretended = false -- a run was asked for where nothing is run
  M.modules = {}
  M.plugins = {} -- { path =, sha256 =, bytes = } of each that was loaded
  M.inputs, M.written = {}, {} -- files that the script itself read and wrote
  M.origin = "instance"
  M.sequence = 0
end

-- The option that says so, for a command line; or nil.
function M.sample_word()
  return M.sample and (M.sample == true and "--sample" or
                       "--sample=" .. M.sample)
end

function M.next()
  M.sequence = M.sequence + 1
  return M.sequence
end

function M.add_source(name, text)
  if not M.sources[name] then
    M.source_names[#M.source_names + 1] = name
  end
  M.sources[name] = text
end

-- A script that ends in `return loom.x {..}` leaves no frame behind: its last
-- such line it is.
local function last_return()
  local line, found = 0, 0
  for text in ((M.sources[M.script] or "") .. "\n"):gmatch("([^\n]*)\n") do
    line = line + 1
    if text:find("^return%s") then found = line end
  end
  return { file = M.script or "?", line = found }
end

local pinned

-- Until the value is closed, all that is done is done at the line that the
-- script is at now.
function M.pin()
  local before = pinned
  pinned = M.site()
  return setmetatable({}, { __close = function() pinned = before end })
end

-- File and line of the innermost frame that is not the library's.
function M.site()
  if pinned then return pinned end
  local level = 2
  while true do
    local info = debug.getinfo(level, "Sl")
    if not info then return last_return() end
    if info.what ~= "C" and not library[info.source] then
      local file = info.source:gsub("^@", "")
      return { file = file, line = info.currentline }
    end
    level = level + 1
  end
end

-- A field of a table constructor: `keys` leads from the braces after the word
-- `anchor` on the site's line (or later) to the field.
function M.field(site, anchor, ...)
  return { file = site.file, line = site.line, anchor = anchor,
           keys = { ... } }
end

-- Looks at the source for where exactly a field is.
function M.refine(site)
  local text = site.anchor and M.sources[site.file]
  if not text then return site end
  return { file = site.file,
           line = locate.field(text, site.line, site.anchor, site.keys) }
end

-- `at` says where in a sweep: of equal problems the first is named.
local function add(list, subject, text, site)
  list[#list + 1] = { subject = subject, text = text, at = M.at,
                      site = site or M.site(), number = #list }
end

-- `subject` is a string or something whose tostring is its path.
function M.problem(subject, text, site)
  add(M.problems, subject, text, site or M.site())
end

function M.warn(subject, text, site)
  add(M.warnings, subject, text, site or M.site())
end

-- Problems as sorted lines of text, equal ones once.
function M.lines(list)
  local rows, seen, lines = {}, {}, {}
  for _, problem in ipairs(list) do
    local site = M.refine(problem.site)
    local subject = problem.subject and tostring(problem.subject) .. ": " or ""
    rows[#rows + 1] = { file = site.file, line = site.line,
                        text = subject .. problem.text,
                        plain = problem.text, number = problem.number,
                        at = problem.at }
  end
  table.sort(rows, function(a, b)
    if a.file ~= b.file then return a.file < b.file end
    if a.line ~= b.line then return a.line < b.line end
    return a.number < b.number
  end)
  for _, row in ipairs(rows) do
    local key = row.file .. ":" .. row.line .. ":" .. row.plain
    local first = seen[key]
    if first then
      first.more = first.more + 1
    else
      row.more = 0
      seen[key] = row
      lines[#lines + 1] = row
    end
  end
  for i, row in ipairs(lines) do
    local place = row.line > 0 and ("%s:%d"):format(row.file, row.line)
                  or row.file
    local rest = { row.at and "at " .. row.at }
    if row.more > 0 then
      rest[#rest + 1] = ("and %d more like it"):format(row.more)
    end
    local more = #rest > 0 and (" (%s)"):format(table.concat(rest, ", ")) or ""
    lines[i] = ("%s: %s%s"):format(place, row.text, more)
  end
  return lines
end

-- Ends the script; the program knows what to do.
M.Stop = {}
function M.stop(kind, text)
  error(setmetatable({ kind = kind, text = text }, M.Stop), 0)
end

-- Nothing is collected until the value is closed: who describes or builds a
-- machine makes many tables that stay, and hardly any that do not.
function M.uncollected()
  if not collectgarbage "isrunning" then return nil end
  collectgarbage "stop"
  return setmetatable({}, { __close = function() collectgarbage "restart" end })
end

-- What is known of the limit that has been met, for messages.
local function limits()
  local bytes = core.address_space()
  local text = ("the script's values take %.0f MiB"):format(
    collectgarbage "count" / 1024)
  if not bytes then return text end
  return ("%s, and the process may have %.0f MiB of address space " ..
          "(ulimit -v)"):format(text, bytes / 2^20)
end

-- An error that says that the host has no memory, as one that ends the script,
-- or nil.  Lua's own is a text without a place; the library's C side throws
-- { memory = what there was none for }.  What was spared lets the script's end
-- print and write results.
function M.exhausted(e, site)
  local what = type(e) == "table" and rawget(e, "memory")
  if e ~= "not enough memory" and not what then return nil end
  local text = ("the host has no memory for %s: %s"):format(
    what or "the script", limits())
  M.spare = nil
  collectgarbage()
  if site then text = ("%s:%d: %s"):format(site.file, site.line, text) end
  return setmetatable({ kind = "memory", text = text }, M.Stop)
end

-- The same for an error value of the C side: nil, text, kind.
function M.stop_as(kind, text)
  if kind == "memory" then text = ("%s (%s)"):format(text, limits()) end
  M.stop(kind, text)
end

return M
