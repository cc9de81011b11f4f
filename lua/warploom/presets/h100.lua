-- h100: an H100 SXM5 class GPU (Hopper GH100) from public figures and
-- measurements, on the structure of a100.  "whitepaper" is NVIDIA H100 Tensor
-- Core GPU Architecture; "guide" the CUDA C Programming Guide, compute
-- capability 9.0; "measured" one H100 SXM5 80 GB, docs/silicon.md: with
-- micro-kernels, never from a benchmark; "ours" is a choice without a source.

local timing = "ours: qv100's HBM timings in nanoseconds"
local card = "measured"
local halves = "JESD238: two pseudo channels of 32 bits, bursts of 8"
local atomics = "H200, measured: all lanes on one word"
local tensor = "measured, at the 1.8 GHz of tensor work"

return {
  name = "h100",
  doc = "H100 SXM class GPU from public figures and measurements",
  extends = "a100",
  machine = {
    clock = {
      core = { "1980MHz", card .. ": under load; nvidia-smi: maximum" },
      dram = { "2619MHz", "H100 SXM5 specification: HBM3, 3.35 TB/s" },
    },
    shape = {
      sms = { 132, "whitepaper: 132 SMs of the SXM5" },
      channels = { 80, "whitepaper: 5 stacks, 5120 bits; 64 each" },
      slices = { 1, "ours: 640 KiB per channel" },
    },
    slots = {
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = {},
                hash = "rotate", bank_bits = { 10, 11, 12, 13, 14 },
                row_bits = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                             27 },
                column_bits = { 5, 6, 7, 8, 9 } },
              "ours: channels by remainder, hashed: writes in steps of 4 " ..
              "KiB are as fast as others, " .. card },
      routing = { { "partition_route", fetch_cycles = 199 },
                  "A100's whitepaper: two partitions; " .. card },
      dispatch = { { "round_robin", anew = true }, card },
      coalesce = { { "sector_coalesce", atomics_by_line = true },
                   "H200, ncu: requests of atomics" },
    },
    gpu = {
      sm_shared_bytes = { "228KiB", "guide: 228 KB per SM" },
      cta_cycles = { 1.19, card .. ": empty kernels to 512 threads" },
      warp_cycles = { 8, card .. ": empty kernels of more threads" },
      launch_cycles = { 1322, card .. ": an empty kernel, 0.86 us in all" },
      launch_gap = { 1800, card .. ": 1.9 to 2.0 us from the last " ..
                     "instruction of a kernel to the first of the next" },
    },
    sm = {
      register_banks = { 0, "ours: no collectors since Volta" },
      pipeline_cycles = { 0, "latencies are from issue to issue" },
      atomic_results_wait = { false, "H200, measured: four are under way" },
      exit_waits_stores = { false, "H100 SXM, measured: a place is empty " ..
                            "for 363 cycles between CTAs of 1024 threads" },
      l0i_sets = { 64, card .. ": straight code of 2048 instructions" },
      l0i_ways = { 4, "ours: as GPGPU-Sim's" },
      l0i_line_bytes = { 128, "ours: 8 instructions" },
      l0i_fill_cycles = { 18, card .. ": 2.2 cycles for each not there" },
      branch_cycles = { 10, card .. ": chains of 4, 8 and 17 cycles, 7, 3 " ..
                        "and 0 more a loop" },
      pass_cycles = { 5, "ptxas 13.0: what each BRA leaves" },
      meet_cycles = { 5, "ptxas 13.0: what each BSYNC leaves; " .. card ..
                      ": a step of a reduction in a loop, 108.5 for 81" },
      int_add_latency = { 4, card }, int_max_latency = { 4, card },
      int_mul_latency = { 4, card }, int_mad_latency = { 4, card },
      move_latency = { 4, card }, fp_add_latency = { 4, card },
      fp_max_latency = { 4, card }, fp_mul_latency = { 4, card },
      fp_mad_latency = { 4, card }, dp_add_latency = { 8, card },
      dp_max_latency = { 8, card }, dp_mul_latency = { 8, card },
      dp_mad_latency = { 8, card }, sfu_latency = { 17, card },
      shuffle_latency = { 24, card },
      barrier_cycles = { 12, card }, barrier_interval = { 2, card },
      fence_latency = { 671, card .. ": fence.acq_rel.gpu" },
      fence_proxy_latency = { 548, card .. ": fence.proxy.async" },
      fence_interval = { 463, card .. ": 16 warps, each in every other one" },
      logic_latency = { 4, card }, logic_interval = { 2, card },
      cross_cycles = { 1, card .. ": additions and LOP3 in turn, 10.2 for " ..
                       "8.2; ptxas leaves 5" },
      far_cycles = { 2, card .. ": FADD and MUFU in turn, 23 for 21; ptxas " ..
                     "leaves 6" },
      guard_cycles = { 9, card .. ": comparison and vote, 17; ptxas leaves " ..
                       "13, for branches, too" },
      convert_latency = { 17, card .. ": pairs with an ALU's, of 4 and 2" },
      convert_interval = { 8, card .. ": 16 lanes" },
      half_latency = { 8, card },
      half_interval = { 2.8, card .. ": 91 lanes, on either SP unit" },
      special_latency = { 44, card .. ": a step of a reduction that takes " ..
                          "a shared variable's address, 108 cycles for 64" },
      special_interval = { 2, "ours: as logic" },
      vote_latency = { 4, card .. ": a pair with a comparison, of 4 and 9" },
      vote_interval = { 2, card },
      tensor_latency = { 24, tensor .. ": mma.m16n8k16" },
      tensor_interval = { 6, tensor .. ": 1365 FMA of f16 per cycle" },
      tensor_short_latency = { 17, tensor .. ": mma.m16n8k8" },
      tensor_short_interval = { 4, tensor },
      tensor_f64_latency = { 26, card .. ": mma.m8n8k4" },
      tensor_f64_interval = { 16, card },
      tensor_group_latency = { 48, tensor .. ": eight wgmma and a wait" },
      tensor_group_interval = { 4, "whitepaper: 2048 FMA of f16 per cycle" },
      tensor_queue = { 4, "ours: more change nothing" },
      tensor_queue_bytes = { 128, "shared memory; " .. tensor .. ": 18 " ..
                             "cycles of 64 x 8, A in shared memory" },
      tensor_queue_cycles = { 13, tensor .. ": of 64 x 8, A in registers" },
      sp_units = { 8, "whitepaper: 32 FP32 lanes per part; Nsight Compute: " ..
                   "fmaheavy and fmalite, 16 each" },
      dp_add_interval = { 2, "whitepaper: 16 FP64 lanes per part" },
      dp_mul_interval = { 2, "whitepaper: 16 FP64 lanes per part" },
      dp_mad_interval = { 2, "whitepaper: 16 FP64 lanes per part" },
    },
    ldst = {
      unified_bytes = { "256KiB", "whitepaper: 256 KB for L1 and shared" },
      shared_options = { { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228 },
                         "guide" },
      shared_latency = { 21, card .. ": 23 in all" },
      atomic_latency = { 79, "measured: near 338, far 570 cycles" },
    },
    noc = { flit_bytes = { 136, card .. ": an SM reads 110 to 120 bytes per " ..
                           "cycle, so 128; and 8 of control" },
            request_flit_bytes = { 40, card .. ": an SM writes 31.5 bytes " ..
                                   "per cycle, so 32; and 8 of control" },
            mask_bytes = { 32, "H200, measured: a flit more" } },
    l1d = {
      fill_port_bytes = { 128, "the link" },
      max_ways = { 512, "whitepaper: 256 KB, 4 sets of 128 B" },
      hit_latency = { 28, card .. ": 32.0 in all" },
      mshr_merges = { 16, "ours: more change nothing; Volta's whitepaper: " ..
                      "any number of misses in flight" },
    },
    l2 = {
      size_bytes = { "640KiB", "whitepaper: 50 MB" },
      ways = { 20, "ours" },
      mshr_entries = { 1024, "ours: so many that reads reach 80 % of the " ..
                       "peak, as " .. card },
      miss_queue = { 128, "ours: as mshr_entries" },
      mshr_merges = { 8, "ours: more change little" },
      atomic_interval = { 1.45, atomics },
      atomic_real_latency = { 3.47, atomics },
    },
    dram = {
      bus_bytes = { 4, halves }, burst_length = { 8, halves .. ": 32 bytes" },
      tccd = { 4, "a burst of 8 at two per cycle" },
      tccdl = { 6, timing }, trrd = { 9, timing }, trcd = { 37, timing },
      tras = { 86, timing }, trp = { 37, timing }, trc = { 123, timing },
      cl = { 37, timing }, wl = { 6, timing }, tcdlr = { 9, timing },
      twr = { 31, timing }, trtpl = { 9, timing },
      refresh = { "all", card .. ": 225 ns, too long for one bank" },
      trfcb = false, trrefd = false, -- of single banks
      refresh_groups = { 5, card .. ": a fifth of accesses waits, or none" },
      refresh_postpone = { 8, "JESD79-4; " .. card .. ": short kernels " ..
                           "have none" },
      trefi = { 5107, card .. ": 1.95 us, half of JESD238's 3.9" },
      trfc = { 589, card .. ": 225 ns; who comes meanwhile waits" },
    },
    path = {
      cta = { 190, card .. ": empty kernels of more threads" },
      rop = { 239, card .. ": 276 in all where it has been read" },
      far = { 199, "public: 475 cycles to the far partition; " .. card ..
              ": 163 of single loads" },
      dram = { 197, card .. ": 681 in all, the mean of near and far" },
    },
  },
}
