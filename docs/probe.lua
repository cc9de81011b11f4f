-- Small kernels for the examples of the pages in docs/: one warp that does
-- exactly what is said.  Offsets count from an address that is a multiple of
-- 1 MiB; a block is 128 bytes; all data is 0.
--
--   local probe = require "probe"        -- with WARPLOOM_PATH=docs

local M = {}

local head = [[
.version 3.0
.target sm_20
.address_size 64
.global .align 128 .b8 data[4194304];
.const .align 128 .b8 const_data[8192];
.entry probe()
{
  .reg .b32 %r<66>;
  .reg .b64 %rd<4>;
  .shared .align 128 .b8 shared_data[8192];
  mov.u64 %rd1, data;
  add.s64 %rd1, %rd1, 1048575;
  and.b64 %rd1, %rd1, -1048576;
]]

-- A workload of one kernel with this body; %rd1 is the address above.
function M.kernel(body, launch)
  return function(dev)
    local module = dev:module(head .. body .. "\n  ret;\n}\n")
    dev:launch(module.probe, launch or { grid = 1, block = 32 })
  end
end

-- Loads one block after the other; each waits for the one before.
function M.loads(blocks)
  local body = {}
  for _, block in ipairs(blocks) do
    body[#body + 1] = ([[
  ld.global.u32 %%r1, [%%rd1+%d];
  cvt.u64.u32 %%rd2, %%r1;
  add.s64 %%rd1, %%rd1, %%rd2;
]]):format(block * 128)
  end
  return M.kernel(table.concat(body))
end

-- Loads all blocks at once: none waits for another.
function M.together(blocks)
  local body = {}
  for i, block in ipairs(blocks) do
    body[i] = ("  ld.global.u32 %%r%d, [%%rd1+%d];\n"):format(i, block * 128)
  end
  return M.kernel(table.concat(body))
end

-- One load; lane i reads 4 bytes at i * stride.
function M.strided(stride)
  return M.kernel(([[
  mov.u32 %%r1, %%tid.x;
  mul.wide.u32 %%rd2, %%r1, %d;
  add.s64 %%rd1, %%rd1, %%rd2;
  ld.global.u32 %%r2, [%%rd1];
]]):format(stride))
end

-- One load from shared or constant memory; lane i reads 4 bytes at i *
-- stride.
function M.near(space, stride)
  return M.kernel(([[
  mov.u32 %%r1, %%tid.x;
  mul.lo.u32 %%r1, %%r1, %d;
  cvt.u64.u32 %%rd2, %%r1;
  mov.u64 %%rd3, %s_data;
  add.s64 %%rd3, %%rd3, %%rd2;
  ld.%s.u32 %%r2, [%%rd3];
]]):format(stride, space, space))
end

-- `count` additions, each of the result of the one before.
function M.chain(count)
  return M.kernel(("  add.s32 %r1, %r1, 1;\n"):rep(count))
end

return M
