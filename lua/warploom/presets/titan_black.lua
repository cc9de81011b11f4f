-- titan_black: the GTX Titan Black (Kepler GK110B) that S-L1 was measured on
-- (Mokhtari and Stumm: no simulator), on the base of GPGPU-Sim 4's Kepler
-- configuration SM3_KEPLER_TITAN, which is "kepler" below; "paper" is the text
-- of its section 2.

local dl1 = "kepler: -gpgpu_cache:dl1 4:128:32, streaming, A:256:8, queue 16"
local dl2 = "paper: 1.5 MB; kepler: -gpgpu_cache:dl2 32:128:16 x 24, A:256:64"
local occupancy = "CUDA 13: cuda_occupancy.h, NVIDIA's calculator"

return {
  name = "titan_black",
  doc = "GTX Titan Black, on which S-L1 was measured",
  extends = "titanx",
  machine = {
    clock = {
      core = { "980MHz", "paper: 2880 cores at 980 MHz" },
      dram = { "1750MHz", "paper: 336 GB/s: 12 channels, 16 B per cycle" },
    },
    shape = { sms = { 15, "paper: 15 SMX" } },
    slots = {
      schedule = false, -- GPGPU-Sim's
      coalesce = { { "fermi_coalesce", around_bytes = 32 },
                   "paper: an L1 miss fetches 128 bytes" },
      l1d_index = { "linear_index", dl1 },
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = { 7 },
                bank_bits = { 7, 12, 13, 14 },
                row_bits = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                             27 },
                column_bits = { 5, 6, 8, 9, 10, 11 } },
              "kepler: RBBBCCCC BCCSSSSS, partition indexing 0" },
    },
    gpu = {
      sm_shared_bytes = { "48KiB", "paper: 16 to 48 KB of shared memory" },
      sm_ctas = { 16, "kepler: -gpgpu_shader_cta" },
      register_grain = { 8, occupancy }, register_files = { 4, occupancy },
      shared_grain = { 256, occupancy },
    },
    sm = {
      every_atomic_waits = { false, "ours: hardware has RED" },
      branch_seen_at_issue = false, -- GPGPU-Sim's
      sub_core = { false, "kepler: -gpgpu_sub_core_model 0" },
      sp_units = { 6, "paper: 192 cores per SMX" },
      dp_units = { 4, "kepler: -gpgpu_num_dp_units" },
      sfu_units = { 2, "kepler: -gpgpu_num_sfu_units" },
      fetch_width = { 8, "kepler" },
      sp_collectors = { 12, "kepler: -gpgpu_operand_collector_num_units_sp" },
      sfu_collectors = { 6, "kepler: -gpgpu_operand_collector_num_units_sfu" },
      ldst_collectors = { 8, "kepler: -gpgpu_operand_collector_num_units_mem" },
      dp_collectors = { 6, "kepler: -gpgpu_operand_collector_num_units_dp" },
      sp_ports = { 2, "kepler" }, sfu_ports = { 1, "kepler" },
      ldst_ports = { 1, "kepler" }, dp_ports = { 1, "kepler" },
      generic_collectors = { 0, "kepler" }, generic_ports = { 0, "kepler" },
      ldst_latches = { 1, "kepler: -gpgpu_pipeline_widths 6,4,0,2,1,.." },
      result_bus_width = { 12, "kepler: -gpgpu_pipeline_widths, EX_WB" },
    },
    ldst = {
      dispatch_latch = false, -- GPGPU-Sim's
      accesses_per_cycle = { 1, "kepler: -gpgpu_l1_banks 1" },
      shared_latency = { 75, "paper: 80 cycles, which a chain of loads takes" },
    },
    noc = {
      latency = { 4, "ours: with rop, an L2 hit takes 240 cycles" },
      internal_speedup = { 2, "kepler: icnt internal_speedup 2; paper: 10 " ..
                              "blocks get 300 GB/s from DRAM, with 1 244" },
    },
    l1d = {
      size_bytes = { "16KiB", "paper: 16 to 48 KB, the rest is shared" },
      ways = { 32, dl1 }, sector_bytes = false, split_sectors = false,
      mshr_unit = false, banks = { 1, "kepler: -gpgpu_l1_banks 1" },
      data_port_bytes = false, fill_port_bytes = false,
      line_mshrs = { true, "GPGPU-Sim 4.0: streaming, one for each line" },
      mshr_merges = { 64, "GPGPU-Sim 4.0: streaming, one of each warp" },
      hit_latency = { 73, "paper: 80 cycles, which a chain of loads takes" },
    },
    l2 = {
      size_bytes = { "64KiB", dl2 }, ways = { 16, dl2 },
    },
    dram = {
      latency = false,
      bus_bytes = { 4, "paper: 384 bits" },
      trefi = { 4434, "loom.gddr5's 2.53 us; hardware has refreshes" },
      trfc = { 86, "loom.gddr5's 49 ns" },
    },
    path = {
      response = false,
      rop = { 145, "ours: so that an L2 hit takes 240 cycles" },
      dram_latency = false, -- GPGPU-Sim's
      dram = { 82, "ours: so that memory takes 350 cycles with refreshes" },
    },
  },
}
