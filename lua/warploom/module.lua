-- require "warploom" in a plain Lua 5.4 (lua/module.c): the module that scripts
-- of the program get, without a command line, and without a sandbox, which
-- would be Lua's to have.  It prints nothing; mistakes are errors of loom.run.

local core = ...
local import = core.load("warploom/import.lua")(core)
local library = import "library"
library[debug.getinfo(1, "S").source] = true

local session = import "script/session"
local sandbox = import "script/sandbox"
local init = import "init"
local files = import "script/files"

local words = rawget(_G, "arg") or {}
local script = words[0] or "script.lua"
session.command = table.move(words, 0, #words, 1, {})
session.reset { script = script, unsafe = true, quiet = true,
                argv = table.move(words, 1, #words, 1, {}) }
local text = files.read_disk(script)
if text then session.add_source(script, text) end

-- What ends a script of the program is an error here, which says why.
function session.Stop.__tostring(stop)
  local lines = session.lines(session.problems)
  if stop.text then table.insert(lines, 1, stop.text) end
  session.problems = {}
  return table.concat(lines, "\n")
end

local env
local loom = init.new(function() return env end)
env = sandbox.environment(loom)
return loom
