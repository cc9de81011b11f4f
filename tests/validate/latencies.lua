-- Latency of one thread's pointer chase on presets that are not GPGPU-Sim's,
-- beside what was measured on the cards: by tests/silicon on an H100 SXM and an
-- H200, with one thread that visits all lines of 128 bytes; of the A100 by
-- gpu-benches (github.com/te42kyfo/gpu-benches, copy with more cards
-- github.com/xxrjun/gpu-benches), folder gpu-latency: milliseconds of 10^6
-- dependent loads, lines of 128 bytes in random order, by footprint.
--
--   a100  a100_80.txt    1410 MHz  2..100 KiB, 0.25..19 MiB, 50..120 MiB
--   v100  v100.txt       1380 MHz  2..16 KiB, 0.25..5 MiB, 8..30 MiB
--   rtx3090  a40.txt     1740 MHz  2..16 KiB, 0.2..5 MiB, 9..30 MiB
--   rtx4090  l40.txt     2490 MHz  2..16 KiB, 0.2..30 MiB; 2.1 GiB less 10
--
-- (A40 and L40 are the same chips with GDDR6; the last row is beyond the reach
-- of a TLB, which costs 10 cycles by tests/silicon/published.lua's figures.)
--
--   h100  tests/silicon  1980 MHz  4..64 KiB, 1..16 MiB, 256 MiB
--   h200  tests/silicon  1980 MHz  4..64 KiB, 1..16 MiB, 256 MiB
--
-- L1 and L2 are compared in cycles; memory beyond the L2 in nanoseconds, as
-- its clock is another.  Here the lines come in steps of 4 KiB, so that each
-- finds another row, and the L2 is made small, so that a short chase misses
-- it.  There are no refreshes: a chase may keep step with them, and then finds
-- all of them or none.  What they add on the average, half of their time in 12
-- or 13 of 100 loads, is taken off (docs/decisions/0068-*.md); the others'
-- memory is not known so well.
--
--   warploom run -q tests/validate/latencies.lua
local loom = require "warploom"

local cards = {
  { "v100", 1380e6, l1 = 27.9, l2 = 212.1, memory = 425.3 },
  { "a100", 1410e6, l1 = 33.0, l2 = 205, memory = 524 },
  { "h100", 1980e6, l1 = 32.0, l2 = 276.4, memory = 680.9 - 26 },
  { "h200", 1980e6, l1 = 32.0, l2 = 280.7, memory = 683.2 - 34 },
  { "rtx3090", 1740e6, l1 = 33.0, l2 = 250.4, memory = 546.7 },
  { "rtx4090", 2490e6, l1 = 34.0, l2 = 273.6, memory = 615.0 },
}
local limit = 0.02

local function chase(gpu, bytes, stride)
  local run = loom.run { machine = gpu, workload = loom.suite.micro_chase {
    bytes = bytes, stride = stride } }
  local k = run.kernels
  return (k[#k].seconds - k[#k - 1].seconds) * gpu.clock / 256
end

local function measure(name)
  local gpu = loom.preset[name] {}
  local small = loom.preset[name] {}
  for i = 0, #small.l2 - 1 do
    small.l2[i].size_bytes, small.l2[i].ways = "8KiB", 4
  end
  for i = 0, #small.dram - 1 do small.dram[i].trefi = 0 end
  if small.noc.slice_links > 1 then -- nor do copies stay in a partition
    small.noc:set { routing = loom.partition_route { bytes = "8KiB" } }
  end
  return { l1 = chase(gpu, 16 << 10, 128), l2 = chase(gpu, 1 << 20, 128),
           memory = chase(small, 64 << 20, 4096) }, gpu.clock
end

print(("%-8s %-8s %10s %10s %8s"):format("preset", "level", "card", "here",
                                         "error"))
local far = 0
for _, card in ipairs(cards) do
  local here, clock = measure(card[1])
  local want = { l1 = card.l1, l2 = card.l2,
                 memory = card.l2 + (card.memory - card.l2) * clock / card[2] }
  for _, level in ipairs { "l1", "l2", "memory" } do
    local off = here[level] / want[level] - 1
    far = far + (math.abs(off) > limit and 1 or 0)
    print(("%-8s %-8s %10.1f %10.1f %7.1f%%"):format(
      card[1], level, want[level], here[level], 100 * off))
  end
end
if far ~= 0 then error(far .. " latencies differ by more than 2 %") end
