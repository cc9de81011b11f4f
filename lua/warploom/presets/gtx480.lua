-- gtx480: a GeForce GTX 480 (Fermi GF100) as GPGPU-Sim 4 describes it in its
-- tested configuration SM2_GTX480.
--
-- Every number stands with its source.  "-option" is an option of that
-- configuration; "icnt" its network file; "ours" a choice of this project.
-- Latencies are end to end: the hops' own cycles count towards them where
-- the table says so.

local loom = require "warploom"

local numbers = {
  gpu = {
    sm_threads = { 1536, "-gpgpu_shader_core_pipeline 1536:32" },
    sm_registers = { 32768, "-gpgpu_shader_registers" },
    sm_shared_bytes = { "48KiB", "-gpgpu_shmem_size" },
    sm_ctas = { 8, "-gpgpu_shader_cta" },
    ctas_per_cycle = { 15, "GPGPU-Sim: one CTA per cluster and cycle" },
  },
  sm = {
    warps = { 48, "1536 threads / 32" },
    schedulers = { 2, "-gpgpu_num_sched_per_core" },
    sp_units = { 2, "-gpgpu_num_sp_units" },
    sfu_units = { 1, "-gpgpu_num_sfu_units" },
    flush_l1 = { true, "-gpgpu_flush_l1_cache 1" },
  },
  ldst = {
    shared_latency = { 26, "-gpgpu_smem_latency" },
    shared_banks = { 32, "-gpgpu_shmem_num_banks" },
    accesses_per_cycle = { 1, "-gpgpu_l1_banks 1" },
  },
  l1d = {
    size_bytes = { "16KiB", "-gpgpu_cache:dl1 32 sets x 4 ways x 128 B" },
    ways = { 4, "-gpgpu_cache:dl1 N:32:128:4" },
    line_bytes = { 128, "-gpgpu_cache:dl1 N:32:128:4" },
    level = { "l1", "ours" },
    write_policy = { "write_evict",
                     "-gpgpu_cache:dl1 L:L: global stores evict on a hit" },
    local_write_back = { true, "-gpgpu_cache:dl1 L:L: local stores stay" },
    allocate = { "on_miss", "-gpgpu_cache:dl1 m" },
    mshr_entries = { 64, "-gpgpu_cache:dl1 S64:8" },
    mshr_merges = { 8, "-gpgpu_cache:dl1 S64:8" },
    miss_queue = { 8, "-gpgpu_cache:dl1 ,8" },
    hit_latency = { 35, "-gpgpu_l1_latency" },
  },
  noc = {
    flit_bytes = { 40, "icnt flit_size" },
    input_buffer_flits = { 64, "icnt vc_buf_size" },
    output_buffer_flits = { 64, "icnt boundary_buffer_size" },
    latency = { 4, "icnt: routing, allocation and switch stages of one hop" },
    slices_per_channel = { 2, "-gpgpu_n_sub_partition_per_mchannel" },
  },
  l2 = {
    size_bytes = { "64KiB", "-gpgpu_cache:dl2 64 sets x 8 ways x 128 B" },
    ways = { 8, "-gpgpu_cache:dl2 S:64:128:8" },
    line_bytes = { 128, "-gpgpu_cache:dl2 S:64:128:8" },
    level = { "l2", "ours" },
    write_policy = { "write_back", "-gpgpu_cache:dl2 L:B" },
    write_miss = { "validate",
                   "-gpgpu_cache:dl2 L: a write miss fetches lazily" },
    allocate = { "on_miss", "-gpgpu_cache:dl2 m" },
    mshr_entries = { 256, "-gpgpu_cache:dl2 A:256:4" },
    mshr_merges = { 4, "-gpgpu_cache:dl2 A:256:4" },
    miss_queue = { 4, "-gpgpu_cache:dl2 ,4" },
    data_port_bytes = { 32, "-gpgpu_cache:dl2 :0,32" },
    fill_port_bytes = { 32, "-gpgpu_cache:dl2 :0,32" },
    hit_latency = { 1, "GPGPU-Sim: a read hit is answered at once" },
    map_channels = { 6, "-gpgpu_n_mem" },
    map_slices = { 2, "-gpgpu_n_sub_partition_per_mchannel" },
  },
  dram = {
    channels = { 6, "-gpgpu_n_mem" },
    slices_per_channel = { 2, "-gpgpu_n_sub_partition_per_mchannel" },
    banks = { 16, "-gpgpu_dram_timing_opt nbk=16" },
    bank_groups = { 4, "-gpgpu_dram_timing_opt nbkgrp=4" },
    group_bits = { "low", "-dram_bnkgrp_indexing_policy 1" },
    bus_bytes = { 8, "-gpgpu_dram_buswidth 4, 2 chips per controller" },
    burst_length = { 8, "-gpgpu_dram_burst_length" },
    data_rate = { 4, "-dram_data_command_freq_ratio" },
    tccd = { 2, "-gpgpu_dram_timing_opt CCD" },
    tccdl = { 3, "-gpgpu_dram_timing_opt CCDL" },
    trrd = { 6, "-gpgpu_dram_timing_opt RRD" },
    trcd = { 12, "-gpgpu_dram_timing_opt RCD" },
    tras = { 28, "-gpgpu_dram_timing_opt RAS" },
    trp = { 12, "-gpgpu_dram_timing_opt RP" },
    trc = { 40, "-gpgpu_dram_timing_opt RC" },
    cl = { 12, "-gpgpu_dram_timing_opt CL" },
    wl = { 4, "-gpgpu_dram_timing_opt WL" },
    tcdlr = { 5, "-gpgpu_dram_timing_opt CDLR" },
    twr = { 12, "-gpgpu_dram_timing_opt WR" },
    trtpl = { 2, "-gpgpu_dram_timing_opt RTPL" },
    queue_entries = { 64, "-gpgpu_frfcfs_dram_sched_queue_size" },
    return_entries = { 116, "-gpgpu_dram_return_queue_size" },
  },
}

-- Links: latencies and capacities, with their sources.
--   ROP delay: -gpgpu_l2_rop_latency 120, a FIFO without bound in GPGPU-Sim;
--   DRAM delay: -dram_latency 100 core cycles = 132 of the command clock;
--   partition queues: -gpgpu_dram_partition_queues 64:64:64:64;
--   ejection: -gpgpu_n_cluster_ejection_buffer_size 32.
local wires = {
  launch = { latency = 1, credit = 1, capacity = 4 },
  cta = { request = { latency = 1, credit = 1, capacity = 4 },
          reply = { latency = 1, credit = 1, capacity = 16 } },
  warp = { request = { latency = 1, credit = 1, capacity = 2 },
           reply = { latency = 1, credit = 1, capacity = 4 } },
  access = { request = { latency = 1, credit = 1, capacity = 2 },
             reply = { latency = 1, credit = 1, capacity = 2 } },
  inject = { request = { latency = 1, credit = 1, capacity = 8 },
             reply = { latency = 1, credit = 1, capacity = 32 } },
  partition = { request = { latency = 120, credit = 1, capacity = 256 },
                reply = { latency = 1, credit = 1, capacity = 64 } },
  channel = { request = { latency = 132, credit = 1, capacity = 256 },
              reply = { latency = 1, credit = 1, capacity = 64 } },
}

-- The values without their sources, and fields that are not numbers.
local function fields(name, more)
  local out = {}
  for key, entry in pairs(numbers[name]) do out[key] = entry[1] end
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function build(p)
  local sm = loom.sm(fields("sm", { scheduler = loom.gto {} }))
  sm.ldst = loom.ldst(fields("ldst", {
    coalesce = loom.fermi_coalesce {} }))
  sm.l1d = loom.cache(fields("l1d", {
    replacement = loom.lru {}, set_index = loom.fermi_index {} }))
  local gpu = loom.gpu(fields("gpu", { clock = "700MHz" }))
  gpu.sm = loom.list(p.sm_count, sm)
  gpu.noc = loom.crossbar(fields("noc", { map = loom.gpgpusim_map {} }))
  gpu.l2 = loom.list(12, loom.cache(fields("l2", {
    replacement = loom.lru {}, set_index = loom.linear_index {},
    map = loom.gpgpusim_map {} })))
  gpu.dram = loom.list(6, loom.dram(fields("dram", {
    clock = "924MHz", schedule = loom.frfcfs {},
    map = loom.gpgpusim_map {} })))

  for i = 0, p.sm_count - 1 do
    local one = gpu.sm[i]
    loom.link(gpu, one.gpu, wires.cta)
    loom.link(one, one.ldst.sm, wires.warp)
    loom.link(one.ldst.l1, one.l1d.up, wires.access)
    loom.link(one.l1d.down, gpu.noc.up[i], wires.inject)
  end
  for i = 0, 11 do
    loom.link(gpu.noc.down[i], gpu.l2[i].up, wires.partition)
    loom.link(gpu.l2[i].down, gpu.dram[i // 2].up[i % 2], wires.channel)
  end
  return gpu
end

return {
  name = "gtx480",
  doc = "GeForce GTX 480 as GPGPU-Sim 4's tested configuration has it",
  params = {
    { name = "sm_count", default = 15, min = 1, max = 15,
      doc = "SMs; the chip has 15" },
  },
  numbers = numbers,
  wires = wires,
  build = build,
}
