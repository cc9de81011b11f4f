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
local alike = import "run/alike"
local placed = import "run/placed"

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
  windows = 12,   -- of a launch, at least; or where they are (placed.lua)
  launches = 6,   -- that are alike, to be timed, at least
  warm = 0.5,     -- what is brought from DRAM before a window, in all that the
                  -- caches outside of SMs hold
}

local confidence = 1.96

-- A random number below another.
function methods:below(most)
  local x = self.random
  x = x ~ x << 13
  x = x ~ x >> 7
  x = x ~ x << 17
  self.random = x
  return (x >> 11) % most
end

-- A part, in femtoseconds or CTAs, between half and one and a half.
local function chance(self, mean)
  return mean // 2 + self:below(math.max(mean, 1))
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
    alike = alike.new(), placed = placed.new(run) }, meta)
end

function methods:insts()
  return self.machine:total("sm", "warp_insts")
end

-- Bytes that DRAM has read and written.
function methods:moved()
  return self.machine:total("dram", "bytes_read") +
         self.machine:total("dram", "bytes_written")
end

-- Lets time go on until something is to be done.
function methods:wait(phase, time)
  self.phase = phase
  self.next = self.machine:now() + time
end

function methods:open()
  self.estimate:open()
  self.read = self.machine:total("dram", "bytes_read")
  self.bytes = self:moved()
  self.opened = self.machine:now()
  self:wait("window", chance(self, math.max(self.window, self.life // 2)))
end

-- Time that what was left out takes beyond what has passed.
function methods:skip(time)
  if time > 0 then self.machine:skip(time) end
end

-- How many CTAs to leave out after a window of so many instructions, so that
-- there are enough of them for another one: whole waves, so that the last one
-- stays as full as it is.
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
  self.wave = math.max(self.wave, resident)
  length = math.min(length + self.wave // 2, math.tointeger(left // 1))
  length = length // self.wave * self.wave
  return length >= window and length or 0, window
end

-- How much of what has read so many bytes from DRAM makes its accesses when it
-- is left out, so that the caches have what comes next.
function methods:to_warm(read)
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
  local moved = self:moved() - self.bytes
  local turned = self.capacity / math.max(moved, 1) *
                 (self.machine:now() - self.opened)
  self.windows = self.windows + 1
  self:skip(late)
  local length, window = self:length(insts, ctas, sent, done, resident)
  local warm = math.tointeger(window * self:to_warm(read) // 1) or 0
  if length == 0 then return self:open() end
  self.estimate:leave(alike.off)
  self.passed = self.passed + self.machine:pass(self.gpu, length, warm)
  -- Write-backs are what they will be when the L2s have been filled twice.
  if turned > self.life then turned = 0 end
  self:wait("ramp", math.max(self.ramp, self.life,
                             math.tointeger(2 * turned // 1)))
end

-- The launch that runs, if it is one of many CTAs that are spread.
function methods:head()
  local ctas, sent, done, resident = self.machine:progress(self.gpu)
  if not ctas then
    self:wait("off", self.look)
  elseif self.phase == "off" then
    self.before, self.last, self.wave = self:insts(), 0, 1
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
  if self.plan then
    placed.step(self)
  elseif self.phase == "window" then
    self:between()
  elseif self.phase == "ramp" then
    self:open()
  else
    self:head()
  end
end

-- A launch is given to the machine, which is idle or not.  Returns how many of
-- its CTAs make their accesses if it is passed over, else nil.  One that reads
-- the time is never passed over, nor are CTAs of it.
function methods:launch(launch, idle)
  local timed = launch.facts.timed
  self.group, self.role, self.plan = nil, nil, nil
  if timed then self.timed = self.timed + 1 end
  if not self.gpu or not idle or launch.stream ~= 0 or timed then return end
  self.plan = placed.launch(self, launch)
  if not self.plan then return alike.launch(self, launch) end
end

-- A launch of so many instructions has ended; returns the femtoseconds that it
-- takes longer than it did.
function methods:finish(insts)
  self.launches = self.launches + 1
  if self.role == "passed" then
    self.over = self.over + 1
  elseif self.passed == 0 then
    self.whole = self.whole + 1
  end
  self.passed = 0
  if not self.gpu then return 0 end
  local before = self.machine:now()
  self:skip(self.estimate:finish())
  if self.role then self:skip(alike.learn(self, insts)) end
  self.group, self.role, self.plan = nil, nil, nil
  self:wait("off", self.look)
  return self.machine:now() - before
end

-- No launch follows: what was asked for and did not come is a mistake.
function methods:check() placed.check(self) end

function methods:finish_all()
  self.estimate:finish_all()
end

return M
