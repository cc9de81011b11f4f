-- micro_conflict: loads that want more lines of one set than it has ways.

local function run(dev, p)
  local threads, stride, step = 32 * p.warps, p.stride // 4, p.step // 4
  dev:check(p.stride % 4 == 0 and p.step % 4 == 0,
            "stride and step must be multiples of 4")
  dev:module "micro_conflict.ptx"
  local words = (threads - 1) * stride + (p.rounds - 1) * step + 1
  local input = dev:upload(dev:array("u32", words):map(function(_, i)
    return i % 251
  end), "in")
  local out = dev:alloc({ type = "u32", count = threads }, "out")
  dev:launch("micro_conflict", { grid = p.warps, block = 32,
                                 args = { input, out, stride, p.rounds,
                                          step } })
  local got = out:download()
  for i = 0, threads - 1 do
    local want = 0
    for round = 0, p.rounds - 1 do
      want = want + (i * stride + round * step) % 251
    end
    dev:check(got[i] == want, ("thread %d has %d, expected %d"):format(i,
              got[i], want))
  end
  dev:verified "every thread's sum"
end

return {
  name = "micro_conflict",
  doc = "Loads that want more lines of one set than it has ways",
  sizes = { tiny = { warps = 2, rounds = 4, stride = 512 } },
  params = {
    { name = "stride", default = 4096, min = 4, max = 1 << 16, unit = "byte",
      doc = "From lane to lane" },
    { name = "step", default = 128, min = 4, max = 1 << 12, unit = "byte",
      doc = "From a load to the next" },
    { name = "warps", default = 8, min = 1, max = 64, doc = "CTAs of a warp" },
    { name = "rounds", default = 32, min = 1, max = 1 << 10,
      doc = "Loads of a thread" },
  },
  run = run,
}
