-- The options of GPGPU-Sim 3.x and 4.x and of its network file, by what
-- becomes of them here.
--
--   mapped       map.lua makes parameters of it
--   inert        no effect on what is simulated here, and why; `told`: it has
--                one there, so that the import says that it is left out
--   only = {..}  values under which it changes nothing here; any other one is
--                not supported, which `harmless` makes a warning

local M = {}

local simulator, network = {}, {}
M.simulator, M.network = simulator, network

local function mapped(t, names)
  for name in names:gmatch "%S+" do t[name] = { mapped = true } end
end

local function inert(t, why, names)
  for name in names:gmatch "%S+" do t[name] = { inert = why } end
end

local function left_out(t, why, names)
  for name in names:gmatch "%S+" do t[name] = { inert = why, told = true } end
end

-- "name=value|value": fixed to these.
local function fixed(t, why, names, harmless)
  for name, values in names:gmatch "(%S-)=(%S+)" do
    local only = {}
    for value in values:gmatch "[^|]+" do only[value] = true end
    t[name] = { only = only, why = why, harmless = harmless }
  end
end

mapped(simulator, [[
gpgpu_shader_core_pipeline gpgpu_shader_registers gpgpu_shader_cta
gpgpu_n_clusters gpgpu_n_cores_per_cluster gpgpu_clock_domains
gpgpu_shmem_size gpgpu_smem_latency gpgpu_shmem_num_banks gpgpu_shmem_option
gpgpu_unified_l1d_size gpgpu_adaptive_cache_config gpgpu_cache:dl1
gpgpu_cache:dl2 gpgpu_cache:il1 gpgpu_const_cache:l1 gpgpu_tex_cache:l1
gpgpu_l1_latency gpgpu_l1_banks gpgpu_l1_banks_byte_interleaving
gpgpu_l1_banks_hashing_function gpgpu_l1_cache_write_ratio
gpgpu_gmem_skip_L1D gpgpu_perfect_inst_const_cache gpgpu_flush_l1_cache
gpgpu_perf_sim_memcpy
gpgpu_inst_fetch_throughput gpgpu_reg_file_port_throughput
gpgpu_num_reg_banks gpgpu_sub_core_model
gpgpu_enable_specialized_operand_collector gpgpu_num_sched_per_core
gpgpu_max_insn_issue_per_warp gpgpu_dual_issue_diff_exec_units
gpgpu_pipeline_widths gpgpu_num_sp_units gpgpu_num_dp_units
gpgpu_num_int_units gpgpu_num_sfu_units gpgpu_num_tensor_core_units
gpgpu_num_mem_units gpgpu_scheduler gpgpu_coalesce_arch gpgpu_local_mem_map
gpgpu_n_mem gpgpu_n_sub_partition_per_mchannel gpgpu_n_mem_per_ctrlr
gpgpu_dram_buswidth gpgpu_dram_burst_length dram_data_command_freq_ratio
gpgpu_dram_timing_opt gpgpu_l2_rop_latency dram_latency
dram_dual_bus_interface dram_bnkgrp_indexing_policy gpgpu_dram_scheduler
gpgpu_frfcfs_dram_sched_queue_size gpgpu_dram_return_queue_size
gpgpu_dram_partition_queues gpgpu_mem_addr_mapping
gpgpu_memory_partition_indexing gpgpu_n_cluster_ejection_buffer_size
gpgpu_n_ldst_response_buffer_size network_mode inter_config_file
icnt_flit_size icnt_in_buffer_limit icnt_out_buffer_limit
ptx_opcode_latency_int ptx_opcode_latency_fp ptx_opcode_latency_dp
ptx_opcode_latency_sfu ptx_opcode_latency_tesnor ptx_opcode_initiation_int
ptx_opcode_initiation_fp ptx_opcode_initiation_dp ptx_opcode_initiation_sfu
ptx_opcode_initiation_tensor]])

for _, pool in ipairs { "sp", "dp", "sfu", "int", "tensor_core", "mem",
                        "gen" } do
  for _, what in ipairs { "units", "in_ports", "out_ports" } do
    mapped(simulator, ("gpgpu_operand_collector_num_%s_%s"):format(what, pool))
  end
end

inert(simulator, "says what is printed or written, not what is simulated", [[
save_embedded_ptx keep gpgpu_memlatency_stat gpgpu_runtime_stat
liveness_message_freq gpgpu_cflog_interval enable_ptx_file_line_stats
ptx_line_stats_filename visualizer_enabled visualizer_outputfile
visualizer_zlevel trace_enabled trace_components trace_sampling_core
trace_sampling_memory_partition gpgpu_ptx_inst_debug_to_file
gpgpu_ptx_inst_debug_file gpgpu_ptx_inst_debug_thread_uid
gpgpu_ptx_save_converted_ptxplus gpgpu_ptx_instruction_classification
icnt_verbose gpu_stats_interval gpgpu_stats_out gpgpu_mem_addr_test]])
inert(simulator, "a run that makes no progress always ends with a report",
      "gpgpu_deadlock_detect")
inert(simulator, "is the front end's: PTX comes from the script", [[
gpgpu_ptx_use_cuobjdump gpgpu_experimental_lib_support
gpgpu_ptx_force_max_capability gpgpu_compute_capability_major
gpgpu_compute_capability_minor gpgpu_occupancy_sm_number
checkpoint_option checkpoint_kernel checkpoint_CTA resume_option
resume_kernel resume_CTA checkpoint_CTA_t checkpoint_insn_Y
gpgpu_simd_rec_time_path]])
inert(simulator, "energy is no part of the machine's timing", [[
n_regfile_gating_group gpgpu_clock_gated_reg_file gpgpu_clock_gated_lanes
power_simulation_enabled power_per_cycle_dump power_trace_enabled
power_trace_zlevel steady_power_levels_enabled steady_state_definition
gpuwattch_xml_file power_simulation_mode dvfs_enabled
aggregate_power_stats accelwattch_xml_file hw_perf_file_name
hw_perf_bench_name]])
inert(simulator, "is a limit of the programming model, not of an SM", [[
gpgpu_registers_per_block gpgpu_shmem_per_block
gpgpu_ignore_resources_limitation gpgpu_stack_size_limit
gpgpu_heap_size_limit gpgpu_runtime_sync_depth_limit
gpgpu_runtime_pending_launch_count_limit gpgpu_num_cta_barriers]])
left_out(simulator, "is for what cudaFuncSetCacheConfig prefers, which no " ..
      "script sets", [[
gpgpu_shmem_sizeDefault gpgpu_shmem_size_PrefL1 gpgpu_shmem_size_PrefShared
gpgpu_cache:dl1PrefL1 gpgpu_cache:dl1PreShared gpgpu_cache:dl1PrefShared]])
inert(simulator, "has no effect in GPGPU-Sim either", [[
gpgpu_simd_model gpgpu_warpdistro_shader gpgpu_warp_issue_shader
gpgpu_mem_address_mask gpgpu_tensor_core_avail gpgpu_reg_bank_use_warp_id
gpgpu_mem_unit_ports gpgpu_spread_blocks_across_cores]])
inert(simulator, "all components see the state of the cycle before, so an " ..
      "order cannot matter", "gpgpu_simt_core_sim_order")
left_out(simulator, "launches of one stream run one after the other",
      "gpgpu_max_concurrent_kernel gpgpu_concurrent_kernel_sm")
left_out(simulator, "device-side launches are not supported by the front end",
      "cdp_latency gpgpu_cdp_enabled")
left_out(simulator, "is for traces of SASS, whose classes take the " ..
         "latencies of PTX here", [[
trace_opcode_latency_initiation_int trace_opcode_latency_initiation_sp
trace_opcode_latency_initiation_dp trace_opcode_latency_initiation_sfu
trace_opcode_latency_initiation_tensor trace_skip_cycle]])
left_out(simulator, "the crossbar's arbiters are policies, round robin here",
      "icnt_arbiter_algo icnt_grant_cycles icnt_subnets")
for i = 1, 8 do
  left_out(simulator, "the classes of PTX go to no specialised unit",
        ("specialized_unit_%d trace_opcode_latency_initiation_spec_op_%d")
        :format(i, i))
end
for _, name in ipairs { "L1_RH", "L1_RM", "L1_WH", "L1_WM", "L2_RH", "L2_RM",
                        "L2_WH", "L2_WM", "CC_ACC", "SHARED_ACC", "DRAM_RD",
                        "DRAM_WR", "NOC", "PIPE_DUTY", "NUM_SM_IDLE",
                        "CYCLES", "VOLTAGE" } do
  inert(simulator, "energy is no part of the machine's timing",
        "accelwattch_hybrid_perfsim_" .. name)
end

fixed(simulator, "PTXPlus is another instruction set",
      "gpgpu_ptx_convert_to_ptxplus=0")
fixed(simulator, "it is chosen by 'warploom run --functional'",
      "gpgpu_ptx_sim_mode=0")
fixed(simulator, "stop = { .. } of loom.run says when to stop", [[
gpgpu_max_cycle=0 gpgpu_max_insn=0 gpgpu_max_cta=0
gpgpu_max_completed_cta=0]], true)
fixed(simulator, "memory is never perfect here; infinite = true of a cache " ..
      "is near to it", "gpgpu_perfect_mem=0 l2_ideal=0")
fixed(simulator, "kernels and CTAs start at once", [[
gpgpu_kernel_launch_latency=0 gpgpu_TB_launch_latency=0]])
fixed(simulator, "broadcast is of any number of words",
      "gpgpu_shmem_limited_broadcast=0")
fixed(simulator, "a warp's lanes are served together",
      "gpgpu_shmem_warp_parts=1")
fixed(simulator, "the contents of an L2 stay", "gpgpu_flush_l2_cache=0")
fixed(simulator, "caches are flushed by gpgpu_flush_l1_cache",
      "gpgpu_flush_cache=0|1", true)
fixed(simulator, "DRAM has banks and rows", "gpgpu_simple_dram_model=0")
fixed(simulator, "banks are taken from the address as they are",
      "dram_bnk_indexing_policy=0")
fixed(simulator, "reads and writes share a queue",
      "dram_seperate_write_queue_enable=0")
fixed(simulator, "the bus turns round",
      "dram_elimnate_rw_turnaround=0")
fixed(simulator, "every request goes to the L2",
      "gpgpu_cache:dl2_texture_only=0")
inert(simulator, "is used with a write queue of its own only",
      "dram_write_queue_size")

-- Spellings of other versions.
local also = {
  rop_latency = "gpgpu_l2_rop_latency", gpu_l2_rop_latency =
  "gpgpu_l2_rop_latency", l1_latency = "gpgpu_l1_latency",
  smem_latency = "gpgpu_smem_latency", l1_banks = "gpgpu_l1_banks",
  l1_banks_byte_interleaving = "gpgpu_l1_banks_byte_interleaving",
  l1_banks_hashing_function = "gpgpu_l1_banks_hashing_function",
  mem_unit_ports = "gpgpu_mem_unit_ports",
  adaptive_cache_config = "gpgpu_adaptive_cache_config",
  adaptive_volta_cache_config = "gpgpu_adaptive_cache_config",
  perfect_inst_const_cache = "gpgpu_perfect_inst_const_cache",
  inst_fetch_throughput = "gpgpu_inst_fetch_throughput",
  reg_file_port_throughput = "gpgpu_reg_file_port_throughput",
  sub_core_model = "gpgpu_sub_core_model",
  enable_specialized_operand_collector =
    "gpgpu_enable_specialized_operand_collector",
  coalesce_arch = "gpgpu_coalesce_arch",
  dual_issue_diff_exec_units = "gpgpu_dual_issue_diff_exec_units",
  tensor_core_avail = "gpgpu_tensor_core_avail",
  simt_core_sim_order = "gpgpu_simt_core_sim_order",
  memory_partition_indexing = "gpgpu_memory_partition_indexing",
  perf_sim_memcpy = "gpgpu_perf_sim_memcpy",
  simple_dram_model = "gpgpu_simple_dram_model",
  kernel_launch_latency = "gpgpu_kernel_launch_latency",
  TB_launch_latency = "gpgpu_TB_launch_latency",
  cdp_enabled = "gpgpu_cdp_enabled",
  ptx_opcode_latency_tensor = "ptx_opcode_latency_tesnor",
  gpgpu_dram_sched_queue_size = "gpgpu_frfcfs_dram_sched_queue_size",
  gpgpu_shmem_sizeDefault_ = "gpgpu_shmem_sizeDefault",
}

mapped(network, [[topology k n num_vcs vc_buf_size flit_size
input_buffer_size ejection_buffer_size boundary_buffer_size routing_delay
vc_alloc_delay sw_alloc_delay internal_speedup]])
inert(network, "says what is injected or printed where BookSim runs alone", [[
traffic packet_size packet_size_rate sim_type injection_rate sample_period
sim_count warmup_periods max_samples deadlock_warn_timeout use_map
print_activity watch_file watch_flits watch_packets viewer_trace stats_out
latency_thres seed use_read_write read_request_size write_request_size
read_reply_size write_reply_size perfect_sim_icnt
enable_link_stats MATLAB_OUTPUT DISPLAY_LAT_DIST DISPLAY_HOP_DIST
DISPLAY_PAIR_LATENCY]])
left_out(network, "the crossbar has one virtual channel and a round-robin " ..
      "arbiter for each output", [[
vc_allocator sw_allocator alloc_iters wait_for_tail_credit credit_delay
priority hold_switch_for_packet speculative noq
read_request_begin_vc read_request_end_vc write_request_begin_vc
write_request_end_vc read_reply_begin_vc read_reply_end_vc
write_reply_begin_vc write_reply_end_vc output_delay st_prepare_delay
st_final_delay]])
left_out(network, "an input sends a flit per cycle into the network anyway",
      "input_speedup")
fixed(network, "an output delivers a flit per cycle", "output_speedup=1")
fixed(network, "a single stage has one way", "routing_function=dest_tag")
fixed(network, "requests and replies have a network each", [[
network_count=2 subnets=2 read_request_subnet=0 read_reply_subnet=1
write_request_subnet=0 write_reply_subnet=1]])

-- What is known of an option, and its name in version 4.2.
function M.find(t, name)
  local canonical = t == simulator and also[name] or name
  return t[canonical], canonical
end

function M.names(t)
  local names = {}
  for name in next, t do names[#names + 1] = name end
  if t == simulator then
    for name in next, also do names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

return M
