-- What the host program has the machine do: launches, copies, events and
-- waits, in streams.
--
-- Two orders are kept apart.  Memory sees everything in the order in which
-- the host program said it, whatever the machine: a kernel is executed
-- functionally after all launches before it, and a copy that comes after a
-- launch whose CTAs are not all executed yet is kept with that launch
-- (lua/tasks.c).  Time is the host component's matter: streams overlap there.
--
-- How the machine runs meanwhile: host/running.lua.

local import = ...
local card = import "recording/card"
local children = import "host/children"
local core = import "core"
local devices = import "machine/devices"
local session = import "script/session"
local record = import "machine/record"
local record_file = import "recording/file"
local running = import "host/running"
local types = import "machine/types"
local interrupt = import "script/interrupt"
local result = import "run/result"
local passing = import "run/passing"
local sample = import "run/sample"
local timed = import "run/timed"
local every = import "run/every"
local checkpoint = import "run/checkpoint"

local M = {}

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
  if devices.is_default(stream) then return 0 end
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
    running.advance(entry.run, function() return entry.done end)
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
    running.advance(run, function()
      oldest = run.pending[1]
      return not oldest or
             run.tasks_given - oldest.ordinal + 1 < run.queue_size
    end)
  end
  local machine = run.machine
  local task, text = machine[method](machine, run.hosts[devices.of(stream)],
                                     slot_of(run, stream), ...)
  if not task then session.stop("workload", text) end
  return task
end

-- In the default stream the host program waits; not where there are several
-- devices, so that others have work meanwhile.
function M.waits(run, stream)
  return devices.is_default(stream) and not run.hosts[1]
end

local function settle(run, handle, stream)
  local entry = entry_of[handle]
  if M.waits(run, stream) then
    if not entry.done then
      running.advance(run, function() return entry.done end)
    end
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

-- Warp instructions of all CTAs, or nil and why; they and the time that they
-- take are counted as they come: a run may be stopped in a launch.
local function execute(run, launch)
  local all = launch.grid[1] * launch.grid[2] * launch.grid[3]
  local sum, at, begun, busy = 0, 0, core.wall(), run.busy
  repeat
    local count, more, kind = launch.kernel:execute(at)
    if not count then return nil, more, kind end
    sum, at = sum + count, more
    run.functional_insts = run.functional_insts + count
    run.busy = busy + core.wall() - begun
    if at then running.heed(run, launch, at / all) end
  until not at
  return sum
end

local function execute_functionally(run, launch, handle)
  running.heed(run, launch)
  local begun, busy = core.wall(), run.busy
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
  run.busy = busy + core.wall() - begun
  interrupt.check()
  if count == nil then
    session.stop_as(kind == "memory" and kind or "workload", text)
  end
  if run.loads then
    run.loads:learn(launch.facts, launch.kernel, launch.kernel_number)
  end
  running.retire(launch, handle)
  handle.warp_insts = count
  run.kernels[#run.kernels + 1] = handle
  if run.model then
    running.record_kernel(run, launch,
                          { sample_begin, running.snapshot(run, launch) },
                          { 0, 0, 0 })
  end
  if session.tick then session.tick(#run.kernels) end
  return handle
end

-- Waits for the tasks of a stream, of a device, or for all.
local function drain(run, stream, device)
  running.advance(run, function()
    for _, entry in ipairs(run.pending) do
      if (not stream or entry.stream == stream) and
         (not device or devices.of(entry.stream) == device) then
        return false
      end
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
-- what M.in_time() said, if it was asked, begins = when, child = what makes a
-- launch of what its kernel asks for, parent = who launches it }; of one that
-- is given alone, without what it launches.
function M.give_launch(run, launch)
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
    return execute_functionally(run, launch, entry.handle)
  elseif run.functional then
    return execute_functionally(run, launch, add(run, entry, fields))
  end
  launch.ctas_before = run.machine:total("sm", "ctas_done")
  launch.wall_start = core.wall()
  local warm
  if run.sampler then warm = run.sampler:launch(launch, #run.pending == 0) end
  entry.task = give(run, "launch", launch.stream, launch.kernel, warm,
                    launch.begins, table.unpack(launch.parent or {}))
  if warm then
    fields.passed = true
    run.busy = run.busy + core.wall() - launch.wall_start
    running.stop_if_failed(run.machine:run(run.machine:now(), run.patience))
  end
  run.last[devices.of(launch.stream)] = entry.task
  return add(run, entry, fields)
end

function M.launch(run, launch)
  local handle = M.give_launch(run, launch)
  local last = handle
  if launch.facts.launches then
    last = children.follow(M, run, launch, handle)
  end
  if not run.functional then settled(run, last, launch.stream) end
  return handle
end

local ways = { write = "to_device", read = "to_host", fill = "within",
               move = "within", gather = "on_host" }
local names = { write = "upload", read = "download", fill = "fill",
                move = "copy", gather = "gather" }

local function unproduced(launch) return launch and not launch:produced() end

-- The launch that a copy comes after, if it is not executed yet.  Of several
-- devices each executes its launches in their order, so a copy that others may
-- see (it is not `own`) waits for theirs.
function M.last_of(run, copy)
  local last = run.last[devices.of(copy.stream or 0)]
  if not copy.own and run.hosts[1] then
    for device = 0, #run.hosts do
      local other = run.last[device]
      if other ~= last and unproduced(other) then
        other:watch()
        running.advance(run, function() return other:produced() end)
      end
    end
  end
  return unproduced(last) and last
end

-- What a copy does to memory: now, or after the last launch.
local function transfer(run, copy)
  if copy.silent then return end
  local later = M.last_of(run, copy)
  for _, part in ipairs(copy.parts or { copy }) do
    if later then
      later:after(run.memory, part)
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
  -- From device to device it is on the link to the host.
  entry.task = give(run, "copy", copy.stream,
                    copy.between and "to_host" or ways[copy.kind], copy.bytes)
  -- What is read is there once all launches before it have been executed.
  local last = copy.kind == "read" and M.last_of(run, copy)
  if last then
    last:watch()
    entry.after = last
  end
  if M.waits(run, copy.stream) then
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
  if devices.of(stream) ~= devices.of(other.stream) then
    running.advance(run, function() return other.done end)
  end
  if not run.functional and not run.replay then
    entry.task = give(run, "wait", stream, other.task)
  end
  return add(run, entry, {})
end

-- The host program waits.
function M.sync(run, stream, device)
  record_file.event(run, "sync", 0, 0, "", stream or 0)
  drain(run, stream, device)
  if not stream and not device then run.unsynced = false end
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
  running.advance(run, function()
    return #run.pending == 0 or run.machine:now() >= enough
  end)
end

-- Before the host program does what CUDA orders with everything: allocating
-- and freeing memory, loading modules; on one device of several.
function M.join(run, device)
  if run.unsynced then M.sync(run, nil, run.hosts[1] and device) end
end

-- A run's share of this.
function M.begin(run)
  run.pending, run.tasks_given, run.unsynced = {}, 0, false
  run.kernel_numbers, run.kernel_count = {}, 0
  run.slots, run.slot_count, run.sample_times = {}, 0, {}
  run.hosts, run.last = devices.hosts(run.description), {}
  local hertz = record.clock(run.spec.machine).value
  local slowest = hertz
  for _, c in ipairs(run.description.components) do
    slowest = math.min(slowest, c.hertz)
  end
  run.patience = run.spec.patience or running.edge(200000, slowest)
  run.longest_slice = running.edge(12800000, hertz)
  run.slice = running.edge(run.spec.stop.warp_insts and 1000 or 20000, hertz)
  run.stop_time = run.spec.stop.time
  if run.spec.stop.cycles then
    local at = running.edge(run.spec.stop.cycles, hertz)
    run.stop_time = math.min(run.stop_time or at, at)
  end
  run.passing = passing.new(run, running.edge)
  run.sampler = sample.new(run, running.edge)
  run.timed = timed.new(run)
  run.every = not run.functional and every.new(run, running.where_of) or nil
  checkpoint.begin(run)
end

return M
