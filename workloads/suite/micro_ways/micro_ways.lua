-- micro_ways: bandwidth of loads that are n-way coalesced.

local function run(dev, p)
  local threads, groups = p.warps * 32 * p.ctas, 32 // p.ways
  local piece = math.max(8, p.ways) -- words
  local set = p.ctas * p.warps * groups * 32
  local words = p.sets * set
  dev:check(32 % p.ways == 0, "ways must be a power of 2")
  dev:check(p.ahead * piece <= 32 and p.ahead ~= 3,
            "a block does not have so many pieces")
  dev:module "micro_ways.ptx"
  local host = dev:array("u32", words):map(function(_, i) return i end)
  local data = dev:upload(host, "data")
  local out = dev:alloc({ type = "u32", count = threads }, "out")

  local function sum_of(id, times)
    local lane, sum = id % 32, 0
    local first = (id // 32 * groups + lane // p.ways) * 32 + lane % p.ways
    for s = 0, p.sets - 1 do
      for at = 0, 31, piece do sum = sum + first + s * set + at end
    end
    return sum * times & 0xFFFFFFFF
  end
  local function pass(times)
    dev:launch("micro_ways", { grid = p.ctas, block = p.warps * 32,
      args = { data, out, p.ways, p.sets, p.ahead, times } })
    local got = out:download()
    for _, id in ipairs { 0, 1, threads // 2 + 5, threads - 1 } do
      dev:check(got[id] == sum_of(id, times), ("the sum of thread %d is %d")
                :format(id, got[id]))
    end
  end
  pass(1) -- for the L2
  pass(p.passes)
  pass(2 * p.passes)
  dev:verified "the sums of four threads"
end

return {
  name = "micro_ways",
  doc = "n-way coalesced loads around the L1; the third launch makes twice " ..
        "the passes of the second",
  sizes = { tiny = { ctas = 1, warps = 2 } },
  params = {
    { name = "ways", default = 4, min = 1, max = 32,
      doc = "Lanes that load from one block of 128 bytes, a power of 2" },
    { name = "sets", default = 1, min = 1, max = 1 << 16,
      doc = "Blocks of each group of so many lanes" },
    { name = "ahead", default = 2, min = 1, max = 4,
      doc = "Loads of a thread under way: 1, 2 or 4" },
    { name = "passes", default = 4, min = 1, max = 1000,
      doc = "Passes of the second launch" },
    { name = "warps", default = 8, min = 1, max = 32, doc = "Warps of a CTA" },
    { name = "ctas", default = 2, min = 1, max = 1024, doc = "CTAs" },
  },
  run = run,
}
