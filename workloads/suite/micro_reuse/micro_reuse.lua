-- micro_reuse: a working set that is used again, with scans between its uses.

local function run(dev, p)
  local set, scan = p.bytes // 128, p.scan_bytes // 128
  dev:check(set > 0, "the working set has no line of 128 bytes")
  dev:module "micro_reuse.ptx"
  local kept = dev:array("u32", 32 * set):map(function(_, i)
    return i * 7 + 1
  end)
  local passing = dev:array("u32", 32 * math.max(scan * p.rounds, 1))
    :map(function(_, i) return i * 3 + 2 end)
  local out = dev:alloc({ type = "u32", count = 32 }, "out")
  dev:launch("micro_reuse", { grid = 1, block = 32, args = {
    dev:upload(kept, "set"), dev:upload(passing, "scan"), out, set, scan,
    p.uses, p.rounds } })
  local got = out:download()
  for lane = 0, 31 do
    local sum = 0
    for i = lane, 32 * set - 1, 32 do sum = sum + kept[i] end
    sum = sum * p.uses * p.rounds
    for i = lane, 32 * scan * p.rounds - 1, 32 do sum = sum + passing[i] end
    dev:check(got[lane] == sum & 0xFFFFFFFF, ("lane %d has %d, expected %d")
              :format(lane, got[lane], sum & 0xFFFFFFFF))
  end
  dev:verified "every lane's sum"
end

return {
  name = "micro_reuse",
  doc = "A working set that is used again and again, between scans",
  sizes = { tiny = { bytes = 2048, scan_bytes = 4096, uses = 2, rounds = 4 } },
  params = {
    { name = "bytes", default = 24576, min = 128, max = 1 << 24,
      unit = "byte", doc = "Working set" },
    { name = "uses", default = 1, min = 1, max = 1000,
      doc = "Times that it is loaded in a round" },
    { name = "scan_bytes", default = 0, min = 0, max = 1 << 22,
      unit = "byte", doc = "What is loaded once after that in a round" },
    { name = "rounds", default = 40, min = 1, max = 1000, doc = "Rounds" },
  },
  run = run,
}
