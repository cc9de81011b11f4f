-- gtx1080_56: the machine of two-level L1D bypassing (table 1 of the paper):
-- "GTX 1080" there is GPGPU-Sim 4.0's SM6_TITANX of 2018, "tx2018" below, whose
-- 28 clusters of two cores are 56 half SMs.  The table's 16 MSHRs and 32
-- entries are its string A:256:8,16:0,32 read in another order.

local dl1 = "table: sectored 24 KB, 48 ways; tx2018: S:4:128:48,L:L:s:N:L," ..
            "A:256:8,16:0,32"
local dl2 = "tx2018: -gpgpu_cache:dl2 S:64:128:16,L:B:m:L:L,A:256:64,16:0,32"

return {
  name = "gtx1080_56",
  doc = "Two-level bypassing's GTX 1080 of 56 cores",
  extends = "titanx",
  machine = {
    shape = { sms = { 56, "table: 56 cores" } },
    slots = { l2_index = { "linear_index", dl2 } },
    gpu = {
      sm_threads = { 1024, "tx2018: -gpgpu_shader_core_pipeline 1024:32" },
      sm_registers = { 32768, "tx2018: -gpgpu_shader_registers" },
      sm_shared_bytes = { "48KiB", "tx2018: -gpgpu_shmem_size" },
      sm_ctas = { 16, "tx2018: -gpgpu_shader_cta" },
    },
    sm = {
      schedulers = { 2, "tx2018: -gpgpu_num_sched_per_core" },
      sub_core = { false, "tx2018 has no sub-cores" },
      sp_units = { 2, "tx2018: -gpgpu_num_sp_units" },
      sfu_units = { 2, "tx2018: -gpgpu_num_sfu_units" },
      dp_units = { 1, "tx2018: -gpgpu_num_dp_units" },
      fetch_width = { 1, "tx2018" }, fetch_cycles = { 2, "tx2018" },
      l0i_sets = { 8, "table: 4 KB, 4 ways, 128 B lines" },
      l0i_ways = { 4, "table: 4 KB, 4 ways, 128 B lines" },
      l0i_line_bytes = { 128, "table: 4 KB, 4 ways, 128 B lines" },
      l0i_mshrs = { 2, "tx2018: -gpgpu_cache:il1 S:2:48" },
      l0i_merges = { 48, "tx2018: -gpgpu_cache:il1 S:2:48" },
      register_banks = { 32, "tx2018: -gpgpu_num_reg_banks" },
      register_ports = { 1, "tx2018: -gpgpu_reg_file_port_throughput" },
      ldst_latches = { 1, "tx2018: -gpgpu_pipeline_widths 2,1,0,2,1,.." },
      result_bus_width = { 5, "tx2018: -gpgpu_pipeline_widths, EX_WB" },
      int_div_interval = { 4, "tx2018: 1,1,1,1,4,4" },
      sfu_latency = { 8, "tx2018: -ptx_opcode_latency_sfu" },
    },
    ldst = { accesses_per_cycle = { 1, "tx2018: -gpgpu_l1_banks 1" },
             const_latency = false },
    l1c = {
      size_bytes = { "16KiB", "tx2018: -gpgpu_const_cache:l1 128:64:2" },
      ways = { 2, "tx2018: -gpgpu_const_cache:l1 128:64:2" },
      line_bytes = { 64, "tx2018: -gpgpu_const_cache:l1 128:64:2" },
      allocate = { "on_fill", "tx2018" }, mshr_entries = { 2, "tx2018" },
      mshr_merges = { 64, "tx2018" }, miss_queue = { 4, "tx2018" },
      hit_latency = { 0, "GPGPU-Sim: a hit is done at once" },
    },
    l1d = {
      size_bytes = { "24KiB", dl1 }, ways = { 48, dl1 },
      banks = { 1, "tx2018" },
      line_mshrs = { true, "tx2018: streaming, one for each sector" },
      mshr_merges = { 64, "tx2018: streaming, one of each warp" },
      hit_latency = { 79, "table: 82 cycles, 3 of them hops" },
    },
  },
}
