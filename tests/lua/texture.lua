-- Textures from Lua: made, fetched from, wrong ones refused.

local H = require "harness"

-- The program's text: out[i] = texture (i + 0.5 or i * 2.5, 0.5), plus a
-- lookup in a .texref.
local program = [[
.version 7.0
.target sm_70
.address_size 64
.global .texref lut;
.visible .entry fetch(.param .u64 t, .param .u64 out)
{
.reg .b32 %r<8>;
.reg .f32 %f<8>;
.reg .b64 %d<4>;
ld.param.u64 %d1, [t];
ld.param.u64 %d2, [out];
mov.u32 %r1, %tid.x;
cvt.rn.f32.u32 %f1, %r1;
mul.f32 %f1, %f1, 0f3F000000;
mov.f32 %f2, 0f3F000000;
tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];
tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [lut, {%r1}];
cvt.rn.f32.u32 %f4, %r2;
add.f32 %f3, %f3, %f4;
mul.wide.u32 %d3, %r1, 4;
add.u64 %d2, %d2, %d3;
st.global.f32 [%d2], %f3;
ret;
}
]]

-- A run whose host program is `body`, with dev, texels, lut and out.
local function script(body)
  return ([[
loom.run {
  machine = loom.preset.tiny {},
  workload = function(dev)
    dev:module(%q)
    local texels = dev:upload(dev:array("f32", { 1, 3, 7, 9 }), "texels")
    local lut = dev:upload(dev:array("u32", { 0, 0, 0, 0, 100, 0, 0, 0 }))
    local out = dev:alloc({ type = "f32", count = 8 }, "out")
    %s
  end,
}]]):format(program, body)
end

local function run(body)
  return H.run('local loom = require "warploom"\n' .. script(body))
end

H.test("a linear texture and a reference", function()
  local lines, _, status = run [[
    local view = dev:texture { buffer = texels, width = 4, height = 1,
                               filter = "linear" }
    dev:bind("lut", dev:texture { buffer = lut, format = "u32" })
    dev:launch("fetch", { grid = 1, block = 8, args = { view, out } })
    local want = { 1, 1, 2, 3, 105, 7, 8, 9 }
    local got = out:download()
    for i = 0, 7 do
      if got[i] ~= want[i + 1] then error(i .. ": " .. got[i]) end
    end]]
  H.lines(lines, {})
  H.equal(status, 0)
end)

local mistakes = {
  { "dev:texture { buffer = texels, widht = 4 }",
    "texture: there is no field 'widht'; did you mean 'width'?" },
  { "dev:texture { buffer = 3 }", "texture: 'buffer' is 3, expected a buffer" },
  { "dev:texture { buffer = texels, filter = 'liner' }",
    "texture: 'filter' is \"liner\", expected one of linear, point; " ..
    "did you mean 'linear'?" },
  { "dev:texture { buffer = texels, width = 0 }",
    "texture: 'width' is 0, expected a whole number of at least 1" },
  { "dev:texture { buffer = texels, channels = 3, width = 1 }",
    "texture: 3 channels, expected 1, 2 or 4" },
  { "dev:bind('lut', lut)", "bind: got buffer '' (u32[8]), expected a texture" },
}

for _, mistake in ipairs(mistakes) do
  H.test(mistake[1], function()
    local _, _, status = run(mistake[1])
    H.equal(H.runs()[1].reason:match "^t.lua:%d+: (.*)", mistake[2])
    H.equal(status, 3, "status")
  end)
end

H.finish()
