-- Streams, copies and events as scripts see them.  Each case either passes or
-- ends with the message that tests.cmake expects.
local loom = require "warploom"

local ptx = [[
.version 7.0
.target sm_50
.address_size 64
.entry work(.param .u64 to, .param .u32 rounds, .param .u32 add)
{
  .reg .pred %p1;
  .reg .b32 %r<8>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u64 %rd1, [to];
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r5, [%rd1];
  ld.param.u32 %r6, [rounds];
  ld.param.u32 %r7, [add];
again:
  mad.lo.u32 %r5, %r5, 3, %r7;
  sub.u32 %r6, %r6, 1;
  setp.ne.u32 %p1, %r6, 0;
  @%p1 bra again;
  st.global.u32 [%rd1], %r5;
  ret;
}
]]

local case = loom.option { name = "case", default = "overlap", doc = "What",
  choices = { "overlap", "order", "copies", "functional", "events", "within",
              "full", "implicit", "default", "tables", "early", "foreign",
              "number", "offset", "unfinished", "waits", "print",
              "recorded", "pinned", "gather", "gather_bytes",
              "pinned_what" } }
local kernels = loom.option { name = "kernels", default = 4,
                              doc = "That run at a time" }
local recording = loom.option { name = "recording", default = "",
                                doc = "Replay this" }

local function same(what, got, want)
  if got ~= want then
    error(("%s: got %s, expected %s"):format(what, tostring(got),
          tostring(want)), 0)
  end
end

local function holds(what, condition)
  if not condition then error(what .. " does not hold", 0) end
end

local function machine(host)
  local gpu = loom.preset.gtx480 { sm_count = 4 }
  gpu.concurrent_kernels = kernels
  local fields = { concurrent_kernels = kernels }
  for name, value in pairs(host or {}) do fields[name] = value end
  gpu.host = loom.host(fields)
  loom.link(gpu.host, gpu)
  return gpu
end

local function go(workload, host, options)
  local spec = { machine = machine(host), workload = workload }
  for key, value in pairs(options or {}) do spec[key] = value end
  return loom.run(spec)
end

-- What `work` leaves of v.
local function after(v, rounds, add)
  for _ = 1, rounds do v = (3 * v + add) & 0xffffffff end
  return v
end

local n = 256

local function start(dev)
  dev:module(ptx)
  return dev:upload(dev:array("u32", n):random(1, 0, 1000), "data")
end

local function launch(dev, to, rounds, add, stream)
  return dev:launch("work", { grid = n // 128, block = 128, stream = stream,
                              args = { to, rounds, add } })
end

-- Every element of `got` is what became of that of `from`.
local function check(dev, got, from, steps)
  for i = 0, n - 1 do
    local want = from[i]
    for _, step in ipairs(steps) do want = after(want, step[1], step[2]) end
    if got[i] ~= want then
      dev:check(false, ("element %d is %d, expected %d"):format(i, got[i],
                                                                want))
    end
  end
  dev:verified "against the CPU"
end

local cases = {}

-- Four kernels of four streams; or of one.
local function four(streams)
  return function(dev)
    dev:module(ptx)
    local from = dev:array("u32", n):random(1, 0, 1000)
    local data, list, out = {}, {}, {}
    for i = 1, 4 do
      data[i] = dev:upload(from, "data" .. i)
      list[i] = dev:stream()
    end
    for i = 1, 4 do
      out[i] = launch(dev, data[i], 300 + i, i, list[streams and i or 1])
    end
    dev:sync()
    for i = 1, 4 do
      check(dev, data[i]:download(), from, { { 300 + i, i } })
      same("id", out[i].id, i - 1)
      same("instructions", out[i].warp_insts, 8 * (12 + 4 * (300 + i)))
      holds("times", dev.functional or out[i].queued <= out[i].start and
                     out[i].start < out[i].stop)
    end
    for i = 2, dev.functional and 1 or 4 do
      if streams and kernels > 1 then
        holds("overlap", out[i].start < out[1].stop)
      else
        holds("order", out[i].start >= out[i - 1].stop)
      end
    end
  end
end

-- Kernels of several streams overlap and give the same results; on a machine
-- that runs one at a time they do not.
function cases.overlap()
  local serial, together = go(four(false)), go(four(true))
  if kernels > 1 then
    holds("overlap is faster", together.cycles * 2 < serial.cycles)
  else
    same("cycles", together.cycles, serial.cycles)
  end
  same("instructions", together.warp_insts, serial.warp_insts)
  same("repeats", go(four(true)).digest, together.digest)
  print(("%d cycles one after the other, %d together"):format(serial.cycles,
                                                              together.cycles))
end

-- A stream keeps its order, with copies between kernels; what the host does
-- to its array after the call does not matter.
function cases.order()
  local function chain(dev)
    local data = start(dev)
    local from = data:download()
    local s, other = dev:stream(), dev:stream()
    local noise = dev:alloc({ type = "u32", count = n }, "noise")
    local k1 = launch(dev, data, 200, 5, s)
    launch(dev, noise, 400, 1, other)
    local mid = data:download { stream = s }
    local text = dev:array("u32", n):fill(7)
    local up = data:upload(text, { stream = s })
    text:fill(8)
    local k2 = launch(dev, data, 100, 2, s)
    local result = data:download { stream = s }
    s:sync()
    check(dev, mid.array, from, { { 200, 5 } })
    check(dev, result.array, dev:array("u32", n):fill(7), { { 100, 2 } })
    holds("order", k1.stop <= mid.start and mid.stop <= up.start and
                   up.stop <= k2.start and k2.stop <= result.start)
  end
  local fast = go(chain)
  local slow = go(chain, { copy_bandwidth = "2GB/s", copy_latency = 1000 })
  holds("copies take time", slow.cycles > fast.cycles + 3 * 1000)
  same("instructions", fast.warp_insts, slow.warp_insts)
end

-- 1 MiB at 4 GB/s is 262.144 us; and 700 cycles of 700 MHz are 1 us.
function cases.copies()
  local bytes = 1 << 20
  local function move(dev)
    local a = dev:alloc(bytes, "a")
    local s, t = dev:stream(), dev:stream()
    local up = a:upload(("x"):rep(bytes), { stream = s })
    local down = a:download { stream = t }
    dev:sync()
    same("content", down.array:sum(), bytes * string.byte "x")
    local want = 262.144e-6 + 1e-6
    holds("duration", math.abs(up.seconds - want) < 3e-9)
    holds("duration down", math.abs(down.seconds - want) < 3e-9)
    local b = dev:alloc(bytes, "b")
    local before = dev:stream():record():sync()
    b:upload(("y"):rep(bytes)) -- the host waits
    local behind = dev:stream():record():sync()
    holds("waited", behind:since(before) >= want - 3e-9)
    return up, down
  end
  local host = { copy_bandwidth = "4GB/s", copy_latency = 700 }
  local one = go(function(dev)
    local up, down = move(dev)
    holds("one engine", down.start >= up.stop)
  end, host)
  host.copy_engines = 2
  go(function(dev)
    local up, down = move(dev)
    same("two engines", down.start, up.start)
  end, host)
  local stats = one.stats "gpu/host"
  same("copies", stats.copies, 3)
  same("up", stats.bytes_to_device, 2 * bytes)
  same("down", stats.bytes_to_host, bytes)
  holds("cycles", stats.copy_cycles > 3 * 183000)
  local free = go(function(dev)
    dev:alloc(bytes, "a"):upload(("x"):rep(bytes))
  end)
  same("no time", free.seconds, 0.0)
  same("counted", free.stats "gpu/host".bytes_to_device, bytes)
end

-- What is not pinned goes through a pinned buffer: 4000 bytes take 2 us there
-- and 1 us more on the bus.  The host's processor also works when told to.
function cases.pinned()
  local run = go(function(dev)
    local a = dev:alloc(4000, "a")
    local s, t = dev:stream(), dev:stream()
    local begin = s:record()
    local up = a:upload(("x"):rep(4000), { stream = s, pinned = false })
    s:sync()
    holds("staged", math.abs(up.time - begin.time - 3e-6) < 5e-9)
    holds("its copy", math.abs(up.seconds - 1e-6) < 3e-9)
    local before = s:record()
    local down = a:download { stream = s, pinned = false }
    local behind = s:record():sync()
    holds("staged down", math.abs(behind:since(before) - 3e-6) < 5e-9)
    same("content", down.array[3999], string.byte "x")
    local work = dev:gather("2000B", { stream = s })
    local other = dev:gather(1000, { stream = t })
    dev:sync()
    holds("worked", math.abs(work.seconds - 1e-6) < 3e-9)
    same("one at a time", other.start, work.stop)
    dev:gather(2000) -- the host program waits
  end, { copy_bandwidth = "4GB/s", gather_bandwidth = "2GB/s" })
  local stats = run.stats "gpu/host"
  same("pieces of work", stats.gathers, 5)
  same("bytes", stats.bytes_gathered, 13000)
  same("copies", stats.copies, 2)
end

local gathers = {
  rate = function(dev) dev:gather(1, { steam = 1 }) end,
  bytes = function(dev) dev:gather "many" end,
  pinned = function(dev)
    dev:alloc(4, "a"):upload("four", { pinned = 1 })
  end,
}

-- Mistakes.
function cases.gather() go(gathers.rate) end

function cases.gather_bytes() go(gathers.bytes) end

function cases.pinned_what() go(gathers.pinned) end

-- Without timing everything is done at once, and all times are 0.
function cases.functional()
  go(function(dev)
    four(true)(dev)
    local s = dev:stream()
    local begin = s:record()
    local data = dev:upload(dev:array("u32", n), "more")
    local k = launch(dev, data, 3, 1, s)
    same("elapsed", s:record():since(begin), 0.0)
    same("seconds", k.seconds, 0.0)
    same("array", data:download { stream = s }.array[0], after(0, 3, 1))
  end)
end

-- Events take the times of what is before them.
function cases.events()
  go(function(dev)
    local data = start(dev)
    local s = dev:stream()
    local begin = s:record()
    local k = launch(dev, data, 500, 1, s)
    local finish = s:record():sync()
    holds("elapsed", finish:since(begin) >= k.stop - k.start)
    same("known", k.seconds, k.stop - k.start)
    same("none", s:record():sync():since(finish) >= 0, true)
  end)
end

-- A stream waits for another one's event.
function cases.waits()
  go(function(dev)
    local data = start(dev)
    local from = data:download()
    local s, t = dev:stream(), dev:stream()
    local first = launch(dev, data, 300, 1, s)
    t:wait(s:record())
    local second = launch(dev, data, 200, 2, t)
    t:wait(first)
    t:sync()
    holds("waited", second.start >= first.stop)
    check(dev, data:download(), from, { { 300, 1 }, { 200, 2 } })
  end)
end

-- Filling and copying within the device, with offsets.
function cases.within()
  local run = go(function(dev)
    local a = dev:alloc({ type = "u32", count = n }, "a"):fill(1)
    local b = dev:alloc({ type = "u32", count = n }, "b")
    b:copy(a, { offset = 16, from_offset = 8, bytes = 8 })
    b:fill(255, { offset = "4B", bytes = 4 })
    local got = b:download()
    same("untouched", got[0], 0)
    same("filled", got[1], 0xffffffff)
    same("copied", got[4] .. " " .. got[5], "16843009 16843009")
    same("behind", got[6], 0)
    same("part", b:download { offset = 16, count = 2 }[1], 16843009)
    local s = dev:stream()
    a:fill(3, { stream = s })
    local copy = a:copy(a, { stream = s, offset = 4, bytes = 8 })
    local down = a:download { stream = s, count = 1 }
    s:sync()
    same("streamed", down.array[0], 0x03030303)
    holds("times", copy.stop >= copy.start)
    local raw = down.array:string()
    same("bytes", raw, "\3\3\3\3")
    same("array of bytes", loom.array("u32", raw)[0], 0x03030303)
  end, { device_bandwidth = "100GB/s" })
  local stats = run.stats "gpu/host"
  same("bytes", stats.bytes_within, 1024 + 8 + 4 + 1024 + 8)
  holds("took time", run.seconds > 0)
end

-- More tasks than the queue takes: the host program waits.
function cases.full()
  local function many(dev)
    local data = start(dev)
    local from = data:download()
    local s, steps = dev:stream(), {}
    for i = 1, 20 do
      launch(dev, data, 10, i, s)
      steps[i] = { 10, i }
    end
    s:sync()
    check(dev, data:download(), from, steps)
  end
  local small, large = go(many, { queue = 3 }), go(many)
  same("instructions", small.warp_insts, large.warp_insts)
  same("kernels", #small.kernels, 20)
end

-- Allocation, freeing and modules wait for everything, as with CUDA.
function cases.implicit()
  go(function(dev)
    local data = start(dev)
    local s = dev:stream()
    local k = launch(dev, data, 500, 1, s)
    dev:alloc(16, "x")
    holds("alloc waited", k.seconds > 0)
    k = launch(dev, data, 500, 1, s)
    dev:free(dev:alloc(16, "y"))
    holds("free waited", k.seconds > 0)
  end)
end

-- The default stream waits for all others, and they for it.
function cases.default()
  go(function(dev)
    local data = start(dev)
    local s, t = dev:stream(), dev:stream()
    local a = launch(dev, data, 300, 1, s)
    local b = launch(dev, data, 300, 1)
    local c = launch(dev, data, 300, 1, t)
    same("ended", b.id, 1)
    holds("before", a.stop <= b.start)
    c:sync()
    holds("after", c.start >= b.stop)
  end)
end

-- What is left open at the end of the host program is done all the same.
function cases.unfinished()
  local run = go(function(dev)
    local data = start(dev)
    launch(dev, data, 300, 1, dev:stream())
  end)
  same("status", run.status, "complete")
  same("kernels", #run.kernels, 1)
end

-- /kernel has times that overlap, streams, and the order of ends; snapshots
-- are taken in that order, too.
function cases.tables()
  go(function(dev)
    dev:module(ptx)
    local a = dev:alloc({ type = "u32", count = n }, "a")
    local b = dev:alloc({ type = "u32", count = n }, "b")
    local s, t = dev:stream(), dev:stream()
    launch(dev, a, 900, 1, s)
    launch(dev, b, 100, 1, t)
  end, nil, { stats = { file = "streams.h5" } })
end

function cases.early()
  go(function(dev)
    local data = start(dev)
    print(launch(dev, data, 300, 1, dev:stream()).seconds)
  end)
end

function cases.foreign()
  local kept
  go(function(dev) kept = dev:stream() end)
  go(function(dev)
    launch(dev, start(dev), 300, 1, kept)
  end)
end

function cases.number()
  go(function(dev) launch(dev, start(dev), 300, 1, 3) end)
end

function cases.offset()
  go(function(dev) dev:alloc(16, "a"):upload("abc", { offset = 14 }) end)
end

-- Texts of kernels appear in the order of launches, whatever overlaps.
function cases.print()
  go(function(dev)
    dev:module [[
.version 7.0
.target sm_50
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[14] = {107,32,37,100,32,99,116,97,32,37,100,10,0};
.entry say(.param .u32 k, .param .u32 rounds)
{
  .local .align 8 .b8 args[8];
  .reg .pred %p1;
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u32 %r1, [k];
  ld.param.u32 %r4, [rounds];
again:
  sub.u32 %r4, %r4, 1;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 bra again;
  mov.u32 %r2, %ctaid.x;
  mov.u64 %rd1, args;
  cvta.local.u64 %rd2, %rd1;
  st.local.u32 [%rd1], %r1;
  st.local.u32 [%rd1+4], %r2;
  mov.u64 %rd3, text;
  cvta.global.u64 %rd4, %rd3;
  {
    .param .b64 f;
    .param .b64 a;
    .param .b32 r;
    st.param.b64 [f], %rd4;
    st.param.b64 [a], %rd2;
    call.uni (r), vprintf, (f, a);
    ld.param.b32 %r3, [r];
  }
  ret;
}
]]
    for i = 1, 3 do
      dev:launch("say", { grid = 2, block = 1, args = { i, 400 // i },
                          stream = dev:stream() })
    end
    dev:launch("say", { grid = 2, block = 1, args = { 4, 1 },
                        interleave = 2 })
  end)
end

local bytes_gathered = 5000

-- All of it in one, to be recorded and replayed.
local function everything(dev)
  dev:module(ptx)
  local from = dev:array("u32", n):random(1, 0, 1000)
  local a, b = dev:upload(from, "a"), dev:upload(from, "b")
  local c = dev:alloc({ type = "u32", count = n }, "c")
  local s, t, u = dev:stream(), dev:stream(), dev:stream()
  local begin = s:record()
  launch(dev, a, 900, 1, s)
  launch(dev, b, 100, 2, t)
  c:fill(1, { stream = u })
  t:wait(begin)
  local early = b:download { stream = t }
  local late = launch(dev, c, 500, 3, u)
  t:sync()
  check(dev, early.array, from, { { 100, 2 } })
  c:copy(b, { stream = t })
  late:sync()
  dev:snapshot "middle"
  dev:gather(bytes_gathered, { stream = u })
  b:upload(from, { stream = t, pinned = false })
  launch(dev, b, 50, 4, s)
  dev:free(dev:alloc(64, "gone"))
  launch(dev, b, 40, 5)
  check(dev, a:download(), from, { { 900, 1 } })
  check(dev, b:download(), from, { { 50, 4 }, { 40, 5 } })
end

function cases.recorded()
  go(recording ~= "" and loom.replay(recording) or everything,
     { copy_bandwidth = "8GB/s", copy_latency = 100,
       device_bandwidth = "80GB/s", copy_engines = 2,
       gather_bandwidth = "2GB/s" },
     { stats = { file = "streams.h5" } })
end

cases[case]()
print(case .. " is as it should be")
