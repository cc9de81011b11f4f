-- Kernels of two streams on a machine whose dispatcher begins anew for each
-- kernel: the second goes to an SM that is empty, after the first that is not.
local loom = require "warploom"

local text = [[
.version 8.0
.target sm_80
.address_size 64
.visible .entry where(.param .u64 data, .param .u32 count)
{
 .reg .b32 %r<4>;
 .reg .b64 %rd<4>;
 .reg .pred %p;
 ld.param.u64 %rd0, [data];
 ld.param.u32 %r0, [count];
one:
 add.s32 %r0, %r0, -1;
 setp.gt.s32 %p, %r0, 0;
 @%p bra one;
 mov.u32 %r1, %smid;
 mov.u32 %r2, %ctaid.x;
 mul.wide.u32 %rd1, %r2, 4;
 add.s64 %rd1, %rd0, %rd1;
 st.global.u32 [%rd1], %r1;
 ret;
}
]]

-- The SMs of two kernels of so many CTAs each; the second waits for the first,
-- or does not.
local function sms(ctas, one_stream)
  local seen = {}
  loom.run { machine = loom.preset.h100 {}, workload = function(dev)
    local first = dev:stream()
    local second = one_stream and first or dev:stream()
    dev:module(text)
    local data = {}
    for i = 1, 2 do
      data[i] = dev:alloc({ type = "u32", count = ctas }, "data")
    end
    for i, stream in ipairs { first, second } do
      dev:launch("where", { grid = ctas, block = 32, stream = stream,
                            args = { data[i], 1000 } })
    end
    dev:sync()
    for i = 1, 2 do
      local got = data[i]:download()
      seen[i] = {}
      for k = 1, ctas do seen[i][k] = got[k - 1] end
    end
  end }
  return seen
end

local function equal(list, ...)
  assert(table.concat(list, " ") == table.concat({ ... }, " "),
         table.concat(list, " "))
end

local alone = sms(2, true)
equal(alone[1], 0, 1)
equal(alone[2], 0, 1)
local beside = sms(2)
equal(beside[1], 0, 1)
equal(beside[2], 2, 3)
