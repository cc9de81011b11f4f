-- Micro-kernels, as PTX that is made here: chains of dependent instructions
-- (latency), independent ones from many warps (throughput), chases through
-- memory, streams, atomics.  No clock is read: a kernel runs with two numbers
-- of iterations, and the difference of its durations is that of the rest.
--
-- A case is { name =, run = function(dev), value = function(ns, clock) }, which
-- makes of its launches' durations what it measures; `clock`: the card's, in
-- GHz, where it is not that of other kernels.

local M = {}

local head = [[
.version 7.0
.target sm_80
.address_size 64
]]

-- Registers of all kernels here.
local registers = [[
 .reg .b16 %h<32>;
 .reg .b32 %r<64>;
 .reg .f32 %f<64>;
 .reg .f64 %d<32>;
 .reg .b64 %rd<32>;
 .reg .pred %p<8>;
]]

-- %r0: iterations; out: where nothing is ever stored, which ptxas can't know.
local function kernel(name, setup, body, finish)
  return ([[
.visible .entry %s(.param .u64 out, .param .u32 iterations, .param .u32 a,
                   .param .u32 b)
{
%s .shared .align 16 .b8 mem[32768];
 ld.param.u64 %%rd0, [out];
 ld.param.u32 %%r0, [iterations];
 ld.param.u32 %%r1, [a];
 ld.param.u32 %%r2, [b];
 mov.u32 %%r3, %%tid.x;
%s
again:
%s
 add.s32 %%r0, %%r0, -1;
 setp.ne.s32 %%p0, %%r0, 0;
 @%%p0 bra again;
%s
 ret;
}
]]):format(name, registers, setup, body, finish)
end

-- Instructions of a chain: `op` with $x for the register that goes on, $a, $b
-- for operands that do not change; `type`: of the registers.  `count`: how
-- many instructions of the card one is.
local chains = {
  { "fma.f32", "f", "fma.rn.f32 $x, $x, $a, $b;" },
  { "add.f32", "f", "add.f32 $x, $x, $a;" },
  { "mul.f32", "f", "mul.f32 $x, $x, $a;" },
  { "mad.s32", "r", "mad.lo.s32 $x, $x, $a, $b;" },
  { "lop3", "r", "lop3.b32 $x, $x, $a, $b, 0x6a;" },
  { "shf", "r", "shf.l.wrap.b32 $x, $x, $a, $b;" },
  { "add+lop3", "r", "add.s32 $x, $x, $a; lop3.b32 $x, $x, $a, $b, 0x6a;", 2 },
  { "min+max", "r", "min.s32 $x, $x, $a; max.s32 $x, $x, $b;", 2 },
  { "prmt", "r", "prmt.b32 $x, $x, $a, $b;" },
  { "setp+selp", "r", "setp.lt.s32 %p1, $x, $a; selp.b32 $x, $a, $b, %p1;", 2 },
  { "popc+lop3", "r", "popc.b32 $x, $x; lop3.b32 $x, $x, $a, $b, 0x6a;", 2 },
  { "brev+lop3", "r", "brev.b32 $x, $x; lop3.b32 $x, $x, $a, $b, 0x6a;", 2 },
  { "clz+lop3", "r", "clz.b32 $x, $x; lop3.b32 $x, $x, $a, $b, 0x6a;", 2 },
  { "dp4a", "r", "dp4a.s32.s32 $x, $a, $b, $x;" },
  { "cvt.i2f+f2i", "r",
    "cvt.rn.f32.s32 %f60, $x; cvt.rzi.s32.f32 $x, %f60;", 2 },
  { "ex2", "f", "ex2.approx.ftz.f32 $x, $x;" },
  { "lg2+add", "f", "lg2.approx.ftz.f32 $x, $x; add.f32 $x, $x, $a;", 2 },
  { "rcp+add", "f", "rcp.approx.ftz.f32 $x, $x; add.f32 $x, $x, $a;", 2 },
  { "rsqrt", "f", "rsqrt.approx.ftz.f32 $x, $x;" },
  { "sin", "f", "sin.approx.ftz.f32 $x, $x;", 2 }, -- and a multiplication
  { "fma.f64", "d", "fma.rn.f64 $x, $x, $a, $b;" },
  { "add.f64", "d", "add.f64 $x, $x, $a;" },
  { "mul.f64", "d", "mul.f64 $x, $x, $a;" },
  { "fma.f16x2", "r", "fma.rn.f16x2 $x, $x, $a, $b;" },
  { "shfl.bfly", "r", "shfl.sync.bfly.b32 $x, $x, 1, 31, -1;" },
  { "shfl.up", "r", "shfl.sync.up.b32 $x, $x, 1, 0, -1;" },
  { "vote.ballot", "r", "setp.lt.u32 %p1, $x, $a;" ..
    "vote.sync.ballot.b32 $x, %p1, -1;", 2 },
  { "mma.m16n8k16.f16.f32", "f",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " ..
    "{$x,$y,$z,$w},{%r40,%r41,%r42,%r43},{%r44,%r45},{$x,$y,$z,$w};" },
  { "mma.m16n8k16.bf16.f32", "f",
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " ..
    "{$x,$y,$z,$w},{%r40,%r41,%r42,%r43},{%r44,%r45},{$x,$y,$z,$w};" },
  { "mma.m16n8k8.f16.f32", "f",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " ..
    "{$x,$y,$z,$w},{%r40,%r41},{%r44},{$x,$y,$z,$w};" },
  { "mma.m16n8k8.tf32", "f",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " ..
    "{$x,$y,$z,$w},{%r40,%r41,%r42,%r43},{%r44,%r45},{$x,$y,$z,$w};" },
  { "mma.m16n8k4.tf32", "f",
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " ..
    "{$x,$y,$z,$w},{%r40,%r41},{%r44},{$x,$y,$z,$w};" },
  { "mma.m16n8k32.s8", "r",
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " ..
    "{$x,$y,$z,$w},{%r40,%r41,%r42,%r43},{%r44,%r45},{$x,$y,$z,$w};" },
  { "mma.m16n8k16.s8", "r",
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 " ..
    "{$x,$y,$z,$w},{%r40,%r41},{%r44},{$x,$y,$z,$w};" },
  { "mma.m8n8k4.f64", "d",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 " ..
    "{$x,$y},{%d30},{%d31},{$x,$y};" },
  { "lds", "r", "ld.shared.u32 $x, [$x];" },
}

local widths = { f = "f32", r = "b32", d = "f64" }

-- `ways` independent chains of `count` operations; chain i goes on in
-- registers 4 i + 8 ...
local function chain_body(op, kind, ways, count)
  local body = {}
  for _ = 1, count do
    for way = 0, ways - 1 do
      local base = 8 + 4 * way
      body[#body + 1] = " " .. op:gsub("%$(%a)", function(which)
        local offset = ({ x = 0, y = 1, z = 2, w = 3 })[which]
        if offset then return ("%%%s%d"):format(kind, base + offset) end
        return ("%%%s%d"):format(kind, which == "a" and 4 or 5)
      end)
    end
  end
  return table.concat(body, "\n")
end

local function chain_kernel(name, op, kind, ways, count)
  local setup = {}
  local function add(fmt, ...) setup[#setup + 1] = " " .. fmt:format(...) end
  for i = 40, 47 do add("add.u32 %%r%d, %%r1, %d;", i, i) end
  add("cvt.rn.f64.u32 %%d30, %%r1;")
  add("cvt.rn.f64.u32 %%d31, %%r2;")
  if op:find "%.shared" then -- a word that holds its own address
    add("mov.u32 %%r6, mem;")
    add("and.b32 %%r7, %%r3, 31;")
    add("shl.b32 %%r7, %%r7, 2;")
    add("add.u32 %%r6, %%r6, %%r7;")
    add("st.shared.u32 [%%r6], %%r6;")
    add("bar.sync 0;")
  end
  for i = 4, 5 do
    local from = i == 4 and "%r1" or "%r2"
    if kind == "f" then
      add("cvt.rn.f32.u32 %%f%d, %s;", i, from)
    elseif kind == "d" then
      add("cvt.rn.f64.u32 %%d%d, %s;", i, from)
    else
      add("mov.u32 %%r%d, %s;", i, from)
    end
  end
  for i = 8, 8 + 4 * ways - 1 do
    if kind == "r" then
      add(op:find "%.shared" and "mov.u32 %%r%d, %%r6;" or
          "add.u32 %%r%d, %%r3, %d;", i, i)
    else
      add("cvt.rn.%s.u32 %%%s%d, %%r3;", widths[kind], kind, i)
    end
  end
  local finish = {}
  for i = 8, 8 + 4 * ways - 1 do
    if op:find("%$w") or (i - 8) % 4 == 0 or op:find("%$y") and
       (i - 8) % 4 == 1 then
      local test = kind == "r" and "eq.u32" or "eq." .. widths[kind]
      local value = kind == "r" and "%r2" or kind == "f" and "0f4640e400" or
                    "0d40c81c8000000000"
      finish[#finish + 1] = (" setp.%s %%p2, %%%s%d, %s;"):format(test, kind,
                                                                  i, value)
      finish[#finish + 1] = (" @%%p2 st.global.%s [%%rd0], %%%s%d;"):format(
        widths[kind], kind, i)
    end
  end
  return kernel(name, table.concat(setup, "\n"),
                chain_body(op, kind, ways, count), table.concat(finish, "\n"))
end

-- GHz of both cards while products of matrices of at most 32 bits are made, on
-- one SM or on all: probe.cu.
local TENSOR_CLOCK = 1.8

local cases = {}
local function case(name, unit, run, value)
  cases[#cases + 1] = { name = name, unit = unit, run = run, value = value }
  return cases[#cases]
end

local function twice(dev, name, grid, block, few, many, a, b)
  local out = dev:alloc({ type = "u32", count = 4 }, "out")
  for _, count in ipairs { few, many } do
    dev:launch(name, { grid = grid, block = block,
                       args = { out, count, a or 3, b or 5 } })
  end
end

local function tensor_clock(name)
  return name:find "^mma" and not name:find "f64" and TENSOR_CLOCK or nil
end

-- The latency of an operation of `chains`, `length` of them in a turn of the
-- loop, whose end is in the value too.
local function latency(one, length)
  local name, kind, op = table.unpack(one)
  local turns = 32768 // length
  return "latency " .. name, "cycles", function(dev)
    dev:module(head .. chain_kernel("chain", op, kind, 1, length))
    twice(dev, "chain", 1, 32, 64, 64 + turns)
  end, function(t, clock) return (t[2] - t[1]) * clock / (turns * length) end
end

for _, one in ipairs(chains) do
  local name, kind, op, count = table.unpack(one)
  count = count or 1
  case(latency(one, 32)).clock = tensor_clock(name)
  -- Four chains of each of 8 warps of a part: an SM's rate.
  case("rate " .. name, "lanes", function(dev)
    dev:module(head .. chain_kernel("chain", op, kind, 4, 8))
    twice(dev, "chain", 1, 1024, 16, 144)
  end, function(t, clock)
    return 128 * 32 * 1024 * count / ((t[2] - t[1]) * clock)
  end).clock = tensor_clock(name)
end

-- Barriers of CTAs of some warps.
for _, warps in ipairs { 1, 2, 4, 8, 16, 32 } do
  case(("barrier %d warps"):format(warps), "cycles", function(dev)
    dev:module(head .. kernel("chain", "", (" bar.sync 0;\n"):rep(32), ""))
    twice(dev, "chain", 1, 32 * warps, 64, 1088)
  end, function(t, clock) return (t[2] - t[1]) * clock / (1024 * 32) end)
end

-- Chases.  Places of `stride` bytes are visited in an order that a linear
-- congruence makes; `make` writes those that `steps` steps visit.
local chase = head .. [[
.visible .entry make(.param .u64 at, .param .u32 places, .param .u32 steps,
                     .param .u32 stride, .param .u32 factor)
{
 .reg .b32 %r<16>;
 .reg .b64 %rd<16>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [at];
 ld.param.u32 %r0, [places];
 ld.param.u32 %r1, [steps];
 ld.param.u32 %r2, [stride];
 ld.param.u32 %r3, [factor];
 mov.u32 %r4, %ctaid.x;
 mov.u32 %r5, %ntid.x;
 mov.u32 %r6, %tid.x;
 mad.lo.u32 %r7, %r4, %r5, %r6;
 setp.ge.u32 %p0, %r7, %r1;
 @%p0 ret;
 add.u32 %r8, %r0, -1;
 mul.lo.u32 %r9, %r7, %r3;
 and.b32 %r9, %r9, %r8;
 add.u32 %r10, %r7, 1;
 setp.eq.u32 %p1, %r10, %r1;
 selp.b32 %r10, 0, %r10, %p1;
 mul.lo.u32 %r11, %r10, %r3;
 and.b32 %r11, %r11, %r8;
 mul.wide.u32 %rd1, %r9, %r2;
 mul.wide.u32 %rd2, %r11, %r2;
 add.u64 %rd3, %rd0, %rd1;
 add.u64 %rd4, %rd0, %rd2;
 st.global.u64 [%rd3], %rd4;
 ret;
}
.visible .entry chase(.param .u64 at, .param .u32 steps)
{
 .reg .b32 %r<4>;
 .reg .b64 %rd<4>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [at];
 ld.param.u32 %r0, [steps];
 ld.global.u64 %rd1, [%rd0];
again:
 ld.global.CACHE.u64 %rd1, [%rd1];
 ld.global.CACHE.u64 %rd1, [%rd1];
 ld.global.CACHE.u64 %rd1, [%rd1];
 ld.global.CACHE.u64 %rd1, [%rd1];
 add.s32 %r0, %r0, -4;
 setp.gt.s32 %p0, %r0, 0;
 @%p0 bra again;
 setp.eq.u64 %p1, %rd1, 0;
 @%p1 st.global.u64 [%rd0], %rd1;
 ret;
}
]]

local function chase_case(bytes, stride, cache, most)
  local places = bytes // stride
  local steps = math.min(places, most or 1 << 17)
  return case(("chase.%s %d stride %d steps %d"):format(cache, bytes, stride,
                                                        steps), "cycles",
              function(dev)
    dev:module((chase:gsub("CACHE", cache)))
    local at = dev:alloc(bytes, "places")
    dev:launch("make", { grid = (steps + 255) // 256, block = 256,
                         args = { at, places, steps, stride, 2654435769 } })
    -- Once around to warm; then half and one and a half rounds.
    local some = math.max(steps // 2, 512)
    for _, count in ipairs { steps, some, 3 * some } do
      dev:launch("chase", { grid = 1, block = 1, args = { at, count } })
    end
    return some
  end, function(t, clock)
    return (t[4] - t[3]) * clock / (2 * math.max(steps // 2, 512))
  end)
end

for _, kib in ipairs { 4, 16, 32, 64, 128, 160, 192, 224, 256, 384, 512 } do
  if kib & kib - 1 == 0 then chase_case(kib << 10, 128, "ca") end
end
for _, mib in ipairs { 1, 2, 4, 8, 16, 32, 64, 128, 256 } do
  chase_case(mib << 20, 128, "cg", 1 << 21)
end
-- One line each time: how far it is depends on where it is.
case("near and far", "cycles", function(dev)
  dev:module(head .. [[
.visible .entry line(.param .u64 at, .param .u32 offset, .param .u32 steps)
{
 .reg .b32 %r<4>;
 .reg .b64 %rd<4>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [at];
 ld.param.u32 %r0, [steps];
 ld.param.u32 %r1, [offset];
 cvt.u64.u32 %rd1, %r1;
 add.u64 %rd1, %rd0, %rd1;
 st.global.u64 [%rd1], %rd1;
again:
 ld.global.cg.u64 %rd1, [%rd1];
 ld.global.cg.u64 %rd1, [%rd1];
 ld.global.cg.u64 %rd1, [%rd1];
 ld.global.cg.u64 %rd1, [%rd1];
 add.s32 %r0, %r0, -4;
 setp.gt.s32 %p0, %r0, 0;
 @%p0 bra again;
 setp.eq.u64 %p1, %rd1, 0;
 @%p1 st.global.u64 [%rd0], %rd1;
 ret;
}
]])
  local at = dev:alloc(1 << 20, "lines")
  for line = 0, 127 do
    for _, steps in ipairs { 64, 576 } do
      dev:launch("line", { grid = 1, block = 1,
                           args = { at, line * 128, steps } })
    end
  end
end, function(t, clock)
  local sum = 0
  for i = 1, #t, 2 do sum = sum + (t[i + 1] - t[i]) * clock / 512 end
  return sum / (#t / 2)
end)
-- Few lines, far apart: translations.
for _, mib in ipairs { 64, 256, 1024, 2048, 4096, 8192, 16384, 32768 } do
  chase_case(mib << 20, 2 << 20, "cg")
  chase_case(mib << 20, 64 << 10, "cg", 1 << 15)
end

-- Lines that a copy left in the L2, where SMs have not been, once and again.
-- The elements are offsets of the next ones, which costs an addition.
local offsets = head .. [[
.visible .entry offsets(.param .u64 at, .param .u32 first, .param .u32 steps)
{
 .reg .b32 %r<4>;
 .reg .b64 %rd<4>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [at];
 ld.param.u32 %r1, [first];
 ld.param.u32 %r0, [steps];
again:
 cvt.u64.u32 %rd1, %r1;
 add.u64 %rd1, %rd0, %rd1;
 ld.global.cg.u32 %r1, [%rd1];
 add.s32 %r0, %r0, -1;
 setp.gt.s32 %p0, %r0, 0;
 @%p0 bra again;
 setp.eq.u32 %p1, %r1, 1;
 @%p1 st.global.u32 [%rd0], %r1;
 ret;
}
]]

for _, one in ipairs { { "first", 0 }, { "again", 2 } } do
  case("touch " .. one[1], "cycles", function(dev)
    dev:module(offsets)
    local at = dev:alloc({ type = "u32", count = 16384 }, "offsets")
    at:upload(function(i)
      return i % 32 == 0 and (i // 32 * 167 + 167) % 512 * 128 or 0
    end)
    for _ = 1, 2 do
      for _, part in ipairs { { 0, 64 }, { 64 * 167 % 512, 448 } } do
        dev:launch("offsets", { grid = 1, block = 1,
                                args = { at, part[1] * 128, part[2] } })
      end
    end
  end, function(t, clock)
    return (t[one[2] + 2] - t[one[2] + 1]) * clock / 384
  end)
end

-- Streams: each thread `v4` elements, a grid stride apart.
local stream = head .. [[
.visible .entry stream(.param .u64 a, .param .u64 b, .param .u64 c,
                       .param .u64 n, .param .u32 rounds)
{
 .reg .b32 %r<40>;
 .reg .f32 %f<64>;
 .reg .b64 %rd<40>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [a];
 ld.param.u64 %rd1, [b];
 ld.param.u64 %rd2, [c];
 ld.param.u64 %rd3, [n];
 ld.param.u32 %r20, [rounds];
 mov.u32 %r0, %ctaid.x;
 mov.u32 %r1, %ntid.x;
 mov.u32 %r2, %tid.x;
 mov.u32 %r3, %nctaid.x;
 mad.lo.u32 %r4, %r0, %r1, %r2;
 mul.wide.u32 %rd4, %r4, 16;
 mul.lo.u32 %r5, %r3, %r1;
 mul.wide.u32 %rd5, %r5, 16;
 mov.f32 %f40, 0f00000000;
round:
 mov.u64 %rd6, %rd4;
again:
BODY
 setp.lt.u64 %p0, %rd6, %rd3;
 @%p0 bra again;
 add.s32 %r20, %r20, -1;
 setp.ne.s32 %p1, %r20, 0;
 @%p1 bra round;
 setp.eq.f32 %p2, %f40, 0f4640e400;
 @%p2 st.global.f32 [%rd0], %f40;
 ret;
}
]]

-- Four accesses of 16 bytes before the first use.
local function stream_body(reads, writes, cache)
  local lines = {}
  local function add(fmt, ...) lines[#lines + 1] = " " .. fmt:format(...) end
  for i = 0, 3 do
    for k = 0, reads - 1 do
      add("add.u64 %%rd%d, %%rd%d, %%rd6;", 10 + 4 * k + i, k)
    end
    if writes > 0 then add("add.u64 %%rd%d, %%rd2, %%rd6;", 30 + i) end
    add("add.u64 %%rd6, %%rd6, %%rd5;")
  end
  for k = 0, reads - 1 do
    for i = 0, 3 do
      local f = 16 * k + 4 * i
      add("ld.global%s.v4.f32 {%%f%d,%%f%d,%%f%d,%%f%d}, [%%rd%d];",
          cache or "", f, f + 1, f + 2, f + 3, 10 + 4 * k + i)
    end
  end
  for i = 0, 3 do
    for j = 0, 3 do
      local f = 4 * i + j
      if reads == 2 then
        add("fma.rn.f32 %%f%d, %%f%d, 0f40000000, %%f%d;", f, f, f + 16)
      elseif writes == 0 then
        add("add.f32 %%f40, %%f40, %%f%d;", f)
      elseif reads == 0 then
        add("mov.f32 %%f%d, 0f3f800000;", f)
      end
    end
    if writes > 0 then
      local f = 4 * i
      add("st.global.v4.f32 [%%rd%d], {%%f%d,%%f%d,%%f%d,%%f%d};", 30 + i, f,
          f + 1, f + 2, f + 3)
    end
  end
  return table.concat(lines, "\n")
end

local kinds = { read = { 1, 0 }, write = { 0, 1 }, copy = { 1, 1 },
                triad = { 2, 1 } }

-- Bytes per ns; rounds over `bytes` of each array.
local function stream_case(kind, bytes, ctas, threads, few, many, label)
  local reads, writes = table.unpack(kinds[kind])
  local whole = ctas * threads * 64 -- what all threads do at a time
  bytes = (bytes + whole - 1) // whole * whole
  case(("stream %s %d ctas %d threads %d%s"):format(kind, bytes, ctas, threads,
                                                    label or ""), "B/ns",
       function(dev)
    dev:module(M.stream(kind))
    local a = dev:alloc(bytes, "a")
    local b = reads == 2 and dev:alloc(bytes, "b") or a
    local c = writes == 1 and dev:alloc(bytes, "c") or a
    for _, rounds in ipairs { few, many } do
      dev:launch("stream", { grid = ctas, block = threads,
                             args = { a, b, c, bytes, rounds } })
    end
  end, function(t)
    return (reads + writes) * bytes * (many - few) / (t[2] - t[1])
  end)
end

for _, kind in ipairs { "read", "write", "copy", "triad" } do
  for _, mib in ipairs { 4, 16, 64, 256, 1024 } do
    stream_case(kind, mib << 20, 264, 1024, mib < 64 and 4 or 1,
                mib < 64 and 12 or 3)
  end
end
for _, ctas in ipairs { 1, 2, 4, 8, 16, 33, 66, 132 } do
  stream_case("read", 512 << 20, ctas, 1024, 1, 2)
  stream_case("read", 8 << 20, ctas, 1024, 2, 10)
end
for _, threads in ipairs { 32, 128, 256, 512 } do
  stream_case("read", 8 << 20, 132, threads, 2, 6)
  stream_case("read", 512 << 20, 132, threads, 1, 2)
end
-- Within the L1 of one SM.
for _, kib in ipairs { 64, 128 } do
  stream_case("read", kib << 10, 1, 1024, 64, 576)
end

-- Atomics of all threads: on one word, on one of each warp, of each thread.
local atomics = head .. [[
.visible .entry atomics(.param .u64 at, .param .u32 iterations,
                        .param .u32 per_warp, .param .u32 per_thread)
{
 .reg .b32 %r<16>;
 .reg .b64 %rd<8>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [at];
 ld.param.u32 %r0, [iterations];
 ld.param.u32 %r10, [per_warp];
 ld.param.u32 %r11, [per_thread];
 mov.u32 %r1, %ctaid.x;
 mov.u32 %r2, %ntid.x;
 mov.u32 %r3, %tid.x;
 mad.lo.u32 %r4, %r1, %r2, %r3;
 shr.u32 %r5, %r4, 5;
 and.b32 %r6, %r4, 31;
 mul.lo.u32 %r7, %r5, %r10;
 mad.lo.u32 %r7, %r6, %r11, %r7;
 cvt.u64.u32 %rd1, %r7;
 add.u64 %rd2, %rd0, %rd1;
again:
 BODY
 BODY
 BODY
 BODY
 add.s32 %r0, %r0, -1;
 setp.ne.s32 %p0, %r0, 0;
 @%p0 bra again;
 ret;
}
]]

for _, one in ipairs { { "same", 0, 0 }, { "warp", 128, 0 },
                       { "thread", 128, 4 } } do
  for _, op in ipairs { "red.global.add.u32 [%rd2], 1;",
                        "atom.global.add.u32 %r9, [%rd2], %r9;",
                        "red.global.add.f32 [%rd2], 0f3f800000;",
                        "atom.global.cas.b32 %r9, [%rd2], %r9, %r3;" } do
    local name = op:match "^%a+%.global%.[%w.]+"
    case(("atomic %s %s"):format(name, one[1]), "lanes/ns",
         function(dev, few_and_many)
      local at = dev:alloc(264 * 32 * 128, "at")
      dev:module((atomics:gsub("BODY", function() return op end)))
      for _, count in ipairs(few_and_many or { 4, 20 }) do
        dev:launch("atomics", { grid = 264, block = 1024,
                                args = { at, count, one[2], one[3] } })
      end
    end, function(t) return 264 * 1024 * 16 * 4 / (t[2] - t[1]) end)
  end
end

-- Sectors from places all over memory: 8 loads of 4 bytes by each thread.
local random = head .. [[
.visible .entry random(.param .u64 at, .param .u32 rounds, .param .u32 mask)
{
 .reg .b32 %r<40>;
 .reg .b64 %rd<40>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [at];
 ld.param.u32 %r0, [rounds];
 ld.param.u32 %r1, [mask];
 mov.u32 %r2, %ctaid.x;
 mov.u32 %r3, %ntid.x;
 mov.u32 %r4, %tid.x;
 mad.lo.u32 %r5, %r2, %r3, %r4;
 add.u32 %r5, %r5, 1;
 mul.lo.u32 %r5, %r5, 1640531527;
 mov.u32 %r30, 0;
again:
BODY
 add.s32 %r0, %r0, -1;
 setp.ne.s32 %p0, %r0, 0;
 @%p0 bra again;
 setp.eq.u32 %p1, %r30, 12345;
 @%p1 st.global.u32 [%rd0], %r30;
 ret;
}
]]

local function random_body(unit)
  local lines = {}
  for i = 0, 7 do
    lines[#lines + 1] = (" mad.lo.u32 %%r5, %%r5, 1664525, 1013904223;\n" ..
      " shr.u32 %%r6, %%r5, 4;\n and.b32 %%r6, %%r6, %%r1;\n" ..
      " mul.wide.u32 %%rd1, %%r6, %d;\n add.u64 %%rd%d, %%rd0, %%rd1;"):format(
      unit, 10 + i)
  end
  for i = 0, 7 do
    lines[#lines + 1] = (" ld.global.cg.u32 %%r%d, [%%rd%d];"):format(10 + i,
                                                                     10 + i)
  end
  for i = 0, 7 do
    lines[#lines + 1] = (" add.u32 %%r30, %%r30, %%r%d;"):format(10 + i)
  end
  return table.concat(lines, "\n")
end

for _, unit in ipairs { 32, 64, 128 } do
  for _, mib in ipairs { 16, 512 } do
    case(("random sectors unit %d of %d MiB"):format(unit, mib), "sectors/ns",
         function(dev)
      dev:module((random:gsub("BODY", function() return random_body(unit) end)))
      local at = dev:alloc(mib << 20, "at")
      for _, rounds in ipairs { 4, 12 } do
        dev:launch("random", { grid = 264, block = 1024,
                               args = { at, rounds, (mib << 20) // unit - 1 } })
      end
    end, function(t) return 264 * 1024 * 64 / (t[2] - t[1]) end)
  end
end

-- The text of a kernel that reads, writes, copies ...
function M.stream(kind)
  return (stream:gsub("BODY", function()
    return stream_body(table.unpack(kinds[kind]))
  end))
end

for _, one in ipairs(require "wgmma") do
  one.clock = TENSOR_CLOCK
  cases[#cases + 1] = one
end
for _, one in ipairs(require "patterns"(M.stream "read")) do
  cases[#cases + 1] = one
end

-- Arrays that a stream goes through.
function M.traffic(kind) return kinds[kind][1] + kinds[kind][2] end

-- A chase that is not in the list: of other cards than those measured here.
function M.chase(...)
  local made = chase_case(...)
  table.remove(cases)
  return made
end

-- A latency with hardly any loop in it, as others publish them.
function M.chain(name)
  for _, one in ipairs(chains) do
    if one[1] == name then
      local what, unit, run, value = latency(one, 512)
      return { name = what, unit = unit, run = run, value = value }
    end
  end
end

function M.list(_, pattern)
  local list = {}
  for _, one in ipairs(cases) do
    if one.name:find(pattern) then list[#list + 1] = one end
  end
  return list
end

function M.workload(loom, one)
  return loom.workload { name = one.name, run = one.run }
end

return M
