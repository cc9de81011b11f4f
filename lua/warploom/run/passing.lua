-- Leaving CTAs out of time (components/cta_protocol.h), where a test asks for
-- it: every so many cycles, so many CTAs.

local import = ...
local session = import "script/session"
local record = import "machine/record"

local M = {}
local methods = {}
local meta = { __index = methods }

-- Nothing where nobody asks; `edge` makes a time of cycles.
function M.new(run, edge)
  local wanted = session.passing
  if not wanted or run.functional then return end
  local gpus = {}
  for _, c in ipairs(run.description.components) do
    if c.type == "gpu" then gpus[#gpus + 1] = c.path end
  end
  local period = edge(wanted.every, record.clock(run.description.root).value)
  return setmetatable({ machine = run.machine, gpus = gpus, period = period,
                        ctas = wanted.ctas, warm = wanted.warm or 0,
                        time = (wanted.time or 0) * period,
                        next = period }, meta)
end

-- The machine has come to a time.
function methods:step(now)
  if now < self.next then return end
  for _, gpu in ipairs(self.gpus) do
    local before = self.machine:total("sm", "warp_insts")
    self.machine:pass(gpu, self.ctas, self.warm)
    session.passed = session.passed - before +
                     self.machine:total("sm", "warp_insts")
  end
  self.machine:skip(self.time)
  session.skipped = session.skipped + self.time
  self.next = self.machine:now() + self.period
end

return M
