-- Time that programs read: in a timed run clock registers are when they were
-- issued (docs/decisions/0055-time-that-programs-read.md).
local loom = require "warploom"

local head = ".version 7.0\n.target sm_70\n.address_size 64\n"

-- A kernel of `body` with parameter `out`, at %out.
local function kernel(name, body, more)
  return (".visible .entry %s(.param .u64 out%s)\n{\n" ..
    ".reg .b64 %%out, %%d<20>; .reg .b32 %%r<20>; .reg .f32 %%f<9>;\n" ..
    ".reg .pred %%p<5>;\nld.param.u64 %%out, [out];\n%s\nret;\n}\n"):format(
    name, more or "", body)
end

-- Runs kernel after kernel: { name, grid =, block =, words = } on a machine;
-- returns for each what it wrote, and the run.
local function run(gpu, text, launches, options)
  local out = {}
  local done = loom.run { machine = gpu, workload = loom.workload {
    name = "clocks", run = function(dev)
      dev:module(head .. text)
      for i, l in ipairs(launches) do
        local zero = dev:array("i64", l.words or 64)
        local a = dev:upload(zero)
        local args = { out = a }
        for k, v in pairs(l.args or {}) do args[k] = v(dev) end
        dev:launch(l[1], { grid = l.grid or 1, block = l.block or 1,
                           args = args, cooperative = l.cooperative,
                           interleave = l.interleave })
        local b = dev:download(a)
        out[i] = {}
        for k = 0, (l.words or 64) - 1 do out[i][k] = b[k] end
      end
    end }, sample = options and options.sample }
  return out, done
end

local function near(what, got, want, least, most)
  assert(got >= want + least and got <= want + most,
         ("%s: %g, expected %g + %g..%g"):format(what, got, want, least, most))
end

local function repeated(text, n)
  return (text .. "\n"):rep(n)
end

-- ---- dependent instructions

-- `body` n times, timed when its instructions are there: the second time.
local function loop(n, body)
  return ("mov.u32 %%r9, 2;\nAGAIN:\nmov.u32 %%r8, %d;\n" ..
    "mov.u64 %%d1, %%clock64;\nTURN:\n%s" .. [[
sub.u32 %%r8, %%r8, 1;
setp.ne.u32 %%p1, %%r8, 0;
@%%p1 bra TURN;
mov.u64 %%d2, %%clock64;
sub.u32 %%r9, %%r9, 1;
setp.ne.u32 %%p1, %%r9, 0;
@%%p1 bra AGAIN;
sub.u64 %%d3, %%d2, %%d1;
st.global.u64 [%%out], %%d3;
]]):format(n, body)
end

local function chain(name, n)
  return kernel(name, "mov.f32 %f1, 0f3F800000;\n" .. loop(n,
    repeated("fma.rn.f32 %f1, %f1, %f1, %f1;", 64)) ..
    "st.global.f32 [%out+8], %f1;")
end

for _, name in ipairs { "gtx480", "qv100", "h100" } do
  local gpu = loom.preset[name] {}
  local out, done = run(gpu, chain("chain", 4) .. chain("long", 20),
                        { { "chain" }, { "long" } })
  local k = done.kernels
  local fma = (k[2].seconds - k[1].seconds) * gpu.clock / 2048
  near(name .. ": 256 dependent fma", out[1][0], 256 * fma, -2 * fma, 10)
  print(name, out[1][0], 256 * fma, out[2][0], 1280*fma)
end
