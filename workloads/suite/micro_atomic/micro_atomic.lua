-- micro_atomic: throughput of atomic additions.

local function run(dev, p)
  dev:module "micro_atomic.ptx"
  local warps = p.warps * p.ctas
  local count = (warps - 1) * p.spread + 31 * p.stride + 1
  local words = dev:alloc({ type = "i32", count = count }, "words")
  local want = dev:array("i32", count)

  local function add(times)
    dev:launch("micro_atomic", { grid = p.ctas, block = 32 * p.warps,
                                 args = { words, p.stride, p.spread, times } })
    for warp = 0, warps - 1 do
      for lane = 0, 31 do
        local i = warp * p.spread + lane * p.stride
        want[i] = want[i] + 4 * times
      end
    end
    local same, where = words:download():equals(want)
    dev:check(same, ("word %s is wrong"):format(where))
  end
  add(p.times) -- for the L2
  add(p.times)
  add(2 * p.times)
  dev:verified "every sum"
end

return {
  name = "micro_atomic",
  doc = "Atomic additions; the third launch makes twice as many",
  sizes = { tiny = { times = 2 } },
  params = {
    { name = "stride", default = 1, min = 0, max = 64,
      doc = "Words from lane to lane" },
    { name = "spread", default = 32, min = 0, max = 4096,
      doc = "Words from warp to warp" },
    { name = "times", default = 8, min = 1, max = 10000,
      doc = "Four additions each, in the first two launches" },
    { name = "warps", default = 8, min = 1, max = 32, doc = "Warps of a CTA" },
    { name = "ctas", default = 2, min = 1, max = 1024, doc = "CTAs" },
  },
  run = run,
}
