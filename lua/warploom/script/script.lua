-- Running one script in a session of its own.

local import = ...
local core = import "core"
local session = import "script/session"
local sandbox = import "script/sandbox"
local init = import "init"
local option = import "script/option"
local record = import "machine/record"
local machine = import "machine/machine"
local interrupt = import "script/interrupt"

local M = {}

-- Statuses that the program exits with.
M.status = { ok = 0, config = 1, usage = 2, workload = 3, verify = 3,
             violation = 3, deadlock = 4, output = 5, internal = 70,
             syntax = 1, input = 3, memory = 6, policy = 1, metric = 1,
             repeated = 0 }

local function handler(e)
  if getmetatable(e) == session.Stop then return e end
  local site = session.site()
  local stop = session.exhausted(e, site)
  if stop then return stop end
  local text = tostring(e):gsub("^[^\n]-:%d+: ", "", 1)
  return setmetatable({ kind = "error", text = text, site = site,
                        trace = debug.traceback("", 2) }, session.Stop)
end

M.handler = handler

-- Exit status of a script: the worst of its runs, or that of its problems.  A
-- signal that came when all was done has changed nothing.
local function verdict(stopped)
  local interrupted = stopped and stopped.kind == "interrupted"
  for _, run in ipairs(session.runs) do
    interrupted = interrupted or run.status == "interrupted"
  end
  if interrupted then return interrupt.status() end
  if #session.problems > 0 then return M.status.config end
  local worst = 0
  for _, run in ipairs(session.runs) do
    if run.status ~= "complete" and run.status ~= "cut" then
      worst = math.max(worst, M.status[run.status] or 3)
    elseif run.output_error then
      worst = math.max(worst, M.status.output)
    end
  end
  if worst == 0 and session.races_found > 0 then worst = M.status.verify end
  if worst == 0 and stopped and stopped.kind ~= "failed" then
    worst = M.status[stopped.kind] or M.status.config
  end
  return worst
end

-- A machine that a script returns instead of running it is checked too.
local function check_result(result)
  if #session.machines > 0 or not record.is_component(result) then return end
  if session.mode == "run" then
    session.problem(nil, "runs nothing: it returns a machine, which " ..
      "warploom check looks at; loom.run { machine = .., workload = .. } " ..
      "runs it",
      { file = session.script, line = 0 })
    return
  end
  session.machines[1] = machine.resolve(result)
  if #session.problems == 0 then
    local built = machine.build(session.machines[1])
    if built then built:close() end
  end
end

-- Runs `text`.  options: mode, seed, set, unsafe ..; see session.reset.
-- Returns the exit status; problems are in the session.
function M.execute(path, text, options)
  options.script = path
  session.reset(options)
  local env
  local loom = init.new(function() return env end)
  env = sandbox.environment(loom)
  import "policy/plugin".load_given()
  local chunk = sandbox.load(text, path, env)
  if not chunk then return M.status.config end
  local ok, result = xpcall(chunk, handler, table.unpack(session.argv))
  if ok and session.host then
    ok, result = xpcall(session.host.after, handler, result)
  end
  if ok then
    check_result(result)
  else -- nobody handles it where Lua itself has no memory
    result = session.exhausted(result) or result
  end
  if not ok and result.kind == "error" then
    session.problem(nil, "error: " .. result.text, result.site)
    session.trace = result.trace
  elseif not ok and result.text and
         (result.kind == "config" or result.kind == "metric") then
    io.stderr:write(result.text, "\n")
  elseif not ok and result.kind == "memory" then
    io.stderr:write("memory error: ", result.text, "\n")
  elseif not ok and (result.kind == "workload" or result.kind == "output") and
         result.text and #session.runs == 0 then
    io.stderr:write(result.text, "\n")
  elseif not ok and result.kind == "interrupted" then
    io.stderr:write("warploom: the script was ", result.text, "\n")
  end
  option.finish()
  core.guard()
  return verdict(not ok and result or nil)
end

-- Prints what was found; returns whether there were problems.
function M.report()
  for _, line in ipairs(session.lines(session.warnings)) do
    io.stderr:write(line:gsub("^(.-:%d+): ", "%1: warning: ", 1), "\n")
  end
  local lines = session.lines(session.problems)
  for _, line in ipairs(lines) do io.stderr:write(line, "\n") end
  if #lines > 0 then
    io.stderr:write(("%d %s; %s\n"):format(#lines,
      #lines == 1 and "mistake" or "mistakes", #session.runs == 0 and
      "nothing was run" or "told after what was run"))
  end
  return #lines > 0
end

return M
