-- a100: an A100 SXM4 40 GB class GPU (Ampere GA100) from public figures, on the
-- structure of qv100.  "whitepaper" is NVIDIA A100 Tensor Core GPU Architecture
-- V1.0; "guide" the CUDA C Programming Guide, compute capability 8.0;
-- "gpu-benches" github.com/te42kyfo/gpu-benches, folder gpu-latency
-- (a100_80.txt: in the copy github.com/xxrjun/gpu-benches), with which
-- tests/validate/latencies.lua compares; "ours" is a choice without a public
-- source.  Quoted from memory, "unchecked", in cycles:
--   Luo 2024          "Benchmarking and Dissecting the Nvidia Hopper GPU
--                     Architecture" (arXiv:2402.13499)
--   Sun 2022          "Dissecting Tensor Cores via Microbenchmarks"
--                     (arXiv:2206.02874)
--   Abdelkhalik 2022  "Demystifying the Nvidia Ampere Architecture through
--                     Microbenchmarking" (arXiv:2208.11174)
--   Huerta 2025       "Analyzing Modern NVIDIA GPU Cores" (MICRO 2025), of an
--                     RTX A6000

local same = "Abdelkhalik et al. (arXiv:2208.11174): add, fma: 4"
local order = "Huerta 2025: greedy; h100, measured: then the oldest"
local pipes = "Nsight Compute, pipelines: FMA does IMAD; ptxas takes it " ..
              "for additions, moves and shifts left, too"
local stalls = "ptxas 13.0 for sm_80: a stall of "
local sectors = "Nsight Compute: a request has up to 4 sectors of a line"
local half = "gpu-benches, a100_80: 405 from 24 MiB on, 205 to 18 MiB"
local timing = "ours: qv100's HBM timings in nanoseconds"
local halves = "Ramulator, HBM2: two pseudo channels of 64 bits and 16 banks"
local single = "gpu-benches, gpu-stream: writes at 97 % of the peak, where " ..
               "refreshes of all banks would leave 93; HBM can refresh one"
local occupancy = "CUDA 13: cuda_occupancy.h, NVIDIA's calculator"

return {
  name = "a100",
  doc = "A100 class GPU from public figures",
  extends = "qv100",
  machine = {
    clock = {
      core = { "1410MHz", "whitepaper: GPU boost clock" },
      dram = { "1215MHz", "whitepaper: memory clock" },
    },
    shape = {
      sms = { 108, "whitepaper: 108 SMs" },
      channels = { 40, "whitepaper: 5 stacks, 5120 bits; 128 each" },
      slices = { 2, "whitepaper: 80 slices of 512 KB" },
    },
    slots = {
      schedule = false, -- GPGPU-Sim's
      scheduler = { "gto", order },
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = { 8 },
                bank_bits = { 8, 11, 12, 13, 14 },
                row_bits = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                             27 },
                column_bits = { 5, 6, 7, 9, 10 } },
              "ours: qv100's bits, two pseudo channels, channels by " ..
              "remainder" },
      routing = { { "partition_route", fetch_cycles = 195,
                    bytes = "10MiB" },
                  "whitepaper: two partitions; " .. half },
    },
    gpu = {
      concurrent_kernels = { 32, "guide: 128 resident grids; 32 are what " ..
                             "the gpu can" },
      sm_shared_bytes = { "164KiB", "guide: 164 KB per SM" },
      sm_ctas = { 32, "guide" },
      register_grain = { 8, occupancy }, register_files = { 4, occupancy },
      shared_grain = { 128, occupancy }, shared_kept = { 1024, "guide" },
      scheduled = { true, "ours: as ptxas schedules PTX" },
      launch_cycles = { 970, "gpu-benches, gpu-small-kernels: 1.35 us from " ..
                        "kernel to kernel of a graph" },
    },
    sm = {
      sp_multiplies = { true, pipes },
      move_interval = { 2, "ours: as additions" },
      memory_in_turn = { true, "h100, measured: all warps get on alike" },
      every_atomic_waits = { false, "ours: hardware has RED" },
      register_banks = { 0, "ours: no collectors since Volta" },
      pipeline_cycles = { 0, "latencies are from issue to issue" },
      branch_cycles = { 10, "h100" },
      int_add_latency = { 4, same }, int_max_latency = { 4, same },
      int_mul_latency = { 4, same }, int_mad_latency = { 4, same },
      move_latency = { 4, same }, fp_add_latency = { 4, same },
      fp_max_latency = { 4, same }, fp_mul_latency = { 4, same },
      fp_mad_latency = { 4, same }, dp_add_latency = { 8, "h100" },
      dp_max_latency = { 8, "h100" }, dp_mul_latency = { 8, "h100" },
      dp_mad_latency = { 8, "h100" },
      tensor_latency = { 25, "Sun 2022: mma.m16n8k16, 24.7; unchecked" },
      tensor_interval = { 8, "whitepaper: 1024 FMA of f16 per cycle" },
      tensor_short_latency = { 18, "Sun 2022: mma.m16n8k8, 17.7; unchecked" },
      tensor_short_interval = { 4, "whitepaper: as above, half the work" },
      tensor_f64_latency = { 26, "h100" },
      tensor_f64_interval = { 16, "whitepaper: 64 FMA of f64 per cycle" },
      logic_latency = { 4, same },
      logic_interval = { 2, "guide: 64 lanes" },
      cross_cycles = { 1, stalls .. "5 between ALU and FMA for 4" },
      far_cycles = { 2, stalls .. "6 to memory and SFUs" },
      guard_cycles = { 9, stalls .. "13 to a guard" },
      convert_latency = { 20, "ours: as sfu_latency" },
      convert_interval = { 8, "guide: 16 lanes" },
      vote_latency = { 4, "h100" }, vote_interval = { 2, "guide: 64 lanes" },
      sfu_latency = { 20, "ours" }, sfu_interval = { 8, "ours: 4 per part" },
      dp_add_interval = { 4, "whitepaper: 8 FP64 cores per part" },
      dp_mul_interval = { 4, "whitepaper: 8 FP64 cores per part" },
      dp_mad_interval = { 4, "whitepaper: 8 FP64 cores per part" },
    },
    ldst = {
      dispatch_latch = false, -- GPGPU-Sim's
      unified_bytes = { "192KiB", "whitepaper: 192 KB for L1 and shared" },
      shared_options = { { 0, 8, 16, 32, 64, 100, 132, 164 }, "guide" },
      return_cycles = { 2, "Huerta 2025: 512 bits per cycle; unchecked" },
      shared_latency = { 27, "Luo 2024: 29.0 in all; unchecked" },
    },
    l1d = {
      max_ways = { 384, "whitepaper: 192 KB, 4 sets of 128 B" },
      hit_latency = { 29, "gpu-benches, a100_80: 33.0 in all" },
      join_sectors = { true, sectors },
      around_waits = { true, "h100, measured: .cg takes what .ca does" },
      fill_port_bytes = { 64, "the link" },
    },
    noc = { flit_bytes = { 72, "NVIDIA: 64 bytes per cycle and SM; and 8 of " ..
                           "control" } },
    l2 = {
      split_replies = { "one", sectors },
      preload = { true, "h100, measured: the L2 has all of a copy of 8 MiB" },
      preload_last = { true, "h100, measured: they leave first, until read" },
      accesses_per_cycle = { 2, "whitepaper: 64 bytes per cycle and slice" },
      requests_per_cycle = { 1, "h100, measured: random sectors, 71 of 80 " ..
                             "slices a cycle" },
      size_bytes = { "512KiB", "whitepaper: 40 MB in 80 slices" },
      ways = { 16, "ours" },
    },
    dram = {
      latency = false,
      pseudo_channels = { 2, halves }, banks = { 32, halves },
      bank_groups = { 8, halves }, bus_bytes = { 8, halves },
      burst_length = { 4, halves .. ": 32 bytes" },
      queue_entries = { 128, "-gpgpu_frfcfs_dram_sched_queue_size 64 of " ..
                        "each pseudo channel" },
      tccd = { 2, "a burst of 4 at two per cycle" },
      tccdl = { 3, timing }, trrd = { 4, timing }, trcd = { 17, timing },
      tras = { 40, timing }, trp = { 17, timing }, trc = { 57, timing },
      cl = { 17, timing }, wl = { 3, timing }, tcdlr = { 4, timing },
      twr = { 14, timing }, trtpl = { 4, timing },
      refresh = { "bank", single },
      trefi = { 4738, "JESD235: 3.9 us" },
      trfcb = { 194, "Ramulator, HBM2: nRFCSB, 160 ns" },
      trrefd = { 10, "Ramulator, HBM2: nRREFD, 8 ns" },
    },
    path = {
      response = false, -- in what follows
      rop = { 166, "gpu-benches, a100_80: 205 in all, near half" },
      dram_latency = false, -- GPGPU-Sim's
      far = { 195, half },
      dram = { 188, "gpu-benches, a100_80: 524 in all, the mean of near " ..
               "and far" },
    },
  },
}
