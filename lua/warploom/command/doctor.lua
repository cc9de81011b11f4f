-- `warploom doctor`: does this installation work?

local import = ...
local core = import "core"
local types = import "machine/types"
local files = import "script/files"
local records = import "base/records"

local M = {}

local function on_path(program)
  for folder in (os.getenv("PATH") or ""):gmatch("[^:]+") do
    if core.kind(folder .. "/" .. program) == "file" then
      return folder .. "/" .. program
    end
  end
end

local checks = {}

local function check(name, test) checks[#checks + 1] = { name, test } end

check("version", function()
  return true, ("warploom %s, %s build, %s, %s"):format(core.version,
         core.build_type, core.compiler, core.lua_release)
end)

check("library", function()
  local folder = os.getenv("WARPLOOM_LUA")
  if not folder then
    return true, ("%d files in the program"):format(#core.sources())
  end
  return core.kind(folder .. "/warploom/init.lua") == "file",
         "from $WARPLOOM_LUA = " .. folder
end)

check("types", function()
  return #types.component_list > 0 and #types.policy_list > 0,
         ("%d components, %d policies, front ends: %s"):format(
           #types.component_list, #types.policy_list,
           table.concat(types.frontends, " "))
end)

check("default policies", function()
  for _, type in ipairs(types.component_list) do
    for _, slot in ipairs(type.slots) do
      if slot.default and not types.policies[slot.default] then
        return false, ("%s.%s wants '%s', which is not in this build"):format(
          type.name, slot.name, slot.default)
      end
    end
  end
  return true, "all there"
end)

check("presets", function()
  local names = files.names("presets")
  return #names > 0, table.concat(names, " ")
end)

check("workloads", function()
  return nil, table.concat(files.names("suite"), " ")
end)

check("stdout", function()
  local ok, why = io.stdout:write("")
  return ok ~= nil, core.terminal(1) and "a terminal" or
         why or "not a terminal"
end)

check("stderr", function()
  return io.stderr:write("") ~= nil, core.terminal(2) and
         "a terminal: progress in place" or "not a terminal: progress in lines"
end)

check("working directory", function()
  return core.writable("."), core.cwd()
end)

check("temporary files", function()
  local file = io.tmpfile()
  if not file then return false, "cannot be made" end
  file:write("x")
  file:close()
  return true, "can be made"
end)

check("determinism", function()
  local a = core.array("f64", 4):random(1, 0, 1)
  return ("%.17g"):format(a[0]) == ("%.17g"):format(
         core.array("f64", 4):random(1, 0, 1)[0]), "random numbers repeat"
end)

check("dot", function()
  local path = on_path("dot")
  return path and true or nil, path or "not installed: graph writes DOT only"
end)

check("charts", function()
  local library = import "look/library"
  local folder, tried = library.find()
  return folder and true or nil, folder and library.versions() or
         ("not in %s: plot and report cannot draw; './setup.sh charts' " ..
          "fetches what they need"):format(tried)
end)

check("node", function()
  local path = on_path("node")
  return path and true or nil, path or
         "not installed: plot makes no SVG and PNG, only HTML"
end)

check("clang", function()
  local path = on_path("clang-14") or on_path("clang")
  return path and true or nil, path or
         "not installed: needed only to change the kernels' source"
end)

-- Rows of a name, a mark and words, and whether nothing is broken.
local function examine()
  local good, rows = true, {}
  for _, item in ipairs(checks) do
    local ran, ok, what = pcall(item[2])
    if not ran then ok, what = false, ok end
    local mark = ok and "ok" or ok == nil and "--" or "BAD"
    if ok == false then good = false end
    rows[#rows + 1] = { item[1], mark, what }
  end
  return rows, good
end

-- The first match of a file's text, or "unknown".
local function from(path, pattern)
  local text = files.read_disk(path)
  return text and text:match(pattern) or "unknown"
end

local function host()
  local out = {
    { "commit", core.commit },
    { "system", from("/etc/os-release", 'PRETTY_NAME="([^"\n]*)"') },
    { "kernel", from("/proc/version", "^(%S+ version %S+)") },
    { "processor", ("%s, %d that may be used"):format(
      from("/proc/cpuinfo", "model name%s*:%s*([^\n]*)"), core.processors()) },
    { "memory", from("/proc/meminfo", "MemTotal:%s*([^\n]*)") },
  }
  for _, name in ipairs { "PATH", "LUA", "CHARTS", "SUITE", "PRESETS" } do
    local value = os.getenv("WARPLOOM_" .. name)
    if value then out[#out + 1] = { "$WARPLOOM_" .. name, value } end
  end
  return out
end

local template = [[
# What happened

What you ran, as you typed it:

    warploom ..

What you expected:

What happened instead (the whole message; --traceback says more of a script):

Does it happen again? With `warploom run FILE.h5`, from the results alone?

Attach the script, or the results file: it has the script, the machine, the
seed and the digests of all inputs. Try to make both small: fewer SMs, a smaller
input.

# Where
]]

-- A fault's report, to be filled in; returns true if nothing is broken.
function M.report()
  print(template)
  for _, row in ipairs(host()) do
    print(("    %-23s %s"):format(row[1], row[2]))
  end
  local rows, good = examine()
  for _, row in ipairs(rows) do
    if row[1] ~= "workloads" then
      print(("    %-4s %-18s %s"):format(row[2], row[1], row[3] or ""))
    end
  end
  return good
end

-- Prints one line per check, or all as JSON; returns true if nothing is
-- broken.
function M.run(as_json)
  local rows, good = examine()
  for _, row in ipairs(as_json and {} or rows) do
    print(("%-4s %-18s %s"):format(row[2], row[1], row[3] or ""))
  end
  if as_json then
    io.stdout:write(records.text({ "check", "result", "what" }, rows, true))
  end
  return good
end

return M
