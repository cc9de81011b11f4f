-- Letting the machine run, and what follows when a task of the host program is
-- complete: snapshots, rows of kernels, series, stops, progress.
--
-- A run's `pending` are the tasks that are not known to be complete, oldest
-- first.  In functional runs nothing ever is.

local import = ...
local core = import "core"
local session = import "script/session"
local devices = import "machine/devices"
local record = import "machine/record"
local interrupt = import "script/interrupt"

local M = {}

-- Time of edge n of a clock: floor(n * 10^15 / hertz), exactly; half of all
-- time (LOOM_TIME_END in engine/base.h) where it is later.
local function edge(n, hertz)
  local whole_seconds, rest = n // hertz, n % hertz
  if whole_seconds > 4610 then return math.maxinteger // 2 end
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

function M.later(now, time)
  return time < math.maxinteger - now and now + time or math.maxinteger
end

local function insts(run)
  return run.machine:total("sm", "warp_insts")
end
M.insts = insts

------------------------------------------------------------------------------
-- Letting the machine run

-- The earliest time at which the run must pause.
local function boundary(run, now)
  local at = M.later(now, run.slice)
  for _, series in ipairs(run.series) do at = math.min(at, series.next) end
  if run.every then at = math.min(at, run.every.next) end
  if run.stop_time then at = math.min(at, run.stop_time) end
  if run.passing then at = math.min(at, run.passing.next) end
  if run.sampler then at = math.min(at, run.sampler.next) end
  return at
end

local function sample_series(run, now)
  for _, series in ipairs(run.series) do
    while series.next <= now do
      if run.recorder then
        run:output(run.recorder:epoch(series.number, series.next))
      else -- a run that is repeated: what a recorder would do to the machine
        run.machine:settle()
      end
      series.next = series.next + series.period
    end
  end
end

local function check_stops(run, now)
  if run.every then run.every:step(now) end
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
  if wall < 0.05 and run.slice < run.longest_slice then
    run.slice = run.slice * 2
  elseif wall > 0.2 and run.slice > 1000000000 then
    run.slice = run.slice // 2
  end
end

local function oldest_launch(run)
  for _, entry in ipairs(run.pending) do
    if entry.launch then return entry.launch end
  end
end

-- How much of a launch is done, if that is known.
local function fraction_of(run, launch)
  local done = run.machine:total("sm", "ctas_done") - launch.ctas_before
  local all = launch.grid[1] * launch.grid[2] * launch.grid[3]
  return all > 0 and math.min(done / all, 1) or nil
end

local function show_progress(run)
  local launch = oldest_launch(run)
  if not launch then return end
  run.progress:show(launch.name, run.machine:now() / 1e15, insts(run),
                    fraction_of(run, launch), launch.wall_start)
end

-- Where a run is: `launch` and the `fraction` of it that is done, if it is not
-- timed.
local function where_of(run, launch, fraction)
  local where = { insts = run.functional_insts, fraction = fraction }
  if not run.functional then
    launch = launch or oldest_launch(run)
    where.insts = insts(run)
    where.cycles = run.machine:cycle(record.path(run.description.root))
    where.seconds = run.machine:now() / 1e15
    where.fraction = fraction or launch and fraction_of(run, launch)
  end
  if launch then
    where.kernel, where.number = launch.name, launch.number
    where.grid = launch.grid
  end
  return where
end
M.where_of = where_of

-- Between two pieces of work: ends the run if a signal says so, does what the
-- monitor asks for, and tells where it is if one asks.
local function heed(run, launch, fraction)
  interrupt.check()
  if run.monitor then run.monitor:step(run, where_of, launch, fraction) end
  if core.asked() then run.progress:answer(where_of(run, launch, fraction)) end
end
M.heed = heed

------------------------------------------------------------------------------
-- Tasks that are complete

-- The last snapshot that was taken when, or before, the kernel began.
local function sample_before(run, start)
  for i = #run.sample_times, 1, -1 do
    if run.sample_times[i] <= start then return i - 1 end
  end
  return -1
end

-- Takes the snapshot at a kernel's end, if there is one: its number, or -1.
local function snapshot(run, launch)
  local due = run.spec.stats.every and
              (launch.number + 1) % run.spec.stats.every == 0
  if run.spec.stats.kernel_end and not run.spec.stats.every or due then
    run:snapshot(launch.name, "kernel_end", launch.number, launch.stream)
    return run.recorder and run.recorder:samples() - 1
  end
  return -1
end

-- The kernel's row in the results; `samples`: the snapshots before and after
-- it; `times`: queued, start and end.
local function record_kernel(run, launch, samples, times)
  if not run.recorder then return end
  local facts = launch.facts
  run:output(run.recorder:kernel {
    id = launch.number, stream = launch.stream, name = launch.name,
    grid = launch.grid, block = launch.block, registers = facts.registers,
    registers_from = launch.registers_from or "PTX",
    shared = facts.shared_bytes, interleave = facts.interleave,
    resident = launch.resident, passed = launch.passed and 1 or nil,
    tensor_form = facts.tensor_form, tensor_parts = facts.tensor_parts,
    launch = times[1], start = times[2], end_ = times[3],
    sample_begin = samples[1], sample_end = samples[2] })
end

M.snapshot, M.record_kernel = snapshot, record_kernel

-- A launch is over; what it asks the system for is kept (host/children.lua).
-- That its CTAs took turns may not have been known before.
function M.retire(launch, done)
  done.interleave = launch.kernel:facts().interleave
  launch.facts.interleave = done.interleave
  if launch.facts.launches then launch.asked = launch.kernel:children() end
  launch.kernel:retire()
end

-- A kernel has run to its end.
local function finish_launch(run, entry)
  local launch, done = entry.launch, entry.handle
  local queued, start, stop = entry.task:times()
  if run.sampler then
    stop = stop + run.sampler:finish(entry.task:insts())
  end
  if run.loads then
    run.loads:learn(launch.facts, launch.kernel, launch.kernel_number)
  end
  M.retire(launch, done)
  local samples = { sample_before(run, start), snapshot(run, launch) }
  done.seconds, done.queued = (stop - start) / 1e15, queued / 1e15
  done.start, done.stop = start / 1e15, stop / 1e15
  done.warp_insts = entry.task:insts()
  launch.resident, launch.passed = entry.task:resident(), done.passed
  if launch.resident > 0 then
    done.waves = launch.grid[1] * launch.grid[2] * launch.grid[3] /
                 launch.resident
  end
  run.kernels[#run.kernels + 1] = done
  record_kernel(run, launch, samples, { queued, start, stop })
end

-- A copy to the device leaves its data in the caches that keep it.
local function preload(entry)
  local run, copy = entry.run, entry.preload
  local device = devices.of(copy.stream)
  for _, c in ipairs(devices.parts(run.description, device)) do
    if c.type == "cache" and c.params.preload and
       copy.bytes <= (c.params.preload_most or math.huge) then
      assert(run.machine:preload(c.path, copy.address, copy.bytes))
    end
  end
end

local function finish_other(entry)
  if entry.preload then preload(entry) end
  local done = entry.handle
  local queued, start, stop = entry.task:times()
  done.queued, done.start, done.stop = queued / 1e15, start / 1e15, stop / 1e15
  done.seconds, done.time = (stop - start) / 1e15, stop / 1e15
  done.array = entry.array
end

-- Of launches that ended since the last look, those that ended first come
-- first, and of those that ended together the one that was launched first.
local function by_end(a, b)
  local _, _, x = a.task:times()
  local _, _, y = b.task:times()
  if x ~= y then return x < y end
  return a.launch.number < b.launch.number
end

local function reap(run)
  local kept, launches = {}, {}
  for _, entry in ipairs(run.pending) do
    if not (entry.task:complete(run.machine) and
            (not entry.after or entry.after:produced())) then
      kept[#kept + 1] = entry
    else
      entry.done = true
      if entry.launch then
        launches[#launches + 1] = entry
      else
        finish_other(entry)
      end
    end
  end
  run.pending = kept
  if #launches == 0 then return end
  sample_series(run, run.machine:now())
  table.sort(launches, by_end)
  for _, entry in ipairs(launches) do finish_launch(run, entry) end
  check_stops(run, run.machine:now())
end

-- What machine:run() says.
local function stop_if_failed(why, text, kind)
  if why == "error" then
    session.stop_as((kind == "policy" or kind == "memory") and kind or
                    "workload", text)
  end
end
M.stop_if_failed = stop_if_failed

-- Is a launch under way that reads the time?
local function reads_time(run)
  for _, entry in ipairs(run.pending) do
    if entry.launch and entry.launch.facts.timed then return true end
  end
  return false
end

-- Runs the machine until `done()`.  `alone`: nobody gave it anything to do, so
-- it is finished when nobody in it holds anything, even if timers go on.
function M.advance(run, done, alone)
  local machine = run.machine
  if run.calling then
    local site = session.site()
    session.stop("workload", ("%s:%d: a callback reads; it cannot wait for " ..
                 "the machine, nor give it anything to do"):format(site.file,
                 site.line))
  end
  while true do
    reap(run)
    if done() then break end
    local until_time = boundary(run, machine:now())
    local before = core.wall()
    machine:together(reads_time(run))
    local why, text, kind = machine:run(until_time, run.patience)
    run.busy = run.busy + core.wall() - before
    heed(run)
    stop_if_failed(why, text, kind)
    if why == "idle" then
      run.idle = true
      reap(run)
      if not done() then session.stop("deadlock", machine:report()) end
    elseif why == "stuck" then
      run.idle = alone and #machine:check() == 0
      if not run.idle then session.stop("deadlock", machine:report()) end
    elseif why == "time" then
      if run.passing then
        run.passing:step(until_time)
        until_time = machine:now()
      end
      if run.sampler then
        run.sampler:step(until_time)
        until_time = math.max(until_time, machine:now())
      end
      sample_series(run, until_time)
      check_stops(run, until_time)
      adapt(run, before)
      show_progress(run)
      if run.recorder then run:output(run.recorder:poll()) end
    end
  end
end

-- A machine without a host runs until nothing more will happen in it.
function M.alone(run)
  if run.functional then return end
  M.advance(run, function() return run.idle end, true)
  for _, problem in ipairs(run.machine:check()) do
    if problem.text:find("left in the channel", 1, true) then
      session.stop("deadlock", run.machine:report())
    end
  end
end

return M
