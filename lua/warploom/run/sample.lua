-- Sampled runs: windows of time within launches of many CTAs, between which
-- CTAs are left out of time (components/cta_protocol.h), and what the windows
-- say of the whole (stats/estimate.h).
--
-- Of a launch the first CTAs are simulated in time until each place on the SMs
-- has had another one: by then they are spread as they will be.  Then come
-- windows; as soon as two of them say how much windows differ, CTAs are left
-- out after each, more of them as the launch goes on, as long as enough windows
-- come for the error that is wanted.  After them comes a ramp, which does not
-- count.  Once all CTAs are on SMs the rest is in time.

local import = ...
local core = import "core"
local session = import "script/session"
local record = import "machine/record"
local types = import "machine/types"

local M = {}
local methods = {}
local meta = { __index = methods }

-- What a script may say, and what it is otherwise.
M.defaults = {
  error = 0.01,   -- half of a 95 % interval of time, as a part of it
  window = 3000,  -- cycles, on average, and
  ramp = 1000,    -- cycles, at least; and the ramp
  lives = 2,      -- times as long as a CTA lives, the window half of that
  most = 20,      -- CTAs left out, in those of a window
  waves = 3,      -- CTAs of a launch, in those that SMs hold
  windows = 12,   -- of a launch, at least
  launches = 6,   -- that are alike, to be timed, at least
  warm = 0.5,     -- what is brought from DRAM before a window, in all that the
                  -- caches outside of SMs hold
}

local confidence = 1.96

-- By how much what is left out may be off in what windows have in common, as a
-- part of it: what a machine is after CTAs were left out is not quite what it
-- would be.  One standard error, from what docs/sampling.md has measured.
local off = 0.003
-- Of launches that find in the caches what those before have left.
local off_launches = 0.01

-- A random number below another.
local function below(self, most)
  local x = self.random
  x = x ~ x << 13
  x = x ~ x >> 7
  x = x ~ x << 17
  self.random = x
  return (x >> 11) % most
end

-- A part, in femtoseconds or CTAs, between half and one and a half.
local function chance(self, mean)
  return mean // 2 + below(self, math.max(mean, 1))
end

-- Bytes of the caches that are not in an SM.
local function cache_bytes(description)
  local sum, sms = 0, {}
  for _, c in ipairs(description.components) do
    if c.type == "sm" then sms[#sms + 1] = c.path .. "." end
  end
  for _, c in ipairs(description.components) do
    local inside = c.type ~= "cache"
    for _, sm in ipairs(sms) do
      inside = inside or c.path:sub(1, #sm) == sm
    end
    if not inside then
      sum = sum + (c.params.size_bytes or
                   types.components.cache.param.size_bytes.default or 0)
    end
  end
  return sum
end

-- Nothing where the run is not sampled; `edge` makes a time of cycles.
function M.new(run, edge)
  local wanted = run.spec.sample
  if not wanted or run.functional then return end
  local gpus = {}
  for _, c in ipairs(run.description.components) do
    if c.type == "gpu" then gpus[#gpus + 1] = c.path end
  end
  local hertz = record.clock(run.description.root).value
  local estimate, text = core.estimate(run.machine, run.coefficients)
  if not estimate then session.stop("memory", text) end
  estimate:show(run.catalog)
  return setmetatable({
    machine = run.machine, gpu = #gpus == 1 and gpus[1] or nil,
    estimate = estimate, wanted = wanted, phase = "off",
    window = edge(wanted.window, hertz), ramp = edge(wanted.ramp, hertz),
    capacity = cache_bytes(run.description),
    look = edge(math.min(wanted.window, 1000), hertz),
    next = #gpus == 1 and 0 or math.maxinteger,
    random = run.seed * 0x9E3779B97F4A7C15 | 1,
    windows = 0, launches = 0, whole = 0, passed = 0, over = 0, timed = 0,
    groups = {}, group_count = 0 }, meta)
end

function methods:insts()
  return self.machine:total("sm", "warp_insts")
end

-- Lets time go on until something is to be done.
function methods:wait(phase, time)
  self.phase = phase
  self.next = self.machine:now() + time
end

function methods:open()
  self.estimate:open()
  self.read = self.machine:total("dram", "bytes_read")
  self:wait("window", chance(self, math.max(self.window, self.life // 2)))
end

-- Time that what was left out takes beyond what has passed.
function methods:skip(time)
  if time > 0 then self.machine:skip(time) end
end

-- How many CTAs to leave out after a window of so many instructions, so that
-- there are enough of them for another one.
function methods:length(insts, ctas, sent, done, resident)
  local spread, differences = self.estimate:spread()
  if differences == 0 or spread ~= spread or insts == 0 then return 0, 0 end
  local wanted = self.wanted
  local one = (self:insts() - self.before) / (done + resident / 2)
  local window = insts / one
  local needed = math.max((confidence * spread / wanted.error) ^ 2,
                          wanted.windows)
  local length = math.min(ctas / needed - window, wanted.most * window,
                          math.max(2 * self.last, window))
  self.last = length
  local ramp = math.max(self.ramp, self.life) /
               math.max(self.window, self.life // 2)
  local left = ctas - sent - 2 * window * (1.5 + ramp)
  length = chance(self, math.tointeger(math.max(length, 0) // 1))
  length = math.min(length, math.tointeger(left // 1))
  return length >= window and length or 0, window
end

-- How much of what has read so many bytes from DRAM makes its accesses when it
-- is left out, so that the caches have what comes next.
local function to_warm(self, read)
  return self.wanted.warm * self.capacity / math.max(read, 1)
end

-- A window has ended.
function methods:between()
  local ctas, sent, done, resident = self.machine:progress(self.gpu)
  if not ctas or sent >= ctas then -- it has seen something of the end
    self:wait("tail", math.maxinteger // 4)
    return
  end
  local insts, _, late = self.estimate:close()
  local read = self.machine:total("dram", "bytes_read") - self.read
  self.windows = self.windows + 1
  self:skip(late)
  local length, window = self:length(insts, ctas, sent, done, resident)
  local warm = math.tointeger(window * to_warm(self, read) // 1) or 0
  if length == 0 then return self:open() end
  self.estimate:leave(off)
  self.passed = self.passed + self.machine:pass(self.gpu, length, warm)
  self:wait("ramp", math.max(self.ramp, self.life))
end

-- The launch that runs, if it is one of many CTAs that are spread.
function methods:head()
  local ctas, sent, done, resident = self.machine:progress(self.gpu)
  if not ctas then
    self:wait("off", self.look)
  elseif self.phase == "off" then
    self.before, self.last = self:insts(), 0
    self.start = self.machine:now()
    self:wait("head", self.look)
  elseif sent < ctas and ctas < self.wanted.waves * resident then
    self:wait("whole", math.maxinteger // 4)
  elseif done >= resident and done > 0 and sent < ctas then
    local lives = done / resident
    local life = (self.machine:now() - self.start) / lives
    self.life = math.tointeger(self.wanted.lives * life // 1)
    self:open()
  else
    self:wait("head", self.look)
  end
end

-- The machine has come to a time.
function methods:step(now)
  if now < self.next then return end
  if self.phase == "window" then
    self:between()
  elseif self.phase == "ramp" then
    self:open()
  else
    self:head()
  end
end

------------------------------------------------------------------------------
-- Launches that are alike: the same kernel with the same grid, as long as they
-- have about as many instructions as those before

-- How many that differ in shape are remembered; others are all timed.
local most_groups = 64
-- How many in a row are timed before one is passed over, and how much their
-- instructions may differ.
local enough_alike, alike = 3, 0.05

local function group_of(self, launch)
  local key = ("%s %s %s %d"):format(launch.name,
    table.concat(launch.grid, "x"), table.concat(launch.block, "x"),
    launch.facts.shared_bytes)
  local group = self.groups[key]
  if not group and self.group_count < most_groups then
    self.group_count = self.group_count + 1
    group = { number = self.estimate:group(), seen = 0, row = 0, insts = 0,
              last = 0, left = 0, read = 0, ramp = 1 }
    self.groups[key] = group
  end
  return group
end

-- How many to pass over after one that was timed.
local function to_pass(self, group)
  local spread = self.estimate:launch_spread(group.number)
  if group.row < enough_alike or spread ~= spread then return 0 end
  local needed = math.max((confidence * spread / self.wanted.error) ^ 2,
                          self.wanted.launches)
  group.last = math.min(group.seen / needed, 2 * group.last + 1,
                        self.wanted.most) // 1
  if group.last == 0 then return 0 end
  return 1 + below(self, math.tointeger(2 * group.last - 1))
end

-- A launch is given to the machine, which is idle or not.  Returns how many of
-- its CTAs make their accesses if it is passed over, else nil.  One that reads
-- the time is never passed over, nor are CTAs of it.
function methods:launch(launch, idle)
  if launch.facts.timed then self.timed = self.timed + 1 end
  local group = self.gpu and idle and launch.stream == 0 and
                not launch.facts.timed and group_of(self, launch)
  self.group, self.passing = group or nil, false
  if not group then return end
  group.seen = group.seen + 1
  if group.left == 0 and group.ramp > 0 then -- in time, and does not count
    group.ramp, self.group = group.ramp - 1, nil
    return
  elseif group.left == 0 then
    self.estimate:launch(group.number)
    self.read_before = self.machine:total("dram", "bytes_read")
    return
  end
  group.left, self.passing = group.left - 1, true
  self.estimate:pass()
  local ctas = launch.grid[1] * launch.grid[2] * launch.grid[3]
  return math.tointeger(math.min(to_warm(self, group.read), 1) * ctas // 1)
end

-- Does a launch find in the caches what those before have left?  It does if it
-- reads less from DRAM than a few times what they hold.
local function depends(self, group)
  return group.read < 4 * self.capacity
end

-- What is known of a group after one of its launches with so many instructions.
local function learn(self, group, insts)
  local same = math.abs(insts - group.insts) <= alike * group.insts
  if self.passing then
    if not same then group.left, group.row = 0, 0 end
    return self.estimate:passed(group.number,
      depends(self, group) and off_launches or off)
  end
  local late = self.estimate:launched(group.number)
  group.row, group.insts = same and group.row + 1 or 1, insts
  group.read = self.machine:total("dram", "bytes_read") - self.read_before
  group.left = to_pass(self, group)
  group.ramp = group.left > 0 and depends(self, group) and 1 or 0
  return late
end

-- A launch of so many instructions has ended; returns the femtoseconds that it
-- takes longer than it did.
function methods:finish(insts)
  self.launches = self.launches + 1
  if self.passing then
    self.over = self.over + 1
  elseif self.passed == 0 then
    self.whole = self.whole + 1
  end
  self.passed = 0
  if not self.gpu then return 0 end
  local before = self.machine:now()
  self:skip(self.estimate:finish())
  if self.group then self:skip(learn(self, self.group, insts)) end
  self.group, self.passing = nil, false
  self:wait("off", self.look)
  return self.machine:now() - before
end

-- No launch follows.
function methods:finish_all()
  self.estimate:finish_all()
end

return M
