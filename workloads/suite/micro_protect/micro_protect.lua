-- micro_protect: lines that are used in every round, and dead ones between.
--
-- With s sets the uses of a kept line are (kept + stream) / s accesses to its
-- set apart: an order of replacement by recency keeps it only if that many
-- ways hold, a protecting distance of that many keeps it always.

local function run(dev, p)
  dev:module "micro_protect.ptx"
  local kept = dev:upload(dev:array("u32", p.kept * 32):map(function(_, i)
    return i % 251
  end), "kept")
  local stream = dev:upload(dev:array("u32", p.rounds * p.stream * 32 + 1)
    :map(function(_, i) return i % 241 end), "stream")
  local out = dev:alloc({ type = "u32", count = 32 }, "out")
  dev:launch("micro_protect", {
    grid = 1, block = 32,
    args = { kept, stream, out, p.rounds, p.kept, p.stream } })
  local got = out:download()
  for lane = 0, 31 do
    local once, dead = 0, 0
    for i = 0, p.kept - 1 do once = once + (i * 32 + lane) % 251 end
    for i = 0, p.rounds * p.stream - 1 do
      dead = dead + (i * 32 + lane) % 241
    end
    local want = p.rounds * once + dead
    dev:check(got[lane] == want, ("lane %d has %d, expected %d"):format(lane,
              got[lane], want))
  end
  dev:verified "every lane's sum"
end

return {
  name = "micro_protect",
  doc = "A working set between whose uses lines come that are never used again",
  sizes = { tiny = { kept = 8, stream = 16, rounds = 3 } },
  params = {
    { name = "kept", default = 64, min = 1, max = 1 << 16,
      doc = "Lines of 128 bytes that every round uses" },
    { name = "stream", default = 128, min = 0, max = 1 << 16,
      doc = "New lines of each round" },
    { name = "rounds", default = 20, min = 1, max = 1 << 12,
      doc = "Rounds" },
  },
  run = run,
}
