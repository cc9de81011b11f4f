-- What the Lua tests share.  Tests run inside the program with --unsafe, so
-- that they can reach the library's modules; each script under test gets a
-- session of its own.

local import = require "warploom.import"
local session = import "script/session"
local script = import "script/script"
local library = import "library"

local H = { import = import, failures = 0, count = 0 }

local function fail(name, text)
  H.failures = H.failures + 1
  print(("FAIL %s\n  %s"):format(name, text))
end

-- The tests themselves are nobody's script: messages must not name them.
local function mine()
  local level = 1
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return end
    library[info.source] = true
    level = level + 1
  end
end

-- Runs a script; returns its messages, warnings and exit status.
function H.run(text, options)
  local given = { mode = "run", quiet = true, set = {}, argv = {},
                  allow = { "/" } }
  for key, value in pairs(options or {}) do given[key] = value end
  session.command = { "warploom", "t.lua" }
  mine()
  local status = script.execute("t.lua", text, given)
  return session.lines(session.problems), session.lines(session.warnings),
         status
end

-- The script's runs, after H.run.
function H.runs() return session.runs end
function H.machines() return session.machines end

-- A function that runs the program in a folder; it returns status, stdout and
-- stderr.
function H.caller(program, folder)
  return function(words)
    local pipe = assert(io.popen(("cd '%s' && '%s' %s 2>stderr"):format(folder,
                                 program, words)))
    local out = pipe:read("a")
    local _, _, status = pipe:close()
    local file = assert(io.open(folder .. "/stderr"))
    local errors = file:read("a")
    file:close()
    return status, out, errors
  end
end

function H.has(text, what)
  if not text:find(what, 1, true) then
    error(("%q is not in:\n%s"):format(what, text:sub(1, 2000)), 2)
  end
end

function H.test(name, body)
  H.count = H.count + 1
  local ok, why = pcall(body)
  if not ok then fail(name, tostring(why)) end
end

function H.equal(got, want, what)
  if got ~= want then
    error(("%s is %s, expected %s"):format(what or "value", tostring(got),
          tostring(want)), 2)
  end
end

function H.lines(got, want)
  for i = 1, math.max(#got, #want) do
    if got[i] ~= want[i] then
      error(("message %d\n  got      %s\n  expected %s"):format(i,
            tostring(got[i]), tostring(want[i])), 2)
    end
  end
end

-- Ends the test program.
function H.finish()
  print(("%d tests, %d failed"):format(H.count, H.failures))
  session.reset { script = "tests" }
  if H.failures > 0 then error(H.failures .. " tests failed", 0) end
end

return H
