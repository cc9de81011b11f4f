-- Figures 5 and 6 of S-L1 (Mokhtari and Stumm) on the machine that they were
-- measured on, as far as the paper describes it: bandwidth of 4-way coalesced
-- loads by threads and thread blocks, from the L2 and from DRAM; and that of
-- an SM's shared memory by threads, which the paper has without a figure.
--
--   warploom run -q tests/validate/sl1.lua [--set full=true] [--set csv=FILE]
--
-- Each block runs on an SM of its own.  What is counted are the bytes of data
-- that the network moves: pieces of 32 bytes, of which 4 lanes use half.  The
-- paper does not say how many loads of a thread are under way: 1, 2 and 4 are
-- measured.
local loom = require "warploom"

local full = loom.option { name = "full", default = false,
                           doc = "All blocks and threads of the figures" }
local csv = loom.option { name = "csv", default = "",
                          doc = "File that gets the measurements" }

-- The paper's latencies, each from load to load of a chain: 80, 80, 240 and
-- 350 cycles.
local function latency(workload, loads)
  local run = loom.run { machine = loom.preset.titan_black { sm_count = 1 },
                         workload = workload }
  local k = run.kernels
  return (k[#k].seconds - k[#k - 1].seconds) * 980e6 / loads
end
for _, one in ipairs {
  { "shared memory", 80, loom.suite.micro_shared {}, 128 },
  { "the L1", 80, loom.suite.micro_chase { bytes = "8KiB" }, 256 },
  { "the L2", 240, loom.suite.micro_chase { bytes = "64KiB" }, 256 },
  { "DRAM", 350, loom.suite.micro_chase { bytes = "4MiB" }, 256 },
} do
  local got = latency(one[3], one[4])
  print(("latency of %s: %.1f cycles, the paper's is %d"):format(one[1], got,
        one[2]))
  assert(got > 0.99 * one[2] and got < 1.01 * one[2], one[1])
end

-- Ten times the L2, so that ends do not count; a test has four times.
local dram_bytes = full and 16 << 20 or 6 << 20
local out = { "figure;memory;ahead;blocks;threads;gbytes" }

-- Bytes of data per second, in units of 10^9.
local function bandwidth(memory, ahead, blocks, threads)
  local warps = threads // 32
  local set = blocks * warps * 8 * 128
  local p = { ways = 4, ahead = ahead, ctas = blocks, warps = warps,
              verify = false }
  if memory == "L2" then
    p.sets, p.passes = 2, full and 6 or 3
  else
    p.sets, p.passes = (dram_bytes + set - 1) // set, 1
  end
  local run = loom.run { machine = loom.preset.titan_black {},
                         workload = loom.suite.micro_ways(p) }
  local k = run.kernels
  return p.passes * p.sets * set / (k[3].seconds - k[2].seconds) / 1e9
end

local function measure(figure, memory, ahead, blocks, threads)
  local got = bandwidth(memory, ahead, blocks, threads)
  out[#out + 1] = ("%d;%s;%d;%d;%d;%.2f"):format(figure, memory, ahead, blocks,
                                                threads, got)
  return got
end

-- Of one SM's shared memory: chains of loads of 4 bytes without conflicts.
local function shared_bandwidth(chains, threads)
  local run = loom.run { machine = loom.preset.titan_black { sm_count = 1 },
                         workload = loom.suite.micro_shared {
                           warps = threads // 32, chains = chains } }
  local k = run.kernels
  return 128 * chains * threads * 4 / (k[4].seconds - k[3].seconds) / 1e9
end

local all_blocks, all_threads = {}, {}
for i = 1, 15 do all_blocks[i] = i end
for i = 1, 8 do all_threads[i] = 128 * i end
if not full then
  all_blocks, all_threads = { 1, 10, 15 }, { 128, 1024 }
end

local function head(what, list)
  print(("\n%s\n%14s%s"):format(what, "", (" %7s"):rep(#list):format(
    table.unpack(list))))
end

local function line(name, values)
  print(("%14s%s"):format(name, (" %7.1f"):rep(#values):format(
    table.unpack(values))))
end

-- Figure 5: curves of blocks over threads.
local at_end = {}
for _, ahead in ipairs(full and { 1, 2, 4 } or { 1 }) do
  head(("Figure 5, L2, %d loads under way: GB/s by threads of a block"):format(
       ahead), all_threads)
  for _, blocks in ipairs(ahead == 1 and all_blocks or { 1, 15 }) do
    local values = {}
    for i, threads in ipairs(all_threads) do
      values[i] = measure(5, "L2", ahead, blocks, threads)
    end
    line(("%d blocks"):format(blocks), values)
    if ahead == 1 then at_end[blocks] = values[#values] end
  end
end

-- Figure 6: with 1024 threads, over blocks.
local l2, dram = {}, { {}, {}, {} } -- DRAM with 1, 2 and 4 loads under way
for i, blocks in ipairs(all_blocks) do
  l2[i] = at_end[blocks]
  out[#out + 1] = ("6;L2;1;%d;1024;%.2f"):format(blocks, l2[i])
end
head("Figure 6: GB/s by blocks of 1024 threads", all_blocks)
line("L2", l2)
for n = 1, full and 3 or 2 do
  for i, blocks in ipairs(all_blocks) do
    dram[n][i] = measure(6, "DRAM", 1 << (n - 1), blocks, 1024)
  end
  line(n == 1 and "DRAM" or ("DRAM, %d loads"):format(1 << (n - 1)), dram[n])
end

head("Shared memory of an SM: GB/s by threads", all_threads)
local shared = { {}, {} } -- with 1 and 2 loads under way
for chains, values in ipairs(shared) do
  for i, threads in ipairs(all_threads) do
    values[i] = shared_bandwidth(chains, threads)
  end
  line(("%d under way"):format(chains), values)
end

if csv ~= "" then
  local file = assert(io.open(csv, "w"))
  file:write(table.concat(out, "\n"), "\n")
  file:close()
end

-- What the paper says of its figures.  One SM is limited by its link to the
-- network, slightly below 32 GB/s; the L2 grows almost linearly up to close to
-- 480 GB/s for 15.
local first, last, ten = l2[1], l2[#l2], full and 10 or 2
assert(first > 29 and first < 32, "one block: slightly below 32 GB/s")
assert(last > 14 * first and last <= 15 * first * 1.01, "the L2 scales")
assert(last > 0.93 * 480, "the L2 of 15 SMs: close to 480 GB/s")
-- DRAM grows almost linearly up to 10 blocks, where it is limited at around
-- 300 GB/s, which takes two loads under way: 307 at most with 15 blocks.
local two = dram[2]
assert(dram[1][1] > 20 and dram[1][#dram[1]] > 8 * dram[1][1])
assert(two[ten] > 0.93 * 300 and two[ten] < 1.07 * 300, "10 blocks: 300 GB/s")
assert(two[#two] > 0.93 * 307 and two[#two] < 1.07 * 307, "15: 307 GB/s")
assert(two[ten] > 0.88 * 10 * two[1], "linear up to there")
-- Shared memory is not flat at 1024 threads and reaches 60 GB/s: between one
-- load under way (1024 threads with 4 bytes in 80 cycles) and two.
for chains, values in ipairs(shared) do
  local n = #values
  assert(values[n] > 0.99 * all_threads[n] / all_threads[1] * values[1],
         "shared memory is linear")
  assert(values[n] > chains * 49 and values[n] < chains * 51)
end
