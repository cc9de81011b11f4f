-- rtx3090: a GeForce RTX 3090 (Ampere GA102) from public figures, on the
-- structure of a100.  "whitepaper" is NVIDIA Ampere GA102 GPU Architecture;
-- "guide" the CUDA C Programming Guide, compute capability 8.6; "A40"
-- github.com/te42kyfo/gpu-benches (copy with more cards: github.com/xxrjun/
-- gpu-benches), files a40.txt: the same chip with GDDR6, in cycles, with which
-- tests/silicon/published.lua compares; "ours" is a choice without a source.

local a40 = "A40"
local fp64 = "guide: 2 results per cycle"

return {
  name = "rtx3090",
  doc = "GeForce RTX 3090 class GPU (GDDR6X) from public figures",
  extends = "a100",
  memory = "gddr6x",
  machine = {
    clock = {
      core = { "1695MHz", "whitepaper: boost clock" },
    },
    shape = {
      sms = { 82, "whitepaper" },
      channels = { 24, "whitepaper: 384 bits; Micron: channels of 16" },
      slices = { 2, "ours: 48 of 128 KiB" },
    },
    slots = {
      routing = false, -- one partition
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = { 8 },
                hash = "rotate", bank_bits = { 12, 13, 14, 15 },
                row_bits = { 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 },
                column_bits = { 5, 6, 7, 9, 10, 11 } },
              "ours: channels by remainder, hashed as h100's" },
    },
    gpu = {
      sm_threads = { 1536, "guide" }, sm_ctas = { 16, "guide" },
      sm_shared_bytes = { "100KiB", "guide: 100 KB per SM" },
      launch_cycles = { 1112, a40 .. ", gpu-small-kernels: 1.09 us from " ..
                        "kernel to kernel of a graph" },
    },
    sm = {
      sp_units = { 8, "whitepaper: 32 FP32 lanes per part, twice 16" },
      dp_add_interval = { 64, fp64 }, dp_max_interval = { 64, fp64 },
      dp_mul_interval = { 64, fp64 }, dp_mad_interval = { 64, fp64 },
      tensor_interval = { 16, "whitepaper: 512 FMA of f16 per cycle" },
      tensor_short_interval = { 8, "whitepaper: as above, half the work" },
      tensor_f64_interval = { 512, fp64 },
    },
    ldst = {
      unified_bytes = { "128KiB", "whitepaper: 128 KB for L1 and shared" },
      shared_options = { { 0, 8, 16, 32, 64, 100 }, "guide" },
      accesses_per_cycle = { 2, a40 .. ": 64 bytes per cycle and SM" },
    },
    l1d = {
      max_ways = { 256, "whitepaper: 128 KB, 4 sets of 128 B" },
      hit_latency = { 29, a40 .. ": 33.0 in all" },
    },
    l2 = {
      size_bytes = { "128KiB", "whitepaper: 6 MB" },
      accesses_per_cycle = false, requests_per_cycle = false, -- not known
      mshr_entries = { 1024, "as h100" },
      miss_queue = { 128, "as h100" },
      mshr_merges = { 8, "as h100" },
    },
    dram = {
      pseudo_channels = false, refresh_groups = false, -- of HBM
      refresh = { "bank", a40 .. ", gpu-stream: 98 % of the peak; GDDR6 can " ..
                  "refresh one" },
      queue_entries = { 256, "ours: so many that copies are within 15 % of " ..
                        "an A40's" },
    },
    path = {
      far = false,
      rop = { 209, a40 .. ": 250 in all" },
      dram = { 232, a40 .. ": 547 in all" },
    },
    tlb = {
      page_bytes = { "2MiB", "as v100" },
      entries = { 16, a40 .. ": more cycles from 32 MiB on" },
    },
    l2tlb = {
      size_bytes = { "32KiB", "as v100; " .. a40 .. ": no end to 2.1 GiB" },
      ways = { 256, "ours: one set" },
      hit_latency = { 3, a40 .. ": beyond 32 MiB up to 10 cycles more" },
    },
    walker = {
      levels = { 1, "as v100" },
      level_cycles = { 643, "as v100" },
    },
  },
}
