-- titanx: a TITAN X (Pascal GP102) as GPGPU-Sim 4 describes it in its tested
-- configuration SM6_TITANX, with global loads and stores in the L1.
--
-- Sources as in gtx480: "-option" is an option of that configuration, "icnt"
-- its network file, "GPGPU-Sim" what its source does without an option.

local dl1, dl2 = "-gpgpu_cache:dl1 S:4:128:96,L:L:s:N:L,A:256:8,16:0,32",
                 "-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:256:64,16:0,32"
local timing = "-gpgpu_dram_timing_opt"

return {
  name = "titanx",
  doc = "TITAN X (Pascal) as GPGPU-Sim 4's tested configuration has it",
  extends = "gtx480",
  machine = {
    clock = {
      core = { "1417MHz", "-gpgpu_clock_domains 1417:1417:1417:2500" },
      dram = { "2500MHz", "-gpgpu_clock_domains 1417:1417:1417:2500" },
    },
    shape = {
      sms = { 28, "-gpgpu_n_clusters 28, 1 core each" },
      channels = { 12, "-gpgpu_n_mem" },
    },
    slots = {
      coalesce = { "sector_coalesce", "-gpgpu_coalesce_arch 61" },
      l1d_index = { "linear_index", dl1 },
      l2_index = { "ipoly_index", dl2 },
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = { 7 },
                bank_bits = { 7, 12, 13, 14 },
                row_bits = { 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                             27 },
                column_bits = { 5, 6, 8, 9, 10, 11 }, hash = "random" },
              "-gpgpu_mem_addr_mapping dramid@8; 0000RRRR RRRRRRRR RBBBCCCC " ..
              "BCCSSSSS; -gpgpu_memory_partition_indexing 4" },
    },
    gpu = {
      sm_threads = { 2048, "-gpgpu_shader_core_pipeline 2048:32" },
      sm_registers = { 65536, "-gpgpu_shader_registers" },
      sm_shared_bytes = { "96KiB", "-gpgpu_shmem_size" },
      sm_ctas = { 32, "-gpgpu_shader_cta" },
    },
    sm = {
      schedulers = { 4, "-gpgpu_num_sched_per_core" },
      issue_per_scheduler = { 2, "-gpgpu_max_insn_issue_per_warp" },
      dual_issue_different_units = { true,
                                     "-gpgpu_dual_issue_diff_exec_units" },
      branch_seen_at_issue = { true, "GPGPU-Sim: scheduler_unit::cycle" },
      sub_core = { true, "-gpgpu_sub_core_model" },
      sp_units = { 4, "-gpgpu_num_sp_units" },
      sfu_units = { 4, "-gpgpu_num_sfu_units" },
      fetch_width = { 8, "-gpgpu_inst_fetch_throughput" },
      fetch_cycles = { 1, "-gpgpu_inst_fetch_throughput: what the first of " ..
                          "several passes fetches, the next decodes" },
      l0i_sets = false, l0i_ways = false, l0i_line_bytes = false,
      l0i_mshrs = false,
      l0i_merges = false, -- -gpgpu_perfect_inst_const_cache 1
      register_ports = { 2, "-gpgpu_reg_file_port_throughput" },
      sp_collectors = { 0, "-gpgpu_enable_specialized_operand_collector 0" },
      sfu_collectors = { 0, "-gpgpu_enable_specialized_operand_collector 0" },
      ldst_collectors = { 0, "-gpgpu_enable_specialized_operand_collector 0" },
      tensor_collectors = { 0, "-gpgpu_enable_specialized_operand_collector" },
      sp_ports = false, sfu_ports = false, ldst_ports = false,
      generic_collectors = { 8, "-gpgpu_operand_collector_num_units_gen" },
      generic_ports = { 8, "-gpgpu_operand_collector_num_in_ports_gen" },
      ldst_latches = { 4, "-gpgpu_pipeline_widths, ID_OC_MEM and OC_EX_MEM" },
      result_bus_width = { 8, "-gpgpu_pipeline_widths, EX_WB" },
      int_max_interval = { 1, "-ptx_opcode_initiation_int 1,1,1,1,4,4" },
      int_mul_interval = { 1, "-ptx_opcode_initiation_int 1,1,1,1,4,4" },
      int_div_interval = { 4, "-ptx_opcode_initiation_int 1,1,1,1,4,4" },
      fp_mad_latency = { 4, "-ptx_opcode_latency_fp 4,13,4,4,39" },
      dp_max_interval = { 8, "-ptx_opcode_initiation_dp 8,8,8,8,130" },
      sfu_latency = { 20, "-ptx_opcode_latency_sfu" },
      sfu_interval = { 4, "-ptx_opcode_initiation_sfu" },
    },
    ldst = {
      shared_latency = { 24, "-gpgpu_smem_latency" },
      accesses_per_cycle = { 2, "-gpgpu_l1_banks 2" },
      const_latency = { 1, "-gpgpu_perfect_inst_const_cache 1" },
    },
    l1c = false,
    l1d = {
      size_bytes = { "48KiB", dl1 },
      ways = { 96, dl1 },
      sector_bytes = { 32, dl1 },
      mshr_unit = { "sector", "GPGPU-Sim: an entry for each sector" },
      split_sectors = { true, "GPGPU-Sim: an access for each sector" },
      allocate = { "on_fill", dl1 },
      mshr_entries = { 256, dl1 },
      miss_queue = { 16, dl1 },
      data_port_bytes = { 32, dl1 },
      fill_port_bytes = { 32, dl1 },
      hit_latency = { 79, "-gpgpu_l1_latency 82, of which the links take 3" },
      banks = { 2, "-gpgpu_l1_banks" },
      bank_bytes = { 32, "-gpgpu_l1_banks_byte_interleaving" },
    },
    l1t = {
      size_bytes = { "48KiB", "-gpgpu_tex_cache:l1 N:16:128:24" },
    },
    noc = {
      input_buffer_flits = { 256, "icnt input_buffer_size" },
    },
    l2 = {
      size_bytes = { "128KiB", dl2 },
      ways = { 16, dl2 },
      mshr_merges = { 64, dl2 },
      miss_queue = { 16, dl2 },
    },
    dram = {
      bus_bytes = { 4, "-gpgpu_dram_buswidth 4, 1 chip per controller" },
      tccd = { 2, timing .. " CCD" }, tccdl = { 4, timing .. " CCDL" },
      trrd = { 8, timing .. " RRD" }, trcd = { 16, timing .. " RCD" },
      tras = { 37, timing .. " RAS" }, trp = { 16, timing .. " RP" },
      trc = { 52, timing .. " RC" }, cl = { 16, timing .. " CL" },
      wl = { 6, timing .. " WL" }, tcdlr = { 7, timing .. " CDLR" },
      twr = { 16, timing .. " WR" }, trtpl = { 3, timing .. " RTPL" },
      return_entries = { 64, "-gpgpu_dram_return_queue_size" },
    },
    path = {
      icnt_l2 = { 32, "-gpgpu_dram_partition_queues 32:32:32:32" },
      l2_dram = { 32, "-gpgpu_dram_partition_queues 32:32:32:32" },
      dram_l2 = { 32, "-gpgpu_dram_partition_queues 32:32:32:32" },
      l2_icnt = { 32, "-gpgpu_dram_partition_queues 32:32:32:32" },
    },
  },
}
