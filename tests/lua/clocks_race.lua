-- CTAs wait for different times, then for each other, and then race for places:
-- who comes first is decided by time.
local loom = require "warploom"

local file = loom.option { name = "replay", default = "",
                           doc = "A recording instead of the program" }

local text = [[
.version 7.0
.target sm_80
.address_size 64
.visible .entry race(.param .u64 out)
{
.reg .b64 %out, %d<9>;
.reg .b32 %r<3>;
.reg .pred %p1;
ld.param.u64 %out, [out];
mov.u32 %r1, %ctaid.x;
mov.u64 %d1, %clock64;
mul.wide.u32 %d2, %r1, 100;
sub.u64 %d2, 3000, %d2;
WAIT:
mov.u64 %d3, %clock64;
sub.u64 %d4, %d3, %d1;
setp.lt.u64 %p1, %d4, %d2;
@%p1 bra WAIT;
bar.sync 0;
atom.global.add.u64 %d5, [%out], 1;
mul.lo.u64 %d5, %d5, 8;
add.u64 %d5, %d5, %out;
cvt.u64.u32 %d6, %r1;
st.global.u64 [%d5+8], %d6;
ret;
}
]]

local gpu = loom.preset.qv100 {}
local run = loom.run {
  machine = gpu,
  workload = file ~= "" and loom.replay(file) or loom.workload {
    name = "race", run = function(dev)
      dev:module(text)
      local b = dev:upload(dev:array("i64", 1 + 20 * 128))
      dev:launch("race", { grid = 20, block = 128, args = { out = b } })
      local got = dev:download(b)
      assert(got[0] == 20 * 128, "not all came")
      for place = 0, 19 do
        local cta = got[1 + 128 * place]
        assert(cta == 19 - place, ("place %d: CTA %d"):format(place, cta))
      end
    end } }
print(run.kernels[1].seconds, run.kernels[1].warp_insts)
