-- A run whose host program is the process around this library, not a script.
--
-- The script runs in a coroutine up to its loom.run, or to its end where it
-- returns a machine; there the run's workload hands the coroutine's thread of
-- control over to the process, which asks for one thing at a time
-- (lua/host.h, lua/warploom/cuda/cuda.lua).

local import = ...
local session = import "script/session"
local script = import "script/script"
local devices = import "machine/devices"
local record = import "machine/record"
local unit = import "base/unit"
local interrupt = import "script/interrupt"

local M = {}

local function copy(t)
  local c = {}
  for k, v in next, t do c[k] = v end
  return c
end

-- Serves requests until the process has no more.
local function serve(host)
  return function(dev)
    local state = host.open(dev, host)
    local answer = table.pack("ready")
    while true do
      local request = table.pack(coroutine.yield(table.unpack(answer, 1,
                                                              answer.n)))
      if request[1] == "finish" then
        interrupt.check() -- a signal ends the program: it did not get far
        return
      end
      answer = table.pack("ok", host.calls[request[1]](state,
                          table.unpack(request, 2, request.n)))
    end
  end
end

-- What loom.run is given, with the program in place of the workload.
local function spec_for(host, given)
  if type(given) ~= "table" or getmetatable(given) then return given end
  if host.taken then
    session.problem("run", "is the second one: the program has run")
    session.stop("config")
  end
  host.taken = true
  local spec = copy(given)
  if spec.workload ~= nil and session.mode == "run" and not session.quiet then
    io.stderr:write(("warploom: '%s' takes the place of the script's " ..
                     "workload\n"):format(host.name))
  end
  if record.is_component(spec.machine) then devices.add(spec.machine) end
  spec.workload = { name = host.name, run = serve(host),
                    values = { program = host.name } }
  if spec.memory == nil and record.is_component(spec.machine) then
    spec.memory = host.memory_of(spec.machine)
  end
  if spec.stats == nil then spec.stats = {} end
  if type(spec.stats) == "table" and not spec.stats.file then
    spec.stats = copy(spec.stats)
    spec.stats.file = host.name .. ".h5"
  end
  return spec
end

-- After the script: a machine that it returns is run.
local function after(host, result)
  if host.taken then return end
  if record.is_component(result) then
    import "run/run".run { machine = result }
  else
    session.problem(nil, ("returns %s, expected a machine, or a call of " ..
      "loom.run before it"):format(unit.quote(result)),
      { file = session.script, line = 0 })
  end
end

-- What session.host must be: `name` is the program's, `open` of an interface
-- makes the state that its `calls` get, `memory_of` tells a machine's memory.
function M.new(name, interface)
  local host = { name = name, open = interface.open, calls = interface.calls,
                 memory_of = interface.memory_of }
  host.spec = function(given) return spec_for(host, given) end
  host.after = function(result) return after(host, result) end
  return host
end

-- Scripts and summaries share the process's output with the program, whose it
-- is: what they print goes to another file.
function M.print_to(file)
  rawset(io, "stdout", file)
  io.output(file)
  _G.print = function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    file:write(table.concat(words, "\t"), "\n")
  end
end

-- Starts a script; options are script.execute's with `host`.  Returns a
-- function(name, ...) that has the run do things; or the exit status, if the
-- script did not get as far as its run.  The function returns true and what
-- the call answered, or, once the run is over, false, the exit status, and
-- host.failure if a call has set it.
function M.start(path, text, options)
  local thread = coroutine.create(function()
    local status = script.execute(path, text, options)
    script.report()
    return "over", status
  end)
  local over
  local function take(ok, what, ...)
    if not ok then
      io.stderr:write("warploom: internal error: ",
                      debug.traceback(thread, tostring(what)), "\n")
      over = 70
    elseif what == "over" then
      over = ... or 0
    else
      return true, ...
    end
    return false, over, options.host.failure or 0
  end
  M.print_to(io.stderr)
  local ready, status = take(coroutine.resume(thread))
  if not ready then return status end
  return function(...)
    if over then return false, over, options.host.failure or 0 end
    return take(coroutine.resume(thread, ...))
  end
end

return M
