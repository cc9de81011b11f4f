-- Signals, as the library sees them.
--
-- SIGINT, SIGTERM and SIGHUP stop what is at work where it can end well: a run
-- between windows of its machine, a script between two instructions, a sweep
-- between points.  What is known is written and told; the exit status is 128 +
-- the signal's number.  A second signal ends the process at once.

local import = ...
local core = import "core"
local session = import "script/session"
local library = import "library"

local M = {}

-- "interrupted by SIGINT"
function M.text()
  local _, name = core.interrupted()
  return "interrupted by " .. (name or "?")
end

-- 128 + the signal's number; nil if none came.
function M.status()
  local number = core.interrupted()
  return number and 128 + number
end

-- Is it the exit status of what a signal has stopped?
function M.stopped(status) return status ~= nil and status == M.status() end

-- From here on scripts are left alone: what they say about results that there
-- are is still asked for.
function M.wind_up() M.is_over = true end

-- Ends the run or the script if a signal came.
function M.check()
  if core.interrupted() then session.stop("interrupted", M.text()) end
end

-- From here on signals are noted.  `anywhere`: what is at work need not be
-- brought to a good end, so that it may stop in the library's own code, too;
-- `patient`: somebody waits for this process and kills it if it takes long.
function M.begin(options)
  core.signals(function(source)
    if not M.is_over and (options.anywhere or not library[source]) then
      M.check()
    end
  end, options.patient)
end

return M
