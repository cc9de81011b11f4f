-- The micro-kernels on presets of cards that were not measured here, beside
-- what others have published of them:
--
--   WARPLOOM_PATH=tests/silicon warploom --unsafe run -q
--     tests/silicon/published.lua --set preset=v100 --set only=latency
--
-- Sources: "benches" github.com/te42kyfo/gpu-benches (copy with more cards:
-- github.com/xxrjun/gpu-benches), folders gpu-latency and gpu-cache;
-- "Jia" arXiv:1804.06826 and "Ampere" Abdelkhalik et al., arXiv:2208.11174,
-- both quoted from memory; "guide" the CUDA C Programming Guide, arithmetic
-- instructions: results per cycle and SM.  Of GA102 and AD102 the cards were an
-- A40 and an L40.  Latencies of caches and memory are those of
-- tests/validate/latencies.lua.
local loom = require "warploom"
local micro = require "micro"

local wanted = loom.option { name = "preset", default = "",
                             doc = "The preset; all if empty" }
local only = loom.option { name = "only", default = "",
                           doc = "A pattern of names" }
local limit = loom.option { name = "limit", default = 0.0, min = 0,
                            doc = "Fail if an error is larger; 0: never" }

-- name, published, source, and what is run where that is not the case called
-- so: a case, whose value is divided by the clock in GHz if that is wanted.

-- One CTA that reads 64 KiB again and again, with little else in the loop.
local from_l1 = [[
.version 7.0
.target sm_70
.address_size 64
.visible .entry again(.param .u64 at, .param .u32 rounds)
{
 .reg .b32 %r<4>;
 .reg .f32 %f<64>;
 .reg .b64 %rd<4>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [at];
 ld.param.u32 %r0, [rounds];
 mov.u32 %r1, %tid.x;
 mul.wide.u32 %rd1, %r1, 16;
 add.u64 %rd1, %rd0, %rd1;
 mov.f32 %f60, 0f00000000;
again:
BODY
 add.s32 %r0, %r0, -1;
 setp.ne.s32 %p0, %r0, 0;
 @%p0 bra again;
 setp.eq.f32 %p1, %f60, 0f4640e400;
 @%p1 st.global.f32 [%rd0], %f60;
 ret;
}
]]

local function l1(value, source)
  local lines = {}
  for i = 0, 3 do
    lines[i + 1] = (" ld.global.ca.v4.f32 {%%f%d,%%f%d,%%f%d,%%f%d}, " ..
      "[%%rd1+%d];"):format(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, i << 14)
    lines[i + 5] = (" add.f32 %%f60, %%f60, %%f%d;"):format(4 * i)
  end
  local function run(dev)
    local body = table.concat(lines, "\n")
    dev:module((from_l1:gsub("BODY", function() return body end)))
    local at = dev:alloc(64 << 10, "at")
    for _, rounds in ipairs { 1, 16, 80 } do -- once for the L2
      dev:launch("again", { grid = 1, block = 1024, args = { at, rounds } })
    end
  end
  local function rate(t) return 64 * (64 << 10) / (t[3] - t[2]) end
  return { "L1, bytes per cycle", value, source,
           { name = "L1", run = run, value = rate }, true }
end

-- What a page costs whose entry the first TLB does not have, or the second
-- either: lines of 16 pages, and of 512 that are as far apart as is said.
local function translation(name, stride, value, source)
  return { name, value, source, { pages = stride } }
end

-- From kernel to kernel of a graph, which has no gap: 4096 f64 are multiplied.
local scale = [[
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 to, .param .u64 from, .param .u32 n)
{
 .reg .b32 %r<4>;
 .reg .f64 %d0;
 .reg .b64 %rd<4>;
 .reg .pred %p0;
 ld.param.u64 %rd0, [to];
 ld.param.u64 %rd1, [from];
 ld.param.u32 %r0, [n];
 mov.u32 %r1, %ctaid.x;
 mov.u32 %r2, %ntid.x;
 mov.u32 %r3, %tid.x;
 mad.lo.u32 %r1, %r1, %r2, %r3;
 setp.ge.u32 %p0, %r1, %r0;
 @%p0 ret;
 mul.wide.u32 %rd2, %r1, 8;
 add.u64 %rd1, %rd1, %rd2;
 add.u64 %rd0, %rd0, %rd2;
 ld.global.f64 %d0, [%rd1];
 mul.f64 %d0, %d0, 0d3FD0000000000000;
 st.global.f64 [%rd0], %d0;
 ret;
}
]]

local function launches(value, file)
  return { "launch after launch, ns", value,
           "benches, gpu-small-kernels: " .. file,
           { launches = true } }
end

local function interval(preset)
  local g = loom.preset[preset] {}
  g.launch_gap = 0
  local run = loom.run { machine = g, workload = loom.workload {
    name = "launches", run = function(dev)
      dev:module(scale)
      local a, b = dev:alloc(32768, "a"), dev:alloc(32768, "b")
      for _ = 1, 8 do
        dev:launch("scale", { grid = 17, block = 256, args = { a, b, 4096 } })
        a, b = b, a
      end
    end } }
  return (run.kernels[8].start - run.kernels[4].start) / 4 * 1e9
end

local loop = "guide: 128; the loop has 3 instructions beside 32"

local cards = {
  v100 = {
    { "latency fma.f32", 4, "Jia" }, { "latency mad.s32", 5, "Jia" },
    { "latency lop3", 4, "Jia" }, { "latency fma.f64", 8, "Jia" },
    { "latency lds", 19, "Jia" },
    { "rate fma.f32", 64, "guide" }, { "rate mad.s32", 64, "guide" },
    { "rate ex2", 16, "guide" }, { "rate fma.f64", 32, "guide" },
    l1(126, "benches, v100: 13.9 TB/s of 80 SMs"),
    translation("TLB miss, cycles", 2, 8.9,
                "benches, v100: 434.1 - 425.3, 1.9 GiB and to 32 MiB"),
    translation("second TLB miss, cycles", 32, 654, "Jia: 1029 - 375"),
  },
  a100 = {
    { "latency fma.f32", 4, "Ampere" }, { "latency lop3", 4, "Ampere" },
    { "rate fma.f32", 64, "guide" }, { "rate ex2", 16, "guide" },
    { "rate fma.f64", 32, "guide" },
    l1(125, "benches, a100_80: 19.1 TB/s of 108 SMs"),
    launches(1350, "a100_80_graph, 48.5 GB/s"),
  },
  rtx3090 = {
    { "latency fma.f32", 4, "Ampere" }, { "latency lop3", 4, "Ampere" },
    { "rate fma.f32", 128 * 32 / 35, loop }, { "rate ex2", 16, "guide" },
    { "rate fma.f64", 2, "guide" },
    l1(64, "benches, a40: 9.35 TB/s of 84 SMs"),
    launches(1092, "a40_graph, 60 GB/s"),
    translation("TLB miss, cycles", 2, 9.9,
                "benches, a40: 556.6 - 546.7, 2.1 GiB and to 32 MiB"),
  },
  rtx4090 = {
    { "latency fma.f32", 4, "Ampere" }, { "latency lop3", 4, "Ampere" },
    { "rate fma.f32", 128 * 32 / 35, loop }, { "rate ex2", 16, "guide" },
    { "rate fma.f64", 2, "guide" },
    l1(64, "benches, l40: 22.6 TB/s of 142 SMs"),
    launches(936, "l40_graph, 70 GB/s"),
    translation("TLB miss, cycles", 2, 9.9, "as rtx3090"),
  },
}

local function value_of(preset, case, per_cycle)
  local g = loom.preset[preset] {}
  local run = loom.run { machine = g, memory = "64GiB",
                         workload = micro.workload(loom, case) }
  local times = {}
  for i, k in ipairs(run.kernels) do times[i] = k.seconds * 1e9 end
  local value = case.value(times, g.clock / 1e9)
  return per_cycle and value / (g.clock / 1e9) or value
end

local function here(preset, row)
  if row[4] and row[4].launches then return interval(preset) end
  if row[4] and row[4].pages then
    local stride = row[4].pages << 20
    local far = micro.chase(512 * stride, stride, "cg")
    local near = micro.chase(32 << 20, 2 << 20, "cg")
    return value_of(preset, far) - value_of(preset, near)
  end
  local name = "^" .. row[1]:gsub("%.", "%%.") .. "$"
  local chain = micro.chain(row[1]:match "^latency (.*)" or "")
  local case = row[4] or chain or micro.list(loom, name)[1]
  return value_of(preset, case, row[5])
end

print(("%-8s %-28s %9s %9s %8s  %s"):format("preset", "micro-kernel",
                                           "published", "here", "error",
                                           "source"))
local far, count = 0, 0
for _, preset in ipairs { "v100", "a100", "rtx3090", "rtx4090" } do
  for _, row in ipairs(cards[preset]) do
    if (wanted == "" or wanted == preset) and row[1]:find(only) then
      local value = here(preset, row)
      local off = value / row[2] - 1
      count = count + 1
      if limit > 0 and math.abs(off) > limit then far = far + 1 end
      print(("%-8s %-28s %9.3g %9.3g %7.1f%%  %s"):format(
        preset, row[1], row[2], value, 100 * off, row[3]))
    end
  end
end
assert(count > 0, "no row has such a name")
if far > 0 then
  error(("%d of %d are off by more than %g"):format(far, count, limit))
end
