-- micro_stream: bandwidth to the L2 and behind it.

local function run(dev, p)
  local words, threads = p.bytes // 4, p.warps * 32 * p.ctas
  dev:check(words % (4 * threads * p.stride) == 0,
            "the footprint must be a multiple of four rounds of all threads")
  dev:module "micro_stream.ptx"
  local host = dev:array("u32", words):map(function(_, i) return i end)
  local data = dev:upload(host, "data")
  local out = dev:alloc({ type = "u32", count = threads }, "out")
  local step = threads * p.stride

  local function sum_of(id, times)
    local sum = 0
    for i = id * p.stride, words - 1, step do sum = sum + i end
    return sum * times & 0xFFFFFFFF
  end
  local function pass(times)
    local launch = { grid = p.ctas, block = p.warps * 32 }
    if p.write then
      launch.args = { data, words, p.stride, times }
      dev:launch("micro_stream_write", launch)
      local got = data:download()
      for i = 0, words - 1, p.stride do
        dev:check(got[i] == times - 1, ("word %d is %d"):format(i, got[i]))
      end
    else
      launch.args = { data, out, words, p.stride, times }
      dev:launch("micro_stream_read", launch)
      local got = out:download()
      for _, id in ipairs { 0, 1, threads // 2, threads - 1 } do
        dev:check(got[id] == sum_of(id, times), ("the sum of thread %d is %d")
                  :format(id, got[id]))
      end
    end
  end
  pass(p.passes) -- for the L2
  pass(p.passes)
  pass(2 * p.passes)
  dev:verified(p.write and "every word" or "the sums of four threads")
end

return {
  name = "micro_stream",
  doc = "Streams around the L1; the third launch makes twice the passes",
  sizes = { tiny = { write = true } },
  params = {
    { name = "bytes", default = 32768, min = 128, max = 1 << 26,
      unit = "byte", doc = "Footprint" },
    { name = "stride", default = 1, min = 1, max = 32,
      doc = "Words from lane to lane" },
    { name = "passes", default = 2, min = 1, max = 1000,
      doc = "Passes of the first two launches" },
    { name = "warps", default = 8, min = 1, max = 32, doc = "Warps of a CTA" },
    { name = "ctas", default = 2, min = 1, max = 1024, doc = "CTAs" },
    { name = "write", default = false, doc = "Stores instead of loads" },
  },
  run = run,
}
