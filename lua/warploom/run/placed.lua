-- Windows by hand, in sampled runs (sample.lua): of launches of a kernel only
-- these are in time, and what leads to them.

local import = ...
local session = import "script/session"
local timed = import "run/timed"
local alike = import "run/alike"
local suggest = import "base/suggest"

local M = {}

M.fields = { "from", "insts", "kernel", "launch", "ramp" }

-- Nothing where the run has no such windows.
function M.new(run)
  local windows = run.spec.sample.placed
  if not windows then return end
  local self = { site = run.site, windows = windows, names = {}, counts = {},
                 reached = {} }
  for i, window in ipairs(windows) do
    self[i] = timed.patterns { window.kernel }
  end
  return self
end

-- The windows of a launch, first ones first, or nil.
function M.launch(self, launch)
  local placed = self.placed
  if not placed then return end
  local name, plan = launch.name, {}
  if not placed.counts[name] then table.insert(placed.names, name) end
  local number = placed.counts[name] or 0
  placed.counts[name] = number + 1
  for i, window in ipairs(placed.windows) do
    if timed.named(placed[i], name) and
       (window.launch or number) == number then
      plan[#plan + 1] = { from = window.from, insts = window.insts,
                          ramp = window.ramp or window.insts, number = i }
    end
  end
  if #plan == 0 then return end
  table.sort(plan, function(a, b) return a.from < b.from end)
  plan.at, plan.before = 1, self:insts()
  return plan
end

-- Leaves CTAs out until so many instructions of the launch are done, or all
-- CTAs are on SMs.  The last half of them make their accesses.
local function leave(self, goal)
  local machine, before = self.machine, self:insts()
  local ctas, sent = machine:progress(self.gpu)
  local passed, done = 0, before - self.plan.before
  if sent >= ctas or done >= goal then return end
  self.estimate:leave(alike.off)
  while sent < ctas and done < goal do
    local one = (self:insts() - before) / math.max(passed, 1)
    local wanted = one > 0 and math.ceil((goal - done) / one) or 1
    local some = math.min(wanted, math.max(passed, 1), ctas - sent)
    self.passed = self.passed +
                  machine:pass(self.gpu, some, some == wanted and some or 0)
    passed, sent = passed + some, sent + some
    done = self:insts() - self.plan.before
  end
end

-- On the way to the next window, or to the end.
local function lead(self)
  local window = self.plan[self.plan.at]
  leave(self, window and window.from - window.ramp or math.maxinteger)
  self:wait("lead", window and self.look or math.maxinteger // 4)
end

-- The machine has come to a time.
function M.step(self)
  local plan = self.plan
  local window, done = plan[plan.at], self:insts() - plan.before
  if self.phase == "off" then
    if self.machine:progress(self.gpu) then return lead(self) end
  elseif self.phase == "lead" and done >= window.from then
    self.estimate:open()
    self.phase = "window"
  elseif self.phase == "window" and done >= window.from + window.insts then
    local _, _, late = self.estimate:close()
    self.windows = self.windows + 1
    self:skip(late)
    self.placed.reached[window.number] = true
    plan.at = plan.at + 1
    return lead(self)
  end
  self:wait(self.phase, self.look)
end

-- No launch follows: windows that were not reached are mistakes.
function M.check(self)
  local placed = self.placed
  for i, window in ipairs(placed and placed.windows or {}) do
    if not placed.reached[i] then
      local site = session.refine(session.field(placed.site, "run", "sample",
                                                "windows", i))
      local why = "no launch of it has so many instructions"
      if not placed[i][1].used then
        why = "which no kernel is called" ..
              suggest.hint(window.kernel:gsub("%*", ""), placed.names)
      end
      session.stop("workload", ("%s:%d: run: 'sample.windows[%d]' of kernel " ..
        "\"%s\" was not reached: %s"):format(site.file, site.line, i,
                                             window.kernel, why))
    end
  end
end

return M
