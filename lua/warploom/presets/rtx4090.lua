-- rtx4090: a GeForce RTX 4090 (Ada AD102) from public figures, on the structure
-- of rtx3090.  "whitepaper" is NVIDIA Ada GPU Architecture; "guide" the CUDA C
-- Programming Guide, compute capability 8.9; "L40" github.com/te42kyfo/
-- gpu-benches (copy with more cards: github.com/xxrjun/gpu-benches), files
-- l40.txt: the same chip with GDDR6, in cycles, with which
-- tests/silicon/published.lua compares; "ours" is a choice without a source.

local l40 = "L40"
local timing = "gddr6x, in nanoseconds"

return {
  name = "rtx4090",
  doc = "GeForce RTX 4090 class GPU (GDDR6X) from public figures",
  extends = "rtx3090",
  machine = {
    clock = {
      core = { "2520MHz", "whitepaper: boost clock" },
      dram = { "2625MHz", "whitepaper: 21 Gb/s at 8 transfers per cycle" },
    },
    shape = {
      sms = { 128, "whitepaper" },
      slices = { 2, "ours: 48 of 1.5 MiB" },
    },
    gpu = {
      sm_ctas = { 24, "guide" },
      launch_cycles = { 1557, l40 .. ", gpu-small-kernels: 0.94 us from " ..
                        "kernel to kernel of a graph" },
    },
    l1d = { hit_latency = { 30, l40 .. ": 34.0 in all" } },
    l2 = {
      size_bytes = { "1536KiB", "whitepaper: 72 MB" },
      ways = { 24, "ours" },
    },
    dram = {
      tccdl = { 5, timing }, trrd = { 11, timing }, trcd = { 39, timing },
      tras = { 80, timing }, trp = { 39, timing }, trc = { 119, timing },
      cl = { 36, timing }, wl = { 9, timing }, tcdlr = { 14, timing },
      twr = { 39, timing }, trrdl = { 11, timing }, trcdwr = { 24, timing },
      tcdlrl = { 17, timing }, trtp = { 6, timing }, trtrs = { 6, timing },
      tfaw = { 42, timing }, trefi = { 5000, timing },
      trfc = { 315, timing }, trfcb = { 158, timing },
      trrefd = { 21, timing },
    },
    path = {
      rop = { 232, l40 .. ": 273.6 in all" },
      dram = { 260, l40 .. ": 615 in all, without what translation takes" },
    },
    tlb = { entries = { 16, l40 .. ": more cycles from 32 MiB on" } },
  },
}
