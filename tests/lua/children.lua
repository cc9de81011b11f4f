-- Kernels that launch kernels, as their PTX asks for it: results, and when
-- what they launch begins and ends.
local loom = require "warploom"

------------------------------------------------------------------------------
-- PTX

local declared, externs, labels = {}, {}, 0

-- A call of the system; arguments and result are { type, register or number },
-- "dim" is a struct dim3 of which the first is given.
local function call(name, result, ...)
  name = "__cudaCDP2" .. name
  local types, lines, names = {}, {}, {}
  for i, arg in ipairs { ... } do
    local kind, value = arg[1], arg[2]
    names[i] = "p" .. i
    if kind == "dim" then
      types[i] = (".param .align 4 .b8 a%d[12]"):format(i)
      lines[#lines + 1] = (".param .align 4 .b8 p%d[12];"):format(i)
      for k, v in ipairs { value, 1, 1 } do
        lines[#lines + 1] = ("st.param.b32 [p%d+%d], %s;"):format(i, 4 * k - 4,
                                                                 v)
      end
    else
      types[i] = (".param .%s a%d"):format(kind, i)
      lines[#lines + 1] = (".param .%s p%d;\nst.param.%s [p%d], %s;"):format(
        kind, i, kind, i, value)
    end
  end
  if not declared[name] then
    declared[name] = true
    externs[#externs + 1] = (".extern .func (.param .%s r) %s (%s);"):format(
      result[1], name, table.concat(types, ", "))
  end
  return ("{\n%s\n.param .%s q;\ncall.uni (q), %s, (%s);\n" ..
          "ld.param.%s %s, [q];\n}\n"):format(table.concat(lines, "\n"),
          result[1], name, table.concat(names, ", "), result[1], result[2])
end

-- One that answers with an error, in %r5.
local function system(name, ...)
  return call(name, { "b32", "%r5" }, ...)
end

-- Launches work(%rd2, 300, value) in a stream.
local function launch(threads, stream, value)
  labels = labels + 1
  return table.concat {
    "mov.u64 %rd0, work;\n",
    call("GetParameterBufferV2", { "b64", "%rd1" }, { "b64", "%rd0" },
         { "dim", 1 }, { "dim", threads }, { "b32", 0 }),
    ("setp.eq.s64 %%p2, %%rd1, 0;\n@%%p2 bra none%d;\n"):format(labels),
    "st.u64 [%rd1], %rd2;\nst.u32 [%rd1+8], 300;\n",
    ("st.u32 [%%rd1+12], %s;\n"):format(value),
    system("LaunchDeviceV2", { "b64", "%rd1" }, { "b64", stream }),
    ("none%d:\n"):format(labels) }
end

-- data[thread] += value, after `count` rounds.
local work = [[
.visible .entry work(.param .u64 data, .param .u32 count, .param .u32 value)
{
 .reg .b32 %r<6>;
 .reg .b64 %rd<4>;
 .reg .pred %p;
 ld.param.u64 %rd0, [data];
 ld.param.u32 %r0, [count];
 ld.param.u32 %r1, [value];
one:
 add.s32 %r0, %r0, -1;
 setp.gt.s32 %p, %r0, 0;
 @%p bra one;
 mov.u32 %r2, %tid.x;
 mul.wide.u32 %rd1, %r2, 4;
 add.s64 %rd1, %rd0, %rd1;
 atom.global.add.u32 %r3, [%rd1], %r1;
 ret;
}
]]

local registers = [[
 .reg .b32 %r<8>;
 .reg .b64 %rd<10>;
 .reg .pred %p<3>;
]]

-- CTA 0 launches `work` so often, in that stream, each with the number of
-- launches as its value; then all do `count` rounds.
local function parent_text(threads)
  return [[
.visible .entry parent(.param .u64 data, .param .u32 count,
                       .param .u64 stream, .param .u32 launches)
{
]] .. registers .. [[
 mov.u32 %r0, %tid.x;
 mov.u32 %r1, %ctaid.x;
 or.b32 %r0, %r0, %r1;
 setp.ne.s32 %p0, %r0, 0;
 ld.param.u32 %r3, [launches];
 ld.param.u64 %rd2, [data];
 ld.param.u64 %rd3, [stream];
 mov.u32 %r4, 0;
 @%p0 bra rounds;
again:
 setp.ge.u32 %p1, %r4, %r3;
 @%p1 bra rounds;
 add.u32 %r4, %r4, 1;
]] .. launch(threads, "%rd3", "%r4") .. [[
 bra again;
rounds:
 ld.param.u32 %r2, [count];
two:
 add.s32 %r2, %r2, -1;
 setp.gt.s32 %p1, %r2, 0;
 @%p1 bra two;
 ret;
}
]]
end

-- One thread: fills and counts in a stream of its own, waits for that in
-- another one, where it copies what is there then to what is 32 numbers behind
-- it; after all, adds 1000.  A launch that cannot be; memory.
local tasks = [[
.visible .entry tasks(.param .u64 data, .param .u64 rows)
{
 .local .align 8 .b8 place[32];
 .reg .b64 %at;
]] .. registers .. [[
 mov.u64 %rd8, place;
 cvta.local.u64 %at, %rd8;
 ld.param.u64 %rd2, [data];
 ld.param.u64 %rd3, [rows];
 add.s64 %rd7, %rd2, 128;
]] .. launch(32, 3, 1000) ..
  system("StreamCreateWithFlags", { "b64", "%at" }, { "b32", 1 }) .. [[
 ld.u64 %rd4, [%at];
]] .. system("StreamCreateWithFlags", { "b64", "%at" }, { "b32", 1 }) .. [[
 ld.u64 %rd5, [%at];
]] .. system("EventCreateWithFlags", { "b64", "%at" }, { "b32", 2 }) .. [[
 ld.u64 %rd6, [%at];
]] .. system("StreamWaitEvent", { "b64", "%rd5" }, { "b64", "%rd6" },
             { "b32", 0 }) -- not recorded: for nothing
  .. system("MemsetAsync", { "b64", "%rd2" }, { "b32", 1 }, { "b64", 128 },
            { "b64", "%rd4" })
  .. launch(32, "%rd4", 5)
  .. system("EventRecord", { "b64", "%rd6" }, { "b64", "%rd4" })
  .. system("StreamWaitEvent", { "b64", "%rd5" }, { "b64", "%rd6" },
            { "b32", 0 })
  .. system("MemcpyAsync", { "b64", "%rd7" }, { "b64", "%rd2" },
            { "b64", 128 }, { "b32", 3 }, { "b64", "%rd5" })
  .. system("Memset2DAsync", { "b64", "%rd3" }, { "b64", 16 }, { "b32", 2 },
            { "b64", 4 }, { "b64", 3 }, { "b64", "%rd4" })
  .. system("Memcpy2DAsync", { "b64", "%rd3" }, { "b64", 32 },
            { "b64", "%rd3" }, { "b64", 16 }, { "b64", 8 }, { "b64", 2 },
            { "b32", 3 }, { "b64", "%rd4" })
  .. system("Memset2DAsync", { "b64", "%rd3" }, { "b64", 3 }, { "b32", 2 },
            { "b64", 4 }, { "b64", 1 << 60 }, { "b64", "%rd4" }) .. [[
 st.u32 [%rd7+156], %r5;
]]
  .. system("MemsetAsync", { "b64", "%rd3" }, { "b32", 2 }, { "b64", 0 },
            { "b64", "%rd4" })
  .. system("GetLastError")
  .. call("GetErrorString", { "b64", "%rd9" }, { "b32", 1 }) .. [[
 ld.u32 %r5, [%rd9+8];
 st.u32 [%rd7+160], %r5;
]]
  .. system("EventDestroy", { "b64", "%rd6" })
  .. system("StreamDestroy", { "b64", "%rd4" }) .. launch(2000, 0, 9)
  .. system("PeekAtLastError") .. [[
 st.u32 [%rd7+128], %r5;
]] .. system("GetLastError") .. [[
 st.u32 [%rd7+132], %r5;
]] .. system("GetLastError") .. [[
 st.u32 [%rd7+136], %r5;
]] .. system("MemcpyAsync", { "b64", 64 }, { "b64", "%rd2" }, { "b64", 128 },
             { "b32", 3 }, { "b64", 0 }) .. [[
 st.u32 [%rd7+140], %r5;
]] .. system("Malloc", { "b64", "%at" }, { "b64", 64 }) .. [[
 st.u32 [%rd7+144], %r5;
 ld.u64 %rd9, [%at];
 st.u32 [%rd9+60], %r5;
]] .. system("Free", { "b64", "%rd9" }) .. system("GetDevice",
                                                 { "b64", "%at" }) .. [[
 ld.u32 %r5, [%at];
 st.u32 [%rd7+148], %r5;
]] .. system("GetDeviceCount", { "b64", "%at" }) .. [[
 ld.u32 %r5, [%at];
 st.u32 [%rd7+152], %r5;
 ret;
}
]]

local function module(threads)
  local first = parent_text(threads)
  return ".version 8.0\n.target sm_80\n.address_size 64\n" ..
         table.concat(externs, "\n") .. "\n" .. work .. first .. tasks
end

------------------------------------------------------------------------------
-- Runs

local CTA, LAST, ALONE = 0, 3, 4

-- One launch of `parent`, in the default stream or another one, and one of
-- `work` behind it.
local function run(spec)
  local seen, gpu = {}, loom.preset.tiny { concurrent_kernels = 8 }
  gpu.host = loom.host { concurrent_kernels = 8 }
  loom.link(gpu.host, gpu)
  local result = loom.run { machine = gpu, timed = spec.timed,
                            workload = function(dev)
    local stream = spec.stream and dev:stream() or nil
    local data = dev:alloc({ type = "u32", count = 32 }, "data")
    data:fill(0)
    dev:module(module(spec.block or 32))
    dev:launch("parent", { grid = 2, block = 32, stream = stream,
                           args = { data, spec.count or 1, spec.to or CTA,
                                    spec.launches or 3 } })
    dev:launch("work", { grid = 1, block = 32, stream = stream,
                         args = { data, 1, 100 } })
    dev:sync()
    seen.sum = data:download()[0]
  end }
  seen.kernel = {}
  for _, k in ipairs(result.kernels) do seen.kernel[k.id] = k end
  return seen
end

-- The sum of 1 to 3, and what comes behind all of them.
for _, to in ipairs { CTA, LAST, ALONE, 16 } do
  for _, stream in ipairs { false, true } do
    assert(run { to = to, stream = stream }.sum == 106)
    assert(run { to = to, stream = stream, timed = { first = 4 } }.sum == 106)
  end
end
assert(run { launches = 0 }.sum == 100)
assert(run { block = 2000 }.sum == 100) -- it cannot be, and is not

-- The host program's numbers of launches: 0 is the parent, the last one is what
-- comes behind it.
local function times(spec)
  local k = run(spec).kernel
  local children = {}
  for i = 1, #k - 1 do children[i] = k[i] end
  return k[0], children, k[#k]
end

for _, stream in ipairs { false, true } do
  -- In the stream of a CTA: one after the other, beside the parent.
  local parent, child, behind = times { count = 20000, stream = stream }
  assert(#child == 3 and child[1].name == "work" and behind.name == "work")
  assert(child[1].start > parent.start and child[3].stop < parent.stop)
  assert(child[1].stop <= child[2].start and child[2].stop <= child[3].start)
  assert(behind.start >= parent.stop)

  -- Beside each other, after the calls that launch them.
  parent, child = times { to = ALONE, count = 20000, stream = stream }
  assert(child[1].start > parent.start and child[3].start < child[1].stop)
  assert(child[3].stop < parent.stop)
  assert(child[1].start < child[2].start and child[2].start < child[3].start)

  -- After the parent, and before what comes behind it.
  parent, child, behind = times { to = LAST, count = 2000, stream = stream }
  assert(child[1].start >= parent.stop and child[3].stop <= behind.start)

  -- A parent that is over soon: what comes behind waits for its children.
  parent, child, behind = times { to = ALONE, stream = stream }
  assert(parent.stop < child[3].stop and behind.start >= child[3].stop)
end

-- Copies, fills, events, errors, memory.
local function task_run(more)
  local spec = { machine = loom.preset.tiny {}, workload = function(dev)
    local data = dev:alloc({ type = "u32", count = 73 }, "data")
    local rows = dev:alloc({ type = "u32", count = 12 }, "rows")
    dev:module(module(32))
    data:fill(0)
    rows:fill(0)
    dev:launch("tasks", { grid = 1, block = 1, args = { data, rows } })
    dev:launch("work", { grid = 1, block = 32, args = { data, 1, 0 } })
    local got = data:download()
    assert(got[0] == 0x01010101 + 1005 and got[31] == got[0], got[0])
    assert(got[32] == 0x01010101 + 5 and got[63] == got[32], got[32])
    for i, want in ipairs { 9, 9, 0, 1, 0, 0, 1, 1,
                            (string.unpack("<I4", "argument")) } do
      assert(got[63 + i] == want, ("%d: %d"):format(i, got[63 + i]))
    end
    local two = 0x02020202 -- rows 0, 1, 2, of which 0 and 1 go to 0 and 2
    for i, want in ipairs { two, 0, 0, 0, two, 0, 0, 0, two, 0, 0, 0 } do
      assert(rows:download()[i - 1] == want, i)
    end
  end }
  for name, value in pairs(more or {}) do spec[name] = value end
  return loom.run(spec)
end
local whole = task_run()
task_run { timed = { first = 3 } }

-- A run that goes on from behind them has the same bits.
local file = os.tmpname()
assert(task_run { checkpoint = { file = file, after = 3 } }.digest ==
       whole.digest)
assert(task_run { from = file }.digest == whole.digest)
os.remove(file)
