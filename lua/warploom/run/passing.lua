-- Passing over parts of kernels (components/cta_protocol.h), where a test asks
-- for it: every so many cycles, so many warp instructions.

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
                        insts = wanted.insts, cold = wanted.cold or 0,
                        next = period }, meta)
end

-- The machine has come to a time.
function methods:step(now)
  if now < self.next then return end
  self.next = now + self.period
  for _, gpu in ipairs(self.gpus) do
    local passed = self.machine:pass(gpu, self.insts, self.cold)
    session.passed = session.passed + passed
  end
end

return M
