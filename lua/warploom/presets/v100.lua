-- v100: a Tesla V100 (Volta GV100) from public figures, on the structure of
-- qv100, which is what GPGPU-Sim makes of it.  "whitepaper" is NVIDIA Tesla
-- V100 GPU Architecture; "Jia" "Dissecting the NVIDIA Volta GPU Architecture
-- via Microbenchmarking" (arXiv:1804.06826), quoted from memory: "unchecked";
-- "guide" the CUDA C Programming Guide, compute capability 7.0;
-- "gpu-benches" github.com/te42kyfo/gpu-benches, files v100.txt, with which
-- tests/silicon/published.lua compares; "ours" is a choice without a source.

local jia, benches = "Jia, table of latencies; unchecked", "gpu-benches"
local order = "Huerta 2025: greedy; h100, measured: then the oldest"
local pipes = "Nsight Compute, pipelines: FMA does IMAD; ptxas takes it " ..
              "for additions, moves and shifts left, too"
local stalls = "ptxas 13.0 for sm_75, sm_70 is not known to it: a stall of "
local sectors = "Nsight Compute: a request has up to 4 sectors of a line"
local tlb = "gpu-benches, gpu-latency: "
local halves = "Ramulator, HBM2: two pseudo channels of 64 bits and 16 banks"
local single = "gpu-benches, gpu-stream: writes at 99.7 % of the peak, " ..
               "where refreshes of all banks would leave 93; HBM can " ..
               "refresh one"
local occupancy = "CUDA 13: cuda_occupancy.h, NVIDIA's calculator"

return {
  name = "v100",
  doc = "Tesla V100 class GPU from public figures",
  extends = "qv100",
  machine = {
    clock = {
      core = { "1380MHz", benches .. ": measured; whitepaper: boost 1.53" },
      dram = { "877MHz", "whitepaper: 900 GB/s of 4096 bits" },
    },
    slots = {
      schedule = false, -- GPGPU-Sim's
      scheduler = { "gto", order },
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = { 8 },
                bank_bits = { 8, 11, 12, 13, 14 },
                row_bits = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                             27 },
                column_bits = { 5, 6, 7, 9, 10 }, hash = "ipoly" },
              "qv100's bits, two pseudo channels" },
    },
    gpu = {
      concurrent_kernels = { 32, "guide: 128 resident grids; 32 are what " ..
                             "the gpu can" },
      register_grain = { 8, occupancy }, register_files = { 4, occupancy },
      shared_grain = { 256, occupancy },
      scheduled = { true, "ours: as ptxas schedules PTX" },
      launch_cycles = { 950, "as a100, in nanoseconds" },
    },
    sm = {
      sp_multiplies = { true, pipes },
      move_interval = { 2, "ours: as additions" },
      memory_in_turn = { true, "h100, measured: all warps get on alike" },
      every_atomic_waits = { false, "ours: hardware has RED" },
      register_banks = { 0, "ours: no collectors since Volta" },
      pipeline_cycles = { 0, "latencies are from issue to issue" },
      int_add_latency = { 4, jia }, int_max_latency = { 4, jia },
      int_mul_latency = { 5, jia }, int_mad_latency = { 5, jia },
      move_latency = { 4, jia }, fp_add_latency = { 4, jia },
      fp_max_latency = { 4, jia }, fp_mul_latency = { 4, jia },
      fp_mad_latency = { 4, jia }, dp_add_latency = { 8, jia },
      dp_max_latency = { 8, jia }, dp_mul_latency = { 8, jia },
      dp_mad_latency = { 8, jia },
      logic_latency = { 4, jia }, logic_interval = { 2, "guide: 64 lanes" },
      cross_cycles = { 1, stalls .. "5 between ALU and FMA for 4" },
      far_cycles = { 4, stalls .. "8 to memory and SFUs" },
      guard_cycles = { 8, stalls .. "12 to a guard" },
      convert_latency = { 18, "ours: as sfu_latency" },
      convert_interval = { 8, "guide: 16 lanes" },
      vote_latency = { 4, "h100" }, vote_interval = { 2, "guide: 64 lanes" },
      sfu_latency = { 18, "ours: near h100's" },
      branch_cycles = { 10, "ours: h100's" },
      tensor_latency = { 38, "Raihan et al. (arXiv:1811.08309): wmma of " ..
                         "m16n16k16, two parts, 54 in all; unchecked" },
      tensor_interval = { 16, "whitepaper: 512 FMA of f16 per cycle" },
      tensor_short_latency = { 30, "ours: as above, without 8 cycles of work" },
      tensor_short_interval = { 8, "whitepaper: as above, half the work" },
    },
    ldst = {
      dispatch_latch = false, -- GPGPU-Sim's
      shared_latency = { 17, "Jia: 19 in all; unchecked" },
    },
    l1d = {
      hit_latency = { 24, benches .. ": 28.0 in all" },
      join_sectors = { true, sectors },
      around_waits = { true, "h100, measured: .cg takes what .ca does" },
      fill_port_bytes = { 64, "the link" },
    },
    noc = { flit_bytes = { 72, "64 bytes of data, as a100; 8 of control" } },
    l2 = {
      split_replies = { "one", sectors },
      mshr_entries = { 1024, "as h100" },
      miss_queue = { 128, "as h100" },
      mshr_merges = { 8, "as h100" },
      preload = { true, "h100, measured: the L2 has all of a copy of 8 MiB" },
      preload_last = { true, "h100, measured: they leave first, until read" },
    },
    dram = {
      latency = false,
      pseudo_channels = { 2, halves }, banks = { 32, halves },
      bank_groups = { 8, halves }, bus_bytes = { 8, halves },
      burst_length = { 4, halves .. ": 32 bytes" },
      queue_entries = { 128, "-gpgpu_frfcfs_dram_sched_queue_size 64 of " ..
                        "each pseudo channel" },
      tccd = { 2, "a burst of 4 at two per cycle" },
      refresh = { "bank", single },
      trefi = { 3420, "JESD235: 3.9 us" },
      trfcb = { 140, "Ramulator, HBM2: nRFCSB, 160 ns" },
      trrefd = { 7, "Ramulator, HBM2: nRREFD, 8 ns" },
    },
    tlb = {
      page_bytes = { "2MiB", "Jia; " .. tlb .. "others would show earlier" },
      entries = { 16, "Jia: 32 MiB; " .. tlb .. "more cycles from there on" },
    },
    l2tlb = {
      size_bytes = { "32KiB", "Jia: about 8 GiB: 256 lines of 16 entries" },
      ways = { 256, "ours: one set" },
      hit_latency = { 2, tlb .. "beyond 32 MiB up to 9 cycles more" },
    },
    walker = {
      levels = { 1, "ours: the rest is in level_cycles" },
      level_cycles = { 643, "Jia: 1029 for 375 cycles without the entry; " ..
                       "unchecked" },
    },
    path = {
      response = false, -- in what follows
      rop = { 176, benches .. ": 212 in all" },
      dram_latency = false, -- GPGPU-Sim's
      dram = { 152, benches .. ": 425 in all" },
    },
  },
}
