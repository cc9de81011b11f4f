-- The command line: commands, options, exit statuses, what they print.
-- Arguments: the program, and the path of twenty.lua.

local H = require "harness"
local types = H.import "machine/types"
local core = H.import "core"
local test, equal, has = H.test, H.equal, H.has

local program = assert(arg[1], "usage: commands.lua PROGRAM TWENTY")
local folder = os.tmpname()
os.remove(folder)
assert(core.mkdir(folder))
local made = {}

local function file(name, text)
  local path = folder .. "/" .. name
  made[#made + 1] = path
  if text then
    local f = assert(io.open(path, "w"))
    f:write(text)
    f:close()
  end
  return path
end

local function read(path)
  local f = assert(io.open(path))
  local text = f:read("a")
  f:close()
  return text
end

-- Runs the program; returns status, stdout and stderr.
local function call(words, environment)
  local errors = file("stderr")
  local pipe = assert(io.popen(("cd '%s' && %s '%s' %s 2>'%s'"):format(
    folder, environment or "", program, words, errors)))
  local out = pipe:read("a")
  local _, _, status = pipe:close()
  return status, out, read(errors)
end

local head = 'local loom = require "warploom"\n'
file("good.lua", head .. [[
local count = loom.option { name = "count", default = 2, doc = "SMs" }
local n = 1000
local r = loom.run {
  machine = loom.preset.tiny { sm_count = count },
  workload = function(dev)
    local m = dev:module("suite/vectoradd/vectoradd.ptx")
    local x = dev:upload(dev:array("f32", n):fill(1), "x")
    local y = dev:alloc({ type = "f32", count = n }, "y")
    dev:launch(m.vectoradd, { grid = 8, block = 128, args = { x, x, y, n } })
    dev:check(y:download():sum() == 2 * n, "wrong sum")
    dev:verified("against CPU reference")
  end,
  stats = { file = "good.h5" },
}
print("seconds", r.seconds > 0)
]])

test("usage", function()
  local status, out, errors = call ""
  equal(status, 2)
  equal(out, "")
  has(errors, "usage: warploom")
  status, out = call "--help"
  equal(status, 0)
  has(out, "run a CUDA program")
  status, out = call "--version"
  equal(status, 0)
  equal(out, "warploom " .. core.version .. "\n")
end)

test("wrong command lines exit with 2 and suggest", function()
  for words, text in pairs {
    ["chekc x.lua"] = "there is no command 'chekc'; did you mean 'check'?",
    ["run"] = "run needs a script",
    ["--sed 3 x.lua"] = "unknown option '--sed'; did you mean",
    ["--seed x x.lua"] = "--seed is 'x', expected a whole number",
    ["--set x x.lua"] = "--set is 'x', expected NAME=VALUE",
    ["x.lua --seed"] = "option '--seed' requires an argument",
    ["--first 2 --last 1 x.lua"] =
      "--first is 2, expected at most --last, which is 1",
    ["--first=-1 x.lua"] = "--first is '-1', expected a whole number",
    ["papers apcm --only bench=bfs"] =
      "papers has no option --only, which run, sweep, plot have",
    ["doctor --csv"] = "doctor has no option --csv, which ",
    ["sweep --kernels '' x.lua"] = "--kernels has '', expected a kernel's " ..
      "name, in which * is anything, or a regular expression",
    ["run --kernels 'a,b(' x.lua"] = "--kernels has 'b(', expected a regular " ..
      "expression: Unmatched ( or \\(",
    ["run --time 0 x.lua"] = "--time is '0', expected a whole number of at " ..
      "least 1",
    ["stats"] = "stats needs a results file",
    ["new policy a b"] =
      "too many arguments; usage: warploom new [OPTION]... policy|component",
    ["doctor x"] = "too many arguments; usage: warploom doctor [OPTION]...\n",
  } do
    local status, _, errors = call(words)
    equal(status, 2, words)
    has(errors, text)
  end
end)

test("every command has help with an example, and shells complete it",
     function()
  local commands = H.import "command/commands"
  local _, overview = call "--help"
  local shells = {}
  for _, shell in ipairs { "bash", "zsh", "fish" } do
    local status
    status, shells[shell] = call("completion " .. shell)
    equal(status, 0)
  end
  for _, name in ipairs(commands.names) do
    local command = commands.named[name]
    local status, out = call(name .. " --help")
    equal(status, 0)
    has(out, "usage: warploom " .. name)
    for line in out:gmatch "[^\n]+" do assert(#line <= 80, line) end
    if not command.hidden then
      has(overview, "  " .. name)
      has(out, "Example: warploom")
      for _, text in pairs(shells) do has(text, name) end
    end
  end
  local status, out = call "good.lua --help"
  equal(status, 0)
  has(out, "Options of good.lua:\n  --set count=2  SMs")
  for shell, text in pairs(shells) do has(text, "functional", shell) end
end)

test("launches that are timed", function()
  local _, out = call "good.lua --first 0 --kernels 'vector*'"
  has(out, "timed              1 of 1 launches")
  local status, _, errors = call "good.lua --last 3 --kernels sum"
  equal(status, 3)
  has(errors, "good.lua:4: run: none of 1 launches is timed: --kernels is " ..
      "\"sum\", which no kernel is called; there is vectoradd")
  status, out = call "stats good.h5 gpu.sm.ctas"
  equal(status, 0)
  has(out, "\nof some launches only: --kernels=sum --last=3\n")
end)

test("run prints a summary and writes the file", function()
  for _, words in ipairs { "good.lua", "run good.lua" } do
    local status, out, errors = call(words)
    equal(status, 0, errors)
    for _, text in ipairs { "against CPU reference", "cycles",
                            "warp instructions  704", "IPC",
                            "L1D miss ratio", "L2 miss ratio",
                            "DRAM bandwidth", "per host second", "good.h5",
                            "seconds\ttrue" } do
      has(out, text)
    end
    equal(core.kind(file "good.h5"), "file")
  end
end)

test("options", function()
  local status, out = call "good.lua --quiet --set count=1 -o other.h5"
  equal(status, 0)
  equal(out, "seconds\ttrue\n")
  equal(core.kind(file "other.h5"), "file")
  -- Nothing runs of other values than was meant.
  local mistakes
  status, out, mistakes = call "good.lua --quiet --set coun=1 -o none.h5"
  equal(status, 1)
  equal(out, "")
  has(mistakes, "the script has no option 'coun' before its first run; did you " ..
                "mean 'count'?")
  equal(core.kind(file "none.h5"), nil)
  status, out = call "check good.lua --set count=3"
  equal(status, 0)
  has(out, "ok: gpu[0] with 14 components")
  has(out, "--set count=3  SMs")
  status, out = call "good.lua --functional"
  equal(status, 0)
  has(out, "warp instructions  704")
end)

test("stats of one instance: its statistics and those of its parts", function()
  local seen = {}
  local status, out, errors = call "stats good.h5 'gpu.sm[1].*' --all --csv"
  equal(status, 0, errors)
  for instance in out:gmatch "\n([^,\n]+)," do seen[instance] = true end
  for _, path in ipairs { "gpu[0].sm[1]", "gpu[0].sm[1].l1d",
                          "gpu[0].sm[1].ldst" } do
    equal(seen[path], true, path)
    seen[path] = nil
  end
  equal(next(seen), nil)
  status, out = call "stats good.h5 'gpu.sm[1].l1d' --all"
  equal(status, 0)
  equal(out:find("ldst", 1, true), nil)
  local failed, _, why = call "stats good.h5 'gpu.sm[7].*' --all"
  equal(failed, 1)
  has(why, "has no instance 'gpu.sm[7]'")
end)

test("stats prints a file", function()
  local status, out = call "stats good.h5 gpu/sm"
  equal(status, 0)
  has(out, "warp_insts")
  status, out = call "stats --csv good.h5 gpu.sm.warp_insts"
  equal(status, 0)
  has(out, ",")
  local _, errors
  status, _, errors = call "stats good.lua"
  equal(status, 1)
  has(errors, "good.lua")
end)

test("exit statuses of failures", function()
  file("wrong.lua", "x = = 1\n")
  equal((call "wrong.lua"), 1)
  equal((call "nothing.lua"), 1)
  file("verify.lua", head .. [[
loom.run { machine = loom.preset.tiny {}, workload = function(dev)
  dev:check(false, "no") end }]])
  equal((call "verify.lua"), 3)
  file("output.lua", head .. [[
loom.run { machine = loom.preset.tiny {}, workload = function(dev) end,
  stats = { file = "/nonexistent/x.h5" } }]])
  equal((call "output.lua"), 5)
end)

test("twenty mistakes are told at once", function()
  local status, _, errors = call(("check '%s'"):format(arg[2]))
  equal(status, 1)
  has(errors, "20 mistakes; nothing was run")
  local last, count = 0, 0
  for line, text in errors:gmatch("twenty%.lua:(%d+): ([^\n]*)") do
    equal(tonumber(line) >= last, true, "the order of " .. text)
    last, count = tonumber(line), count + 1
  end
  equal(count, 20)
end)

test("graph writes DOT", function()
  local status, out = call "graph good.lua"
  equal(status, 0)
  has(out, "digraph machine {")
  has(out, '"gpu[0].sm[0].l1d" -> "gpu[0].xbar"')
  has(out, "replacement: lru")
  status = call "graph good.lua -o machine.dot"
  equal(status, 0)
  equal(read(file "machine.dot"):find("subgraph", 1, true) ~= nil, true)
end)

test("graph: sizes with units, like parts as one box", function()
  file("odd.lua", head .. [[
local gpu = loom.preset.gtx480 {}
gpu.sm[3].scheduler = loom.lrr {}
return gpu
]])
  local status, out = call "graph odd.lua"
  equal(status, 0)
  for _, text in ipairs { 'label="sm[0..2,4..14] \u{d7}14"', 'label="sm[3]"',
      "l2[0..11] \u{d7}12", "64 KiB, 8 ways, lines of 128 B", "700 MHz",
      "924 MHz", "hit 32 cycles", '[label="1 / 4 cycles, \u{d7}14"]',
      '"gpu[0].sm[3].l1d" -> "gpu[0].noc" [label="1 / 4 cycles"]' } do
    has(out, text)
  end
  equal(out:find('"gpu[0].sm[1]', 1, true), nil)
  -- What boxes say is what parts have.
  for name, list in pairs(H.import "command/graph".shown) do
    for _, one in ipairs(list) do
      assert(types.components[name].param[one[1]], name .. " " .. one[1])
    end
  end
end)

test("where nothing is run a script's words are no output", function()
  file("says.lua", head .. [[
print("before", 1)
io.write "and this\n"
local run = loom.run { machine = loom.preset.tiny {},
                       workload = loom.suite.vectoradd { size = "tiny" } }
print("after", run.cycles)
io.write("after", "\n")
]])
  for command, first in pairs { graph = "digraph machine {",
                                check = "says.lua: ok" } do
    local status, out, errors = call(command .. " says.lua")
    equal(status, 0)
    equal(out:find(first, 1, true), 1)
    equal(out:find("after", 1, true), nil)
    equal(errors, "before\t1\nand this\n")
  end
  local status, out = call "run -q says.lua"
  equal(status, 0)
  has(out, "before\t1\nand this\nafter\t")
end)

test("info --cost adds up what a policy stores", function()
  local status, out = call "info --cost lru --set sets=64 --set ways=8"
  equal(status, 0)
  has(out, "sets = 64, ways = 8")
  has(out, "512          3  1,536")
  has(out, "192 bytes")
  status, out = call "info --cost gto linear_index --set warps=8"
  equal(status, 0)
  has(out, "age") -- 8 warps of 2 schedulers: 2 bits each
  has(out, "nothing is stored")
  status, out = call("info --cost " .. file("good.lua"))
  equal(status, 0)
  has(out, "all policies of gpu[0]: ")
  for _, type in ipairs(types.policy_list) do
    equal(call("info --cost " .. type.name), 0)
  end
end)

test("info --cost refuses what it does not know, all at once", function()
  local status, _, errors = call "info --cost lruu cache lru --set way=3"
  equal(status, 1)
  has(errors, "there is no policy 'lruu'; did you mean 'lru'?")
  has(errors, "'cache' is a component")
  has(errors, "'lru' has no parameter 'way', and the hardware around it " ..
      "neither; did you mean 'ways'?")
  status, _, errors = call "info --cost lru --set ways=0"
  equal(status, 1)
  has(errors, "--set ways=0: expected a whole number 1..65536")
  status, _, errors =
    call "info --cost frfcfs --set write_high=4 --set write_low=9"
  equal(status, 1)
  has(errors, "frfcfs: parameter 'write_low' is 9")
  equal(call "info --cost", 2)
end)

test("info tells everything the registry has", function()
  local status, out = call "info"
  equal(status, 0)
  for _, list in ipairs { types.component_list, types.policy_list } do
    for _, type in ipairs(list) do
      has(out, "  " .. type.name)
      local s, text = call("info " .. type.name)
      equal(s, 0)
      for _, group in ipairs { "params", "stats", "ports", "slots" } do
        for _, item in ipairs(type[group] or {}) do
          has(text, "  " .. item.name)
        end
      end
    end
  end
  local _, errors
  status, _, errors = call "info cach"
  equal(status, 1)
  has(errors, "there is no type 'cach'; did you mean 'cache'?")
  -- What is no type, but something of one or of a preset.
  for words, hint in pairs {
    size_bytes = "; 'size_bytes' is a parameter of cache, traffic; see " ..
                 "warploom info cache",
    ["gpu.sm[0].l1d.misses"] = "'misses' is a statistic of ",
    sm_count = "'sm_count' is a parameter of a100, ",
    down = "'down' is a port of ",
    nothing_like_it = "; see warploom info\n",
  } do
    status, _, errors = call(("info '%s'"):format(words))
    equal(status, 1)
    has(errors, hint)
  end
  status, out = call "info --markdown"
  equal(status, 0)
  has(out, "### `loom.cache`")
  status, out = call "info --markdown gtx480"
  equal(status, 0)
  has(out, "| clock | core | 700MHz | -gpgpu_clock_domains 700:700:700:924 |")
  has(out, "| inject | reply | 4 | 1 | 34 |")
end)

test("info says what is wrong with a preset that somebody wrote", function()
  file("broken.lua", "x = = 3\n")
  file("odd.lua", "return { doc = 'odd', params = 3 }\n")
  local env = ("WARPLOOM_PRESETS='%s'"):format(folder)
  local status, _, errors = call("info broken", env)
  equal(status, 1)
  has(errors, "warploom: 'broken' (" .. folder .. "/broken.lua) cannot be " ..
              "described: " .. folder .. "/broken.lua:1: syntax error:")
  status, _, errors = call("info odd", env)
  equal(status, 1)
  has(errors, "/odd.lua) cannot be described: ")
  assert(os.execute(("ln -s '%s' '%s'"):format(program, file "linked.lua")))
  status, _, errors = call("info linked", env)
  equal(status, 1)
  has(errors, "/linked.lua' cannot be used: scripts reach files in their")
  status, _, errors = call("info --markdown linked", env)
  equal(status, 1)
  has(errors, "/linked.lua' cannot be used: scripts reach files in their")
end)

test("a library of one's own may be anywhere", function()
  local lua = arg[2]:gsub("tests/lua/[^/]*$", "lua")
  local status, out = call("info gtx480", ("WARPLOOM_LUA='%s'"):format(lua))
  equal(status, 0)
  equal(out, select(2, call "info gtx480"))
end)

test("stubs are Lua and name every type", function()
  local status = call "stubs types"
  equal(status, 0)
  local path = folder .. "/types/warploom.lua"
  local text = read(path)
  equal(load(text, "stubs", "t") ~= nil, true, "a chunk")
  has(text, "---@meta")
  has(text, "function loom.energy(model)")
  has(text, "---@field energy_read number")
  for _, type in ipairs(types.component_list) do
    has(text, ("---@class loom.component.%s"):format(type.name))
    for _, param in ipairs(type.params) do
      has(text, "---@field " .. param.name)
    end
  end
  made[#made + 1] = path
  file(".luarc.json")
end)

test("doctor prints a report of faults to be filled in", function()
  local status, out = call "doctor --report"
  equal(status, 0)
  for _, text in ipairs { "What you expected:", "commit ", "system ",
                          "ok   version", "memory " } do
    has(out, text)
  end
  equal(out:find "unknown$", nil)
end)

test("cite prints BibTeX of the simulator and of what is named", function()
  local status, out = call "cite"
  equal(status, 0)
  has(out, "@software{warploom,")
  equal(select(2, out:gsub("@%l+{", "")), 1)
  status, out = call "cite apcm qv100"
  equal(status, 0)
  has(out, "@inproceedings{koo2017apcm,")
  has(out, "note = {warploom: qv100}")
  call "good.lua -q -o cited.h5"
  status, out = call "cite cited.h5"
  os.remove(folder .. "/cited.h5")
  equal(status, 0)
  has(out, "warploom: gto")
  local failed, _, errors = call "cite apmc"
  equal(failed, 1)
  has(errors, "there is no file, policy or preset 'apmc'; did you mean 'apcm'?")
end)

test("doctor finds nothing broken", function()
  local status, out = call "doctor"
  equal(status, 0, out)
  has(out, "ok   types")
end)

for _, path in ipairs(made) do os.remove(path) end
os.remove(folder .. "/types")
os.remove(folder)
H.finish()
