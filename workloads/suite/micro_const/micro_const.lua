-- micro_const: broadcast and divergence of constant memory.
--
-- Two launches warm the caches, of instructions too; the fourth makes 128
-- loads more than the third.

local function run(dev, p)
  dev:module "micro_const.ptx"
  local threads = 32 * p.warps
  local words = dev:constant "micro_const_words"
  local start = words.address
  local bytes = {}
  for i = 0, words.bytes // 8 - 1 do
    bytes[i + 1] = string.pack("<i8", start + 8 * i)
  end
  words:upload(table.concat(bytes))
  local out = dev:alloc({ type = "i64", count = threads }, "out")
  for _, kind in ipairs { "long", "short", "short", "long" } do
    dev:launch("micro_const_" .. kind, { grid = 1, block = threads,
                                         args = { words, out, p.stride } })
    local got = out:download()
    for i = 0, threads - 1 do
      local want = start + i % 32 * p.stride * 8
      dev:check(got[i] == want, ("thread %d ends at %d, expected %d"):format(
                i, got[i], want))
    end
  end
  dev:verified "every lane's address"
end

return {
  name = "micro_const",
  doc = "Loads from constant memory by a stride; the fourth launch makes " ..
        "128 loads more a warp",
  sizes = { tiny = { stride = 3 } },
  params = {
    { name = "stride", default = 0, min = 0, max = 64,
      doc = "Words of 8 bytes from lane to lane; 0: broadcast" },
    { name = "warps", default = 1, min = 1, max = 32, doc = "Warps" },
  },
  run = run,
}
