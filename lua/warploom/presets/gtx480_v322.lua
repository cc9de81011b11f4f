-- gtx480_v322: a GeForce GTX 480 as GPGPU-Sim 3.2.2 describes it, the base of
-- the machines of several papers.
--
-- Sources as in gtx480, of the configuration GTX480 of version 3.2.2; "v322"
-- is what its source does without an option.

local dl2 = "-gpgpu_cache:dl2 64:128:8,L:B:m:W,A:32:4,4:0,32"

return {
  name = "gtx480_v322",
  doc = "GeForce GTX 480 as GPGPU-Sim 3.2.2 has it",
  extends = "gtx480",
  machine = {
    slots = {
      schedule = { { "bank_slots", both = false },
                   "-gpgpu_dram_scheduler 1; v322: one command in a cycle" },
      coalesce = { "fermi_coalesce", "v322: one rule for all accesses" },
      l1d_index = { "linear_index", "-gpgpu_cache:dl1 32:128:4: no hash" },
    },
    sm = {
      scheduler_order = { "fixed", "v322: schedulers in a fixed order" },
      flush_l1 = { false, "-gpgpu_flush_cache 0" },
    },
    ldst = {
      shared_latency = { 3, "v322: three stages" },
    },
    l1d = {
      mshr_entries = { 32, "-gpgpu_cache:dl1 A:32:8" },
      mshr_merges = { 8, "-gpgpu_cache:dl1 A:32:8" },
      hit_latency = { 0, "v322: in the next cycle; the hops take 3" },
    },
    noc = {
      flit_bytes = { 32, "icnt flit_size" },
      input_buffer_flits = { 9, "icnt vc_buf_size 8, and one at the input" },
      output_buffer_flits = { 8, "icnt ejection buffer: vc_buf_size" },
      latency = { 7, "icnt: 6 cycles alone in BookSim 2, and a buffer" },
      packet_gap = { 1, "icnt: a virtual channel, allocated anew" },
      inputs_rest = { false, "ours: as the papers' results were made; in " ..
                             "BookSim they do: 0.9 % more cycles" },
    },
    l2 = {
      sector_bytes = false, split_sectors = false, mshr_unit = false,
      write_miss = { "write_allocate", dl2 },
      mshr_entries = { 32, dl2 },
    },
    dram = {
      group_bits = { "high", "v322: bank >> log2(banks / groups)" },
      queue_entries = { 16, "-gpgpu_frfcfs_dram_sched_queue_size" },
    },
    path = {
      eject = { 10, "-gpgpu_n_cluster_ejection_buffer_size 8, response 2" },
      icnt_l2 = { 8, "-gpgpu_dram_partition_queues 8:8:8:8" },
      l2_dram = { 8, "-gpgpu_dram_partition_queues 8:8:8:8" },
      dram_l2 = { 8, "-gpgpu_dram_partition_queues 8:8:8:8" },
      l2_icnt = { 8, "-gpgpu_dram_partition_queues 8:8:8:8" },
    },
  },
}
