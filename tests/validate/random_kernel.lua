-- Random small kernels, and what they compute, worked out here in Lua.
--
--   local kernel = require "random_kernel"
--   loom.run { machine = .., workload = kernel.workload(seed) }
--
-- Every thread carries a number through a list of steps: loads at addresses
-- that depend on it, exchanges through shared memory between barriers,
-- branches on it, loops of a length that depends on it, atomics, constants,
-- textures, local memory, and operations of all classes whose result is not
-- used.
-- Order matters nowhere, so the reference is simple: all threads of a CTA,
-- step by step.
local M = {}

-- A generator of its own for each purpose: xorshift of 64 bits.
function M.generator(seed)
  local x = (seed * 0x9E3779B97F4A7C15) ~ 0x2545F4914F6CDD1D
  if x == 0 then x = 1 end
  local function next_bits()
    x = x ~ (x << 13)
    x = x ~ (x >> 7)
    x = x ~ (x << 17)
    return (x * 0x2545F4914F6CDD1D) >> 33
  end
  -- A whole number in low..high.
  local function draw(low, high)
    return low + next_bits() % (high - low + 1)
  end
  return draw
end

local mask32 = 0xFFFFFFFF
local words = 1024    -- of the input, 4 KiB
local counters = 64   -- of atomics
local constants = 256

------------------------------------------------------------------------------
-- Steps: each has text, and a function of (state of the CTA, thread).

local steps = {}

-- v = v * k + in[(v >> s ^ c) % words]
function steps.load(draw)
  local s, c = draw(0, 12), draw(0, words - 1)
  local k = draw(0, 500) * 2 + 1
  local suffix = ({ "", ".ca", ".cg", ".cv" })[draw(1, 4)]
  return ([[
  shr.u32 %%r10, %%r1, %d;
  xor.b32 %%r10, %%r10, %d;
  and.b32 %%r10, %%r10, %d;
  mul.wide.u32 %%rd10, %%r10, 4;
  add.s64 %%rd10, %%rd1, %%rd10;
  ld.global%s.u32 %%r11, [%%rd10];
  mad.lo.s32 %%r1, %%r1, %d, %%r11;
]]):format(s, c, words - 1, suffix, k), function(cta, t)
    local v = cta.v[t]
    cta.v[t] = v * k + cta.input[((v >> s) ~ c) & words - 1] & mask32
  end
end

-- Neighbouring words: a coalesced load, of one word or of four.
function steps.coalesced(draw)
  local base = draw(0, words // 8 - 1) * 4
  local wide = draw(0, 1) == 1
  return ([[
  add.s32 %%r10, %%r2, %d;
  %s
  and.b32 %%r10, %%r10, %d;
  mul.wide.u32 %%rd10, %%r10, 4;
  add.s64 %%rd10, %%rd1, %%rd10;
  %s
  xor.b32 %%r1, %%r1, %%r11;
]]):format(base, wide and "shl.b32 %r10, %r10, 2;" or "", words - 1,
           wide and "ld.global.v4.u32 {%r11, %r12, %r13, %r14}, [%rd10];" or
           "ld.global.u32 %r11, [%rd10];"), function(cta, t)
    local i = cta.tid[t] + base
    if wide then i = i << 2 end
    cta.v[t] = cta.v[t] ~ cta.input[i & words - 1]
  end
end

-- shared[tid] = v; barrier; v += shared[tid ^ c within the CTA]; barrier
function steps.exchange(draw)
  local c = draw(1, 255)
  local function partner(t, threads) return (t + c) % threads end
  return ([[
  mul.lo.u32 %%r10, %%r2, 4;
  add.s32 %%r10, %%r9, %%r10;
  st.shared.u32 [%%r10], %%r1;
  bar.sync 0;
  add.s32 %%r10, %%r2, %d;
  rem.u32 %%r10, %%r10, %%r3;
  mad.lo.s32 %%r10, %%r10, 4, %%r9;
  ld.shared.u32 %%r11, [%%r10];
  add.s32 %%r1, %%r1, %%r11;
  bar.sync 0;
]]):format(c), function(cta, t)
    cta.new[t] = cta.v[t] + cta.v[partner(t, cta.threads)] & mask32
  end
end

-- if (v & m) v = v * 3 + c, a load under a branch; else v ^= c
function steps.branch(draw)
  local m, c = 1 << draw(0, 4), draw(1, 1 << 20)
  return ([[
  and.b32 %%r10, %%r1, %d;
  setp.eq.u32 %%p1, %%r10, 0;
  @%%p1 bra ELSE_@;
  mad.lo.s32 %%r1, %%r1, 3, %d;
  and.b32 %%r10, %%r1, %d;
  mul.wide.u32 %%rd10, %%r10, 4;
  add.s64 %%rd10, %%rd1, %%rd10;
  ld.global.u32 %%r11, [%%rd10];
  add.s32 %%r1, %%r1, %%r11;
  bra END_@;
ELSE_@:
  xor.b32 %%r1, %%r1, %d;
END_@:
]]):format(m, c, words - 1, c), function(cta, t)
    local v = cta.v[t]
    if v & m ~= 0 then
      v = v * 3 + c & mask32
      v = v + cta.input[v & words - 1] & mask32
    else
      v = v ~ c
    end
    cta.v[t] = v
  end
end

-- for (n = v & 7; n > 0; n--) v = v * 5 + n
function steps.loop()
  return [[
  and.b32 %r10, %r1, 7;
  setp.eq.u32 %p1, %r10, 0;
  @%p1 bra END_@;
LOOP_@:
  mad.lo.s32 %r1, %r1, 5, %r10;
  add.s32 %r10, %r10, -1;
  setp.ne.u32 %p1, %r10, 0;
  @%p1 bra LOOP_@;
END_@:
]], function(cta, t)
    local v = cta.v[t]
    for n = v & 7, 1, -1 do v = v * 5 + n & mask32 end
    cta.v[t] = v
  end
end

-- counter[v & m] += 1, by atomics with and without a result.
function steps.atomic(draw)
  local m, result = counters // (1 << draw(0, 6)) - 1, draw(0, 1) == 1
  return ([[
  and.b32 %%r10, %%r1, %d;
  mul.wide.u32 %%rd10, %%r10, 4;
  add.s64 %%rd10, %%rd3, %%rd10;
  %s
]]):format(m, result and "atom.global.add.u32 %r15, [%rd10], 1;" or
              "red.global.add.u32 [%rd10], 1;"), function(cta, t)
    local i = cta.v[t] & m
    cta.counter[i] = cta.counter[i] + 1
  end
end

-- shared counters, summed into v of every thread.
function steps.shared_atomic(draw, threads)
  local m = draw(0, math.min(15, threads - 1))
  return ([[
  setp.gt.u32 %%p1, %%r2, 15;
  mad.lo.s32 %%r10, %%r2, 4, %%r9;
  @!%%p1 st.shared.u32 [%%r10], 0;
  bar.sync 0;
  and.b32 %%r10, %%r1, %d;
  mad.lo.s32 %%r10, %%r10, 4, %%r9;
  red.shared.add.u32 [%%r10], 1;
  bar.sync 0;
  ld.shared.u32 %%r11, [%%r10];
  add.s32 %%r1, %%r1, %%r11;
  bar.sync 0;
]]):format(m), function(cta, t)
    if t == 0 then -- the first: how many have which counter
      cta.count = {}
      for other = 0, cta.threads - 1 do
        local own = cta.v[other] & m
        cta.count[own] = (cta.count[own] or 0) + 1
      end
    end
    cta.new[t] = cta.v[t] + cta.count[cta.v[t] & m] & mask32
  end
end

-- v += constant[(v or c) % constants]
function steps.constant(draw)
  local c, same = draw(0, constants - 1), draw(0, 1) == 1
  return ([[
  %s
  mul.wide.u32 %%rd10, %%r10, 4;
  mov.u64 %%rd11, table;
  add.s64 %%rd10, %%rd11, %%rd10;
  ld.const.u32 %%r11, [%%rd10];
  add.s32 %%r1, %%r1, %%r11;
]]):format(same and ("mov.u32 %%r10, %d;"):format(c) or
           ("and.b32 %%r10, %%r1, %d;"):format(constants - 1)),
  function(cta, t)
    local i = same and c or cta.v[t] & constants - 1
    cta.v[t] = cta.v[t] + cta.constant[i] & mask32
  end
end

-- v ^= texture of the input at (v >> s) & (words - 1)
function steps.texture(draw)
  local s = draw(0, 12)
  return ([[
  shr.u32 %%r10, %%r1, %d;
  and.b32 %%r10, %%r10, %d;
  tex.1d.v4.u32.s32 {%%r11, %%r12, %%r13, %%r14}, [texels, {%%r10}];
  xor.b32 %%r1, %%r1, %%r11;
]]):format(s, words - 1), function(cta, t)
    local v = cta.v[t]
    cta.v[t] = v ~ cta.input[v >> s & words - 1]
  end
end

-- local[v & 3] = v; v ^= local[c] with all four words written before.
function steps.local_memory(draw)
  local c = draw(0, 3)
  return ([[
  mov.u64 %%rd11, scratch;
  st.local.u32 [%%rd11], %%r1;
  st.local.u32 [%%rd11+4], %%r2;
  st.local.u32 [%%rd11+8], %%r1;
  st.local.u32 [%%rd11+12], %%r3;
  ld.local.u32 %%r11, [%%rd11+%d];
  add.s32 %%r1, %%r1, %%r11;
]]):format(4 * c), function(cta, t)
    local held = { cta.v[t], cta.tid[t], cta.v[t], cta.threads }
    cta.v[t] = cta.v[t] + held[c + 1] & mask32
  end
end

-- Operations of other classes; their results are not used.
local dead = {
  "add.f32 %f1, %f1, %f2;", "fma.rn.f32 %f1, %f1, %f2, %f2;",
  "max.f32 %f2, %f1, %f2;", "div.rn.f32 %f1, %f2, %f1;",
  "rcp.approx.f32 %f1, %f2;", "sin.approx.f32 %f2, %f1;",
  "add.f64 %fd1, %fd1, %fd1;", "mul.f64 %fd1, %fd1, %fd1;",
  "fma.rn.f64 %fd1, %fd1, %fd1, %fd1;", "div.rn.f64 %fd1, %fd1, %fd1;",
  "min.s32 %r16, %r1, %r2;", "div.u32 %r16, %r1, 7;",
  "mul.lo.s32 %r16, %r1, %r2;", "membar.gl;", "membar.cta;",
  "{ .reg .pred q; setp.ne.u32 q, %r1, 0; vote.ballot.b32 %r16, q; }",
  "prefetch.global.L1 [%rd1];",
}
function steps.arithmetic(draw)
  local list = {}
  for i = 1, draw(1, 6) do list[i] = "  " .. dead[draw(1, #dead)] end
  return table.concat(list, "\n") .. "\n", function() end
end

-- out[id] = v, in the middle of everything.
function steps.store()
  return [[
  st.global.u32 [%rd4], %r1;
]], function() end
end

local step_names = { "load", "load", "coalesced", "exchange", "branch", "loop",
                     "atomic", "shared_atomic", "constant", "local_memory",
                     "arithmetic", "arithmetic", "store" }

------------------------------------------------------------------------------

local head = [[
.version 3.2
.target sm_20
.address_size 64
.const .align 4 .b8 table[1024];
.global .texref texels;
.entry random(.param .u64 in, .param .u64 out, .param .u64 counter)
{
  .reg .pred %p<3>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<12>;
  .reg .f32 %f<4>;
  .reg .f64 %fd<3>;
  .shared .align 4 .b8 room[4096];
  .local .align 4 .b8 scratch[16];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [counter];
  mov.u32 %r9, room;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %ctaid.x;
  mad.lo.s32 %r5, %r4, %r3, %r2;
  mul.wide.u32 %rd4, %r5, 4;
  add.s64 %rd4, %rd2, %rd4;
  mad.lo.s32 %r1, %r5, 2654435, 12345;
  cvt.rn.f32.u32 %f1, %r5;
  mov.f32 %f2, 0f3FC00000;
  cvt.f64.f32 %fd1, %f1;
]]
local tail = "  st.global.u32 [%rd4], %r1;\n  ret;\n}\n"

-- The kernel of a seed: text, steps, shape of the launch.
function M.kernel(seed)
  local draw = M.generator(seed)
  local text, run = { head }, {}
  local threads = draw(0, 2) == 0 and draw(1, 256) or 32 * draw(1, 8)
  for i = 1, draw(2, 10) do
    local name = step_names[draw(1, #step_names)]
    local piece, step = steps[name](draw, threads)
    text[#text + 1] = piece:gsub("@([:;])", i .. "%1")
    run[i] = step
  end
  -- From numbers of its own: the steps before stay those of the seed.
  local other = M.generator(seed + (1 << 32))
  if other(1, 3) == 1 then
    text[#text + 1], run[#run + 1] = steps.texture(other)
  end
  text[#text + 1] = tail
  return { text = table.concat(text), steps = run, threads = threads,
           ctas = draw(1, 6), launches = draw(1, 2) }
end

local function run_cta(kernel, cta)
  for _, step in ipairs(kernel.steps) do
    cta.new = {}
    for t = 0, kernel.threads - 1 do step(cta, t) end
    for t, v in pairs(cta.new) do cta.v[t] = v end
  end
end

-- What the kernel computes: its output and its counters.
local function reference(kernel, input, constant, counter)
  local out = {}
  for number = 0, kernel.ctas - 1 do
    local cta = { v = {}, tid = {}, threads = kernel.threads, input = input,
                  constant = constant, counter = counter }
    for t = 0, kernel.threads - 1 do
      local id = number * kernel.threads + t
      cta.v[t], cta.tid[t] = id * 2654435 + 12345 & mask32, t
    end
    run_cta(kernel, cta)
    for t = 0, kernel.threads - 1 do
      out[number * kernel.threads + t] = cta.v[t]
    end
  end
  return out
end

-- With `more` it has more CTAs and launches.
function M.workload(seed, more)
  local kernel = M.kernel(seed)
  if more then kernel.ctas, kernel.launches = more.ctas, more.launches end
  return function(dev)
    local draw = M.generator(seed + 1)
    dev:module(kernel.text)
    local input, constant, counter, bytes = {}, {}, {}, {}
    for i = 0, words - 1 do input[i] = draw(0, mask32 >> 1) end
    for i = 0, constants - 1 do
      constant[i] = draw(0, mask32 >> 1)
      bytes[i + 1] = string.pack("<I4", constant[i])
    end
    for i = 0, counters - 1 do counter[i] = 0 end
    dev:constant("table", table.concat(bytes))
    local din = dev:alloc({ type = "u32", count = words }, "in")
    din:upload(function(i) return input[i] end)
    dev:bind("texels", dev:texture { buffer = din, format = "u32" })
    local dout = dev:alloc({ type = "u32",
                             count = kernel.threads * kernel.ctas }, "out")
    local dcounter = dev:alloc({ type = "u32", count = counters }, "counter")
    for _ = 1, kernel.launches do
      dev:launch("random", { grid = kernel.ctas, block = kernel.threads,
                             args = { din, dout, dcounter } })
      local want = reference(kernel, input, constant, counter)
      local got, sums = dout:download(), dcounter:download()
      for i = 0, #got - 1 do
        if got[i] ~= want[i] then
          dev:check(false, ("out[%d] is %d, expected %d"):format(i, got[i],
                                                                 want[i]))
        end
      end
      for i = 0, counters - 1 do
        dev:check(sums[i] == counter[i], ("counter %d is %d, expected %d")
                  :format(i, sums[i], counter[i]))
      end
    end
    dev:verified "every word, against Lua"
  end
end

return M
