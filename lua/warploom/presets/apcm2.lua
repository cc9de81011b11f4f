-- apcm2: configuration 2 of the APCM paper (Koo et al., ISCA 2017, table 4),
-- similar to a GTX 780.  "table" is that table; "public" the author's public
-- GTX780 configuration for GPGPU-Sim 3.2.2, which fills what it leaves open.

local dl2 = "table: 1536 KB, 16 ways; public: 64:128:16 x 12, A:128:8"
local timing = "public: -gpgpu_dram_timing_opt"

return {
  name = "apcm2",
  doc = "APCM's configuration 2, similar to a GTX 780",
  extends = "apcm1",
  machine = {
    clock = {
      core = { "876MHz", "table: 16 SMs at 876 MHz" },
      noc = { "1752MHz", "public: -gpgpu_clock_domains 876:1752:876:1750" },
      dram = { "1750MHz", "table: 384 bits at 1750 MHz" },
    },
    shape = { sms = { 16, "table" } },
    gpu = {
      sm_threads = { 2048, "table: 64 warps" },
      sm_registers = { 65536, "table: 256 KB" },
      sm_ctas = { 16, "table: 16 CTAs" },
    },
    sm = {
      schedulers = { 4, "table: LRR, 4 schedulers" },
      issue_per_scheduler = { 2, "public: -gpgpu_max_insn_issue_per_warp" },
      sp_units = { 6, "table: 192 cores" },
      sfu_units = { 2, "public: -gpgpu_num_sfu_units" },
      register_banks = { 24, "public: -gpgpu_num_reg_banks" },
      sp_collectors = { 16, "public: -gpgpu_operand_collector_num_units_sp" },
      sfu_collectors = { 4, "public: -gpgpu_operand_collector_num_units_sfu" },
      ldst_collectors = { 4, "public: -gpgpu_operand_collector_num_units_mem" },
      sp_ports = { 6, "public: -gpgpu_operand_collector_num_in_ports_sp" },
      result_bus_width = { 6, "public: -gpgpu_pipeline_widths, EX_WB" },
      flush_l1 = { true, "public: -gpgpu_flush_cache 1" },
    },
    l1t = {
      size_bytes = { "48KiB", "public: -gpgpu_tex_cache:l1 16:128:24" },
    },
    l2 = {
      size_bytes = { "128KiB", dl2 }, ways = { 16, dl2 },
      mshr_entries = { 128, dl2 }, mshr_merges = { 8, dl2 },
    },
    dram = {
      trrd = { 10, timing .. " RRD" }, trcd = { 21, timing .. " RCD" },
      tras = { 49, timing .. " RAS" }, trp = { 21, timing .. " RP" },
      trc = { 71, timing .. " RC" }, tcdlr = { 9, timing .. " CDLR" },
      twr = { 22, timing .. " WR" },
      queue_entries = { 64, "public: -gpgpu_frfcfs_dram_sched_queue_size" },
    },
  },
}
