-- warploom explain: machines and programs with one known bound each, and it is
-- the one that is told.  Arguments: the program, and this folder.

local H = require "harness"
local core = H.import "core"
local test, equal, has = H.test, H.equal, H.has

local program = arg[1]
local folder = os.tmpname()
os.remove(folder)
assert(core.mkdir(folder))

local call = H.caller(program, folder)

-- The lines of an explanation, by their heads, of a run of `workload` (Lua) on
-- a GTX 480 that `change` (Lua) has changed.
local function explain(workload, change, snapshot, words)
  local file = assert(io.open(folder .. "/script.lua", "wb"))
  file:write(([[
local loom = require "warploom"
local g = loom.preset.gtx480 {}
%s
loom.run { machine = g, workload = %s,
           stats = { file = "x.h5"%s } }
]]):format(change or "", workload,
    snapshot and (', snapshot = { "%s" }'):format(snapshot) or
    ', snapshot = { "kernel_end" }'))
  file:close()
  local status, out, errors = call "-q script.lua"
  if status ~= 0 then error(out .. errors, 2) end
  status, out, errors = call("explain x.h5 " .. (words or ""))
  if status ~= 0 then error(errors, 2) end
  local lines, head = { all = out }, nil
  for line in out:gmatch "[^\n]+" do
    assert(#line <= 80, line)
    local name, rest = line:match "^  (%a[%a ]-)  +(.*)$"
    head = name or head
    if name then lines[name] = rest
    elseif head then lines[head] = lines[head] .. " " .. line:gsub("^ +", "")
    end
  end
  return lines
end

local stores = [[loom.suite.micro_stream {
  ctas = 64, bytes = 1 << 19, write = true }]]

test("a network with buffers of one flit", function()
  local lines = explain(stores, [[
g.noc:set { input_buffer_flits = 1, output_buffer_flits = 1 }]])
  has(lines["bound by"], "the network to the L2: packets find its buffers full")
  has(lines.try, "input_buffer_flits")
  has(lines.all, "micro_stream_write: 3 launches")
end)

test("an L2 with one MSHR a slice", function()
  local lines = explain("loom.suite.vectoradd { n = 1 << 16 }", [[
for i = 0, #g.l2 - 1 do g.l2[i].mshr_entries = 1 end]])
  has(lines["bound by"], "the L2: accesses wait")
  has(lines["bound by"], "no MSHR is free")
end)

test("DRAM bandwidth", function()
  local lines = explain "loom.suite.vectoradd { n = 1 << 18 }"
  has(lines["bound by"], "DRAM bandwidth")
  has(lines.DRAM, "its data buses are busy")
end)

test("an L1 with one MSHR", function()
  local lines = explain("loom.suite.vectoradd { n = 1 << 16 }", [[
for i = 0, #g.sm - 1 do g.sm[i].l1d.mshr_entries = 1 end]])
  has(lines["bound by"], "the L1: accesses wait")
  has(lines["bound by"], "no MSHR is free")
end)

test("few warps, and what those few wait for", function()
  local lines = explain "loom.suite.micro_chase {}"
  has(lines["bound by"], "too few warps: most slots have none, 1 CTAs for 15")
  has(lines["bound by"], "of the others most waited for data from memory")
end)

test("memory latency, where nothing is full", function()
  local lines = explain [[loom.suite.micro_stream {
    ctas = 16, warps = 2, bytes = 1 << 18, passes = 4 }]]
  has(lines["bound by"], "memory latency")
end)

test("a kernel by name, and the whole run without snapshots", function()
  local lines = explain("loom.suite.atax {}", nil, nil, "atax_rows")
  has(lines.all, "atax_rows: 1 launch")
  lines = explain("loom.suite.atax {}", nil, "end")
  has(lines.all, "of the whole run, as no snapshots")
  local status, _, errors = call "explain x.h5 atax_row"
  equal(status, 1)
  has(errors, "has no kernel 'atax_row'; did you mean 'atax_rows'?")
  status, _, errors = call "explain none.h5"
  equal(status, 1)
  has(errors, "none.h5")
  status, _, errors = call "explain"
  equal(status, 2)
  has(errors, "explain needs a results file")
end)

os.execute("rm -rf '" .. folder .. "'")
H.finish()
