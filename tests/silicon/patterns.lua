-- Micro-kernels of what the L2 is asked for: stores of parts of sectors and
-- lines, and reads of data that is not zero by few SMs.

local store = [[
.version 7.0
.target sm_80
.address_size 64
.visible .entry scatter(.param .u64 at, .param .u32 rounds, .param .u32 mask,
                        .param .u32 lane_bytes, .param .u32 warp_bytes)
{
 .reg .b32 %r<40>;
 .reg .b64 %rd<40>;
 .reg .pred %p<4>;
 ld.param.u64 %rd0, [at];
 ld.param.u32 %r0, [rounds];
 ld.param.u32 %r1, [mask];
 ld.param.u32 %r10, [lane_bytes];
 ld.param.u32 %r11, [warp_bytes];
 mov.u32 %r2, %ctaid.x;
 mov.u32 %r3, %ntid.x;
 mov.u32 %r4, %tid.x;
 mov.u32 %r12, %nctaid.x;
 shr.u32 %r6, %r3, 5;
 shr.u32 %r5, %r4, 5;
 mad.lo.u32 %r5, %r2, %r6, %r5;
 mul.lo.u32 %r13, %r12, %r6;
 mul.lo.u32 %r13, %r13, %r11;
 and.b32 %r7, %r4, 31;
 mul.lo.u32 %r7, %r7, %r10;
 mad.lo.u32 %r5, %r5, %r11, %r7;
again:
 and.b32 %r6, %r5, %r1;
 cvt.u64.u32 %rd1, %r6;
 add.u64 %rd1, %rd0, %rd1;
 ACCESS
 add.u32 %r5, %r5, %r13;
 and.b32 %r6, %r5, %r1;
 cvt.u64.u32 %rd1, %r6;
 add.u64 %rd1, %rd0, %rd1;
 ACCESS
 add.u32 %r5, %r5, %r13;
 add.s32 %r0, %r0, -2;
 setp.gt.s32 %p0, %r0, 0;
 @%p0 bra again;
 ret;
}
]]

local ops = {
  [4] = "st.global.u32 [%rd1], %r0;",
  [8] = "st.global.v2.u32 [%rd1], {%r0, %r5};",
  [16] = "st.global.v4.u32 [%rd1], {%r0, %r5, %r0, %r5};",
}

local cases = {}

-- All warps of 264 CTAs store `bytes` a lane, lanes `lane` bytes apart, warps
-- `warp` bytes, around and around within `mib` MiB.
local function scatter(bytes, lane, warp, mib)
  cases[#cases + 1] = {
    name = ("store %d bytes lane %d warp %d of %d MiB"):format(bytes, lane,
                                                               warp, mib),
    unit = "lanes/ns",
    run = function(dev, few_and_many)
      dev:module((store:gsub("ACCESS", function() return ops[bytes] end)))
      local at = dev:alloc(mib << 20, "at")
      for _, rounds in ipairs(few_and_many or { 8, 40 }) do
        dev:launch("scatter", { grid = 264, block = 1024,
                                args = { at, rounds, (mib << 20) - 1, lane,
                                         warp } })
      end
    end,
    value = function(t) return 264 * 1024 * 32 / (t[2] - t[1]) end,
  }
end

for _, mib in ipairs { 16, 512 } do
  scatter(4, 4, 128, mib)
  scatter(8, 8, 256, mib)
  scatter(16, 16, 512, mib)
  scatter(4, 32, 1024, mib)
  scatter(8, 32, 1024, mib)
  scatter(16, 32, 1024, mib)
  scatter(4, 128, 4096, mib)
  scatter(8, 128, 4096, mib)
  scatter(4, 4096, 8, mib)
  scatter(8, 4096, 8, mib)
  scatter(4, 4096, 128, mib)
end

-- Words that are all different.
local fill = [[
.visible .entry fill(.param .u64 at, .param .u64 n)
{
 .reg .b32 %r<8>;
 .reg .b64 %rd<8>;
 .reg .pred %p<2>;
 ld.param.u64 %rd0, [at];
 ld.param.u64 %rd1, [n];
 mov.u32 %r0, %ctaid.x;
 mov.u32 %r1, %ntid.x;
 mov.u32 %r2, %tid.x;
 mov.u32 %r3, %nctaid.x;
 mad.lo.u32 %r4, %r0, %r1, %r2;
 mul.lo.u32 %r5, %r3, %r1;
 mul.wide.u32 %rd2, %r4, 4;
 mul.wide.u32 %rd3, %r5, 4;
again:
 mul.lo.u32 %r6, %r4, 1640531527;
 and.b32 %r6, %r6, 0x3fffffff;
 add.u64 %rd4, %rd0, %rd2;
 st.global.u32 [%rd4], %r6;
 add.u32 %r4, %r4, %r5;
 add.u64 %rd2, %rd2, %rd3;
 setp.lt.u64 %p0, %rd2, %rd1;
 @%p0 bra again;
 ret;
}
]]

-- `stream`: a kernel of micro.lua, which reads 16 bytes a thread.
local function filled(stream, mib, ctas, few, many)
  local whole = ctas * 1024 * 64
  local bytes = ((mib << 20) + whole - 1) // whole * whole
  cases[#cases + 1] = {
    name = ("filled read %d MiB ctas %d"):format(mib, ctas), unit = "B/ns",
    run = function(dev)
      dev:module(stream .. fill)
      local a = dev:alloc(bytes, "a")
      dev:launch("fill", { grid = 132, block = 1024, args = { a, bytes } })
      for _, rounds in ipairs { few, many } do
        dev:launch("stream", { grid = ctas, block = 1024,
                               args = { a, a, a, bytes, rounds } })
      end
    end,
    value = function(t) return bytes * (many - few) / (t[3] - t[2]) end,
  }
end

return function(stream)
  for _, ctas in ipairs { 1, 2, 4, 8, 16, 33, 66, 132 } do
    filled(stream, 8, ctas, 2, 10)
  end
  for _, ctas in ipairs { 1, 8, 132 } do filled(stream, 512, ctas, 1, 2) end
  return cases
end
