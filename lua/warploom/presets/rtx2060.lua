-- rtx2060: a GeForce RTX 2060 (Turing TU106) from public figures, on the
-- structure of qv100.  "WP-09183" is NVIDIA's Turing architecture whitepaper;
-- "guide" the CUDA C Programming Guide, compute capability 7.5; "Jia 2019"
-- "Dissecting the NVidia Turing T4 GPU via Microbenchmarking"
-- (arXiv:1903.07486); "ours" is a choice without a public source.

local timing = "ours: titanx's GDDR5 timings in nanoseconds"
local occupancy = "CUDA 13: cuda_occupancy.h, NVIDIA's calculator"

return {
  name = "rtx2060",
  doc = "GeForce RTX 2060 from public figures",
  extends = "qv100",
  machine = {
    clock = {
      core = { "1680MHz", "RTX 2060 specification: boost clock" },
      dram = { "1750MHz", "RTX 2060 specification: GDDR6 at 14 Gb/s per pin" },
    },
    shape = {
      sms = { 30, "RTX 2060 specification: 1920 cores" },
      channels = { 12, "RTX 2060 specification: 192 bits of 16 each" },
      slices = { 2, "ours: 128 KiB each" },
    },
    slots = {
      schedule = false, -- GPGPU-Sim's
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = { 8 },
                bank_bits = { 8, 12, 13, 14 },
                row_bits = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                             27 },
                column_bits = { 5, 6, 7, 9, 10, 11 } },
              "ours: qv100's bits, channels by remainder" },
    },
    gpu = {
      sm_threads = { 1024, "guide: 32 warps per SM" },
      sm_registers = { 65536, "guide" },
      sm_shared_bytes = { "64KiB", "guide: 64 KB per SM" },
      sm_ctas = { 16, "guide" },
      register_grain = { 8, occupancy }, register_files = { 4, occupancy },
      shared_grain = { 256, occupancy },
    },
    sm = {
      every_atomic_waits = { false, "ours: hardware has RED" },
      tensor_units = { 4, "WP-09183: 8 tensor cores per SM, in four parts" },
      dp_units = false, -- two FP64 cores per SM, which the SFUs stand for
    },
    ldst = {
      dispatch_latch = false, -- GPGPU-Sim's
      unified_bytes = { "96KiB", "WP-09183: 96 KB for L1 and shared memory" },
      shared_options = { { 32, 64 }, "WP-09183: 32 or 64 KB of it shared" },
      shared_latency = { 19, "Jia 2019: shared memory" },
    },
    l1d = {
      max_ways = { 192, "WP-09183: 96 KB, 4 sets of 128 B" },
      hit_latency = { 29, "Jia 2019: 32 cycles, 3 of them hops" },
    },
    l2 = {
      size_bytes = { "128KiB", "RTX 2060 specification: 3 MB" },
      ways = { 16, "Jia 2019: 16 ways" },
    },
    dram = {
      latency = false,
      bus_bytes = { 2, "RTX 2060 specification: 16 bits per channel" },
      burst_length = { 16, "JESD250: GDDR6, 32 bytes per access" },
      data_rate = { 8, "14 Gb/s per pin at 1750 MHz" },
      dual_bus = { false, "ours" },
      tccd = { 2, "JESD250: 16 bits at 8 per cycle" },
      tccdl = { 3, timing }, trrd = { 6, timing }, trcd = { 11, timing },
      tras = { 26, timing }, trp = { 11, timing }, trc = { 37, timing },
      cl = { 11, timing }, wl = { 4, timing }, tcdlr = { 5, timing },
      twr = { 11, timing }, trtpl = { 2, timing },
      trefi = { 3325, "Ramulator, GDDR6.cpp: nREFI 3333 of 0.57 ns" },
      trfc = { 210, "Ramulator, GDDR6.cpp: nRFC 210 of 0.57 ns" },
    },
    path = {
      response = false, -- in what follows
      rop = { 142, "Jia 2019: an L2 hit takes 188 cycles" },
      dram_latency = false, -- GPGPU-Sim's
      dram = { 100, "ours: as in GPGPU-Sim's configurations" },
    },
  },
}
