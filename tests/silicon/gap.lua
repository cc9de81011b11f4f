-- From kernel to kernel of a stream, as kernels see it that read the time:
-- from the last instruction of one to the first of the next (probe.cu).
--   warploom --unsafe run -q tests/silicon/gap.lua --set preset=h200
local loom = require "warploom"

local preset = loom.option { name = "preset", default = "h200",
                             doc = "The machine" }

-- What was measured, ns: least and most.
local cards = { h100_sxm = { 1880, 2020 }, h200 = { 1500, 1700 } }

local text = [[
.version 7.0
.target sm_90
.address_size 64
.visible .entry stamp(.param .u64 out, .param .u64 offset)
{
 .reg .b32 %r<4>;
 .reg .b64 %rd<4>;
 .reg .pred %p;
 ld.param.u64 %rd0, [out];
 ld.param.u64 %rd2, [offset];
 add.u64 %rd0, %rd0, %rd2;
 mov.u64 %rd1, %globaltimer;
 mov.u32 %r0, %clock;
again:
 mov.u32 %r1, %clock;
 sub.u32 %r1, %r1, %r0;
 setp.lt.u32 %p, %r1, 10000;
 @%p bra again;
 mov.u32 %r2, %tid.x;
 mov.u32 %r3, %ctaid.x;
 or.b32 %r2, %r2, %r3;
 setp.ne.u32 %p, %r2, 0;
 @%p bra done;
 st.global.u64 [%rd0], %rd1;
 mov.u64 %rd1, %globaltimer;
 st.global.u64 [%rd0+8], %rd1;
done:
 ret;
}
]]

local COUNT = 8
local g = loom.preset[preset] {}
local times
local run = loom.run { machine = g, workload = function(dev)
  local out = dev:alloc({ type = "u32", count = 4 * COUNT }, "out")
  local s = dev:stream()
  dev:module(text)
  for i = 0, COUNT - 1 do
    dev:launch("stamp", { grid = 132, block = 128, stream = s,
                          args = { out, 16 * i } })
  end
  dev:sync()
  times = out:download()
end }
local function time(i) return times[2 * i] + (times[2 * i + 1] << 32) end
local gaps = {}
for i = 1, COUNT - 1 do gaps[i] = time(2 * i) - time(2 * i - 1) end
table.sort(gaps)
local k = run.kernels
local gap = gaps[COUNT // 2]
print(("%s: %d ns from kernel to kernel of a stream, %.0f of them between " ..
       "their times"):format(preset, gap, (k[2].start - k[1].stop) * 1e9))
local card = cards[preset]
assert(not card or gap >= card[1] and gap <= card[2], "the card has another")
