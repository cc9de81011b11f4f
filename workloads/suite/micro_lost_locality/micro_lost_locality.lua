-- micro_lost_locality: lanes that walk along their own rows.
--
-- Of the 32 words of a line all but the first would hit, if the L1 held 32
-- lines for each warp that runs.  With a cache that replaces the line used
-- longest ago and more warps than fit, none does.

local function run(dev, p)
  dev:module "micro_lost_locality.ptx"
  local threads = 32 * p.warps * p.ctas
  local words = dev:array("u32", threads * p.words):map(function(_, i)
    return i * 7 + 1
  end)
  local input = dev:upload(words, "in")
  local out = dev:alloc({ type = "u32", count = threads }, "out")
  dev:launch("micro_lost_locality", {
    grid = p.ctas, block = 32 * p.warps, args = { input, out, p.words } })
  local got = out:download()
  for t = 0, threads - 1 do
    local want = 0
    for i = t * p.words, (t + 1) * p.words - 1 do
      want = (want * 3 + words[i]) & 0xffffffff
    end
    dev:check(got[t] == want, ("thread %d has %d, expected %d"):format(t,
              got[t], want))
  end
  dev:verified "every lane's sum"
end

return {
  name = "micro_lost_locality",
  doc = "Every lane walks along its own row: many warps thrash the L1, a " ..
        "few would not",
  sizes = { tiny = { words = 16, warps = 2, ctas = 2 } },
  params = {
    { name = "words", default = 64, min = 1, max = 4096,
      doc = "Words of 4 bytes of a lane's row" },
    { name = "warps", default = 16, min = 1, max = 32, unit = "warp",
      doc = "Warps of a CTA" },
    { name = "ctas", default = 3, min = 1, max = 1024, unit = "cta",
      doc = "CTAs" },
  },
  run = run,
}
