-- Running kernels from scripts: results, statistics, stops, failures.

local H = require "harness"
local core = H.import "core"
local test, equal = H.test, H.equal

-- A script that adds two vectors on the tiny machine; `more` are fields of
-- loom.run, `extra` comes after the launch.
local function script(more, extra, n)
  return ([[
local loom = require "warploom"
local n = %d
local run = loom.run {
  machine = loom.preset.tiny {},
  workload = function(dev)
    local m = dev:module("suite/vectoradd/vectoradd.ptx")
    local a = dev:array("f32", n):random(1, -1, 1)
    local b = dev:array("f32", n):random(2, -1, 1)
    local c = dev:alloc({ type = "f32", count = n }, "c")
    local k = dev:launch(m.vectoradd, { grid = (n + 127) // 128, block = 128,
      args = { dev:upload(a, "a"), dev:upload(b, "b"), c, n } })
    local sum = c:download()
    dev:check(sum:equals(a:map(function(v, i) return loom.f32(v + b[i]) end)),
              "the sum is wrong")
    dev:verified("against CPU reference")
    %s
  end,
  %s
}
]]):format(n or 1000, extra or "", more or "")
end

local function run(text, options)
  local lines, _, status = H.run(text, options)
  return H.runs()[1], status, lines
end

test("a kernel runs and is verified", function()
  local r, status = run(script() .. [[
    assert(run.stats "gpu/sm/l1d".accesses == run.stats "gpu/l2".accesses)
    assert(run.stats("gpu[0].sm[0]").warp_insts > 0)
    assert(run.stats "gpu/sm".warp_insts == run.warp_insts)
    assert(run.kernels[1].name == "vectoradd" and run.kernels[1].seconds > 0)
    assert(run.kernels[1].warp_insts == run.warp_insts)
  ]])
  equal(status, 0, "status")
  equal(r.verdicts[1], "against CPU reference")
  -- 1000 threads in 8 blocks are 32 warps; each executes 22 instructions.
  equal(r.warp_insts, 32 * 22, "warp instructions")
  equal(r.cycles > 100, true)
  equal(#r.digest, 64)
end)

test("equal runs have equal digests and files", function()
  local file = os.tmpname() .. ".h5"
  local more = ('stats = { file = %q, series = { bw = { every = "100ns", ' ..
                'select = "**.dram.*bytes*" } } }'):format(file)
  local first = run(script(more))
  equal(first.file, file)
  local a, digest = core.results_digest(file), first.digest
  local second = run(script(more))
  equal(second.digest, digest)
  equal(core.results_digest(file), a)
  equal(run(script(more, nil, 1001)).digest ~= digest, true)
  os.remove(file)
end)

test("functional runs agree with timed ones", function()
  local timed = run(script())
  local functional, status = run(script(), { functional = true })
  equal(status, 0)
  equal(functional.warp_insts, timed.warp_insts)
  equal(functional.verdicts[1], "against CPU reference")
end)

test("stop after cycles, time and instructions", function()
  local r, status = run(script("stop = { cycles = 300 }"))
  equal(status, 0)
  equal(r.status, "cut")
  equal(r.cycles, 300)
  equal(#r.verdicts, 0)
  r = run(script('stop = { time = "250ns" }'))
  equal(r.seconds, 250e-9)
  r = run(script("stop = { warp_insts = 100 }", nil, 100000))
  equal(r.reason, "stop.warp_insts reached")
  equal(r.warp_insts >= 100 and r.warp_insts < 10000, true)
end)

test("a wrong result fails the run", function()
  local r, status = run(script(nil, 'dev:check(1 == 2, "one is not two")'))
  equal(status, 3)
  equal(r.status, "verify")
  equal(r.reason, "t.lua:16: one is not two")
end)

test("a run without progress is a deadlock", function()
  local file = os.tmpname() .. ".h5"
  -- Two caches that ask each other wait for ever.
  local text = script(("stats = { file = %q }"):format(file)):gsub(
    "loom%.preset%.tiny {}", "ring()"):gsub("local n", [[
local function ring()
  local sm = loom.sm { ldst = loom.ldst {}, l1d = loom.cache {} }
  loom.link(sm, sm.ldst)
  loom.link(sm.ldst, sm.l1d)
  local gpu = loom.gpu { clock = "1GHz", sm = loom.list(1, sm),
                         a = loom.cache { level = "l2",
                           power = loom.cache_decay { interval = 4000000 } },
                         b = loom.cache { level = "l3" } }
  loom.link(gpu, gpu.sm[0])
  loom.link(gpu.sm[0].l1d, gpu.a)
  loom.link(gpu.a.down, gpu.b.up)
  loom.link(gpu.b.down, gpu.a.up)
  return gpu
end
local n]], 1)
  local r, status = run(text)
  equal(status, 4)
  equal(r.status, "deadlock")
  equal(r.reason:find("gpu[0].a ", 1, true) ~= nil, true, r.reason)
  equal(core.kind(file), "file", "the file of a deadlock")
  os.remove(file)
end)

-- The tiny machine, changed by a line of code.
local function waits(line, n)
  local text = script(nil, nil, n or 4000):gsub(
    "loom%.preset%.tiny {}", "gpu"):gsub("local n", function() return ([[
local gpu = loom.preset.tiny { sm_count = 1 }
%s
local n]]):format(line) end, 1)
  return run(text)
end

test("who waits for long is no deadlock", function()
  local quick = waits("")
  for _, line in ipairs {
    "gpu.l2:attach(loom.cache_decay { interval = 1 << 30 })",
    "gpu.l2:attach(loom.cache_decay { interval = 4000000 })",
    "gpu.l2:attach(loom.drowsy { idle = 1 << 30 })",
    "gpu.dram.page = loom.closed_page { idle = 1000000 }",
  } do
    local r, status = waits(line)
    equal(status, 0, line)
    equal(r.seconds, quick.seconds, line)
  end
  for _, name in ipairs { "trcd", "trrd", "tccd", "cl", "latency" } do
    local r, status = waits(("gpu.dram.%s = 1000000"):format(name))
    equal(status, 0, name)
    equal(r.cycles > (name == "tccd" and 700000000 or 1000000), true, name)
  end
  local r, status = waits('gpu.dram.clock = "1kHz"')
  equal(status, 0, "a slow clock")
  equal(r.seconds > 0.1, true)
end)

test("a policy may wait for long, too", function()
  local r, status = waits([[
local late = loom.policy { name = "late", doc = "Opens late",
  throttle = function(view, self)
    if not self.open then self:wake(300000000) end
    return self.open and -1 or 0
  end,
  timer = function(now, self)
    self.open = true
    self:kick()
  end,
}
gpu.sm[0]:attach(late)]], 100)
  equal(status, 0)
  equal(r.cycles > 300000000, true)
end)

test("a simulated time that nobody can count is told", function()
  local r, status = waits('gpu.clock = "1Hz"', 200000)
  equal(status, 3)
  equal(r.reason:find("beyond the 9223 s of simulated time", 1, true) ~= nil,
        true, r.reason)
  -- A copy that takes longer than 64 bits of femtoseconds.
  local _, _, slow = H.run [[
local loom = require "warploom"
local gpu = loom.preset.tiny {}
gpu.driver = loom.host { copy_bandwidth = "1B/s" }
loom.link(gpu.driver, gpu)
local r = loom.run { machine = gpu, workload = function(dev)
  dev:upload(dev:array("u8", 20000))
end }
]]
  equal(slow, 3)
end)

test("an output that cannot be written", function()
  local _, status = run(script('stats = { file = "/nonexistent/x.h5" }'))
  equal(status, 5)
end)

test("a series that matches nothing is told with its line", function()
  local _, status, lines = run(script(
    'stats = { file = "x.h5", series = {\n bw = { every = "1us", select = ' ..
    '"**.drum.*" } } }'))
  equal(status, 1)
  equal(lines[1]:find("^t.lua:19: series bw: .*'%*%*%.drum%.%*'") ~= nil, true,
        lines[1])
  equal(core.kind("x.h5"), nil)
end)

-- What a host program does wrong: a line of code, and the reason given.
local mistakes = {
  { "dev:array('f16', 3)", "there is no element type 'f16'; there is f32, " ..
    "f64, i32, i64, u32, u8" },
  { "dev:alloc('x')", 'alloc: the size is "x", expected bytes or { type =, ' ..
    "count = }" },
  { "dev:alloc { type = 'f33', count = 3 }",
    "alloc: there is no element type 'f33'; did you mean 'f32'?" },
  { "dev:alloc { type = 'f32', count = -3 }", "alloc: 'count' is -3, " ..
    "expected a whole number of at least 1" },
  { "dev:alloc(8):upload('123456789')", "upload: 9 bytes into buffer '' of 8" },
  { "dev:alloc(8):upload(3)", "upload: got 3, expected an array, a table, a " ..
    "string or a function" },
  { "dev:upload { 1 }", "upload: got a table, expected a typed array; see " ..
    "dev:array" },
  { "dev:download(3)", "download: got 3, expected a buffer" },
  { "dev:module 'no.ptx'", "module 'no.ptx' is not found; tried no.ptx" },
  { "dev:module(3)", "module: got 3, expected a path or the program's text" },
  { "local x = m.vectorad", "suite/vectoradd/vectoradd.ptx has no kernel " ..
    "'vectorad'; did you mean 'vectoradd'?" },
  { "dev:launch('vector', {})", "launch: there is no kernel 'vector'; did " ..
    "you mean 'vectoradd'?" },
  { "dev:launch(m.vectoradd, 3)", "launch of 'vectoradd': got 3, expected { " ..
    "grid =, block =, args = .. }" },
  { "dev:launch(m.vectoradd, { gird = 3 })", "launch of 'vectoradd': there " ..
    "is no field 'gird'; did you mean 'grid'?" },
  { "dev:launch(m.vectoradd, { grid = 0, block = 1 })", "launch of " ..
    "'vectoradd': 'grid' is 0 in dimension 1, expected 1..2147483647" },
  { "dev:launch(m.vectoradd, { grid = 1, block = { 32, 64 } })",
    "launch of 'vectoradd': the block has 2048 threads, expected 1..1024" },
  { "dev:launch(m.vectoradd, { grid = 1, block = 1, interleave = 0, " ..
    "args = { c, c, c, 1 } })", "launch of 'vectoradd': 'interleave' is 0, " ..
    "expected a number of warp instructions, 1..2^30" },
  { "dev:launch(m.vectoradd, { grid = 1, block = 1, args = { c, c } })",
    "launch of 'vectoradd': 2 arguments, expected 4" },
  { "dev:launch(m.vectoradd, { grid = 1, block = 1, args = { c, c, c, 1.5 } })",
    "launch of 'vectoradd': argument 4 ('vectoradd_param_3') is 1.5, " ..
    "expected a whole number" },
  { "dev:launch(m.vectoradd, { grid = 1, block = 1, args = { c, c, c, c } })",
    "launch of 'vectoradd': argument 4 ('vectoradd_param_3') is buffer 'c' " ..
    "(f32[1000]), expected a whole number of 4 bytes" },
  { "dev:launch(m.vectoradd, { grid = 1, block = 1, " ..
    "args = { c, c, c, 1 << 40 } })", "launch of 'vectoradd': argument 4 " ..
    "('vectoradd_param_3') is 1099511627776, which does not fit 32 bits" },
  { "dev:launch(m.vectoradd, { grid = 1, block = 1, args = { 5, c, c, 1 } })",
    "launch of 'vectoradd': argument 1 ('vectoradd_param_0') is 5, expected " ..
    "a buffer" },
  { "dev:constant('nothing')", "no module has a variable 'nothing'" },
  { "local t = nil; t.x = 1", "attempt to index a nil value (local 't')" },
}

for _, mistake in ipairs(mistakes) do
  test(mistake[1], function()
    local r, status = run(script(nil, mistake[1]))
    equal(r.reason, "t.lua:16: " .. mistake[2])
    equal(status, 3, "status")
  end)
end

test("a program that is no program is refused with its line", function()
  local r, status = run(script(nil, 'dev:module(".version 3.2\\ngarbage\\n")'))
  equal(status, 3)
  equal(r.reason:find("(text)", 1, true) ~= nil, true, r.reason)
end)

-- Of 24 launches that are alike some are passed over; one of them may be given
-- less memory than it has elements for.
local function alike(which, bytes)
  return ([[
local loom = require "warploom"
local run = loom.run {
  machine = loom.preset.tiny {}, sample = true,
  workload = function(dev)
    local m = dev:module("suite/vectoradd/vectoradd.ptx")
    local short = dev:alloc(%d, "short")
    local a = dev:upload(dev:array("f32", 1024):random(1, -1, 1), "a")
    local c = dev:alloc(4096, "c")
    for i = 1, 24 do
      dev:launch(m.vectoradd, { grid = 8, block = 128,
        args = { a, a, i == %d and short or c, 1024 } })
    end
  end,
}
]]):format(bytes, which)
end

test("a launch that is passed over may fail", function()
  local r, status = run(alike(24, 4096) .. [[
    local passed = 0
    for _, kernel in ipairs(run.kernels) do
      passed = passed + (kernel.passed and 1 or 0)
      assert(kernel.seconds > 0)
    end
    assert(passed > 4 and passed < 20)
    assert(run.stats("gpu").kernels == 24)
    assert(run.stats("gpu.sm").ctas == 24 * 8)]])
  equal(status, 0, "status")
  equal(r.sampled > 0.15, true, "some are passed over")
  for which = 18, 24 do
    local failed, other = run(alike(which, 64))
    equal(other, 3, "status")
    equal(failed.reason:find("outside every", 1, true) ~= nil, true,
          failed.reason)
    equal(#failed.kernels < which, true, "kernels after it")
  end
end)

-- 40 launches write a buffer each, 40 others of half the block do so again.
-- What was passed over is in the L2, also where an SM's memory is shared out
-- between L1 and shared memory for each kernel.
test("launches that are passed over leave their lines in the L2", function()
  local r, status = run [[
local loom = require "warploom"
local run = loom.run {
  machine = loom.preset.qv100 { sm_count = 1, channel_count = 1 },
  sample = true,
  workload = function(dev)
    local m = dev:module("suite/vectoradd/vectoradd.ptx")
    local buffer = {}
    for i = 1, 40 do
      buffer[i] = dev:upload(dev:array("f32", 512):random(i, -1, 1))
    end
    for _, block in ipairs { 128, 64 } do
      for _, b in ipairs(buffer) do
        dev:launch(m.vectoradd, { grid = 512 // block, block = block,
          args = { b, b, b, 512 } })
      end
      dev:sync()
    end
  end,
}
local reads = run.stats("gpu.dram").bytes_read
assert(math.abs(reads - 40 * 512 * 4) < 2048, reads)]]
  equal(status, 0)
  equal(r.sampled > 0.1, true)
end)

test("an illegal access of a kernel names it", function()
  local r, status = run(script(nil, [[dev:launch(m.vectoradd, { grid = 80,
    block = 128, args = { c, c, c, 10000 } })]]))
  equal(status, 3)
  equal(r.reason:find("vectoradd", 1, true) ~= nil, true, r.reason)
end)

test("statistics that do not exist", function()
  local errors = {}
  local stderr = io.stderr
  io.stderr = { write = function(_, ...) errors[#errors + 1] =
    table.concat { ... } end }
  local _, status = run(script() .. 'print(run.stats "gpu/sm/l1".misses)')
  local _, other = run(script() .. 'print(run.stats "gpu/sm/l1d".mises)')
  io.stderr = stderr
  equal(status, 1)
  equal(other, 1)
  equal(errors[1]:find("t.lua:20: run.stats: ", 1, true), 1, errors[1])
  equal(errors[1]:find("gpu/sm/l1d", 1, true) ~= nil, true, errors[1])
  equal(errors[2]:find("'misses'", 1, true) ~= nil, true, errors[2])
end)

test("check runs nothing, and numbers of runs can be used", function()
  local text = script() .. [[
    print(("%d %.3f %s"):format(run.cycles, run.seconds, run.digest))
    print(run.stats "gpu/sm".ipc + run.kernels[1].seconds)]]
  local lines, _, status = H.run(text, { mode = "check" })
  H.lines(lines, {})
  equal(status, 0)
  equal(#H.runs(), 0)
end)

-- 15 CTAs on 15 SMs, of 15 and of 80.  Each idle SM ticks a few times, when
-- the kernel comes and goes.
test("idle SMs are not ticked", function()
  local ticks, cycles = {}, {}
  for i, sms in ipairs { 15, 80 } do
    local r = run(([[local loom = require "warploom"
loom.run { machine = loom.preset.gtx480 { sm_count = %d },
           workload = loom.suite.gemm { n = 48, m = 80, k = 128 } }]])
      :format(sms))
    ticks[i], cycles[i] = r.ticks, r.cycles
  end
  equal(cycles[1], cycles[2], "cycles")
  assert(ticks[2] - ticks[1] <= 65 * 10,
         ("%d ticks with 15 SMs, %d with 80"):format(ticks[1], ticks[2]))
end)

-- Or a sweep would hold every machine that it has built.
test("what is kept of runs are results", function()
  run(script() .. "local first = run\n" .. script():gsub("^.-\n", ""))
  equal(#H.runs(), 2)
  equal(#H.machines(), 1)
  local function plain(t, where)
    for key, value in pairs(t) do
      local kind = type(value)
      if where == "run" and key == "storage" then
        for group, parts in pairs(value) do plain(parts, group) end
      elseif kind ~= "string" and kind ~= "number" and kind ~= "boolean" and
         not (where == "run" and (key == "kernels" or key == "verdicts")) then
        error(("%s.%s is a %s"):format(where, key, kind), 0)
      end
    end
  end
  for _, r in ipairs(H.runs()) do
    plain(r, "run")
    for _, kernel in ipairs(r.kernels) do plain(kernel, "kernel") end
  end
end)

test("a failed run keeps its statistics", function()
  local file = os.tmpname() .. ".h5"
  local r = run(script(("stats = { file = %q }"):format(file),
                       "error 'enough'"))
  equal(r.reason, "t.lua:16: enough")
  equal(core.kind(file), "file")
  os.remove(file)
end)

H.finish()
