-- micro_chase: latency of dependent loads over a footprint.
--
-- The pointers lead through the footprint in steps of `stride` bytes and back
-- to its start, so a cache that replaces the line used longest ago keeps all
-- of the footprint or nothing.  Two launches warm the caches, of instructions
-- too; the fourth makes 256 loads more than the third.

local short, more = 64, 256 -- pointers that the kernels follow

local function run(dev, p)
  local nodes = p.bytes // p.stride
  dev:check(p.bytes % p.stride == 0 and p.stride % 8 == 0,
            "the stride must divide the footprint and be a multiple of 8")
  dev:module "micro_chase.ptx"
  local ring = dev:alloc({ type = "i64", count = p.bytes // 8 }, "ring")
  local step = p.stride // 8
  ring:upload(function(i)
    if i % step ~= 0 then return 0 end
    return ring.address + (i // step + 1) % nodes * p.stride
  end)
  local out = dev:alloc({ type = "i64", count = 1 }, "out")
  -- Once around before the part that is measured.
  local warm = (nodes + short - 1) // short

  local function follow(kernel, count)
    dev:launch(kernel, { grid = 1, block = 1,
                         args = { ring, out, warm } })
    local want = ring.address + (warm * short + count) % nodes * p.stride
    dev:check(out:download()[0] == want, kernel .. " ended elsewhere")
  end
  follow("micro_chase_long", short + more)
  follow("micro_chase_short", short)
  follow("micro_chase_short", short)
  follow("micro_chase_long", short + more)
  dev:verified "the last pointers"
end

return {
  name = "micro_chase",
  doc = "Pointer chase over a footprint; the fourth launch makes 256 loads " ..
        "more",
  sizes = { tiny = { bytes = 2048 } },
  params = {
    { name = "bytes", default = 4096, min = 8, max = 1 << 26, unit = "byte",
      doc = "Footprint" },
    { name = "stride", default = 128, min = 8, max = 1 << 20, unit = "byte",
      doc = "From one pointer to the next" },
  },
  run = run,
}
