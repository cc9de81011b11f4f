-- Callbacks of a script every so much simulated time, which read statistics and
-- may take snapshots and stop the run.
--
-- The machine pauses at each multiple of a period, as it does for series, so
-- what a callback sees does not depend on the host.  What happened since its
-- last call is the difference to a mark (stats/mark.h).

local import = ...
local result = import "run/result"
local session = import "script/session"

local M = {}

local methods = {}
local meta = { __index = methods }

-- Of a run; `where(run)` tells how far it is.
function M.new(run, where)
  local self = setmetatable({ run = run, where = where, list = {},
                              next = math.maxinteger }, meta)
  for _, one in ipairs(run.spec.every) do self:add(one.period, one.call) end
  return self
end

local function set_next(self)
  self.next = math.maxinteger
  for _, one in ipairs(self.list) do
    self.next = math.min(self.next, one.next)
  end
end

-- From the next multiple of the period on.
function methods:add(period, call)
  local run = self.run
  self.list[#self.list + 1] = {
    period = period, call = call, count = 0, mark = run.catalog:mark(),
    next = (run.machine:now() // period + 1) * period }
  table.sort(self.list, function(a, b) return a.period < b.period end)
  set_next(self)
end

local names = { "cycles", "fraction", "kernel", "last", "number", "snapshot",
                "stats", "stop", "time", "warp_insts" }

-- What a callback gets.
local function view(self, one)
  local run = self.run
  local where = self.where(run)
  local now = {
    number = one.count, time = one.next / 1e15, cycles = where.cycles,
    warp_insts = where.insts, kernel = where.kernel or "",
    fraction = where.fraction or 0.0,
    stats = result.stats(run.catalog),
    last = result.stats(run.catalog, one.mark) }
  function now.snapshot(_, label) run:snapshot(tostring(label), "user") end
  function now.stop(_, reason)
    run.cut = tostring(reason or "stopped by a callback")
    session.stop("cut", run.cut)
  end
  return setmetatable({}, {
    __index = function(_, name)
      if now[name] ~= nil then return now[name] end
      return result.unknown("a callback's argument", name, names, "workload")
    end,
    __newindex = function() error("it is read only", 2) end,
    __name = "now" })
end

-- The machine has come to a time.
function methods:step(time)
  while self.next <= time do
    for _, one in ipairs(self.list) do
      if one.next == self.next then
        one.count = one.count + 1
        self.run.calling = true
        one.call(view(self, one))
        self.run.calling = false
        self.run.catalog:take(one.mark)
        one.next = one.next + one.period
      end
    end
    set_next(self)
  end
end

return M
