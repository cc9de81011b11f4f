-- Scripts that try to get out of the sandbox: each must fail with a message
-- that says why.  docs/scripts.md says what is promised.

local H = require "harness"
local test, equal = H.test, H.equal

-- The script's body must not get past what it tries: it returns true if it
-- did, and else what it was told has `text` in it.
local function escape(name, body, text, options)
  test(name, function()
    local given = { allow = {} }
    for key, value in pairs(options or {}) do given[key] = value end
    local lines = H.run([[
local loom = require "warploom"
local function try(f, ...)
  local ok, why = pcall(f, ...)
  if ok then error("ESCAPED", 0) end
  error(type(why) == "table" and "stopped" or why, 0)
end
]] .. body, given)
    local all = table.concat(lines, "\n")
    assert(not all:find("ESCAPED", 1, true), "it got out")
    assert(all:find(text, 1, true), ("'%s' is not in: %s"):format(text, all))
  end)
end

local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir -p '" .. folder .. "/in/.git' '" .. folder .. "/out'")
local function put(path, text)
  local file = assert(io.open(folder .. "/" .. path, "w"))
  file:write(text)
  file:close()
end
put("out/secret.lua", "return 1")
put("in/own.txt", "mine")
put("in/.git/config", "x")
os.execute(("ln -s ../out/secret.lua '%s/in/link.lua'"):format(folder))
os.execute(("ln -s ../out '%s/in/folder'"):format(folder))
os.execute(("ln -s ../out/new '%s/in/dangling'"):format(folder))
local allow = { allow = { folder .. "/in" } }
local at = ("local at = %q\n"):format(folder .. "/")
local outside = "cannot be used: "

-- Files
for _, path in ipairs { "/etc/passwd", "/proc/self/mem", "/proc/self/environ",
                        "/dev/mem", "/sys/kernel/uevent_helper" } do
  escape("reads " .. path, ("try(io.open, %q)"):format(path), outside)
  escape("writes " .. path, ("try(io.open, %q, 'r+')"):format(path), outside)
end
local files = {
  ["beside the folder"] = "out/secret.lua", ["by .."] = "in/../out/secret.lua",
  ["by a link"] = "in/link.lua", ["by a linked folder"] =
  "in/folder/secret.lua", ["hidden"] = "in/.git/config",
  ["by a zero byte"] = "out/secret.lua\0in/own.txt",
}
for name, path in pairs(files) do
  for _, mode in ipairs { "r", "w", "a", "r+" } do
    escape(("opens (%s) %s"):format(mode, name),
           at .. ("try(io.open, at .. %q, %q)"):format(path, mode), outside,
           allow)
  end
  escape("lines " .. name, at .. ("try(io.lines, at .. %q)"):format(path),
         outside, allow)
  escape("io.output " .. name, at .. ("try(io.output, at .. %q)"):format(path),
         outside, allow)
end
escape("writes by a link to nothing",
       at .. "try(io.open, at .. 'in/dangling', 'w')", outside, allow)
escape("hides a file", at .. "try(io.open, at .. 'in/.bashrc', 'w')", outside,
       allow)
escape("requires a file outside", at .. "require(at .. 'out/secret')",
       outside, allow)
local function in_run(call)
  return at .. [[
loom.run { machine = loom.preset.tiny {}, workload = function(dev)
]] .. call .. " end }"
end
for name, call in pairs { ["dev:file"] = "dev:file(at .. 'out/secret.lua')",
    ["dev:module"] = "dev:module(at .. 'out/secret.lua')" } do
  test(name, function()
    local _, _, status = H.run('local loom = require "warploom"\n' ..
                               in_run(call), { allow = {} })
    equal(status, 3)
    assert(H.runs()[1].reason:find(outside, 1, true), H.runs()[1].reason)
  end)
end
escape("replays a file outside", at .. "loom.replay(at .. 'out/secret.lua')",
       outside, allow)
escape("traces a file outside", at .. "loom.trace(at .. 'out/secret.lua')",
       outside, allow)
test("results outside", function()
  local _, _, status = H.run([[local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, workload = function() end,
           stats = { file = "]] .. folder .. [[/out/x.h5" } }]], allow)
  equal(status, 5)
  assert(not io.open(folder .. "/out/x.h5"))
end)
escape("a log outside", at .. [[
local gpu = loom.preset.tiny {}
gpu.dram:attach(loom.command_log { file = at .. "out/log" })
loom.run { machine = gpu, workload = function() end }]], outside, allow)

-- Programs and machine code
for _, call in ipairs { "os.execute, 'true'", "io.popen, 'true'",
    "os.remove, 'x'", "os.rename, 'x', 'y'", "os.getenv, 'HOME'",
    "os.tmpname", "io.tmpfile" } do
  escape(call, ("try(%s)"):format(call), "is not available to scripts")
end
put("in/lib.so", "no library")
escape("a plug-in", at .. "loom.plugin(at .. 'in/lib.so')", "machine code",
       allow)
for _, name in ipairs { "package", "dofile", "loadfile" } do
  escape(name, "return " .. name .. ".x", "there is no variable")
end
escape("debug", "try(debug.getregistry)", "attempt to call a nil value")
escape("the library's own modules", "require 'warploom.import'",
       "is not found")

-- Code
escape("bytecode", "try(assert(load(string.dump or ('').dump(function() end)" ..
       ", 'x', 'b')))", "attempt to load a binary chunk")
escape("bytecode in pieces", [[
local text = ("").dump(function() end)
try(assert(load(function() local t = text; text = nil; return t end)))]],
       "attempt to load a binary chunk")
test("a script of bytecode", function()
  local lines, _, status = H.run(("").dump(function() end), { allow = {} })
  equal(status, 1)
  assert(lines[1]:find("bytecode", 1, true), lines[1])
end)

-- The library's tables
local all = [[
local gpu = loom.preset.tiny {}
local things = { "", io.stdout, loom, gpu, loom.suite.atax {}, loom.lru {},
                 loom.array("f32", 1), coroutine.create(print), _G,
                 select(2, pcall(loom.run, {})) }
]]
escape("metatables are private", all .. [[
for i, v in ipairs(things) do
  if type(getmetatable(v)) == "table" then error("ESCAPED", 0) end
end
error("private", 0)]], "private")
escape("methods of strings", [[
try(function() getmetatable("").__index.format = print end)]],
       "attempt to index a nil value")
escape("setmetatable of the library's", all ..
       "try(setmetatable, gpu, {})", "of the library")
escape("rawset of the library's", all ..
       "try(rawset, gpu, 'x', 1)", "of the library")
escape("finalizers", "try(setmetatable, {}, { __gc = print })", "no __gc")
test("a script's string functions are its own", function()
  H.run([[string.format = function() return "mine" end
table.concat = nil
local kit = require "warploom.kit"
kit.ceil = nil]], { allow = {} })
  equal(("%d"):format(1), "1")
  equal(table.concat { 1 }, "1")
  equal(H.import("host/kit").ceil(3, 2), 2)
end)
test("handles inside of what scripts get", function()
  local _, _, status = H.run([[local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, workload = function(dev)
  local ok, why = pcall(function() dev.run.machine:close() end)
  dev:check(not ok and why:find "cannot be used by scripts", "ESCAPED")
  local ok = pcall(load("local m = ...; m:close()",
                        "@warploom/run/run.lua"), dev.run.machine)
  dev:check(not ok, "ESCAPED")
end }]], { allow = {} })
  equal(status, 0)
end)

-- What is allowed goes.
test("files of one's own", function()
  local lines = H.run(at .. [[
assert(io.open(at .. "in/own.txt"):read "a" == "mine")
local file = assert(io.open(at .. "in/made.txt", "w"))
file:write "x"
file:close()
for line in io.lines(at .. "in/made.txt") do assert(line == "x") end
local t = setmetatable({}, { __index = function() return 7 end })
assert(t.x == 7 and getmetatable(t).__index)
assert(load "return 1"() == 1)]], allow)
  equal(#lines, 0, lines[1])
end)

os.execute("rm -rf '" .. folder .. "'")
H.finish()
