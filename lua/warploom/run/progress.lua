-- The line that says how far a run is, on stderr: rewritten in place on a
-- terminal, a plain line now and then elsewhere.  Wall-clock time is used
-- here and for speed only.

local import = ...
local core = import "core"
local session = import "script/session"
local text = import "base/text"

local M = {}
M.__index = M

function M.new()
  local self = setmetatable({}, M)
  self.start = core.wall()
  self.terminal = core.terminal(2)
  self.every = self.terminal and 0.5 or 10
  self.last = self.start
  self.quiet = session.quiet
  return self
end

function M:wall() return core.wall() - self.start end

local function remaining(fraction, wall)
  if not fraction or fraction <= 0.01 then return "" end
  local left = wall * (1 - fraction) / fraction
  if left < 90 then return (", %.0f s left"):format(left) end
  return (", %.0f min left"):format(left / 60)
end

-- `fraction` of the present kernel that is done, or nil.
function M:show(kernel, seconds, insts, fraction, kernel_wall)
  local now = core.wall()
  if self.quiet or now - self.last < self.every then return end
  local rate = (insts - (self.insts or 0)) / (now - self.last)
  self.last, self.insts = now, insts
  local line = ("%s: %.1f us simulated, %s warp instructions, %s/s%s%s"):format(
    kernel, seconds * 1e6, text.thousands(insts), text.thousands(rate),
    fraction and (", %d %%"):format(100 * fraction // 1) or "",
    remaining(fraction, now - kernel_wall))
  if self.terminal then
    io.stderr:write("\r", line, "\27[K")
  else
    io.stderr:write(line, "\n")
  end
  self.shown = true
end

-- The answer to SIGUSR1, whether quiet or not.  `where`: { kernel =, cycles =,
-- insts =, fraction = }, each of them if it is known.
function M:answer(where)
  self:clear()
  local parts = { where.kernel or "between kernels" }
  if where.cycles then
    parts[#parts + 1] = text.thousands(where.cycles) .. " cycles"
  end
  parts[#parts + 1] = text.thousands(where.insts) .. " warp instructions"
  parts[#parts + 1] = ("%.1f s"):format(self:wall())
  if where.fraction then
    parts[#parts + 1] = ("%d %% of the kernel"):format(
      100 * where.fraction // 1)
  end
  io.stderr:write("warploom: ", table.concat(parts, ", "), "\n")
end

function M:clear()
  if self.shown and self.terminal then io.stderr:write("\r\27[K") end
  self.shown = false
end

return M
