/*
 * The SM's descriptor: parameters, the table of operations made of them,
 * statistics, ports and slots.
 *
 * Latencies and initiation intervals are those of GPGPU-Sim's GTX480
 * (-ptx_opcode_latency_*, -ptx_opcode_initiation_*).  GPGPU-Sim's pipeline
 * adds cycles to each: an instruction issued in cycle t is given a collector
 * unit in t+1, reads in t+2, is dispatched in t+3, enters its unit in t+4,
 * and after `latency` cycles there passes the result bus and write-back.  A
 * dependent instruction issues latency + 6 cycles after it, which is what
 * pipeline_cycles says.  For a 4-cycle add this gives 10 core cycles, 20 of
 * the hot clock, as microbenchmarks of Fermi measure.
 *
 * Front end: the instruction buffer of a warp holds 2 instructions and is
 * refilled when it is empty: fetch in the cycle of the last issue, decode in
 * the next, issue in the one after.  A taken branch is noticed one cycle late
 * if the fall-through instruction was buffered.  Contention for the single
 * fetch port and misses in the instruction cache are not modelled.
 */
#include "components/sm/sm_private.h"

#define FERMI "GPGPU-Sim, GTX480"

#define SM_COUNT(field, def_, min_, max_, unit_, doc_, source_)                \
    LOOM_PARAM(struct sm_config, field, .unit = unit_, .def = {.u = def_},     \
               .min = {.u = min_}, .max = {.u = max_}, .doc = doc_,            \
               .source = source_)

#define SM_CYCLES(field, def_, min_, max_, doc_, source_)                      \
    SM_COUNT(field, def_, min_, max_, LOOM_UNIT_CYCLE, doc_, source_)

#define SM_TIMING(op, latency, interval, doc_)                                 \
    SM_CYCLES(op##_latency, latency, 1, 512, "Latency of " doc_, FERMI),       \
        SM_CYCLES(op##_interval, interval, 1, 512,                             \
                  "Cycles between two starts in one unit: " doc_, FERMI)

static const char *const orders[] = {"rotate", "fixed", NULL};

static const struct loom_param sm_params[] = {
    SM_COUNT(warps, 48, 1, 512, LOOM_UNIT_WARP, "Warp slots", FERMI),
    SM_COUNT(schedulers, 2, 1, SM_SCHEDULERS, LOOM_UNIT_NONE,
             "Warp schedulers; warp slot w belongs to scheduler w mod n",
             FERMI),
    SM_COUNT(issue_per_scheduler, 1, 1, 4, LOOM_UNIT_NONE,
             "Instructions that a scheduler issues in a cycle, all of one warp",
             FERMI),
    LOOM_PARAM(struct sm_config, scheduler_order, .unit = LOOM_UNIT_NONE,
               .def = {.s = "rotate"}, .choices = orders,
               .doc = "Which scheduler takes units first: each in turn "
                      "('rotate', GPGPU-Sim 4) or always the first ('fixed', "
                      "GPGPU-Sim 3.2.2)",
               .source = "GPGPU-Sim 4"),
    SM_COUNT(sp_units, 2, 1, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "Single-precision and integer units, 32 lanes wide", FERMI),
    SM_COUNT(int_units, 0, 0, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "Integer units; 0: integer operations go to the SP units", FERMI),
    SM_COUNT(dp_units, 0, 0, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "Double-precision units; 0: such operations go to the SFUs",
             FERMI),
    SM_COUNT(sfu_units, 1, 1, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "Special-function units; they also do all divisions", FERMI),
    SM_COUNT(tensor_units, 0, 0, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "Tensor units; 0: such operations go to the SFUs", FERMI),
    SM_COUNT(ldst_units, 1, 1, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "Memory instructions that can be issued in a cycle", FERMI),
    SM_COUNT(ibuffer_entries, 2, 1, 64, LOOM_UNIT_NONE,
             "Instructions in a warp's buffer, refilled when it is empty",
             "GPGPU-Sim, IBUFFER_SIZE"),
    SM_CYCLES(fetch_cycles, 2, 1, 24,
              "Cycles from the issue of the last buffered instruction to the "
              "issue of the next",
              "GPGPU-Sim: fetch, decode"),
    SM_CYCLES(flush_cycles, 1, 0, 24,
              "More cycles after a taken branch whose fall-through was "
              "buffered",
              "GPGPU-Sim: control hazard"),
    SM_CYCLES(pipeline_cycles, 6, 0, 256,
              "Cycles that operand collection and write-back add to every "
              "latency",
              "GPGPU-Sim 3.2.2: collector 3, dispatch 1, write-back 2"),
    SM_CYCLES(memory_cycles, 0, 0, 256,
              "Cycles that a memory instruction takes to the load/store unit "
              "in addition to the link's latency",
              NULL),
    SM_CYCLES(barrier_cycles, 1, 1, 48,
              "Cycles from the last arrival at a barrier until its warps go on",
              "GPGPU-Sim"),
    LOOM_PARAM(struct sm_config, membar_waits_stores, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "A memory barrier waits for the warp's stores as well",
               .source = "GPGPU-Sim: loads only"),
    LOOM_PARAM(struct sm_config, flush_l1, .unit = LOOM_UNIT_NONE,
               .def = {.b = true},
               .doc = "Drop the contents of the L1 at the end of a kernel",
               .source = "GPGPU-Sim 4, GTX480: -gpgpu_flush_l1_cache 1"),
    SM_TIMING(int_add, 4, 1, "integer add, logic, move, convert, compare"),
    SM_TIMING(int_max, 13, 2, "integer minimum and maximum"),
    SM_TIMING(int_mul, 4, 2, "integer multiply"),
    SM_TIMING(int_mad, 5, 1, "integer multiply-add"),
    SM_TIMING(int_div, 145, 8, "integer divide and remainder"),
    SM_TIMING(fp_add, 4, 1, "single-precision add"),
    SM_TIMING(fp_max, 13, 2, "single-precision minimum and maximum"),
    SM_TIMING(fp_mul, 4, 1, "single-precision multiply"),
    SM_TIMING(fp_mad, 5, 1, "single-precision multiply-add"),
    SM_TIMING(fp_div, 39, 4, "single-precision divide"),
    SM_TIMING(dp_add, 8, 8, "double-precision add"),
    SM_TIMING(dp_max, 19, 16, "double-precision minimum and maximum"),
    SM_TIMING(dp_mul, 8, 8, "double-precision multiply"),
    SM_TIMING(dp_mad, 8, 8, "double-precision multiply-add"),
    SM_TIMING(dp_div, 330, 130, "double-precision divide"),
    SM_TIMING(sfu, 8, 8, "square root, reciprocal and transcendentals"),
    SM_TIMING(tensor, 64, 64, "matrix multiply-add"),
    SM_TIMING(shuffle, 32, 4, "exchange between lanes, vote"),
};

bool sm_validate(const void *config, struct loom_error *err)
{
    const struct sm_config *c = config;

    if (c->warps > 64 * c->schedulers) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'warps' is %u, expected at most 64 per "
                         "scheduler, %u",
                         c->warps, 64 * c->schedulers);
    }
    return true;
}

struct timing {
    enum loom_op op;
    enum sm_unit unit;
    uint32_t latency, interval;
};

static void make_op(struct sm *sm, struct timing t)
{
    sm->op[t.op] = (struct sm_op){
        .latency = (uint16_t)(t.latency + sm->config->pipeline_cycles),
        .interval = (uint16_t)t.interval,
        .unit = (uint8_t)t.unit,
    };
}

static void make_units(struct sm *sm)
{
    const struct sm_config *c = sm->config;

    sm->unit[SM_UNIT_SP].count = c->sp_units;
    sm->unit[SM_UNIT_INT].count = c->int_units;
    sm->unit[SM_UNIT_DP].count = c->dp_units;
    sm->unit[SM_UNIT_SFU].count = c->sfu_units;
    sm->unit[SM_UNIT_TENSOR].count = c->tensor_units;
    sm->unit[SM_UNIT_LDST].count = c->ldst_units;
}

/* Control and no-ops pass the SP units in one cycle and divisions go to the
 * SFUs whatever their type, both as in GPGPU-Sim 4. */
void sm_make_ops(struct sm *sm)
{
    const struct sm_config *c = sm->config;
    enum sm_unit sp = SM_UNIT_SP;
    enum sm_unit sfu = SM_UNIT_SFU;
    enum sm_unit mem = SM_UNIT_LDST;
    enum sm_unit alu = c->int_units != 0 ? SM_UNIT_INT : sp;
    enum sm_unit dp = c->dp_units != 0 ? SM_UNIT_DP : sfu;
    enum sm_unit tensor = c->tensor_units != 0 ? SM_UNIT_TENSOR : sfu;
    const struct timing all[] = {
        {LOOM_OP_INT_ADD, alu, c->int_add_latency, c->int_add_interval},
        {LOOM_OP_INT_MAX, alu, c->int_max_latency, c->int_max_interval},
        {LOOM_OP_INT_MUL, alu, c->int_mul_latency, c->int_mul_interval},
        {LOOM_OP_INT_MAD, alu, c->int_mad_latency, c->int_mad_interval},
        {LOOM_OP_INT_DIV, sfu, c->int_div_latency, c->int_div_interval},
        {LOOM_OP_FP_ADD, sp, c->fp_add_latency, c->fp_add_interval},
        {LOOM_OP_FP_MAX, sp, c->fp_max_latency, c->fp_max_interval},
        {LOOM_OP_FP_MUL, sp, c->fp_mul_latency, c->fp_mul_interval},
        {LOOM_OP_FP_MAD, sp, c->fp_mad_latency, c->fp_mad_interval},
        {LOOM_OP_FP_DIV, sfu, c->fp_div_latency, c->fp_div_interval},
        {LOOM_OP_DP_ADD, dp, c->dp_add_latency, c->dp_add_interval},
        {LOOM_OP_DP_MAX, dp, c->dp_max_latency, c->dp_max_interval},
        {LOOM_OP_DP_MUL, dp, c->dp_mul_latency, c->dp_mul_interval},
        {LOOM_OP_DP_MAD, dp, c->dp_mad_latency, c->dp_mad_interval},
        {LOOM_OP_DP_DIV, sfu, c->dp_div_latency, c->dp_div_interval},
        {LOOM_OP_SFU, sfu, c->sfu_latency, c->sfu_interval},
        {LOOM_OP_TENSOR, tensor, c->tensor_latency, c->tensor_interval},
        {LOOM_OP_SHUFFLE, alu, c->shuffle_latency, c->shuffle_interval},
        {LOOM_OP_BRANCH, sp, 1, 1},
        {LOOM_OP_BARRIER, sp, 1, 1},
        {LOOM_OP_MEMBAR, mem, 1, 1},
        {LOOM_OP_LOAD, mem, 1, 1},
        {LOOM_OP_STORE, mem, 1, 1},
        {LOOM_OP_ATOMIC, mem, 1, 1},
        {LOOM_OP_EXIT, sp, 1, 1},
        {LOOM_OP_NOP, sp, 1, 1},
    };

    _Static_assert(LOOM_COUNTOF(all) == LOOM_OPS, "one line for each op");
    for (size_t i = 0; i < LOOM_COUNTOF(all); i++) {
        make_op(sm, all[i]);
    }
    make_units(sm);
}

static const char *const op_keys[LOOM_OPS] = {
    "int_add", "int_max", "int_mul", "int_mad", "int_div", "fp_add",  "fp_max",
    "fp_mul",  "fp_mad",  "fp_div",  "dp_add",  "dp_max",  "dp_mul",  "dp_mad",
    "dp_div",  "sfu",     "tensor",  "shuffle", "branch",  "barrier", "membar",
    "load",    "store",   "atomic",  "exit",    "nop"};

static const char *const slot_keys[SM_SLOTS] = {
    "issued", "throttled", "unit_busy", "ldst_full", "scoreboard", "memory",
    "fetch",  "membar",    "atomic",    "barrier",   "drain",      "no_warp"};

static const struct loom_stat sm_stat_table[] = {
    LOOM_COUNTER(struct sm_stats, cycles, LOOM_UNIT_CYCLE, "Cycles simulated"),
    LOOM_COUNTER(struct sm_stats, active_cycles, LOOM_UNIT_CYCLE,
                 "Cycles with at least one warp resident"),
    LOOM_COUNTER(struct sm_stats, warp_insts, LOOM_UNIT_WARP_INST,
                 "Warp instructions issued"),
    LOOM_COUNTER(struct sm_stats, thread_insts, LOOM_UNIT_THREAD_INST,
                 "Thread instructions issued: active lanes"),
    LOOM_COUNTER(struct sm_stats, lane_slots, LOOM_UNIT_THREAD_INST,
                 "Lanes of all warp instructions issued, active or not"),
    LOOM_VECTOR(struct sm_stats, insts, "op", op_keys, LOOM_UNIT_WARP_INST,
                "Warp instructions issued, by class of operation"),
    LOOM_COUNTER(struct sm_stats, loads, LOOM_UNIT_WARP_INST, "Loads issued"),
    LOOM_COUNTER(struct sm_stats, stores, LOOM_UNIT_WARP_INST, "Stores issued"),
    LOOM_COUNTER(struct sm_stats, atomics, LOOM_UNIT_WARP_INST,
                 "Atomics issued"),
    LOOM_COUNTER(struct sm_stats, barriers, LOOM_UNIT_EVENT,
                 "Arrivals of warps at barriers"),
    LOOM_COUNTER(struct sm_stats, dual_issues, LOOM_UNIT_WARP_INST,
                 "Warp instructions issued after another of the same warp in "
                 "the same cycle"),
    LOOM_COUNTER(struct sm_stats, kernels, LOOM_UNIT_EVENT,
                 "Kernels announced"),
    LOOM_COUNTER(struct sm_stats, ctas, LOOM_UNIT_CTA, "CTAs started"),
    LOOM_COUNTER(struct sm_stats, ctas_done, LOOM_UNIT_CTA, "CTAs finished"),
    LOOM_COUNTER(struct sm_stats, warps, LOOM_UNIT_WARP, "Warps started"),
    LOOM_COUNTER(struct sm_stats, warps_done, LOOM_UNIT_WARP, "Warps finished"),
    LOOM_COUNTER(struct sm_stats, resident_warp_cycles, LOOM_UNIT_WARP,
                 "Warps resident, summed over cycles"),
    LOOM_COUNTER(struct sm_stats, ibuffer_warp_cycles, LOOM_UNIT_WARP,
                 "Warps with a valid instruction buffer entry, summed over "
                 "cycles"),
    LOOM_VECTOR(struct sm_stats, issue_slots, "reason", slot_keys,
                LOOM_UNIT_CYCLE,
                "What became of each scheduler's cycles; the sum is "
                "schedulers times cycles"),
    LOOM_RATIO(struct sm_stats, ipc, thread_insts, cycles,
               LOOM_UNIT_INST_PER_CYCLE, "Thread instructions per cycle"),
    LOOM_RATIO(struct sm_stats, warp_ipc, warp_insts, cycles,
               LOOM_UNIT_INST_PER_CYCLE, "Warp instructions per cycle"),
    LOOM_RATIO(struct sm_stats, simd_efficiency, thread_insts, lane_slots,
               LOOM_UNIT_RATIO, "Share of lanes that were active"),
    LOOM_RATIO(struct sm_stats, resident_warps, resident_warp_cycles,
               active_cycles, LOOM_UNIT_WARP,
               "Warps resident in a cycle with any, on average"),
};

static const struct loom_port_decl sm_ports[] = {
    {"gpu", "CTAs", LOOM_SERVER, &loom_cta_protocol, 1, 1},
    {"ldst", "The load/store unit", LOOM_CLIENT, &loom_warp_protocol, 1, 1},
};

static const struct loom_slot_decl sm_slots[] = {
    {"scheduler", "Picks the warp that issues next", &loom_scheduler_hook,
     "gto"},
    {"throttle", "Says which warps may issue", &loom_throttle_hook, NULL},
    {"observe", "Watches the SM", &loom_sm_observe_hook, NULL},
};

const struct loom_component_type sm_component = {
    .name = "sm",
    .doc = "Streaming multiprocessor: warps, schedulers and execution units",
    .state_size = sizeof(struct sm),
    .config_size = sizeof(struct sm_config),
    .stats_size = sizeof(struct sm_stats),
    .params = LOOM_SLICE(sm_params),
    .stats = LOOM_SLICE(sm_stat_table),
    .ports = LOOM_SLICE(sm_ports),
    .slots = LOOM_SLICE(sm_slots),
    .ops = &sm_ops,
};
