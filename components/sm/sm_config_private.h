/*
 * What an SM is configured with and what it counts; describe.c declares the
 * fields.
 *
 * Every scheduler's every cycle is counted in exactly one of enum sm_slot, so
 * that their sum is schedulers * cycles; sm_check() insists on it.
 */
#ifndef COMPONENTS_SM_SM_CONFIG_PRIVATE_H
#define COMPONENTS_SM_SM_CONFIG_PRIVATE_H

#include "engine/schema.h"

#include "workloads/stream.h"

/* What became of a scheduler's cycle. */
enum sm_slot {
    SM_SLOT_ISSUED,
    SM_SLOT_THROTTLED,
    SM_SLOT_UNIT,
    SM_SLOT_RESULT_BUS,
    SM_SLOT_COLLECTOR,
    SM_SLOT_LDST,
    SM_SLOT_SCOREBOARD,
    SM_SLOT_MEMORY,
    SM_SLOT_FETCH,
    SM_SLOT_FETCH_MISS,
    SM_SLOT_MEMBAR,
    SM_SLOT_ATOMIC,
    SM_SLOT_BARRIER,
    SM_SLOT_DRAIN,
    SM_SLOT_IDLE,
    SM_SLOTS
};

struct sm_config {
    uint32_t warps, schedulers, issue_per_scheduler;
    const char *scheduler_order;
    bool dual_issue_different_units, sub_core, sp_multiplies;
    uint32_t sp_units, int_units, dp_units, sfu_units, tensor_units, ldst_units;
    uint32_t ibuffer_entries, fetch_cycles, flush_cycles, branch_cycles;
    uint32_t pass_cycles, meet_cycles;
    bool fetch_fall_through, branch_seen_at_issue;
    uint32_t fetch_width, fetch_bytes;
    uint32_t l0i_sets, l0i_ways, l0i_line_bytes, l0i_mshrs, l0i_merges;
    uint32_t l0i_fill_cycles;
    uint32_t result_bus_width, load_writebacks;
    uint32_t register_banks, register_ports;
    bool bank_by_warp;
    uint32_t sp_collectors, int_collectors, dp_collectors, sfu_collectors,
        tensor_collectors, ldst_collectors, generic_collectors;
    uint32_t sp_ports, int_ports, dp_ports, sfu_ports, tensor_ports, ldst_ports,
        generic_ports;
    uint32_t sp_latches, int_latches, dp_latches, sfu_latches, tensor_latches,
        ldst_latches;
    uint32_t pipeline_cycles, memory_cycles, barrier_cycles;
    uint32_t barrier_interval;
    bool memory_in_turn, exit_waits_stores, membar_waits_stores,
        every_atomic_waits;
    bool atomic_results_wait;
    bool flush_l1;
    uint32_t fence_latency, fence_proxy_latency, fence_interval;
    uint32_t int_add_latency, int_add_interval;
    uint32_t int_max_latency, int_max_interval;
    uint32_t int_mul_latency, int_mul_interval;
    uint32_t int_mad_latency, int_mad_interval;
    uint32_t int_div_latency, int_div_interval;
    uint32_t move_latency, move_interval;
    uint32_t fp_add_latency, fp_add_interval;
    uint32_t fp_max_latency, fp_max_interval;
    uint32_t fp_mul_latency, fp_mul_interval;
    uint32_t fp_mad_latency, fp_mad_interval;
    uint32_t fp_div_latency, fp_div_interval;
    uint32_t dp_add_latency, dp_add_interval;
    uint32_t dp_max_latency, dp_max_interval;
    uint32_t dp_mul_latency, dp_mul_interval;
    uint32_t dp_mad_latency, dp_mad_interval;
    uint32_t dp_div_latency, dp_div_interval;
    uint32_t sfu_latency, sfu_interval;
    uint32_t tensor_latency;
    double tensor_interval;
    uint32_t shuffle_latency, shuffle_interval;
    uint32_t logic_latency, convert_latency, half_latency, vote_latency;
    uint32_t cross_cycles, far_cycles, guard_cycles;
    uint32_t special_latency;
    double special_interval;
    uint32_t tensor_short_latency, tensor_f64_latency, tensor_group_latency;
    double logic_interval, convert_interval, half_interval, vote_interval;
    double tensor_short_interval, tensor_f64_interval, tensor_group_interval;
    uint32_t tensor_queue, tensor_queue_bytes, tensor_queue_cycles;
};

/* What is configured for one kind of units. */
struct sm_kind {
    const char *name;
    uint32_t units, collectors, ports, latches;
};

struct sm_stats {
    uint64_t cycles, active_cycles;
    uint64_t warp_insts, thread_insts, lane_slots;
    uint64_t insts[LOOM_OPS];
    uint64_t loads, stores, atomics, barriers, dual_issues;
    uint64_t kernels, ctas, ctas_done, warps, warps_done;
    uint64_t resident_warp_cycles, ibuffer_warp_cycles;
    /* Brought up to date by settle. */
    uint64_t issue_slots[SM_SLOTS];
    struct loom_array by_scheduler[SM_SLOTS]; /* [schedulers] each */
    uint64_t fetches, fetch_hits, fetch_misses, fetch_merges, fetch_refusals;
    uint64_t register_reads, bank_conflicts, write_conflicts;
};

#endif
