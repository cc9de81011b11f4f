-- What the host program has the machine do: launches, copies, events and
-- waits, in streams.
--
-- Two orders are kept apart.  Memory sees everything in the order in which
-- the host program said it, whatever the machine: a kernel is executed
-- functionally after all launches before it, and a copy that comes after a
-- launch whose CTAs are not all executed yet is kept with that launch
-- (lua/tasks.c).  Time is the host component's matter: streams overlap there.
--
-- A run's `pending` are the tasks that are not known to be complete, oldest
-- first.  In functional runs nothing ever is.

local import = ...
local card = import "recording/card"
local core = import "core"
local session = import "script/session"
local record = import "machine/record"
local record_file = import "recording/file"
local types = import "machine/types"
local interrupt = import "script/interrupt"
local result = import "run/result"
local passing = import "run/passing"
local sample = import "run/sample"
local timed = import "run/timed"
local every = import "run/every"
local checkpoint = import "run/checkpoint"

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
  launch.kernel:retire()
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
  for _, c in ipairs(run.description.components) do
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

-- Is a launch under way that reads the time?
local function reads_time(run)
  for _, entry in ipairs(run.pending) do
    if entry.launch and entry.launch.facts.timed then return true end
  end
  return false
end

-- Runs the machine until `done()`.  `alone`: nobody gave it anything to do, so
-- it is finished when nobody in it holds anything, even if timers go on.
local function advance(run, done, alone)
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
  advance(run, function() return run.idle end, true)
  for _, problem in ipairs(run.machine:check()) do
    if problem.text:find("left in the channel", 1, true) then
      session.stop("deadlock", run.machine:report())
    end
  end
end

------------------------------------------------------------------------------
-- Handles: what the host program gets of a task

local delayed = { seconds = true, queued = true, start = true, stop = true,
                  warp_insts = true, time = true, array = true,
                  waves = true }
local handle_methods = {}
local handle_meta = { __name = "task" }

-- The tasks of handles; not in them, where scripts would find it.
local entry_of = setmetatable({}, { __mode = "k" })
function M.entry_of(handle) return entry_of[handle] end

-- What a handle has.  An operation of another kind has no `warp_insts`, which
-- is then nil.
local handle_names = { "array", "block", "grid", "id", "interleave", "name",
                       "passed", "queued", "registers", "seconds",
                       "shared_bytes", "since", "start", "stop", "stream",
                       "sync", "time", "untimed", "warp_insts",
                       "waves" }
local is_handle_name = {}
for _, name in ipairs(handle_names) do is_handle_name[name] = true end

function handle_meta.__index(handle, key)
  if handle_methods[key] then return handle_methods[key] end
  local entry = entry_of[handle]
  if delayed[key] and entry and not entry.done then
    local site = session.site()
    session.stop("workload", ("%s:%d: '%s' of %s is not known before it is " ..
                 "complete: call its sync(), or its stream's"):format(
                 site.file, site.line, key, entry.what))
  elseif not is_handle_name[key] then
    return result.unknown(entry and entry.what or "a launch", key, handle_names,
                   entry and not entry.run.status and "workload")
  end
end

-- The host component knows streams by small numbers.  More of them than it
-- has share some, which only orders them.
local function slot_of(run, stream)
  if stream == 0 then return 0 end
  local slot = run.slots[stream]
  if not slot then
    slot = run.slot_count % 1023 + 1
    run.slots[stream], run.slot_count = slot, run.slot_count + 1
  end
  return slot
end

-- Adds a task to those under way; `fields` are the handle's.
local function add(run, entry, fields)
  run.tasks_given = run.tasks_given + 1
  entry.ordinal = run.tasks_given
  entry.handle = setmetatable(fields, handle_meta)
  entry_of[fields] = entry
  entry.run = run
  if entry.stream ~= 0 then run.unsynced = true end
  if run.history or run.replay then checkpoint.task(run, entry, fields) end
  if run.replay then
    if not fields.untimed then slot_of(run, entry.stream) end
    return entry.handle
  end
  if run.functional or entry.done then
    entry.done = true
    fields.seconds, fields.queued = 0.0, 0.0
    fields.start, fields.stop, fields.time = 0.0, 0.0, 0.0
  else
    run.pending[#run.pending + 1] = entry
  end
  return entry.handle
end

-- Waits for a task.
function handle_methods.sync(handle)
  local entry = entry_of[handle]
  record_file.event(entry.run, "sync", entry.ordinal, 0, "", entry.stream)
  if not entry.done then
    advance(entry.run, function() return entry.done end)
  end
  return handle
end

-- Seconds from an earlier event to this one.
function handle_methods.since(handle, earlier)
  local mine, other = entry_of[handle], entry_of[earlier]
  if not other or mine.what ~= "an event" or other.what ~= "an event" then
    local site = session.site()
    session.stop("workload", ("%s:%d: since: both must be events: " ..
                 "stop:since(start)"):format(site.file, site.line))
  end
  return handle.time - earlier.time
end

-- A launch that was measured elsewhere, and one of a run that is not run.
function M.launch_of(fields) return setmetatable(fields, handle_meta) end
function M.no_launch()
  local fields = { name = "", grid = { 1, 1, 1 }, block = { 1, 1, 1 } }
  for _, name in ipairs(handle_names) do
    if fields[name] == nil and not handle_methods[name] then
      fields[name] = 0
    end
  end
  return M.launch_of(fields)
end

function M.is_handle(value) return getmetatable(value) == handle_meta end

------------------------------------------------------------------------------
-- Giving tasks

-- How many tasks the host component takes.
local function queue_size(run)
  for _, c in ipairs(run.description.components) do
    if c.path == run.description.host and c.params.queue then
      return c.params.queue
    end
  end
  return types.components.host.param.queue.default
end

local function give(run, method, stream, ...)
  run.queue_size = run.queue_size or queue_size(run)
  local oldest = run.pending[1]
  if oldest and run.tasks_given - oldest.ordinal + 1 >= run.queue_size then
    advance(run, function()
      oldest = run.pending[1]
      return not oldest or
             run.tasks_given - oldest.ordinal + 1 < run.queue_size
    end)
  end
  local machine = run.machine
  local task, text = machine[method](machine, run.description.host,
                                     slot_of(run, stream), ...)
  if not task then session.stop("workload", text) end
  return task
end

-- In the default stream the host program waits.
local function settle(run, handle, stream)
  local entry = entry_of[handle]
  if stream == 0 then
    if not entry.done then advance(run, function() return entry.done end) end
    run.unsynced = false
  end
  return handle
end

-- The same; then the run can be saved.
local function settled(run, handle, stream)
  settle(run, handle, stream)
  if run.history or run.replay then checkpoint.step(run) end
  return handle
end

-- Warp instructions of all CTAs, or nil and why; they are counted as they come.
local function execute(run, launch)
  local all = launch.grid[1] * launch.grid[2] * launch.grid[3]
  local sum, at = 0, 0
  repeat
    local count, more, kind = launch.kernel:execute(at)
    if not count then return nil, more, kind end
    sum, at = sum + count, more
    run.functional_insts = run.functional_insts + count
    if at then heed(run, launch, at / all) end
  until not at
  return sum
end

local function execute_functionally(run, launch, handle)
  heed(run, launch)
  local begun = core.wall()
  local sample_begin = #run.sample_times - 1
  local count, text, kind
  if run.model then
    count, text, kind = run.model:measure(launch.kernel)
    run.functional_insts = run.functional_insts + (count or 0)
  elseif card.blind(run) then
    count = 0
  elseif session.locality then
    count, text, kind = session.locality(launch)
    run.functional_insts = run.functional_insts + (count or 0)
  else
    count, text, kind = execute(run, launch)
  end
  run.busy = run.busy + core.wall() - begun
  interrupt.check()
  if count == nil then
    session.stop_as(kind == "memory" and kind or "workload", text)
  end
  if run.loads then
    run.loads:learn(launch.facts, launch.kernel, launch.kernel_number)
  end
  launch.kernel:retire()
  handle.warp_insts = count
  run.kernels[#run.kernels + 1] = handle
  if run.model then
    record_kernel(run, launch, { sample_begin, snapshot(run, launch) },
                  { 0, 0, 0 })
  end
  if session.tick then session.tick(#run.kernels) end
  return handle
end

-- Waits for the tasks of a stream, or for all.
local function drain(run, stream)
  advance(run, function()
    for _, entry in ipairs(run.pending) do
      if not stream or entry.stream == stream then return false end
    end
    return true
  end)
end

-- Is the next launch timed, and not only executed?  To be asked once.
function M.in_time(run, launch)
  return not run.functional and
         (not run.timed or run.timed:wants(launch)) and not run.replay
end

-- Numbers kernels by name, in the order of their first launches, and tells the
-- machine's policies before one of this launch happens.
local function number_kernel(run, launch)
  local numbers, name = run.kernel_numbers, launch.facts.name
  if not numbers[name] then
    numbers[name] = run.kernel_count
    run.kernel_count = run.kernel_count + 1
  end
  launch.kernel_number = numbers[name]
  if run.machine and (launch.in_time or run.model) then
    local ok, text = core.given(run.machine, launch.number, launch.kernel,
                                launch.kernel_number)
    if not ok then session.stop_as("memory", text) end
  end
end

-- A launch: { kernel =, name =, grid =, block =, number =, stream =, in_time =
-- what M.in_time() said, if it was asked, soon = it begins without a gap }.
function M.launch(run, launch)
  record_file.attach(run, launch)
  local facts = launch.kernel:facts()
  local fields = { name = launch.name, id = launch.number, grid = launch.grid,
                   block = launch.block, stream = launch.stream,
                   registers = facts.registers, interleave = facts.interleave,
                   shared_bytes = facts.shared_bytes }
  local entry = { launch = launch, stream = launch.stream,
                  what = ("the launch of '%s'"):format(launch.name) }
  launch.facts = facts
  if launch.in_time == nil then launch.in_time = M.in_time(run, launch) end
  number_kernel(run, launch)
  if not launch.in_time and not run.functional then
    if run.replay then checkpoint.launch(run, launch) end
    drain(run)
    entry.done, fields.untimed = true, true
    add(run, entry, fields)
    execute_functionally(run, launch, entry.handle)
    return settled(run, entry.handle, launch.stream)
  elseif run.functional then
    return execute_functionally(run, launch, add(run, entry, fields))
  end
  launch.ctas_before = run.machine:total("sm", "ctas_done")
  launch.wall_start = core.wall()
  local warm
  if run.sampler then warm = run.sampler:launch(launch, #run.pending == 0) end
  entry.task = give(run, "launch", launch.stream, launch.kernel, warm,
                    launch.begins)
  if warm then
    fields.passed = true
    run.busy = run.busy + core.wall() - launch.wall_start
    stop_if_failed(run.machine:run(run.machine:now(), run.patience))
  end
  run.last_launch = entry.task
  return settled(run, add(run, entry, fields), launch.stream)
end

local ways = { write = "to_device", read = "to_host", fill = "within",
               move = "within", gather = "on_host" }
local names = { write = "upload", read = "download", fill = "fill",
                move = "copy", gather = "gather" }

-- What a copy does to memory: now, or after the last launch.
local function transfer(run, copy)
  if copy.silent then return end
  local last = run.last_launch
  local later = last and not last:produced()
  for _, part in ipairs(copy.parts or { copy }) do
    if later then
      last:after(run.memory, part)
    else
      local ok, text = run.memory:transfer(part)
      if not ok then session.stop("workload", text) end
    end
  end
end

M.transfer = transfer

-- A copy: { kind = "write" (or "read", "fill", "move", "gather": the host's
-- processor works), address =, bytes =, name =, stream =, from =, data =,
-- value =, silent = memory is left alone, parts = what memory does instead, in
-- several pieces }.
function M.copy(run, copy)
  record_file.event(run, names[copy.kind], copy.address, copy.bytes,
                    copy.name or "", copy.stream)
  local entry = { stream = copy.stream, array = copy.data,
                  what = "the " .. names[copy.kind],
                  preload = copy.kind == "write" and copy }
  if run.functional or run.replay then
    transfer(run, copy)
    card.copy(run, copy)
    local handle = add(run, entry, { array = copy.data })
    return copy.stream == 0 and settled(run, handle, 0) or handle
  end
  entry.task = give(run, "copy", copy.stream, ways[copy.kind], copy.bytes)
  -- What is read is there once all launches before it have been executed.
  local last = run.last_launch
  if copy.kind == "read" and last and not last:produced() then
    last:watch()
    entry.after = last
  end
  if copy.stream == 0 then
    local handle = settle(run, add(run, entry, {}), 0)
    transfer(run, copy)
    return settled(run, handle, 0)
  end
  transfer(run, copy)
  return add(run, entry, {})
end

-- An event: the time at which a stream gets here.
function M.mark(run, stream)
  record_file.event(run, "mark", 0, 0, "", stream)
  local entry = { stream = stream, what = "an event" }
  if not run.functional and not run.replay then
    entry.task = give(run, "mark", stream)
  end
  return add(run, entry, {})
end

-- What comes later in the stream waits for another task.
function M.wait(run, stream, handle)
  local other = entry_of[handle]
  record_file.event(run, "wait", other.ordinal, 0, "", stream)
  local entry = { stream = stream, what = "a wait" }
  if not run.functional and not run.replay then
    entry.task = give(run, "wait", stream, other.task)
  end
  return add(run, entry, {})
end

-- The host program waits.
function M.sync(run, stream)
  record_file.event(run, "sync", 0, 0, "", stream or 0)
  drain(run, stream)
  if not stream then run.unsynced = false end
  if run.history or run.replay then checkpoint.step(run) end
end

-- Answers a question about what is under way, which ask() asks: as it was,
-- while the past is repeated.
function M.answer(run, ask)
  if run.replay then return checkpoint.answered(run) end
  local answer = not not ask()
  if run.history then run.answers[#run.answers + 1] = answer end
  return answer
end

-- When an event was reached [fs]; of one of before a checkpoint, as well.
function M.moment(handle)
  local entry = entry_of[handle]
  if entry.moment or not entry.task then return entry.moment or 0 end
  local _, _, time = entry.task:times()
  return time
end

-- Lets the machine run a little.
function M.poll(run)
  if #run.pending == 0 then return end
  local enough = run.machine:now() + run.slice
  advance(run, function()
    return #run.pending == 0 or run.machine:now() >= enough
  end)
end

-- Before the host program does what CUDA orders with everything: allocating
-- and freeing memory, loading modules.
function M.join(run)
  if run.unsynced then M.sync(run) end
end

-- A run's share of this.
function M.begin(run)
  run.pending, run.tasks_given, run.unsynced = {}, 0, false
  run.kernel_numbers, run.kernel_count = {}, 0
  run.slots, run.slot_count, run.sample_times = {}, 0, {}
  local hertz = record.clock(run.spec.machine).value
  local slowest = hertz
  for _, c in ipairs(run.description.components) do
    slowest = math.min(slowest, c.hertz)
  end
  run.patience = run.spec.patience or edge(200000, slowest)
  run.longest_slice = edge(12800000, hertz)
  run.slice = edge(run.spec.stop.warp_insts and 1000 or 20000, hertz)
  run.stop_time = run.spec.stop.time
  if run.spec.stop.cycles then
    local at = edge(run.spec.stop.cycles, hertz)
    run.stop_time = math.min(run.stop_time or at, at)
  end
  run.passing = passing.new(run, edge)
  run.sampler = sample.new(run, edge)
  run.timed = timed.new(run)
  run.every = not run.functional and every.new(run, where_of) or nil
  checkpoint.begin(run)
end

return M
