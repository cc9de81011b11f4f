-- micro_contend: warps that each use a few lines, all of them together more
-- than a cache holds.
--
-- Every block of eight loads uses each of the warp's lines eight times and
-- then leaves them, so a cache that lets one warp through at a time misses
-- one use in eight.

local function run(dev, p)
  local threads = 32 * p.warps
  dev:module "micro_contend.ptx"
  local own = p.lines * 32 * p.rounds -- words of a warp
  local input = dev:upload(dev:array("u32", own * p.warps):map(function(_, i)
    return i % 251
  end), "in")
  local out = dev:alloc({ type = "u32", count = threads }, "out")
  dev:launch("micro_contend", { grid = 1, block = threads,
                                args = { input, out, p.lines, p.rounds } })
  local got = out:download()
  for i = 0, threads - 1 do
    local want = 0
    for round = 0, p.rounds - 1 do
      local at = i // 32 * own + (round * p.lines + i % 32 % p.lines) * 32
      for word = 0, 7 do want = want + (at + word) % 251 end
    end
    dev:check(got[i] == want, ("thread %d has %d, expected %d"):format(i,
              got[i], want))
  end
  dev:verified "every thread's sum"
end

return {
  name = "micro_contend",
  doc = "Warps with lines of their own, together more than the cache holds",
  sizes = { tiny = { warps = 4, rounds = 2 } },
  params = {
    { name = "lines", default = 8, min = 1, max = 32,
      doc = "Lines that a load of a warp reads" },
    { name = "warps", default = 24, min = 1, max = 32, doc = "Warps" },
    { name = "rounds", default = 8, min = 1, max = 256,
      doc = "Blocks of eight loads" },
  },
  run = run,
}
