-- Orders of warps (decision 0085): chains of FFMA, of which a sub-core has more
-- than it needs, and warps that read 8 KB of their own three times in turn.
--   warploom run -q tests/silicon/order.lua
-- An H100 SXM takes as long for six chains in a sub-core as for eight, and its
-- readers find nothing in the L1.
local loom = require "warploom"

local text = [[
.version 8.0
.target sm_90
.address_size 64
.visible .entry chains(.param .u64 data)
{
 .reg .b32 %r<2>; .reg .f32 %f<2>; .reg .b64 %rd<2>; .reg .pred %p;
 ld.param.u64 %rd0, [data];
 mov.f32 %f0, 0f3f800000;
 mov.u32 %r0, 0;
again:
FFMA
 add.s32 %r0, %r0, 1;
 setp.lt.u32 %p, %r0, 20;
 @%p bra again;
 setp.eq.f32 %p, %f0, 0f3f800001;
 @%p st.global.f32 [%rd0], %f0;
 ret;
}
.visible .entry readers(.param .u64 data)
{
 .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<4>; .reg .pred %p, %q;
 ld.param.u64 %rd0, [data];
 mov.u32 %r0, %ctaid.x;
 mov.u32 %r1, %ntid.x;
 mov.u32 %r2, %tid.x;
 mad.lo.u32 %r3, %r0, %r1, %r2;
 shr.u32 %r4, %r3, 5;
 mul.wide.u32 %rd1, %r4, 8192;
 and.b32 %r5, %r2, 31;
 mul.wide.u32 %rd2, %r5, 4;
 add.s64 %rd0, %rd0, %rd1;
 add.s64 %rd0, %rd0, %rd2;
 mov.f32 %f0, 0f00000000;
 mov.u32 %r6, 0;
again:
 mov.u64 %rd3, %rd0;
 mov.u32 %r7, 0;
one:
 ld.global.f32 %f1, [%rd3];
 ld.global.f32 %f2, [%rd3+128];
 ld.global.f32 %f3, [%rd3+256];
 ld.global.f32 %f4, [%rd3+384];
 add.f32 %f0, %f0, %f1;
 add.f32 %f0, %f0, %f2;
 add.f32 %f0, %f0, %f3;
 add.f32 %f0, %f0, %f4;
 add.s64 %rd3, %rd3, 512;
 add.s32 %r7, %r7, 1;
 setp.lt.u32 %p, %r7, 16;
 @%p bra one;
 add.s32 %r6, %r6, 1;
 setp.lt.u32 %q, %r6, 3;
 @%q bra again;
 setp.eq.f32 %p, %f0, 0f3f800001;
 @%p st.global.f32 [%rd0], %f0;
 ret;
}
]]
text = text:gsub("FFMA", (" fma.rn.f32 %%f0, %%f0, %%f0, %%f0;\n"):rep(128))

local orders = {
  { "lrr, greedy", loom.lrr { greedy = true }, false },
  { "gto", loom.gto {}, false },
  { "gto, memory in turn", loom.gto {}, true },
}
local sms = 132

print(("%-22s %10s %10s %10s %12s"):format("us", "4 chains", "6", "8",
                                           "readers"))
for _, order in ipairs(orders) do
  local machine = loom.preset.h100_sxm {
    sm = { scheduler = order[2], memory_in_turn = order[3] } }
  local run = loom.run { machine = machine, workload = function(dev)
    dev:module(text)
    local data = dev:alloc(2 * sms * 32 * 8192)
    for _, warps in ipairs { 4, 6, 8 } do
      dev:launch("chains", { grid = sms * warps, block = 128,
                             args = { data } })
    end
    dev:launch("readers", { grid = 2 * sms, block = 1024, args = { data } })
    dev:sync()
  end }
  local us = {}
  for i, kernel in ipairs(run.kernels) do us[i] = kernel.seconds * 1e6 end
  print(("%-22s %10.2f %10.2f %10.2f %12.2f"):format(order[1],
                                                    table.unpack(us)))
end
