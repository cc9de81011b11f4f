-- loom.run: checks a machine and a workload, builds the machine, runs the
-- workload on it and writes the results.

local import = ...
local core = import "core"
local session = import "session"
local record = import "record"
local machine_module = import "machine"
local describe = import "describe"
local device = import "device"
local progress = import "progress"
local spec_module = import "spec"
local poison = import "poison"
local record_file = import "record_file"

local M = {}
local run_methods = {}
local run_meta = { __index = run_methods, __name = "run" }

------------------------------------------------------------------------------
-- Time

-- Time of edge n of a clock: floor(n * 10^15 / hertz), exactly.
local function edge(n, hertz)
  local whole_seconds, rest = n // hertz, n % hertz
  local time, remainder = 0, rest
  -- 10^15 = 10^3 five times; the remainder stays below hertz <= 10^12.
  for _ = 1, 5 do
    remainder = remainder * 1000
    time = time * 1000 + remainder // hertz
    remainder = remainder % hertz
  end
  return whole_seconds * 1000000000000000 + time
end
M.edge = edge

local function insts(run)
  return run.machine:total("sm", "warp_insts")
end

-- The earliest time at which the run must pause.
local function boundary(run, now)
  local at = now + run.slice
  for _, series in ipairs(run.series) do at = math.min(at, series.next) end
  if run.stop_time then at = math.min(at, run.stop_time) end
  return at
end

local function sample_series(run, now)
  for _, series in ipairs(run.series) do
    while series.next <= now do
      if run.recorder then
        run:output(run.recorder:epoch(series.number, series.next))
      end
      series.next = series.next + series.period
    end
  end
end

local function check_stops(run, now)
  local stop = run.spec.stop
  if run.stop_time and now >= run.stop_time then
    run.cut = stop.time and run.stop_time == stop.time and "stop.time reached"
              or "stop.cycles reached"
  elseif stop.warp_insts and insts(run) >= stop.warp_insts then
    run.cut = "stop.warp_insts reached"
  end
  if run.cut then session.stop("cut", run.cut) end
end

-- Slices grow until they take a tenth of a second of wall time, except where
-- something that scripts can see happens at their ends.
local function adapt(run, before)
  if run.spec.stop.warp_insts then return end
  local wall = core.wall() - before
  if wall < 0.05 and run.slice < run.patience * 64 then
    run.slice = run.slice * 2
  elseif wall > 0.2 and run.slice > 1000000000 then
    run.slice = run.slice // 2
  end
end

local function deadlock(run)
  session.stop("deadlock", run.machine:report())
end

-- The engine watches for progress within one call; between calls, here.
local function watch(run, now)
  local count = insts(run)
  if count ~= run.seen_insts then
    run.seen_insts, run.seen_at = count, now
  elseif now - run.seen_at > 2 * run.patience then
    run.seen_at = now
    return now + 4 * run.patience
  end
end

local function show_progress(run, launch)
  local done = run.machine:total("sm", "ctas_done") - launch.ctas_before
  local all = launch.grid[1] * launch.grid[2] * launch.grid[3]
  run.progress:show(launch.name, run.machine:now() / 1e15, insts(run),
                    all > 0 and math.min(done / all, 1) or nil,
                    launch.wall_start)
end

-- Runs the machine until a launch is complete.
local function advance(run, launch, handle)
  local machine = run.machine
  local longer
  while not handle:times() do
    local now = machine:now()
    local until_time = longer or boundary(run, now)
    local before = core.wall()
    local why, text, kind = machine:run(until_time, run.patience)
    if why == "error" then
      session.stop(kind == "deadlock" and "deadlock" or "workload", text)
    elseif why == "stuck" or why == "idle" and not handle:times() then
      deadlock(run)
    elseif why == "time" then
      sample_series(run, until_time)
      check_stops(run, until_time)
      longer = watch(run, until_time)
      adapt(run, before)
      show_progress(run, launch)
      if run.recorder then run:output(run.recorder:poll()) end
    end
  end
  sample_series(run, machine:now())
end

------------------------------------------------------------------------------
-- Launches

-- Every failure of the recorder ends the run with the status for output.
function run_methods.output(_, value, text)
  if value == nil then session.stop("output", text) end
  return value
end

function run_methods:snapshot(label, reason, kernel, stream)
  if self.recorder then
    self:output(self.recorder:snapshot(label, reason, kernel, stream))
  end
end

local function execute_functionally(run, launch)
  local begun = core.wall()
  local count, text = launch.kernel:execute()
  run.busy = run.busy + core.wall() - begun
  if count == nil then session.stop("workload", text) end
  run.functional_insts = run.functional_insts + count
  local facts = launch.kernel:facts()
  launch.kernel:retire()
  local done = { name = launch.name, id = launch.number, grid = launch.grid,
                 block = launch.block, warp_insts = count,
                 registers = facts.registers, interleave = facts.interleave }
  run.kernels[#run.kernels + 1] = done
  return done
end

function run_methods:execute(launch)
  record_file.attach(self, launch)
  if session.functional then return execute_functionally(self, launch) end
  local machine = self.machine
  local facts = launch.kernel:facts()
  local before = insts(self)
  launch.ctas_before = machine:total("sm", "ctas_done")
  launch.wall_start = core.wall()
  local sample_begin = self.recorder and self.recorder:samples() - 1 or -1
  local begun = core.wall()
  local handle, text = machine:launch(self.description.host, launch.kernel,
                                      launch.stream)
  if not handle then session.stop("workload", text) end
  advance(self, launch, handle)
  self.busy = self.busy + core.wall() - begun
  local _, queued, start, stop = handle:times()
  launch.kernel:retire()
  local due = self.spec.stats.every and
              (launch.number + 1) % self.spec.stats.every == 0
  if self.spec.stats.kernel_end and not self.spec.stats.every or due then
    self:snapshot(launch.name, "kernel_end", launch.number, launch.stream)
  end
  local done = { name = launch.name, id = launch.number, grid = launch.grid,
                 block = launch.block, seconds = (stop - start) / 1e15,
                 queued = queued / 1e15, start = start / 1e15,
                 stop = stop / 1e15, warp_insts = insts(self) - before,
                 registers = facts.registers, interleave = facts.interleave,
                 shared_bytes = facts.shared_bytes }
  self.kernels[#self.kernels + 1] = done
  if self.recorder then
    self:output(self.recorder:kernel {
      id = launch.number, stream = launch.stream, name = launch.name,
      grid = launch.grid, block = launch.block, registers = facts.registers,
      shared = facts.shared_bytes, launch = queued, start = start,
      end_ = stop, sample_begin = sample_begin,
      sample_end = self.recorder:samples() - 1 })
  end
  check_stops(self, machine:now())
  return done
end

------------------------------------------------------------------------------
-- The results file

local function output_path(spec)
  local out, file = session.out, spec.stats.file
  if not out then return file end
  if out:find("%.h5$") then return out end
  if core.kind(out) ~= "directory" then core.mkdir(out) end
  return ("%s/%s"):format(out, (file or spec.workload.name .. ".h5")
                          :match("[^/]+$"))
end

-- Origins with the sites as text, for /topology.
local function origins_of(description)
  local out = {}
  local cache = {}
  local function site_text(site)
    if not site then return "" end
    if not cache[site] then
      local refined = session.refine(site)
      cache[site] = ("%s:%d"):format(refined.file, refined.line)
    end
    return cache[site]
  end
  local names = { default = "default", preset = "preset", argument = "user",
                  instance = "user" }
  for path, entry in next, description.origins do
    local params = {}
    for name, one in next, entry.params do
      params[name] = { origin = names[one.origin],
                       text = one.origin ~= "default" and
                              site_text(one.site) or "" }
    end
    out[path] = { origin = names[entry.origin], text = site_text(entry.site),
                  params = params }
  end
  return out
end

local function open_recorder(run)
  local spec = run.spec
  local path = output_path(spec)
  if not path then return end
  local recorder, text = core.recorder(run.machine, path, {
    title = spec.title, experiment = session.script,
    clock = record.path(run.description.root), version = core.version,
    build_flags = core.build_type, seed = spec.seed, argv = session.command,
    config_json = describe.json(run.description),
    config_lua = describe.lua(run.description),
    origins = origins_of(run.description) })
  if not recorder then session.stop("output", text) end
  run.file, run.recorder = path, recorder
  for _, series in ipairs(spec.stats.series) do
    local number, why = recorder:series(series.name, series.period,
                                        series.select)
    if not number then
      recorder:abandon()
      run.recorder = nil
      os.remove(path .. ".partial")
      session.problem("series " .. series.name, why,
                      session.field(run.site, "run", "stats", "series",
                                    series.name))
      session.stop("config")
    end
    run.series[#run.series + 1] = { number = number, period = series.period,
                                    next = series.period }
  end
  for _, name in ipairs(session.source_names) do
    run:output(recorder:source(name, session.sources[name]))
  end
end

local statuses = { deadlock = "deadlock", cut = "complete",
                   complete = "complete", interrupted = "interrupted" }

local function close_recorder(run)
  if not run.recorder then return end
  local recorder = run.recorder
  run.recorder = nil
  local ok, text = recorder:snapshot("end", "final")
  if ok then
    for _, input in ipairs(run.inputs) do
      if ok then
        ok, text = recorder:input(input.path, input.sha256 or
                                  core.sha256(input.text),
                                  input.bytes or #input.text)
      end
    end
  end
  if ok then
    ok, text = recorder:close {
      status = statuses[run.status] or "error", reason = run.reason,
      digest = run.digest, wall = run.wall, kips = run.kips }
  else
    recorder:abandon()
  end
  if not ok then
    run.output_error = text
    run.file = nil
  end
end

------------------------------------------------------------------------------
-- Reading a run

local function make_stats(run)
  return function(path)
    local site = session.site()
    local function ask(fmt, text)
      session.stop("config", ("%s:%d: %s"):format(site.file, site.line,
                                                  fmt:format(text)))
    end
    if not run.catalog then -- functional: nothing was timed
      return setmetatable({}, { __index = function() return 0 end,
                                __name = "statistics" })
    end
    local group, text = run.catalog:group(tostring(path))
    if not group then ask("run.stats: %s", text) end
    return setmetatable({}, {
      __index = function(_, name)
        local value, why = run.catalog:query(tostring(path), tostring(name))
        if value == nil then
          site = session.site()
          ask("run.stats: %s", why)
        end
        return value
      end,
      __newindex = function() error("statistics are read only", 2) end,
      __tostring = function() return "statistics of " .. tostring(path) end,
      __name = "statistics",
    })
  end
end

-- Lets what is still under way (write-backs after the last kernel) arrive,
-- so that what went in can be compared with what came out.  Cycles and
-- seconds of the run do not include it, statistics do.
local function drain(run)
  local machine = run.machine
  local now = machine:now()
  local hertz = record.clock(run.description.root).value
  local why, text, kind = machine:run(now + edge(2000000, hertz),
                                      edge(200000, hertz))
  if why == "error" then
    run.status, run.reason = kind, text
  elseif why == "stuck" then
    run.status, run.reason = "deadlock", machine:report()
  end
end

local function finish(run)
  local machine = run.machine
  run.progress:clear()
  run.wall = run.progress:wall()
  if session.functional then
    run.warp_insts = run.functional_insts
    run.seconds, run.cycles, run.thread_insts = 0.0, 0, 0
    run.digest = run.memory:digest()
    run.kips = run.warp_insts / math.max(run.busy, 1e-9) / 1000
    return
  end
  machine:settle()
  run.seconds = machine:now() / 1e15
  run.cycles = machine:cycle(record.path(run.description.root))
  run.warp_insts = math.tointeger(insts(run)) or insts(run)
  run.thread_insts = machine:total("sm", "thread_insts")
  -- A launch that did not end is not in `busy`.
  local busy = run.status == "complete" and run.busy or run.wall
  run.kips = run.warp_insts / math.max(busy, 1e-9) / 1000
  run.ticks = machine:ticks()
  if run.status == "complete" then drain(run) end
  if run.status == "complete" then
    run.violations = machine:check()
    if #run.violations > 0 then
      run.status, run.reason = "violation", "a conservation law is broken"
    end
  end
  run.digest = core.state_digest(machine, run.memory)
  close_recorder(run)
end

-- Runs the host program; returns how it ended.
local function drive(run)
  local dev = device.new(run)
  run.device = dev
  local function on_error(e)
    if getmetatable(e) == session.Stop then return e end
    local site = session.site()
    local text = tostring(e):gsub("^[^\n]-:%d+: ", "", 1)
    return setmetatable({ kind = "workload", text = ("%s:%d: %s"):format(
      site.file, site.line, text), trace = debug.traceback("", 2) },
      session.Stop)
  end
  local ok, e = xpcall(function()
    if not session.functional then open_recorder(run) end
    record_file.begin(run, dev)
    run.spec.workload.run(dev, run.spec.workload.values)
  end, on_error)
  run.verdicts = dev.verdicts
  dev:tell()
  if not ok and e.kind == "config" then record_file.abandon(run) end
  if ok then
    run.status, run.reason = "complete", "complete"
  elseif e.kind == "cut" then
    run.status, run.reason = "cut", e.text
  elseif e.kind == "config" then
    error(e, 0)
  else
    run.status, run.reason = e.kind, e.text or "?"
  end
end

-- What a script gets where nothing is run (check, graph): all numbers are 0,
-- so that what it computes from them goes through.
local function not_run(description)
  local zeros = setmetatable({}, { __index = function() return 0 end })
  return setmetatable({
    description = description, seconds = 0.0, cycles = 0, warp_insts = 0,
    thread_insts = 0, kips = 0.0, wall = 0.0, digest = "", status = "not run",
    kernels = setmetatable({}, { __index = function() return zeros end }),
    stats = function() return zeros end,
  }, { __index = function() return poison end, __name = "run" })
end

-- What is kept of a run when the script no longer holds it: results, without
-- the machine and the device memory, which are large.
local function outcome(run)
  local kept = { verdicts = run.verdicts, kernels = run.kernels }
  for key, value in next, run do
    local kind = type(value)
    if kind == "string" or kind == "number" or kind == "boolean" then
      kept[key] = value
    end
  end
  return kept
end

function M.run(spec)
  local site = session.site()
  -- To the collector a machine is one small object, so it would let those of
  -- a sweep pile up.
  if #session.runs > 0 then collectgarbage() end
  local checked = spec_module.check(spec, site)
  local description
  if checked.machine then
    description = machine_module.resolve(checked.machine, checked.seed,
                                         checked.transform)
    session.machines[#session.machines + 1] = description
  end
  local built
  if #session.problems == 0 then
    built = machine_module.build(description)
  end
  if #session.problems > 0 and session.mode == "run" then
    session.stop("config")
  end
  if session.mode ~= "run" or not built then
    if built then built:close() end
    return not_run(description)
  end
  local run = setmetatable({
    spec = checked, site = site, description = description, machine = built,
    seed = checked.seed, kernels = {}, inputs = {}, programs = {},
    series = {}, functional_insts = 0, busy = 0,
    workload = checked.workload.name,
  }, run_meta)
  run.memory = core.memory(checked.memory, checked.guard)
  run.watch, run.facts = checked.watch, machine_module.facts(description)
  if checked.watch & 1 ~= 0 then run:output(run.memory:watch()) end
  run.progress = progress.new()
  local hertz = record.clock(checked.machine).value
  run.patience = checked.patience or edge(200000, hertz)
  run.slice = edge(checked.stop.warp_insts and 1000 or 20000, hertz)
  run.stop_time = checked.stop.time
  if checked.stop.cycles then
    local at = edge(checked.stop.cycles, hertz)
    run.stop_time = math.min(run.stop_time or at, at)
  end
  run.seen_at = 0
  if not session.functional then
    run.catalog = core.catalog(built)
    if not description.host then
      session.problem("run", "the machine has no host: there is no free " ..
                      "launch port to put one at", site)
      session.stop("config")
    end
  end
  run.stats = make_stats(run)
  drive(run)
  record_file.finish(run)
  finish(run)
  session.runs[#session.runs + 1] = outcome(run)
  import "summary".show(run)
  if run.status ~= "complete" and run.status ~= "cut" then
    session.stop("failed")
  elseif run.output_error then
    session.stop("failed")
  end
  return run
end

return M
