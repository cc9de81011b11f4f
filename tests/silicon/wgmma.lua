-- Micro-kernels of wgmma, for Hopper: a warpgroup's products of 64 x n, one
-- after another on the same sums, from shared memory or with A in registers;
-- one to four warpgroups.  As in micro.lua, a kernel runs for two numbers of
-- iterations.

-- What is multiplied: k, the type of the sums and their registers.
local types = {
  { "bf16", 16, "f32" }, { "f16", 16, "f32" }, { "tf32", 8, "f32" },
  { "e4m3", 32, "f32" }, { "s8", 32, "s32" },
}

local TURNS = 8 -- products of an iteration, a group

local function names(kind, from, count)
  local list = {}
  for i = 0, count - 1 do
    list[#list + 1] = ("%%%s%d"):format(kind, from + i)
  end
  return "{" .. table.concat(list, ",") .. "}"
end

-- The type of A and B as the instruction names both, and what follows them.
local function product(name, k, sums, n, registers)
  local d = names(sums == "f32" and "f" or "r", 64, n // 2)
  local a = registers and names("r", 20, 4) or "%rd4"
  local scales = (sums == "f32" and ", 1, 1" or "") ..
    ((name == "bf16" or name == "f16") and (registers and ", 0" or ", 0, 0") or
     "")
  return (" wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s %s, %s, %%rd5, " ..
          "%%p3%s;"):format(n, k, sums, name, name, d, a, scales)
end

local function kernel(name, k, sums, n, registers)
  local text = {}
  local function add(fmt, ...) text[#text + 1] = fmt:format(...) end
  add [[
.version 8.0
.target sm_90a
.address_size 64
.visible .entry products(.param .u64 out, .param .u32 iterations)
{
 .reg .b32 %%r<200>;
 .reg .f32 %%f<200>;
 .reg .b64 %%rd<8>;
 .reg .pred %%p<6>;
 .shared .align 1024 .b8 mem[40960];
 ld.param.u64 %%rd0, [out];
 ld.param.u32 %%r0, [iterations];
 mov.u32 %%r3, %%tid.x;
 mov.u32 %%r4, mem;
 shr.u32 %%r4, %%r4, 4;
 cvt.u64.u32 %%rd1, %%r4;
 mov.u64 %%rd2, 0x4000004000010000;
 or.b64 %%rd4, %%rd1, %%rd2;
 add.u64 %%rd5, %%rd4, 512;
 setp.eq.u32 %%p3, %%r3, %%r3;]]
  for i = 20, 23 do add(" mov.u32 %%r%d, 0;", i) end
  for i = 64, 63 + n // 2 do
    add(sums == "f32" and " mov.f32 %%f%d, 0f00000000;" or
        " mov.u32 %%r%d, 0;", i)
  end
  add "again:\n wgmma.fence.sync.aligned;"
  local one = product(name, k, sums, n, registers)
  for _ = 1, TURNS do text[#text + 1] = one end
  add [[
 wgmma.commit_group.sync.aligned;
 wgmma.wait_group.sync.aligned 0;
 add.s32 %%r0, %%r0, -1;
 setp.ne.s32 %%p0, %%r0, 0;
 @%%p0 bra again;]]
  for i = 64, 63 + n // 2 do
    if sums == "f32" then
      add(" setp.eq.f32 %%p2, %%f%d, 0f4640e400;", i)
      add(" @%%p2 st.global.f32 [%%rd0], %%f%d;", i)
    else
      add(" setp.eq.u32 %%p2, %%r%d, 12345;", i)
      add(" @%%p2 st.global.u32 [%%rd0], %%r%d;", i)
    end
  end
  add " ret;\n}"
  return table.concat(text, "\n") .. "\n"
end

local cases = {}

local function case(one, n, registers, groups)
  local name, k, sums = table.unpack(one)
  cases[#cases + 1] = {
    name = ("wgmma m64n%dk%d %s %s groups %d"):format(
      n, k, name, registers and "registers" or "shared", groups),
    unit = "cycles",
    run = function(dev)
      dev:module(kernel(name, k, sums, n, registers))
      local out = dev:alloc({ type = "u32", count = 4 }, "out")
      for _, count in ipairs { 16, 144 } do
        dev:launch("products", { grid = 1, block = 128 * groups,
                                 args = { out, count } })
      end
    end,
    -- Cycles between two products of the SM.
    value = function(t, clock)
      return (t[2] - t[1]) * clock / (128 * TURNS * groups)
    end,
  }
end

for _, n in ipairs { 8, 16, 32, 64, 96, 128, 192, 256 } do
  case(types[1], n, false, 1)
  case(types[1], n, true, 1)
end
for _, n in ipairs { 8, 64, 128 } do
  case(types[1], n, false, 2)
  case(types[1], n, true, 2)
end
case(types[1], 64, false, 4)
for i = 2, #types do
  case(types[i], 64, false, 1)
  case(types[i], 128, false, 2)
end

return cases
