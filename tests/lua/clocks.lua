-- Time that programs read: in a timed run clock registers are when they were
-- issued (docs/decisions/0055-time-that-programs-read.md).
local loom = require "warploom"

local head = ".version 7.0\n.target sm_80\n.address_size 64\n"

-- A kernel of `body` with parameter `out`, at %out.
local function kernel(name, body, more)
  return (".visible .entry %s(.param .u64 out%s)\n{\n" ..
    ".reg .b64 %%out, %%d<20>; .reg .b32 %%r<20>; .reg .f32 %%f<9>;\n" ..
    ".reg .pred %%p<5>;\nld.param.u64 %%out, [out];\n%s\nret;\n}\n"):format(
    name, more or "", body)
end

-- Runs kernel after kernel: { name, grid =, block =, words = } on a machine;
-- returns for each what it wrote, and the run.
local function run(gpu, text, launches, options)
  local out = {}
  local done = loom.run { machine = gpu, workload = loom.workload {
    name = "clocks", run = function(dev)
      dev:module(head .. text)
      for i, l in ipairs(launches) do
        local zero = dev:array("i64", l.words or 64)
        local a = dev:upload(zero)
        local args = { out = a }
        for k, v in pairs(l.args or {}) do args[k] = v(dev) end
        dev:launch(l[1], { grid = l.grid or 1, block = l.block or 1,
                           args = args, cooperative = l.cooperative,
                           interleave = l.interleave })
        local b = dev:download(a)
        out[i] = {}
        for k = 0, (l.words or 64) - 1 do out[i][k] = b[k] end
      end
    end }, sample = options and options.sample }
  return out, done
end

local function near(what, got, want, least, most)
  assert(got >= want + least and got <= want + most,
         ("%s: %g, expected %g + %g..%g"):format(what, got, want, least, most))
end

-- Every number of threads has to tell the same (clocks.sh).
local told = print

local function repeated(text, n)
  return (text .. "\n"):rep(n)
end

-- ---- dependent instructions

-- `body` n times, timed when its instructions are there: the second time.
local function loop(n, body)
  return ("mov.u32 %%r9, 2;\nAGAIN:\nmov.u32 %%r8, %d;\n" ..
    "mov.u64 %%d1, %%clock64;\nTURN:\n%s" .. [[
sub.u32 %%r8, %%r8, 1;
setp.ne.u32 %%p1, %%r8, 0;
@%%p1 bra TURN;
mov.u64 %%d2, %%clock64;
sub.u32 %%r9, %%r9, 1;
setp.ne.u32 %%p1, %%r9, 0;
@%%p1 bra AGAIN;
sub.u64 %%d3, %%d2, %%d1;
st.global.u64 [%%out], %%d3;
]]):format(n, body)
end

local function chain(name, n)
  return kernel(name, "mov.f32 %f1, 0f3F800000;\n" .. loop(n,
    repeated("fma.rn.f32 %f1, %f1, %f1, %f1;", 64)) ..
    "st.global.f32 [%out+8], %f1;")
end

for _, name in ipairs { "gtx480", "qv100", "h100" } do
  local gpu = loom.preset[name] {}
  local out, done = run(gpu, chain("chain", 4) .. chain("long", 20),
                        { { "chain" }, { "long" } })
  local k = done.kernels
  local fma = (k[2].seconds - k[1].seconds) * gpu.clock / 2048
  near(name .. ": 256 dependent fma", out[1][0], 256 * fma, -2 * fma, 10)
  near(name .. ": 1280 of them", out[2][0], 1280 * fma, -2 * fma, 20)
  told(name, out[1][0], out[2][0])
end

local h100 = loom.preset.h100 {}
do
  local mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " ..
    "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, " ..
    "{%f1, %f2, %f3, %f4};"
  local zero = ""
  for i = 1, 6 do zero = zero .. ("mov.u32 %%r%d, 0;\n"):format(i) end
  for i = 1, 4 do zero = zero .. ("mov.f32 %%f%d, 0f00000000;\n"):format(i) end
  local out = run(h100, kernel("mma", zero .. loop(8, repeated(mma, 32)) ..
    "st.global.f32 [%out+8], %f1;"), { { "mma", block = 32 } })
  near("h100: 256 dependent mma", out[1][0], 256 * 24, -48, 20)
  told("mma", out[1][0])
end

-- ---- dependent loads

-- A ring of `nodes` pointers `stride` bytes apart, and 256 steps in it.
local ring = kernel("ring", [[
ld.param.u32 %r1, [nodes];
ld.param.u64 %d1, [at];
mov.u32 %r2, %tid.x;
LAY:
add.u32 %r3, %r2, 1;
rem.u32 %r4, %r3, %r1;
ld.param.u64 %d5, [stride];
cvt.u64.u32 %d2, %r2;
mad.lo.u64 %d3, %d2, %d5, %d1;
cvt.u64.u32 %d2, %r4;
mad.lo.u64 %d4, %d2, %d5, %d1;
st.global.u64 [%d3], %d4;
add.u32 %r2, %r2, 32;
setp.lt.u32 %p1, %r2, %r1;
@%p1 bra LAY;]], ", .param .u64 at, .param .u32 nodes, .param .u64 stride")

local function chase(name, n, cache)
  return kernel(name, "ld.param.u64 %d4, [at];\n" ..
    loop(n, repeated(("ld.global.%s.u64 %%d4, [%%d4];"):format(cache), 16)) ..
    "st.global.u64 [%out+8], %d4;", ", .param .u64 at")
end

-- Of the memory's 681 cycles 26 are refreshes, which are left out here; its
-- lines are so many that banks have other rows open.
for _, case in ipairs { { "l1", 128, 128, 32 }, { "l2", 256, 128, 276 },
                        { "memory", 16384, 4096, 655 } } do
  local level, nodes, stride, latency = table.unpack(case)
  local small = loom.preset.h100 {}
  if level == "memory" then
    for i = 0, #small.l2 - 1 do
      small.l2[i].size_bytes, small.l2[i].ways = "8KiB", 4
    end
    for i = 0, #small.dram - 1 do small.dram[i].trefi = 0 end
  end
  local at
  local out = run(small, ring .. chase("chase", 16,
                                         level == "l2" and "cg" or "ca"), {
    { "ring", block = 32, args = {
        at = function(dev) at = dev:alloc(nodes * stride); return at end,
        nodes = function() return nodes end,
        stride = function() return stride end } },
    { "chase", args = { at = function() return at end } } })
  near("h100: a load from " .. level, out[2][0] / 256, latency,
       -0.02 * latency - 1, 0.02 * latency + 1)
  told(level, out[2][0])
end

-- ---- loops that wait

local spin = [[
mov.u64 %d1, %clock64;
mov.u64 %d5, %globaltimer;
WAIT:
mov.u64 %d2, %clock64;
sub.u64 %d3, %d2, %d1;
setp.lt.u64 %p1, %d3, 10000;
@%p1 bra WAIT;
mov.u64 %d6, %globaltimer;
sub.u64 %d6, %d6, %d5;
st.global.u64 [%out], %d3;
st.global.u64 [%out+8], %d6;
]]

for _, name in ipairs { "gtx480", "qv100", "h100" } do
  local gpu = loom.preset[name] {}
  local out, done = run(gpu, kernel("spin", spin), { { "spin" } })
  near(name .. ": a wait of 10000 cycles", out[1][0], 10000, 0, 100)
  near(name .. ": nanoseconds", out[1][1], out[1][0] / gpu.clock * 1e9, -60, 60)
  local cycles = done.kernels[1].seconds * gpu.clock
  near(name .. ": the launch", cycles, 10000, 0, 4000)
  told(name, out[1][0], out[1][1])
end

-- ---- threads beside each other

local qv100 = loom.preset.qv100 {}

-- CTA 0 sets a flag after 5000 cycles; CTA 1 waits for it.
local flag = kernel("flag", [[
mov.u32 %r1, %ctaid.x;
setp.ne.u32 %p1, %r1, 0;
mov.u64 %d1, %clock64;
@%p1 bra LOOK;
SPIN:
mov.u64 %d2, %clock64;
sub.u64 %d3, %d2, %d1;
setp.lt.u64 %p2, %d3, 5000;
@%p2 bra SPIN;
st.volatile.global.u64 [%out+64], %d2;
st.global.u64 [%out], %d1;
st.global.u64 [%out+8], %d2;
ret;
LOOK:
ld.volatile.global.u64 %d3, [%out+64];
setp.eq.u64 %p2, %d3, 0;
@%p2 bra LOOK;
mov.u64 %d2, %clock64;
st.global.u64 [%out+16], %d1;
st.global.u64 [%out+24], %d2;
]])
do
  local out = run(qv100, flag, { { "flag", grid = 2 } })
  local o = out[1]
  near("two CTAs begin together", o[2], o[0], -20, 20)
  near("one waits for the other", o[3], o[1], 100, 2000)
  told("flag", o[0], o[1], o[2], o[3])
end

-- Half of a warp waits, the other half does not.
local half = kernel("half", [[
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 16;
mov.u64 %d1, %clock64;
@!%p1 bra LATER;
SPIN:
mov.u64 %d2, %clock64;
sub.u64 %d3, %d2, %d1;
setp.lt.u64 %p2, %d3, 1000;
@%p2 bra SPIN;
bra.uni JOIN;
LATER:
mov.u64 %d2, %clock64;
JOIN:
sub.u64 %d3, %d2, %d1;
mul.wide.u32 %d4, %r1, 8;
add.u64 %d4, %d4, %out;
st.global.u64 [%d4], %d3;
]])
do
  local o = run(qv100, half, { { "half", block = 32 } })[1]
  for i = 0, 15 do near("lane " .. i, o[i], 1000, 0, 100) end
  for i = 16, 31 do
    assert(o[i] == o[31] and (o[i] < 200 or o[i] >= 1000),
           ("lane %d: %d"):format(i, o[i]))
  end
  told("half", o[0], o[31])
end

-- Warp 0 comes to the barrier 2000 cycles after the others.
local meet = kernel("meet", [[
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
mov.u64 %d1, %clock64;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra MEET;
SPIN:
mov.u64 %d2, %clock64;
sub.u64 %d3, %d2, %d1;
setp.lt.u64 %p2, %d3, 2000;
@%p2 bra SPIN;
MEET:
mov.u64 %d3, %clock64;
bar.sync 0;
mov.u64 %d2, %clock64;
mul.wide.u32 %d4, %r2, 16;
add.u64 %d4, %d4, %out;
st.global.u64 [%d4], %d3;
st.global.u64 [%d4+8], %d2;
]])
for _, gpu in ipairs { qv100, h100 } do
  local o = run(gpu, meet, { { "meet", block = 256 } })[1]
  for w = 0, 7 do
    near("warp " .. w, o[2 * w + 1], o[0], 1, 100)
    assert(w == 0 or o[2 * w] + 1500 < o[0], "warps came together")
  end
  told("meet", o[0], o[1], o[15])
end

-- A function that reads the clock.
local function call(to)
  return ([[
{
.param .b64 now;
call.uni (now), tick;
ld.param.b64 %s, [now];
}
]]):format(to)
end
local called = [[
.func (.param .b64 now) tick()
{
.reg .b64 %t;
mov.u64 %t, %clock64;
st.param.b64 [now], %t;
ret;
}
]] .. kernel("called", call "%d1" .. [[
mov.u32 %r1, 0;
TURN:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 100;
@%p1 bra TURN;
]] .. call "%d2" .. [[
sub.u64 %d3, %d2, %d1;
st.global.u64 [%out], %d3;
]])
for _, gpu in ipairs { qv100, h100 } do
  local o = run(gpu, called, { { "called" } })[1]
  near("100 turns between two calls", o[0], 1000, 0, 3000)
  told("called", o[0])
end

-- ---- sleep

local nap = kernel("nap", [[
mov.u32 %r1, %tid.x;
mov.u64 %d1, %clock64;
shl.b32 %r2, %r1, 8;
nanosleep.u32 %r2;
mov.u64 %d2, %clock64;
sub.u64 %d3, %d2, %d1;
mul.wide.u32 %d4, %r1, 8;
add.u64 %d4, %d4, %out;
st.global.u64 [%d4], %d3;
]]) .. kernel("doze", "nanosleep.u32 5000;\nnanosleep.u32 0;")
for _, gpu in ipairs { qv100, h100 } do
  local out, done = run(gpu, nap, { { "nap", block = 64 }, { "doze" } })
  local o = out[1]
  near("as long as the longest", o[0], 31 * 256e-9 * gpu.clock, 0, 60)
  near("another warp", o[63], 63 * 256e-9 * gpu.clock, 0, 60)
  assert(o[0] == o[31], "lanes that slept together")
  near("a kernel that only sleeps", done.kernels[2].seconds * 1e9, 5000, 0, 1500)
  told("nap", o[0], o[63])
end

-- ---- where a CTA is

local place = kernel("place", [[
mov.u32 %r1, %smid;
mov.u32 %r2, %nsmid;
mov.u32 %r3, %ctaid.x;
mul.wide.u32 %d1, %r3, 8;
add.u64 %d1, %d1, %out;
st.global.v2.u32 [%d1], {%r1, %r2};]])
do
  local gpu = loom.preset.qv100 {}
  local o = run(gpu, place, {
    { "place", grid = 30 }, { "place", grid = 30, cooperative = true } })
  for cta = 0, 29 do
    for i = 1, 2 do
      assert(o[i][cta] == (80 << 32 | cta), ("CTA %d is on SM %d of %d"):format(
             cta, o[i][cta] & 0xFFFFFFFF, o[i][cta] >> 32))
    end
  end
end

-- ---- the same in other kinds of runs

-- CTAs that wait for each other, with or without `cooperative`.
local all = kernel("all", [[
mov.u64 %d1, %clock64;
atom.global.add.u64 %d2, [%out], 1;
ALL:
ld.volatile.global.u64 %d2, [%out];
setp.lt.u64 %p1, %d2, 8;
@%p1 bra ALL;
mov.u64 %d2, %clock64;
sub.u64 %d3, %d2, %d1;
mov.u32 %r1, %ctaid.x;
mul.wide.u32 %d4, %r1, 8;
add.u64 %d4, %d4, %out;
st.global.u64 [%d4+8], %d3;
]])
do
  local out = run(qv100, all, { { "all", grid = 8 },
                                { "all", grid = 8, cooperative = true } })
  for i = 1, 2 do
    assert(out[i][0] == 8, "not all came")
    for k = 1, 8 do near("CTA " .. k, out[i][k], 0, 200, 3000) end
    told("all", out[i][1], out[i][8])
  end
end

-- A sampled run simulates such launches in full.
do
  local many = { { "meet", grid = 400, block = 256 } }
  local small = loom.preset.tiny {}
  local full, whole = run(small, meet, many)
  local part, sampled = run(small, meet, many, { sample = true })
  assert(full[1][0] == part[1][0] and full[1][15] == part[1][15] and
         whole.kernels[1].seconds == sampled.kernels[1].seconds and
         sampled.sampled == 0, "a sampled run reads other times")
end
print "clocks are what they are said to be"
