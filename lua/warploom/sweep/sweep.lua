-- warploom sweep: the points of an experiment, each in a process of its own.
--
-- The folder of a sweep holds
--   points/KEY.h5    results of a point
--   points/KEY.note  written last: the point is done (point.lua)
--   points/KEY.log   what its process printed
--   results.h5       everything together (merge.lua)
--   points/merged    of what it was made, last time: the same is not made again
--
-- KEY is a digest of all that the point depends on and that is known before
-- it runs.  A sweep that was killed, at any moment, is gone on with by
-- starting it again: points with a note that still holds are not run.  A signal
-- to stop stops the points that are at work, whose results are thrown away,
-- and what is done is merged.

local import = ...
local core = import "core"
local access = import "script/access"
local session = import "script/session"
local timed = import "run/timed"
local keys = import "sweep/keys"
local script = import "script/script"
local merge = import "sweep/merge"
local suggest = import "base/suggest"
local text = import "base/text"
local interrupt = import "script/interrupt"

local M = {}

local GRACE = 10 -- seconds for points to stop in

------------------------------------------------------------------------------
-- Which points are done: keys.lua

local set_keys, digests, look = keys.set, keys.digests, keys.look

-- What killed processes left behind; ours is the only sweep of this folder.
local function clean(sweep)
  local folder = sweep.folder .. "/points"
  for _, name in ipairs(core.list(folder)) do
    if name:find("%.tmp$") or name:find("%.working$") or
       name:find("%.partial$") or name:find("%.new$") then
      core.remove(folder .. "/" .. name)
    end
  end
end

------------------------------------------------------------------------------
-- Running points

local function command_of(sweep, point, options)
  local words = { core.executable(), "point", "--quiet",
                  "--number=" .. point.number, "--key=" .. point.key,
                  "--out=" .. point.file, "--note=" .. point.note,
                  "--seed=" .. session.seed, "--threads=" .. session.threads,
                  "--interleave=" .. session.interleave }
  if session.budget then
    words[#words + 1] = "--budget=" .. session.budget
  end
  words[#words + 1] = session.sample_word()
  for _, given in ipairs { timed.words(session.timed),
                           access.words(session) } do
    table.move(given, 1, #given, #words + 1, words)
  end
  if not options.uncached then
    words[#words + 1] = "--cache=" .. (options.cache or
                                       sweep.folder .. "/streams")
  end
  if options.remeasure then words[#words + 1] = "--remeasure" end
  if options.monitor then words[#words + 1] = "--monitor" end
  if options.store then
    words[#words + 1] = "--store=" .. options.store
  end
  for name, value in next, options.set do
    words[#words + 1] = ("--set=%s=%s"):format(name, value)
  end
  table.move(import "run/checkpoint".words(options), 1, 2, #words + 1, words)
  words[#words + 1] = sweep.script
  words[#words + 1] = "--"
  return table.move(session.argv, 1, #session.argv, #words + 1, words)
end

-- Starts the point's process; returns its id.
local function start(sweep, point, options)
  core.remove(point.log)
  local pid, why = core.spawn(command_of(sweep, point, options),
                              { out = point.log, err = point.log })
  if not pid then
    point.state, point.why = "failed", why
    return nil
  end
  point.state = "running"
  return pid
end

-- What a process said last, but for how many mistakes it found.
local function last_line(path)
  local file = io.open(path, "rb")
  local all = file and file:read("a") or ""
  if file then file:close() end
  local line
  for one in all:gmatch("[^\n]+") do
    if not one:find("^%d+ mistakes?; ") and
       not one:find("^warploom: monitor at ") then
      line = one
    end
  end
  return line
end

-- What a point has left that was stopped.
local function discard(point)
  point.state = nil
  for _, ending in ipairs { "", ".working", ".partial" } do
    core.remove(point.file .. ending)
  end
end

-- The point's process has ended.
local function finished(point, kind, number, stopped)
  if kind == "exit" and number == 0 and look(point, digests()) then return end
  if stopped then
    discard(point)
    return
  end
  point.state = "failed"
  local how = kind == "signal" and ("killed by signal %d"):format(number) or
              number == 0 and "it left no results" or
              ("exit status %d"):format(number)
  local line = last_line(point.log)
  point.why = line and how .. ": " .. line or how
end

------------------------------------------------------------------------------
-- Progress

local Bar = {}
Bar.__index = Bar

local function new_bar(sweep, quiet)
  local bar = setmetatable({ start = core.wall(), last = 0, quiet = quiet,
                             terminal = core.terminal(2) }, Bar)
  bar.all, bar.before = sweep.wanted, sweep.reused
  bar.every = bar.terminal and 0.2 or 10
  return bar
end

local function duration(seconds)
  if seconds < 90 then return ("%.0f s"):format(seconds) end
  if seconds < 5400 then return ("%.0f min"):format(seconds / 60) end
  return ("%.1f h"):format(seconds / 3600)
end

function Bar:line(count, running)
  local wall = core.wall() - self.start
  local done = count.done + count.failed
  local ran = done - self.before
  local parts = { ("%d/%d points"):format(done, self.all) }
  if count.failed > 0 then parts[#parts + 1] = count.failed .. " failed" end
  if self.before > 0 then
    parts[#parts + 1] = self.before .. " done before"
  end
  if ran > 0 and wall > 0 then
    parts[#parts + 1] = ("%.2f/s"):format(ran / wall)
    parts[#parts + 1] = duration((self.all - done) * wall / ran) .. " left"
  end
  if running and done < self.all then parts[#parts + 1] = running end
  return table.concat(parts, ", ")
end

-- The answer to SIGUSR1.
function Bar:answer(count, running)
  io.stderr:write(self.terminal and "\r\27[K" or "", "warploom: ",
                  self:line(count, running),
                  (", %.1f s\n"):format(core.wall() - self.start))
end

function Bar:show(count, running, now)
  local wall = core.wall()
  if self.quiet or not now and wall - self.last < self.every then return end
  self.last = wall
  local line = self:line(count, running)
  if self.terminal then
    local width = 24
    local filled = self.all > 0 and
                   width * (count.done + count.failed) // self.all or width
    io.stderr:write("\r[", ("#"):rep(filled), ("."):rep(width - filled), "] ",
                    line:sub(1, 100), "\27[K", now and "\n" or "")
  else
    io.stderr:write(line, "\n")
  end
end

------------------------------------------------------------------------------
-- Processes of this machine

-- Up to `jobs` points at a time; `next_point` gives one or nil, `ended` is
-- told.  A point whose process was killed by somebody is tried once more.
local Pool = {}
Pool.__index = Pool

local function new_pool(sweep, options, jobs)
  return setmetatable({ sweep = sweep, options = options, jobs = jobs,
                        active = 0, by_pid = {} }, Pool)
end

function Pool:start(point)
  local pid = start(self.sweep, point, self.options)
  if pid then
    self.by_pid[pid], self.active = point, self.active + 1
  end
  return pid
end

-- Waits up to `seconds`; returns a point that has ended.
function Pool:wait(seconds)
  local pid, kind, number = core.wait(seconds)
  local point = pid and self.by_pid[pid]
  if not point then return nil end
  self.by_pid[pid], self.active = nil, self.active - 1
  finished(point, kind, number, self.stopped or interrupt.status())
  if point.state == "failed" and kind == "signal" and not point.again then
    point.again, point.state = true, nil
    self:start(point)
    return nil
  end
  return point
end

-- Asks all that are at work to stop, and ends those that do not; `told` gets
-- each of the points.
function Pool:stop(told)
  self.stopped = true
  for pid in next, self.by_pid do core.kill(pid, true) end
  local since, asked = core.wall(), true
  while self.active > 0 do
    local point = self:wait(0.1)
    if point and told then told(point) end
    if asked and core.wall() - since > GRACE then
      asked = false
      for pid in next, self.by_pid do core.kill(pid) end
    end
  end
end

------------------------------------------------------------------------------
-- The loop

local function count(points)
  local n = { done = 0, failed = 0, running = 0 }
  local running
  for _, point in ipairs(points) do
    if n[point.state] then n[point.state] = n[point.state] + 1 end
    if point.state == "running" then running = running or point.label end
  end
  return n, running
end

local function complain(point)
  io.stderr:write(core.terminal(2) and "\r\27[K" or "",
                  ("%s: failed: %s (%s)\n"):format(point.label, point.why,
                  point.log))
end

-- All on this machine.
local function run_here(sweep, options, jobs)
  local bar = new_bar(sweep, session.quiet)
  local pool = new_pool(sweep, options, jobs)
  local points, at, held = sweep.selected, 1, false
  local monitor = options.monitor
  if monitor then monitor:begin_sweep(sweep.experiment.name) end
  while not interrupt.status() do
    while pool.active < jobs and at <= #points and not held do
      if not points[at].state then pool:start(points[at]) end
      at = at + 1
    end
    if pool.active == 0 and at > #points then break end
    local point = pool:wait(0.1)
    if point and point.state == "failed" then complain(point) end
    if core.asked() then bar:answer(count(points)) end
    bar:show(count(points))
    if monitor then held = monitor:sweep(points, (count(points))) end
  end
  pool:stop()
  local n = count(points)
  bar:show(n, nil, true)
  return n
end

------------------------------------------------------------------------------
-- Commands

-- `--only bench=atax,bfs,sched=gto`, once or more: of an axis the values that
-- are wanted.  Returns them by axis, and in order; or nil and why not.
local function parse_only(list)
  local wanted, order = {}, {}
  for _, one in ipairs(list or {}) do
    local name
    for part in one:gmatch("[^,]+") do
      local axis, value = part:match("^([^=]+)=(.*)$")
      name = axis or name
      if not name then
        return nil, ("--only is '%s', expected AXIS=VALUE,.."):format(one)
      end
      wanted[name] = wanted[name] or {}
      wanted[name][value or part] = true
      order[#order + 1] = { name = name, value = value or part }
    end
  end
  return wanted, order
end

local function matches(point, wanted)
  for name, values in next, wanted do
    if not values[point.names[name]] then return false end
  end
  return true
end

-- Nil and why if what is wanted is not there.
local function select_points(sweep, wanted, order)
  for _, part in ipairs(order) do
    local axis
    for _, one in ipairs(sweep.experiment.axes) do
      if one.name == part.name then axis = one end
    end
    if not axis or axis.value[part.value] == nil then
      local known = axis and axis.names or {}
      for i, one in ipairs(axis and {} or sweep.experiment.axes) do
        known[i] = one.name
      end
      return nil, ("--only %s=%s: there is no %s%s"):format(
        part.name, part.value, axis and
        ("value '%s' on axis '%s'"):format(part.value, part.name) or
        ("axis '%s'"):format(part.name),
        suggest.hint(axis and part.value or part.name, known))
    end
  end
  sweep.selected = {}
  for _, point in ipairs(sweep.experiment.points) do
    if matches(point, wanted) then
      sweep.selected[#sweep.selected + 1] = point
    end
  end
  return true
end

local function list(sweep)
  local rows, head = {}, { "point" }
  for _, axis in ipairs(sweep.experiment.axes) do
    head[#head + 1] = axis.name
  end
  head[#head + 1], head[#head + 2] = "state", "results"
  rows[1] = head
  for _, point in ipairs(sweep.selected) do
    local row = { tostring(point.number) }
    for _, axis in ipairs(sweep.experiment.axes) do
      row[#row + 1] = point.names[axis.name]
    end
    row[#row + 1], row[#row + 2] = point.state or "to do",
                                   point.state and point.file or ""
    rows[#rows + 1] = row
  end
  print(table.concat(text.columns(rows, { true }), "\n"))
end

local function make_folders(sweep)
  core.mkdir(sweep.folder)
  core.mkdir(sweep.folder .. "/points")
  if core.kind(sweep.folder .. "/points") ~= "directory" then
    return nil, ("cannot make the folder '%s'"):format(sweep.folder)
  end
  local lock, why = core.lock(sweep.folder .. "/lock")
  if not lock then
    return nil, why or ("another sweep is at work in '%s'"):format(sweep.folder)
  end
  sweep.lock = lock
  return true
end

local function look_at_all(sweep)
  local digest = digests()
  sweep.reused, sweep.wanted = 0, #sweep.selected
  for _, point in ipairs(sweep.experiment.points) do look(point, digest) end
  for _, point in ipairs(sweep.selected) do
    if point.state == "done" then
      point.before = true
      sweep.reused = sweep.reused + 1
    end
  end
end

local function fail(why)
  io.stderr:write("warploom: ", why, "\n")
  return 1
end

-- Exit status, when the points that are to be run have run, or some have not.
local function verdict(sweep, n)
  local left = #sweep.selected - n.done - n.failed
  interrupt.wind_up() -- columns are derived even if a signal comes now
  if left > 0 and interrupt.status() then
    sweep.interrupted = true
    io.stderr:write(("warploom: %s: %d of %d points are done, %d were not " ..
      "run; started again, the sweep goes on\n"):format(interrupt.text(),
      n.done, #sweep.selected, left))
    return interrupt.status()
  end
  return n.failed > 0 and 3 or 0
end

-- One part of many, such as a task of a job array: others are at work in the
-- same folder, so nothing is cleaned or merged.
local function run_part(sweep, options)
  local which, of = import "sweep/slurm".part(options.part)
  if not which then return fail(of) end
  core.mkdir(sweep.folder)
  core.mkdir(sweep.folder .. "/points")
  local mine = {}
  for i, point in ipairs(sweep.selected) do
    if (i - 1) % of == which then mine[#mine + 1] = point end
  end
  sweep.selected, sweep.reused, sweep.wanted = mine, 0, #mine
  return verdict(sweep, run_here(sweep, options,
                                 options.jobs or core.processors()))
end

-- Reads the script, which declares an experiment and finds its mistakes.
local function declare(path, source, options, argv, mpi, only)
  local status = script.execute(path, source, {
    mode = "check", coarse = options.coarse, seed = options.seed,
    threads = options.threads, interleave = options.interleave,
    budget = options.budget, sample = options.sample, timed = options.timed,
    set = options.set, unsafe = options.unsafe, allow = options.allow,
    load = options.load, quiet = options.quiet, json = options.json,
    wanted = function(point) return matches(point, only) end,
    sound = not mpi and keys.sound(options) or nil, argv = argv })
  if script.report() or interrupt.status() or
     status == script.status.memory then
    return nil, interrupt.status() or status
  end
  if not session.experiment then
    io.stderr:write(("warploom: %s declares no experiment (loom.experiment " ..
                     "{ .. })\n"):format(path))
    return nil, 1
  end
  return session.experiment
end

local function summarise(sweep, n)
  if session.json then return print(merge.json(sweep)) end
  if session.quiet or sweep.silent then return end
  local lines = merge.tables(sweep)
  if #lines > 0 then print(table.concat(lines, "\n")) end
  local stored, unmeasured = 0, 0
  for _, point in ipairs(sweep.selected) do
    if point.state == "done" and not point.before and point.result.stored then
      stored = stored + 1
    elseif point.state == "failed" and point.why:find("metric '", 1, true) then
      unmeasured = unmeasured + 1
    end
  end
  print(("%d points, %d run, %d done before, %s%d failed: %s/results.h5")
    :format(#sweep.selected, n.done + n.failed - sweep.reused - stored,
            sweep.reused, sweep.remeasure and stored .. " measured again, " or
            sweep.store and stored .. " from the store, " or "",
            n.failed, sweep.folder))
  local axes = {}
  for i, axis in ipairs(sweep.experiment.axes) do axes[i] = axis.name end
  for _, axis in ipairs(import "sweep/idle".axes(sweep.selected, axes)) do
    io.stderr:write(("warploom: axis '%s' makes no difference: points that " ..
      "differ in it alone have the same results\n"):format(axis))
  end
  if unmeasured > 0 then
    io.stderr:write(("warploom: the runs of %d points are kept: mend the " ..
      "metric, then warploom sweep --remeasure\n"):format(unmeasured))
  end
end

-- Ranks other than the first do what they are told.
local function main_of_rank(sweep, options, mpi, experiment)
  set_keys(sweep, options)
  local pool = new_pool(sweep, options, options.jobs or 1)
  return import "sweep/ranks".work(mpi, pool, experiment.points)
end

-- The whole of `warploom sweep`; returns the exit status, and the sweep if it
-- came to its end.
function M.main(path, source, options, argv)
  local mpi, rank, size = core.mpi()
  if not mpi and rank then return fail(rank) end
  if rank and rank > 0 then session.quiet, options.quiet = true, true end
  local only, order = parse_only(options.only)
  if not only then return fail(order) end
  local experiment, status = declare(path, source, options, argv, mpi, only)
  if not experiment then return status end
  local sweep = { experiment = experiment, script = path,
                  folder = keys.folder(experiment, options),
                  store = options.store, remeasure = options.remeasure,
                  silent = options.silent,
                  statistics = options.statistics and
                               options.statistics(experiment) }
  local ok, why = select_points(sweep, only, order)
  if not ok then return fail(why) end
  if rank and rank > 0 then
    return main_of_rank(sweep, options, mpi, experiment)
  end
  set_keys(sweep, options)
  look_at_all(sweep)
  if options.checkpoint then -- it is run again for it
    local point = sweep.selected[1]
    if #sweep.selected ~= 1 then
      return fail(("--checkpoint saves one run, and %d points are chosen: " ..
        "name one by --only"):format(#sweep.selected))
    elseif point.before then
      point.state, point.before, sweep.reused = nil, nil, 0
    end
  end
  if options.list or options.dry then
    list(sweep)
    if options.dry then
      print(("%d points, %d done before, %d to run"):format(#sweep.selected,
            sweep.reused, #sweep.selected - sweep.reused))
    end
    return 0
  end
  if options.slurm then
    local script_path, reason = import "sweep/slurm".write(sweep, options)
    if not script_path then return fail(reason) end
    print(("wrote %s; sh %s submits it"):format(script_path, script_path))
    return 0
  end
  if options.part then return run_part(sweep, options) end
  ok, why = make_folders(sweep)
  if not ok then return fail(why) end
  clean(sweep)
  local n, ranks
  if mpi then
    local bar = new_bar(sweep, session.quiet)
    ranks = import "sweep/ranks".new(mpi, size,
                               new_pool(sweep, options, options.jobs or 1))
    ranks:run(sweep.selected, look, complain, function(now)
      local all, running = count(sweep.selected)
      if core.asked() then bar:answer(all, running) end
      bar:show(all, running, now)
    end)
    n = count(sweep.selected)
  else
    n = run_here(sweep, options, options.jobs or core.processors())
  end
  local result = verdict(sweep, n)
  ok, why = merge.write(sweep, options)
  summarise(sweep, n)
  if not ok then result = math.max(result, fail(why)) end
  if ranks then ranks:finish(result) end
  sweep.lock:close()
  return result, sweep
end

return M
