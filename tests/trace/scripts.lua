-- loom.trace as scripts use it: lists, filters, copies, mistakes.
--
-- usage: warploom --unsafe scripts.lua CORPUS

local H = require "harness"
local core = H.import "core"
local test, equal = H.test, H.equal

local corpus = arg[1]

-- A list in a folder of its own, whose kernels are files of the corpus.
local folder = os.tmpname()
os.remove(folder)
core.mkdir(folder)
local made = {}

local function put(name, text)
  local path = folder .. "/" .. name
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  made[#made + 1] = path
  return path
end

local function copy(from, to)
  local file = assert(io.open(corpus .. "/" .. from, "rb"))
  put(to, file:read("a"))
  file:close()
end

copy("v3_memory.traceg", "kernel-1.traceg")
copy("v2_prefix.traceg", "kernel-2.traceg")
copy("v5.traceg.gz", "kernel-3.traceg.gz")
copy("v6.traceg.xz", "kernel-4.traceg")
copy("v3.traceg.zst", "kernel-5.traceg.zst")
put("kernelslist.g", [[
MemcpyHtoD,0x00007f5000000000,4096
kernel-1.traceg
MemcpyDtoH,0x00007f5000000000,4096
kernel-2.traceg
MemcpyHtoD,0x00007f5000001000,100
MemcpyHtoD,0x00007f5000002000,28
kernel-3.traceg
kernel-4.traceg
kernel-5.traceg
]])

-- Warp instructions of the five: 17 lines and one; two; six; three; and the
-- first once more.
local counts = { 18, 2, 6, 3, 18 }

local function script(call, extra)
  return ([[
local loom = require "warploom"
local folder = %q
local workload = %s
local run = loom.run { machine = loom.preset.tiny {}, workload = workload }
%s
]]):format(folder, call, extra or "")
end

local function run(text, options)
  local lines, warnings, status = H.run(text, options)
  return H.runs()[1], status, lines, warnings
end

test("all kernels run, packed or not, timed or not", function()
  for _, functional in ipairs { true, false } do
    local r, status, lines = run(script("loom.trace(folder)", [[
      assert(#workload.copies == 3 and workload.copied_bytes == 4224)
      assert(workload.copies[2].address == 0x7f5000001000)
      assert(workload.kernels[3].copies[2].bytes == 28)
      assert(#workload.kernels[4].copies == 0)
    ]]), { functional = functional })
    H.lines(lines, {})
    equal(status, 0)
    equal(#r.kernels, 5)
    for i, kernel in ipairs(r.kernels) do
      equal(kernel.warp_insts, counts[i], "warp instructions of kernel " .. i)
    end
    equal(r.verdicts[1], "block and instruction counts as recorded")
  end
end)

test("equal runs have equal digests", function()
  local first = run(script("loom.trace(folder)")).digest
  equal(run(script("loom.trace { list = folder .. '/kernelslist.g' }")).digest,
        first)
end)

test("a recorded trace replays as it ran", function()
  local path = folder .. "/x.wlt"
  made[#made + 1] = path
  local first = run(script("loom.trace(folder)"), { record = path })
  equal(first.status, "complete")
  local second = run(script(("loom.replay(%q)"):format(path)))
  equal(second.warp_insts, first.warp_insts, "warp instructions")
  equal(second.cycles, first.cycles, "cycles")
  equal(second.digest, first.digest, "digest")
end)

-- Three kernels, of streams 1, 2 and 1, of 300 instructions each.
local function two_streams()
  local list = {}
  for i, stream in ipairs { 1, 2, 1 } do
    local lines = { "-kernel name = k" .. i, "-kernel id = " .. i,
      "-grid dim = (1,1,1)", "-block dim = (32,1,1)", "-nregs = 8",
      "-binary version = 70", "-cuda stream id = " .. stream,
      "-accelsim tracer version = 3", "#traces format = ..", "#BEGIN_TB",
      "thread block = 0,0,0", "warp = 0", "insts = 300" }
    for k = 1, 299 do
      lines[#lines + 1] = ("%04x ffffffff 1 R4 IADD3 2 R4 R5 0"):format(16 * k)
    end
    lines[#lines + 1] = "2000 ffffffff 0 EXIT 0 0"
    lines[#lines + 1] = "#END_TB\n"
    put("kernel-2" .. i .. ".traceg", table.concat(lines, "\n"))
    list[i] = "kernel-2" .. i .. ".traceg\n"
  end
  put("streams.g", "MemcpyHtoD,0x00007f5000000000,4096\n" ..
      table.concat(list))
end

local function stream_script(workload, kernels)
  return ([[
local loom = require "warploom"
local folder = %q
local gpu = loom.preset.gtx480 { sm_count = 2 }
gpu.concurrent_kernels = %d
gpu.host = loom.host { concurrent_kernels = %d }
loom.link(gpu.host, gpu)
loom.run { machine = gpu, workload = %s }
]]):format(folder, kernels, kernels, workload)
end

test("kernels of different streams overlap, also when replayed", function()
  two_streams()
  local path = folder .. "/y.wlt"
  made[#made + 1] = path
  local digests = {}
  for kernels = 1, 2 do
    local r, status, lines = run(stream_script(
      "loom.trace(folder .. '/streams.g')", kernels), { record = path })
    H.lines(lines, {})
    equal(status, 0)
    equal(#r.kernels, 3)
    local by_id = {}
    for _, k in ipairs(r.kernels) do by_id[k.id] = k end
    equal(by_id[0].stream .. by_id[1].stream .. by_id[2].stream, "121")
    equal(by_id[1].start < by_id[0].stop, kernels == 2, "overlap")
    equal(by_id[2].start >= by_id[0].stop, true, "order")
    local again = run(stream_script(("loom.replay(%q)"):format(path), kernels))
    equal(again.digest, r.digest, "digest of the replay")
    equal(again.cycles, r.cycles, "cycles of the replay")
    digests[kernels] = r.digest
  end
  equal(digests[1] ~= digests[2], true)
end)

test("a kernel's own file is a list of one", function()
  local r = run(script("loom.trace(folder .. '/kernel-4.traceg')"))
  equal(#r.kernels, 1)
  equal(r.warp_insts, 3)
end)

test("kernels are filtered by what is known of them", function()
  local r = run(script([[loom.trace { list = folder,
    kernels = function(k)
      assert(k.name == "_Z4testPf" and k.id == 3 and k.stream == 7)
      assert(k.registers == 32 and k.shared_bytes == 1024)
      return k.grid[1] == 4 and k.block[1] == 40 and k.threads == 160 and
             k.index ~= 0 and k.file == "kernel-5.traceg"
    end }]]))
  equal(#r.kernels, 1)
  equal(r.warp_insts, 18)
end)

test("a filter may take nothing, or fail", function()
  local r, status = run(script([[loom.trace { list = folder,
    kernels = function() return false end }]]))
  equal(status, 3)
  equal(r.reason, "t.lua:5: trace: the filter 'kernels' takes none of 5 " ..
        "kernels")
  r = run(script([[loom.trace { list = folder,
    kernels = function(k) return k.nothing.here end }]]))
  equal(r.reason:find("the filter 'kernels' failed at kernel " ..
        "'kernel-1.traceg'", 1, true) ~= nil, true, r.reason)
end)

test("unknown opcodes are told once, and can be made known", function()
  local _, status, _, warnings = run(script("loom.trace(folder)"))
  equal(status, 0)
  H.lines(warnings, { "t.lua:3: trace: opcode 'NEWOP' is not in the opcode " ..
    "tables and was taken for integer arithmetic (2 times)" })
  _, status, _, warnings = run(script(
    'loom.trace { list = folder, opcodes = { NEWOP = "sfu" } }'))
  equal(status, 0)
  H.lines(warnings, {})
end)

-- A Hopper tracer's lines, versions that are 0 and no number of registers.
test("blocks of clusters, and a head that says little", function()
  copy("v0_cluster.traceg", "kernel-6.traceg")
  local r, status, lines, warnings = run(script(
    "loom.trace(folder .. '/kernel-6.traceg')"))
  H.lines(lines, {})
  equal(status, 0)
  equal(r.warp_insts, 6)
  H.lines(warnings, {
    "t.lua:3: trace: the binary version is 0; the newest opcode table, that " ..
      "of 121, was used (1 times)",
    "t.lua:3: trace: 'nregs' is no number of 1..256; registers do not limit " ..
      "how many blocks an SM holds (1 times)",
    "t.lua:3: trace: the tracer's version is 0; lines were read as those of " ..
      "6 (1 times)",
    "t.lua:3: trace: blocks are of clusters; they were dispatched as others " ..
      "are (2 times)" })
end)

-- Every name that NVIDIA lists for a generation has a class there, by itself.
test("opcodes of NVIDIA's lists are in the tables", function()
  local of, bits = {}, { sm80 = 80, sm90 = 90, sm100 = 100 }
  local all
  for line in H.import("recording/trace").opcode_text():gmatch("[^\n]+") do
    local versions = line:match("^arch (.*)")
    if versions then
      all = {}
      for v in versions:gmatch("%d+") do of[tonumber(v)] = all end
    else
      all[line:match("^%S+")] = true
    end
  end
  local count = 0
  for line in io.lines((arg[0]:gsub("scripts.lua$", "opcodes.txt"))) do
    local from = bits[line:match("^%S+")]
    for name in (from and line:match("%s(.*)") or ""):gmatch("%S+") do
      for version, table in next, of do
        if version >= from then
          equal(table[name], true, name .. " of " .. version)
        end
      end
      count = count + 1
    end
  end
  equal(count, 266)
end)

test("preload is told to do nothing yet", function()
  local _, status, _, warnings = run(script(
    "loom.trace { list = folder, preload = true, " ..
    "kernels = function(k) return k.index == 1 end }"))
  equal(status, 0)
  equal(#warnings, 1)
  equal(warnings[1]:find("copies to the device are counted", 1, true) ~= nil,
        true)
end)

-- What the call does wrong, and the reason given before anything runs.
local mistakes = {
  { "loom.trace(3)", "trace: got 3, expected a path or { list = .. }" },
  { "loom.trace {}", "trace: 'list' is nil, expected the path of a " ..
    "kernelslist.g" },
  { "loom.trace 'no/list.g'", "trace: 'no/list.g' is not found; tried " ..
    "no/list.g" },
  { "loom.trace { list = folder, kernel = 3 }",
    "trace: there is no field 'kernel'; did you mean 'kernels'?" },
  { "loom.trace { list = folder, kernels = 3 }", "trace: 'kernels' is 3, " ..
    "expected a function(k) that returns whether to run kernel k" },
  { "loom.trace { list = folder, preload = 3 }",
    "trace: 'preload' is 3, expected true or false" },
  { "loom.trace { list = folder, opcodes = { 'x' } }", "trace: 'opcodes' is " ..
    "not a table of entries such as { NEWOP = \"int_add\" }" },
}

for _, mistake in ipairs(mistakes) do
  test(mistake[1], function()
    local _, status, lines = run(script(mistake[1]))
    equal(status, 1)
    H.lines(lines, { "t.lua:3: " .. mistake[2] })
  end)
end

-- Files that are wrong: name, content, and what is said of them.
local head = "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = 8\n" ..
             "-binary version = 70\n-accelsim tracer version = 3\n#\n" ..
             "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
local files = {
  { "empty.g", "", "empty.g: the list names no kernels, expected lines " ..
    "'kernel-<n>.traceg'" },
  { "copies.g", "MemcpyHtoD,10,x\n", "copies.g:1: a copy is not understood, " ..
    "expected 'MemcpyHtoD,0x<address>,<bytes>'" },
  { "missing.g", "kernel-9.traceg\n", "kernel-9.traceg' cannot be opened" },
  { "raw.g", "kernel-9.trace\n", "kernel-9.trace' cannot be opened; raw " ..
    "traces have to be grouped by Accel-Sim's post-traces-processing first " ..
    "(kernelslist.g)" },
  { "kernel-a.traceg", head .. "0000 ffffffff 0 ISETP 0\n",
    "kernel-a.traceg:11: the memory width is '', expected bytes or 0" },
  { "kernel-b.traceg", head .. "0000 ffffffff 0 EXIT 0 0\n",
    "kernel-b.traceg:11: the file ends inside a block, expected '#END_TB'" },
}

for _, row in ipairs(files) do
  test(row[1], function()
    put(row[1], row[2])
    local r, status = run(script(("loom.trace(folder .. '/%s')"):format(
      row[1])))
    equal(status, 3)
    equal(r.reason:sub(-#row[3]), row[3], "reason")
  end)
end

test("entries that the tables cannot read", function()
  local r, status = run(script(
    'loom.trace { list = folder, opcodes = { NEWOP = "fast" } }'))
  equal(status, 3)
  equal(r.reason, "t.lua:4: trace: opcode table: 'NEWOP fast' is not " ..
        "understood")
end)

for _, path in ipairs(made) do os.remove(path) end
os.remove(folder)
H.finish()
