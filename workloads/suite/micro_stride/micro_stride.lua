-- micro_stride: coalescing of strided loads that hit in the L1.
--
-- Two launches warm the caches, of instructions too; the fourth makes 64
-- loads more than the third.

local function run(dev, p)
  dev:module "micro_stride.ptx"
  local threads = 32 * p.warps
  local words = dev:array("u32", 31 * p.stride + 1):map(function(_, i)
    return i * 7 + 1
  end)
  local input = dev:upload(words, "in")
  local out = dev:alloc({ type = "u32", count = threads }, "out")
  for _, kind in ipairs { "long", "short", "short", "long" } do
    dev:launch("micro_stride_" .. kind, {
      grid = 1, block = threads, args = { input, out, p.stride } })
    local got = out:download()
    for i = 0, threads - 1 do
      local want = 8 * words[i % 32 * p.stride]
      dev:check(got[i] == want, ("thread %d has %d, expected %d"):format(i,
                got[i], want))
    end
  end
  dev:verified "every lane's word"
end

return {
  name = "micro_stride",
  doc = "Strided loads; the fourth launch makes 64 loads more a warp",
  sizes = { tiny = { stride = 5, warps = 2 } },
  params = {
    { name = "stride", default = 1, min = 0, max = 64,
      doc = "Words from lane to lane" },
    { name = "warps", default = 24, min = 1, max = 32, doc = "Warps" },
  },
  run = run,
}
