-- qv100: a Quadro V100 (Volta GV100) as GPGPU-Sim 4 describes it in its tested
-- configuration SM7_QV100.
--
-- Sources as in gtx480: "-option" is an option of that configuration,
-- "GPGPU-Sim" what its source does without an option.

local dl1, dl2 = "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32",
                 "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32"
local timing = "-gpgpu_dram_timing_opt"
local xbar = "-network_mode 2: a packet per output and cycle, whatever its size"

return {
  name = "qv100",
  doc = "Quadro V100 as GPGPU-Sim 4's tested configuration has it",
  extends = "titanx",
  machine = {
    clock = {
      core = { "1132MHz", "-gpgpu_clock_domains 1132:1132:1132:850" },
      dram = { "850MHz", "-gpgpu_clock_domains 1132:1132:1132:850" },
    },
    shape = {
      sms = { 80, "-gpgpu_n_clusters 80, 1 core each" },
      channels = { 32, "-gpgpu_n_mem" },
    },
    slots = {
      scheduler = { "lrr", "-gpgpu_scheduler lrr" },
      coalesce = { "sector_coalesce", "-gpgpu_coalesce_arch 70" },
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = { 8 },
                bank_bits = { 8, 12, 13, 14 },
                row_bits = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                             27 },
                column_bits = { 5, 6, 7, 9, 10, 11 }, hash = "ipoly" },
              "-gpgpu_mem_addr_mapping dramid@8; 0000RRRR RRRRRRRR RBBBCCCB " ..
              "CCCSSSSS; -gpgpu_memory_partition_indexing 2" },
    },
    sm = {
      issue_per_scheduler = { 1, "-gpgpu_max_insn_issue_per_warp" },
      branch_seen_at_issue = false, -- one instruction of a warp
      fetch_width = { 4, "-gpgpu_inst_fetch_throughput" },
      int_units = { 4, "-gpgpu_num_int_units" },
      dp_units = { 4, "-gpgpu_num_dp_units" },
      tensor_units = { 4, "-gpgpu_num_tensor_core_units" },
      int_add_interval = { 2, "-ptx_opcode_initiation_int 2,2,2,2,8,4" },
      int_max_interval = { 2, "-ptx_opcode_initiation_int 2,2,2,2,8,4" },
      int_mul_interval = { 2, "-ptx_opcode_initiation_int 2,2,2,2,8,4" },
      int_mad_interval = { 2, "-ptx_opcode_initiation_int 2,2,2,2,8,4" },
      int_div_interval = { 8, "-ptx_opcode_initiation_int 2,2,2,2,8,4" },
      fp_add_interval = { 2, "-ptx_opcode_initiation_fp 2,2,2,2,4" },
      fp_max_interval = { 2, "-ptx_opcode_initiation_fp 2,2,2,2,4" },
      fp_mul_interval = { 2, "-ptx_opcode_initiation_fp 2,2,2,2,4" },
      fp_mad_interval = { 2, "-ptx_opcode_initiation_fp 2,2,2,2,4" },
      fp_mad_latency = { 5, "-ptx_opcode_latency_fp 4,13,4,5,39" },
      dp_add_interval = { 4, "-ptx_opcode_initiation_dp 4,4,4,4,130" },
      dp_max_interval = { 4, "-ptx_opcode_initiation_dp 4,4,4,4,130" },
      dp_mul_interval = { 4, "-ptx_opcode_initiation_dp 4,4,4,4,130" },
      dp_mad_interval = { 4, "-ptx_opcode_initiation_dp 4,4,4,4,130" },
      shuffle_latency = { 21, "-ptx_opcode_latency_int 4,13,4,5,145,21" },
      sfu_latency = { 100, "-ptx_opcode_latency_sfu" },
      sfu_interval = { 8, "-ptx_opcode_initiation_sfu" },
    },
    ldst = {
      shared_latency = { 20, "-gpgpu_smem_latency" },
      accesses_per_cycle = { 4, "-gpgpu_l1_banks 4" },
      unified_bytes = { "128KiB", "-gpgpu_unified_l1d_size" },
      shared_options = { { 0, 8, 16, 32, 64, 96 }, "-gpgpu_shmem_option" },
    },
    l1d = {
      size_bytes = { "32KiB", dl1 },
      ways = { 64, dl1 },
      max_ways = { 256, "-gpgpu_unified_l1d_size 128, 4 sets of 128 B" },
      write_policy = { "write_through", dl1 },
      local_write_back = false,
      write_miss = { "lazy", dl1 },
      write_ratio = { 25, "-gpgpu_l1_cache_write_ratio" },
      allocate = { "on_miss", dl1 },
      mshr_entries = { 512, dl1 },
      mshr_merges = { 8, dl1 },
      hit_latency = { 17, "-gpgpu_l1_latency 20, of which the links take 3" },
      banks = { 4, "-gpgpu_l1_banks" },
    },
    l1t = {
      size_bytes = { "128KiB", "-gpgpu_tex_cache:l1 N:4:128:256" },
      ways = { 256, "-gpgpu_tex_cache:l1 N:4:128:256" },
      mshr_entries = { 512, "-gpgpu_tex_cache:l1 T:512:8" },
      mshr_merges = { 8, "-gpgpu_tex_cache:l1 T:512:8" },
    },
    noc = {
      flit_bytes = { 256, xbar },
      latency = { 1, "GPGPU-Sim: local interconnect, a hop of one cycle" },
      input_buffer_flits = { 512, "-icnt_in_buffer_limit" },
      output_buffer_flits = { 512, "-icnt_out_buffer_limit" },
    },
    l2 = {
      size_bytes = { "96KiB", dl2 },
      ways = { 24, dl2 },
      mshr_entries = { 192, dl2 },
      mshr_merges = { 4, dl2 },
      miss_queue = { 32, dl2 },
    },
    dram = {
      bus_bytes = { 16, "-gpgpu_dram_buswidth 16, 1 chip per controller" },
      burst_length = { 2, "-gpgpu_dram_burst_length" },
      data_rate = { 2, "-dram_data_command_freq_ratio" },
      dual_bus = { true, "-dram_dual_bus_interface" },
      tccd = { 1, timing .. " CCD" }, tccdl = { 2, timing .. " CCDL" },
      trrd = { 3, timing .. " RRD" }, trcd = { 12, timing .. " RCD" },
      tras = { 28, timing .. " RAS" }, trp = { 12, timing .. " RP" },
      trc = { 40, timing .. " RC" }, cl = { 12, timing .. " CL" },
      wl = { 2, timing .. " WL" }, tcdlr = { 3, timing .. " CDLR" },
      twr = { 10, timing .. " WR" }, trtpl = { 3, timing .. " RTPL" },
      return_entries = { 192, "-gpgpu_dram_return_queue_size" },
    },
    path = {
      rop = { 160, "-gpgpu_l2_rop_latency" },
      icnt_l2 = { 64, "-gpgpu_dram_partition_queues 64:64:64:64" },
      l2_dram = { 64, "-gpgpu_dram_partition_queues 64:64:64:64" },
      dram_l2 = { 64, "-gpgpu_dram_partition_queues 64:64:64:64" },
      l2_icnt = { 64, "-gpgpu_dram_partition_queues 64:64:64:64" },
    },
  },
}
