-- Programmatic launches: a kernel begins when all CTAs of the one before it in
-- its stream have said so or ended, and waits where it says so until that one
-- is over.
local loom = require "warploom"

local text = [[
.version 8.0
.target sm_90
.address_size 64
.visible .entry part(.param .u64 data, .param .u32 first, .param .u32 before,
                     .param .u32 after)
{
 .reg .b32 %r<8>;
 .reg .b64 %rd<2>;
 .reg .pred %p, %q;
 ld.param.u64 %rd0, [data];
 mov.u32 %r2, %ctaid.x;
 ld.param.u32 %r3, [first];
 setp.ge.u32 %q, %r2, %r3;
 ld.param.u32 %r0, [before];
one:
 add.s32 %r0, %r0, -1;
 setp.gt.s32 %p, %r0, 0;
 @%p bra one;
 @%q griddepcontrol.launch_dependents;
WAIT
 ld.param.u32 %r0, [after];
two:
 add.s32 %r0, %r0, -1;
 setp.gt.s32 %p, %r0, 0;
 @%p bra two;
 atom.global.add.u32 %r4, [%rd0], 1;
 ret;
}
]]

-- Two launches; of the first the CTAs from `first` on let the second begin.
local function two(spec)
  local seen, gpu = {}, loom.preset.tiny { concurrent_kernels = 2 }
  gpu.host = loom.host { concurrent_kernels = 2, copy_latency = 10 }
  loom.link(gpu.host, gpu)
  loom.run { machine = gpu,
             workload = function(dev)
    local s = dev:stream()
    local data = dev:alloc({ type = "u32", count = 1 }, "data")
    data:fill(0)
    dev:module((text:gsub("WAIT", spec.wait and " griddepcontrol.wait;" or "")))
    local handle = {}
    for i = 1, 2 do
      handle[i] = dev:launch("part", { grid = 2, block = 32, stream = s,
                           args = { data, spec.first or 0, 100,
                                    i == 1 and 2000 or 10 },
                           programmatic = i == 2 and spec.programmatic })
      if i == 1 and spec.between then data:fill(0, { stream = s }) end
    end
    dev:sync()
    seen.count = data:download()[0]
    local a, b = handle[1], handle[2]
    seen.begins, seen.ends = (b.start - a.stop) * 1e9, (b.stop - a.stop) * 1e9
  end }
  return seen
end

local usual = two { wait = true }
assert(usual.begins >= 0 and usual.count == 2 * 32 * 2)

-- It goes on when the other is over.
local early = two { wait = true, programmatic = true }
assert(early.begins < 0, early.begins)
assert(early.ends > 0 and early.ends < usual.ends, early.ends)
assert(early.count == usual.count)

-- One that does not wait ends before.
early = two { programmatic = true }
assert(early.begins < 0 and early.ends < 0, early.ends)

-- All CTAs have to say so, or end: both end at about the same time.
assert(two { first = 1, programmatic = true }.begins >= -10)
assert(two { first = 9, wait = true, programmatic = true }.begins >= 0)

-- Nothing may lie between.
assert(two { between = true, programmatic = true }.begins >= 0)
