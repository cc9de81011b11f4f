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

local made, count_of_made = {}, 0 -- script -> the file that it wrote

-- x.h5 of a script, which runs the first time that it is asked for.
local function run(script)
  if made[script] then
    assert(os.execute(("cd '%s' && cp %s x.h5"):format(folder, made[script])))
    return
  end
  local file = assert(io.open(folder .. "/script.lua", "wb"))
  file:write(script)
  file:close()
  local status, out, errors = call "--unsafe run -q script.lua"
  if status ~= 0 then error(out .. errors, 3) end
  count_of_made = count_of_made + 1
  made[script] = ("made-%d.h5"):format(count_of_made)
  assert(os.execute(("cd '%s' && cp x.h5 %s"):format(folder, made[script])))
end

-- The lines of an explanation, by their heads, of a run of `workload` (Lua) on
-- a GTX 480 that `change` (Lua) has changed.
local function explain(workload, change, snapshot, words)
  run(([[
local loom = require "warploom"
local g = loom.preset.gtx480 {}
%s
loom.run { machine = g, workload = %s,
           stats = { file = "x.h5"%s } }
]]):format(change or "", workload,
    snapshot and (', snapshot = { "%s" }'):format(snapshot) or
    ', snapshot = { "kernel_end" }'))
  local status, out, errors = call("explain x.h5 " .. (words or ""))
  if status ~= 0 then error(errors, 2) end
  local lines, head, count = { all = out }, nil, 0
  for line in out:gmatch "[^\n]+" do
    assert(#line <= 80, line)
    local name, rest = line:match "^  (%a[%a ]-)  +(.*)$"
    head = name or head
    count = count + (name and 1 or 0)
    if name then lines[name] = rest
    elseif head then lines[head] = lines[head] .. " " .. line:gsub("^ +", "")
    end
  end
  -- What bounds it is said in ten lines, and that of profiles in more.
  assert(lines.hottest or count <= 10, out)
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
  has(lines["bound by"], "too few warps: most slots have none, 1 CTA for 15")
  has(lines["bound by"], "of the others most waited for the data of a load")
end)

test("memory latency, where nothing is full", function()
  local lines = explain [[loom.suite.micro_stream {
    ctas = 16, warps = 2, bytes = 1 << 18, passes = 4 }]]
  has(lines["bound by"], "memory latency")
end)

-- Eight products a turn that wait for nobody else's: 216 CTAs of four warps.
local matrix = [[(function()
  local text = {}
  for i = 0, 28, 4 do
    local sums = ("{%%f%d,%%f%d,%%f%d,%%f%d}"):format(i, i + 1, i + 2, i + 3)
    text[#text + 1] = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " ..
      sums .. ",{%r1,%r1,%r1,%r1},{%r1,%r1}," .. sums .. ";"
  end
  local ptx = ".version 7.0\n.target sm_80\n.address_size 64\n" ..
    ".visible .entry products(.param .u64 p) { .reg .u32 %r<4>; " ..
    ".reg .f32 %f<32>; .reg .pred %p; .reg .u64 %d; ld.param.u64 %d, [p]; " ..
    "mov.u32 %r1, 0; mov.u32 %r2, 0; L: " .. table.concat(text, "\n") ..
    " add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 64; @%p bra L; " ..
    "st.global.f32 [%d], %f0; ret; }"
  local file = assert(io.open("products.ptx", "w"))
  file:write(ptx)
  file:close()
  return function(dev)
    local out = dev:alloc(256)
    dev:launch(dev:module "products.ptx".products,
               { grid = 216, block = 128, args = { out } })
  end
end)()]]

test("tensor units, whose ceiling an A100's data sheet has", function()
  local lines = explain(matrix, "g = loom.preset.a100 {}")
  has(lines["bound by"], "execution units")
  local share = tonumber(lines.ceilings:match "tensor (%d+) %% of 311.9 TFLOP/s")
  assert(share and share >= 75 and share <= 100, lines.ceilings)
end)

-- Lines of a chart by their names, and its points.
local function chart(words)
  local status, out, errors = call("explain x.h5 -q -o x.json " .. words)
  if status ~= 0 then error(out .. errors, 2) end
  local file = assert(io.open(folder .. "/x.json", "rb"))
  local text = file:read "a"
  file:close()
  return text
end

test("rooflines", function()
  explain "loom.suite.atax {}"
  local both = chart ""
  for _, name in ipairs { "atax_rows", "atax_columns", "FP32", "L2", "FLOP/s" }
  do
    has(both, '"' .. name .. '"')
  end
  local one = chart "atax_columns"
  assert(not one:find("atax_rows", 1, true))
  has(one, "Roofline of atax_columns")
  -- Of a kernel without floating point, by its instructions.
  explain(stores)
  has(chart "", "warp instructions per second")
end)

test("one launch", function()
  explain(stores)
  local status, out = call "explain x.h5 --launch 1"
  equal(status, 0)
  has(out, "micro_stream_write: launch 1, ")
  local errors
  status, out, errors = call "explain x.h5 --launch 3"
  equal(out, "")
  equal(status, 1)
  has(errors, "'x.h5' has no launch 3")
  explain "loom.suite.atax {}"
  status, out, errors = call "explain x.h5 atax_rows --launch 1"
  equal(out, "")
  equal(status, 1)
  has(errors, "launch 1 of 'x.h5' is of kernel 'atax_columns'")
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
