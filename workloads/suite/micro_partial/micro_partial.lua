-- micro_partial: lanes that walk along their own rows, and a stream between.

local function run(dev, p)
  dev:module "micro_partial.ptx"
  local threads = 32 * p.warps * p.ctas
  local words = dev:array("u32", threads * p.words):map(function(_, i)
    return i * 7 + 1
  end)
  local flow = dev:array("u32", threads * p.words * p.streams + 1):map(
    function(_, i) return i * 5 + 2 end)
  local input, stream = dev:upload(words, "in"), dev:upload(flow, "stream")
  local out = dev:alloc({ type = "u32", count = threads }, "out")
  dev:launch("micro_partial", {
    grid = p.ctas, block = 32 * p.warps,
    args = { input, stream, out, p.words, p.streams } })
  local got = out:download()
  for t = 0, threads - 1 do
    local want, at = 0, t
    for i = t * p.words, (t + 1) * p.words - 1 do
      want = (want * 3 + words[i]) & 0xffffffff
      for _ = 1, p.streams do
        want = (want * 3 + flow[at]) & 0xffffffff
        at = at + threads
      end
    end
    dev:check(got[t] == want, ("thread %d has %d, expected %d"):format(t,
              got[t], want))
  end
  dev:verified "every lane's sum"
end

return {
  name = "micro_partial",
  doc = "Every lane walks along its own row, and reads a stream between",
  sizes = { tiny = { words = 16, streams = 1, warps = 2, ctas = 2 } },
  params = {
    { name = "words", default = 64, min = 1, max = 4096,
      doc = "Words of 4 bytes of a lane's row" },
    { name = "streams", default = 4, min = 0, max = 256, unit = "line",
      doc = "Lines of the stream that a warp reads after each word" },
    { name = "warps", default = 16, min = 1, max = 32, unit = "warp",
      doc = "Warps of a CTA" },
    { name = "ctas", default = 3, min = 1, max = 1024, unit = "cta",
      doc = "CTAs" },
  },
  run = run,
}
