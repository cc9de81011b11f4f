-- The live monitor: a page on this host that shows a run while it lasts
-- (look/monitor.js), and may hold it up, go on, take snapshots and stop it.
--
-- Between two pieces of the machine's work, a few times a second, the run looks
-- at how full links are and at what the page has asked for; now and then it
-- takes a mark of all statistics (stats/mark.h) and puts what happened since
-- the last one where the server finds it.  Nothing of that changes what is
-- simulated.  It is done more rarely where it takes more than a hundredth of
-- the time.

local import = ...
local core = import "core"
local interrupt = import "script/interrupt"
local json = import "base/json"
local live = import "look/live"
local session = import "script/session"

local M = {}

local methods = {}
local meta = { __index = methods }

local LOOK = 0.05    -- seconds between two looks at links and requests
local SOON = 0.5     -- between two marks while somebody looks at the page
local LATER = 2      -- while nobody does, for its charts
local WATCHED = 5    -- seconds after which nobody looks any more
local SHARE = 100    -- a mark may take one part in so many of the time
local MOST = 600     -- points of a chart; then every second one is left out
local SENDER = "application/json; charset=utf-8"

-- Serves the page for all runs of this process; nil and why.
function M.open()
  local server, address = core.monitor()
  if not server then return nil, address end
  import "look/monitor".put(server)
  local self = setmetatable({ server = server, address = address, runs = 0,
                              look_at = 0, next = 0, paused = 0,
                              snapshots = 0 }, meta)
  self:send("layout", { run = 0 })
  self:send("state", { run = 0, status = "starting" })
  io.stderr:write("warploom: monitor at ", address, "\n")
  return self
end

function methods:send(name, value)
  self.server:put(name, SENDER, json.encode(value))
end

local function list(t) return #t > 0 and t or json.empty end

-- What does not change while a run lasts.
local function layout_of(self, run)
  local classes, slots = {}, {}
  for number, class in ipairs(self.live and self.live.classes or {}) do
    local stats = {}
    for i, stat in ipairs(class.stats) do
      stats[i] = { name = stat.name, unit = stat.unit, doc = stat.doc,
                   kind = stat.kind }
      if stat.name == "issue_slots" and stat.keys then
        slots[#slots + 1] = { number = number, keys = stat.keys,
                              paths = class.paths }
      end
    end
    classes[number] = { group = class.group, type = class.type,
                        doc = class.doc, paths = list(class.paths),
                        stats = list(stats) }
  end
  self.slots = slots
  return { run = self.runs, workload = run.workload or "",
           script = session.script, machine = run.description and
           tostring(run.description.root), file = run.file,
           functional = run.functional, classes = list(classes),
           links = list(self.links), slots = list(slots) }
end

-- A run begins.
function methods:begin(run)
  self.runs = self.runs + 1
  self.live, self.marks, self.links, self.slots = nil, nil, {}, {}
  self.history, self.every, self.ticks = {}, 1, 0
  self.began, self.paused = core.wall(), 0
  self.kernel, self.shown, self.since = nil, nil, 0.0
  self.last = { wall = 0, insts = 0, cycles = 0, seconds = 0 }
  if run.catalog and not run.functional then
    self.live = live.new(run.catalog)
    self.links = run.machine:links()
    self.marks = { run.catalog:mark(), run.catalog:mark() }
  end
  self.loads, self.looks = {}, 0
  for i = 1, 2 * #self.links do self.loads[i] = 0 end
  self:send("layout", layout_of(self, run))
  self.look_at, self.next = 0, 0
  self:send("state", { run = self.runs, status = "running" })
end

------------------------------------------------------------------------------
-- What the page is told

-- Time that went on, without pauses.
local function lasted(self) return core.wall() - self.began - self.paused end

-- Seconds left of what is done to `fraction`, seen since it was `from`.
local function left_of(fraction, from)
  local done = fraction and fraction - from.fraction
  if not done or done <= 0.01 then return nil end
  return (from.now - from.wall) * (1 - fraction) / done
end

local function progress_of(self, run, where)
  local now = lasted(self)
  local key = (where.number or 0) .. " " .. (where.kernel or "")
  if not self.kernel or self.kernel.key ~= key then
    self.kernel = { key = key, wall = now, fraction = where.fraction or 0 }
  end
  self.kernel.now = now
  local out = { kernel = where.kernel, kernels = #run.kernels,
                fraction = where.fraction, insts = where.insts,
                cycles = where.cycles, seconds = where.seconds, wall = now,
                left = left_of(where.fraction, self.kernel) }
  local stop = run.stop_time
  if stop and where.seconds then
    out.run_fraction = math.min(where.seconds * 1e15 / stop, 1)
    out.run_left = left_of(out.run_fraction, { wall = 0, fraction = 0,
                                               now = now })
  end
  local last = self.last
  local wall = now - last.wall
  if wall > 0 then
    out.insts_per_second = (where.insts - last.insts) / wall
    out.cycles_per_second = where.cycles and
                            (where.cycles - last.cycles) / wall
  end
  return out
end

-- How full each channel was, on average over the looks since the last time.
local function loads_of(self)
  if self.looks == 0 and self.shown then return self.shown end
  local out = {}
  for i, link in ipairs(self.links) do
    for k, room in ipairs { link.request, link.reply } do
      local at = 2 * i - 2 + k
      local mean = room > 0 and self.looks > 0 and
                   self.loads[at] / self.looks / room or 0.0
      out[at] = math.min(mean * 1000 // 1 / 1000, 1)
      self.loads[at] = 0
    end
  end
  self.looks, self.shown = 0, list(out)
  return self.shown
end

-- Every class: what each statistic is, and what it did in the interval.
local function classes_of(self, older, newer, look)
  local out, found = {}, nil
  for number, class in ipairs(self.live.classes) do
    local function plain(row)
      local all, last = newer:read(number, row), newer:read(number, row, older)
      local pairs_of = {}
      for i, stat in ipairs(class.stats) do
        pairs_of[i] = { live.plain(stat, all[i]), live.plain(stat, last[i]) }
      end
      return list(pairs_of)
    end
    out[number] = plain()
    for row, path in ipairs(class.paths) do
      if path == look then found = { path = path, values = plain(row) } end
    end
  end
  return list(out), found
end

-- What the slots of each SM's schedulers were.
local function slots_of(self, older, newer)
  local out = {}
  for i, slots in ipairs(self.slots) do
    local rows = newer:each(slots.number, "issue_slots", older)
    for row, value in ipairs(rows) do
      local entries = {}
      for k, key in ipairs(slots.keys) do entries[k] = value[key] end
      rows[row] = entries
    end
    out[i] = list(rows)
  end
  return list(out)
end

local function quotient(a, b) return a and b and b > 0 and a / b or nil end

-- Another point of the charts; every second is left out when there are many.
local function add_point(self, k, progress)
  self.ticks = self.ticks + 1
  if self.ticks % self.every ~= 0 then return end
  local h = self.history
  h[#h + 1] = { time = progress.seconds * 1e6,
    ipc = quotient(k:sum(k.parts.sm, "warp_insts"), k.active),
    l1 = quotient(k:sum(k.parts.l1, "hits"), k:sum(k.parts.l1, "lookups")),
    l2 = quotient(k:sum(k.parts.l2, "hits"), k:sum(k.parts.l2, "lookups")),
    dram = quotient(k:sum(k.parts.dram, "busy_cycles"),
                    k:sum(k.parts.dram, "cycles")),
    speed = progress.insts_per_second }
  if #h < MOST then return end
  local kept = {}
  for i = 2, #h, 2 do kept[#kept + 1] = h[i] end
  self.history, self.every = kept, self.every * 2
end

-- Marks the present and tells what happened since the mark before.
local function publish(self, run, where, status)
  local before = core.wall()
  local progress = progress_of(self, run, where)
  local state = { run = self.runs, status = status, progress = progress,
                  snapshots = self.snapshots }
  if self.live then
    local moved = where.seconds > self.last.seconds
    if moved and status == "running" then
      self.marks[1], self.marks[2] = self.marks[2], self.marks[1]
      self.since = self.last.seconds
    end -- else the interval goes on: what was left of it may be very short
    if moved then run.catalog:take(self.marks[2]) end
    local older, newer = self.marks[1], self.marks[2]
    self.live:between(older, newer)
    local bounds, k = import "look/explain".now(self.live, where)
    state.bounds, state.links = bounds, loads_of(self)
    state.classes, state.look = classes_of(self, older, newer, self.look)
    state.slots = slots_of(self, older, newer)
    progress.interval = where.seconds - self.since
    if moved and status == "running" then add_point(self, k, progress) end
    state.history = list(self.history)
  end
  self.last = { wall = progress.wall, insts = where.insts,
                cycles = where.cycles, seconds = where.seconds or 0 }
  self:send("state", state)
  local now = core.wall()
  local every = self.idle < WATCHED and SOON or LATER
  self.next = now + math.max(every, SHARE * (now - before))
end

------------------------------------------------------------------------------
-- What the page asks for

-- Half of a run is no point of a sweep: that has failed.
local function stop(run)
  if session.point then
    session.stop("stopped", "stopped by the monitor")
  end
  run.cut = "stopped by the monitor"
  session.stop("cut", run.cut)
end

local function snapshot(self, run)
  self.snapshots = self.snapshots + 1
  run:snapshot(("monitor %d"):format(self.snapshots), "user")
end

-- Waits until the page says what to do, or a signal.
local function pause(self, run, where)
  local since = core.wall()
  publish(self, run, where, "paused")
  local asked
  repeat
    asked = self.server:asked(100)
    interrupt.check()
    if asked.snapshot then snapshot(self, run) end
    if asked.snapshot or asked.look ~= self.look then
      self.look = asked.look
      publish(self, run, where, "paused")
    end
  until asked.proceed or asked.stop
  local lost = core.wall() - since
  self.paused = self.paused + lost
  run.progress.start = run.progress.start + lost
  self.look_at, self.next = 0, 0
  if asked.stop then stop(run) end
end

-- Between two pieces of work; `where(run, ...)` tells how far the run is.
function methods:step(run, where, ...)
  local now = core.wall()
  if now < self.look_at then return end
  self.look_at = now + LOOK
  if self.live then
    run.machine:loads(self.loads)
    self.looks = self.looks + 1
  end
  local asked = self.server:asked(0)
  local woken = self.idle and self.idle >= WATCHED and asked.idle < WATCHED
  self.idle = asked.idle
  if asked.look ~= self.look or woken then self.next = 0 end
  self.look = asked.look
  if asked.snapshot then snapshot(self, run) end
  if asked.stop then stop(run) end
  if asked.pause then return pause(self, run, where(run, ...)) end
  if now >= self.next then publish(self, run, where(run, ...), "running") end
end

-- The run has ended.
function methods:finish(run, where, ...)
  self.idle = self.idle or 0
  publish(self, run, where(run, ...), run.reason == "complete" and "complete" or
          ("%s: %s"):format(run.status, (run.reason or ""):match("^[^\n]*")))
  self.live, self.marks = nil, nil
end

------------------------------------------------------------------------------
-- Sweeps, whose points are processes with pages of their own

-- A process prints where its page is before anything else.
local function address_in(path)
  local file = io.open(path, "rb")
  local line = file and file:read("l")
  if file then file:close() end
  return line and line:match("^warploom: monitor at (http://%S+)$")
end

function methods:begin_sweep(name)
  self.runs, self.held, self.next = self.runs + 1, false, 0
  self.began, self.paused = core.wall(), 0
  self:send("layout", { run = self.runs, workload = name,
                        script = session.script, classes = json.empty })
end

-- Now and then: what the page is told; are points to be held back?
function methods:sweep(points, count)
  local asked = self.server:asked(0)
  if asked.pause then self.held, self.next = true, 0 end
  if asked.proceed then self.held, self.next = false, 0 end
  if core.wall() < self.next then return self.held end
  self.next = core.wall() + SOON
  local rows, before = {}, 0
  for i, point in ipairs(points) do
    if point.state == "running" then
      point.address = point.address or address_in(point.log)
    end
    if point.before then before = before + 1 end
    rows[i] = { label = point.label, state = point.before and "done before" or
                point.state or "to do", address = point.state == "running" and
                point.address or nil, why = point.why }
  end
  local over = count.done + count.failed
  local part = #points > before and (over - before) / (#points - before) or 1
  self:send("state", { run = self.runs,
    status = self.held and "paused" or "running",
    progress = { wall = lasted(self), fraction = part,
                 left = left_of(part, { fraction = 0, wall = 0,
                                        now = lasted(self) }) },
    sweep = { all = #points, done = count.done, failed = count.failed,
              points = list(rows) } })
  return self.held
end

return M
