/*
 * The SM's descriptor: parameters, statistics, ports and slots.
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
 * if the fall-through instruction was buffered.  If the branch was the last
 * one buffered, GPGPU-Sim has begun to fetch the fall-through and notices when
 * that could issue (fetch_fall_through).
 *
 * Names: a "latch" is a pipeline register of GPGPU-Sim's ID_OC and OC_EX, a
 * "port" both of its in and out ports.
 */
#include "components/mem_protocol.h"
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

/* Intervals of what is not executed in whole cycles. */
#define SM_INTERVAL(op, interval, doc_, source_)                               \
    LOOM_PARAM(struct sm_config, op##_interval, .unit = LOOM_UNIT_CYCLE,       \
               .def = {.f = interval}, .min = {.f = 1}, .max = {.f = 512},     \
               .doc = "Cycles between two starts in one unit: " doc_,          \
               .source = source_)

#define SM_FORM(form, as, doc_)                                                \
    SM_CYCLES(form##_latency, 0, 0, 512,                                       \
              "Latency of " doc_ "; 0: as all of " as ", with their interval", \
              "GPGPU-Sim: no such class"),                                     \
        SM_INTERVAL(form, 1, doc_, "GPGPU-Sim: no such class")

#define COLLECTORS "GPGPU-Sim, GTX480: -gpgpu_operand_collector_num_units_"

#define SM_KIND(kind, units, ports, doc_)                                      \
    SM_COUNT(kind##_collectors, units, 0, 64, LOOM_UNIT_NONE,                  \
             "Operand collectors for " doc_ " instructions only",              \
             COLLECTORS #kind),                                                \
        SM_COUNT(kind##_ports, ports, 0, 16, LOOM_UNIT_NONE,                   \
                 "Instructions that enter, and that leave, the collectors "    \
                 "for " doc_ " instructions in a cycle",                       \
                 FERMI),                                                       \
        SM_COUNT(kind##_latches, 0, 0, SM_UNITS_MAX, LOOM_UNIT_NONE,           \
                 "Places for " doc_ " instructions before and behind the "     \
                 "collectors; 0: as many as units",                            \
                 "GPGPU-Sim: ID_OC and OC_EX of -gpgpu_pipeline_widths")

static const struct loom_param sm_params[] = {
    SM_COUNT(warps, 48, 1, 512, LOOM_UNIT_WARP, "Warp slots", FERMI),
    SM_COUNT(schedulers, 2, 1, SM_SCHEDULERS, LOOM_UNIT_NONE,
             "Warp schedulers; warp slot w belongs to scheduler w mod n",
             FERMI),
    SM_COUNT(issue_per_scheduler, 1, 1, 4, LOOM_UNIT_NONE,
             "Instructions that a scheduler issues in a cycle, all of one warp",
             FERMI),
    LOOM_PARAM(struct sm_config, scheduler_order, .unit = LOOM_UNIT_NONE,
               .def = {.s = "rotate"},
               .choices = LOOM_CHOICES("rotate", "fixed"),
               .doc = "Which scheduler takes units first: each in turn "
                      "('rotate', GPGPU-Sim 4) or always the first ('fixed', "
                      "GPGPU-Sim 3.2.2)",
               .source = "GPGPU-Sim 4"),
    LOOM_PARAM(struct sm_config, dual_issue_different_units,
               .unit = LOOM_UNIT_NONE, .def = {.b = false},
               .doc = "Instructions issued together go to different kinds of "
                      "units",
               .source = "GPGPU-Sim 4, -gpgpu_dual_issue_diff_exec_units"),
    LOOM_PARAM(struct sm_config, sub_core, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Each scheduler has its own share of the units (but the "
                      "load/store units), collectors and register banks",
               .source = "GPGPU-Sim 4, -gpgpu_sub_core_model"),
    SM_COUNT(sp_units, 2, 1, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "Single-precision and integer units, 32 lanes wide", FERMI),
    SM_COUNT(int_units, 0, 0, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "Integer units; 0: integer operations go to the SP units", FERMI),
    LOOM_PARAM(struct sm_config, sp_multiplies, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "The first SP unit of a sub-core multiplies integers; "
                      "additions, moves and shifts left by a number go to it "
                      "or to an integer unit, minima and maxima of floating "
                      "point to an integer unit; not with register banks",
               .source = "GPGPU-Sim: integer units do all of it"),
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
    SM_CYCLES(branch_cycles, 0, 0, 48,
              "Cycles from the issue of a taken branch to that of what "
              "follows, whatever fetch_cycles, flush_cycles and "
              "fetch_fall_through are; 0: as these say",
              "GPGPU-Sim: these"),
    SM_CYCLES(pass_cycles, 0, 0, 48,
              "Likewise, of a branch that is not taken; a short one, which a "
              "compiler makes predicates of, has none; 0: one",
              "GPGPU-Sim: one"),
    SM_CYCLES(meet_cycles, 0, 0, 48,
              "Cycles where lanes meet that went apart, and where a compiler's "
              "schedule is timed",
              "GPGPU-Sim: none"),
    LOOM_PARAM(struct sm_config, fetch_fall_through, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Behind a branch that was the last one buffered the "
                      "fall-through is fetched first, and then what was taken",
               .source = "GPGPU-Sim: set_next_pc() at issue"),
    LOOM_PARAM(struct sm_config, branch_seen_at_issue, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "A scheduler that may issue one more instruction of the "
                      "warp sees in the cycle of a taken branch that the one "
                      "buffered behind it is wrong: no flush_cycles",
               .source = "GPGPU-Sim: scheduler_unit::cycle, with "
                         "-gpgpu_max_insn_issue_per_warp 2"),
    SM_COUNT(fetch_width, 0, 0, 16, LOOM_UNIT_WARP,
             "Warps that fetch in a cycle, in turn; 0: all that need to",
             "GPGPU-Sim: 1, -gpgpu_inst_fetch_throughput"),
    SM_COUNT(fetch_bytes, 16, 4, 128, LOOM_UNIT_BYTE,
             "Bytes of a fetch that goes to port 'l1i'", "GPGPU-Sim: 16"),
    LOOM_PARAM(struct sm_config, l0i_sets, .unit = LOOM_UNIT_NONE,
               .def = {.u = 0}, .max = {.u = 4096}, .power_of_2 = false,
               .doc = "Sets of the instruction cache in the fetch stage, whose "
                      "hits cost nothing and whose misses go to port 'l1i'; "
                      "0: no such cache",
               .source = "GPGPU-Sim, GTX480: 4, -gpgpu_cache:il1"),
    SM_COUNT(l0i_ways, 4, 1, 64, LOOM_UNIT_LINE, "Ways of that cache",
             "GPGPU-Sim, GTX480: -gpgpu_cache:il1"),
    LOOM_PARAM(struct sm_config, l0i_line_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 128}, .min = {.u = 32}, .max = {.u = 128},
               .power_of_2 = true, .doc = "Bytes of a line of instructions",
               .source = "GPGPU-Sim, GTX480: -gpgpu_cache:il1"),
    SM_COUNT(l0i_mshrs, 2, 1, 64, LOOM_UNIT_REQUEST,
             "Lines of instructions on their way",
             "GPGPU-Sim, GTX480: -gpgpu_cache:il1 S:2:32"),
    SM_COUNT(l0i_merges, 0, 0, 65535, LOOM_UNIT_REQUEST,
             "Fetches of a line on its way, the first included; one more is "
             "refused; 0: any number",
             "GPGPU-Sim, GTX480: 32, -gpgpu_cache:il1 S:2:32"),
    SM_CYCLES(
        l0i_fill_cycles, 0, 0, 65535,
        "Without port 'l1i': a line of instructions that is missing takes "
        "so long from what is behind, one after the other; the first use "
        "of one asks for the next, and a CTA finds the first eight",
        NULL),
    SM_CYCLES(pipeline_cycles, 6, 0, 256,
              "Cycles that operand collection and write-back add to every "
              "latency; not used with register banks",
              "GPGPU-Sim 3.2.2: collector 3, dispatch 1, write-back 2"),
    SM_COUNT(result_bus_width, 0, 0, 64, LOOM_UNIT_NONE,
             "Results of the units (not of loads) that are written in a cycle; "
             "an instruction whose cycle is full does not start; 0: any number",
             "GPGPU-Sim: EX_WB of -gpgpu_pipeline_widths"),
    SM_COUNT(load_writebacks, 0, 0, 64, LOOM_UNIT_NONE,
             "Loads and atomics whose registers are written in a cycle; 0: any "
             "number",
             "GPGPU-Sim: 1, ldst_unit::writeback"),
    SM_COUNT(register_banks, 0, 0, SM_BANKS, LOOM_UNIT_NONE,
             "Register banks, each read or written once in a cycle; 0: no "
             "operand collectors, pipeline_cycles stands for them",
             "GPGPU-Sim: 16, -gpgpu_num_reg_banks"),
    SM_COUNT(register_ports, 1, 1, 8, LOOM_UNIT_NONE,
             "Steps of the operand collectors in a cycle",
             "GPGPU-Sim: -gpgpu_reg_file_port_throughput"),
    LOOM_PARAM(struct sm_config, bank_by_warp, .unit = LOOM_UNIT_NONE,
               .def = {.b = true},
               .doc = "A register's bank depends on its warp slot too",
               .source = "GPGPU-Sim 3.2.2; 4: -gpgpu_reg_bank_use_warp_id"),
    SM_KIND(sp, 6, 2, "single-precision and integer"),
    SM_KIND(int, 0, 0, "integer"),
    SM_KIND(dp, 0, 0, "double-precision"),
    SM_KIND(sfu, 8, 1, "special-function"),
    SM_KIND(tensor, 4, 1, "tensor"),
    SM_KIND(ldst, 2, 1, "memory"),
    SM_COUNT(generic_collectors, 0, 0, 64, LOOM_UNIT_NONE,
             "Operand collectors for all instructions", COLLECTORS "gen"),
    SM_COUNT(generic_ports, 0, 0, 16, LOOM_UNIT_NONE,
             "Instructions that enter, and that leave, the collectors for all "
             "in a cycle",
             COLLECTORS "gen"),
    SM_CYCLES(memory_cycles, 0, 0, 256,
              "Cycles that a memory instruction takes to the load/store unit "
              "in addition to the link's latency",
              NULL),
    SM_CYCLES(barrier_cycles, 1, 1, 48,
              "Cycles from the last arrival at a barrier until its warps go on",
              "GPGPU-Sim"),
    SM_CYCLES(barrier_interval, 0, 0, 48,
              "Cycles that the arrival of a warp takes, of all CTAs one at a "
              "time",
              NULL),
    LOOM_PARAM(struct sm_config, memory_in_turn, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Where a scheduler has chosen a memory instruction the "
                      "next warp in turn that has one issues instead",
               .source = "H100 SXM: warps that read share the L1 alike, those "
                         "that compute go by age"),
    LOOM_PARAM(struct sm_config, exit_waits_stores, .unit = LOOM_UNIT_NONE,
               .def = {.b = true},
               .doc = "A warp ends when its stores have arrived; false: when "
                      "it has sent them, and what its CTA holds is free then. "
                      "With operand collectors it always waits",
               .source = "GPGPU-Sim: true"),
    LOOM_PARAM(struct sm_config, membar_waits_stores, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "A memory barrier waits for the warp's stores as well",
               .source = "GPGPU-Sim: loads only"),
    SM_CYCLES(fence_latency, 0, 0, 65535,
              "Cycles of a memory barrier of more threads than a CTA's where "
              "nothing is on its way; 0: it takes none",
              NULL),
    SM_CYCLES(fence_proxy_latency, 0, 0, 65535,
              "The same of fence.proxy, but for shared memory alone", NULL),
    SM_CYCLES(fence_interval, 0, 0, 65535,
              "Cycles of these that a memory barrier is on its way; warps "
              "that come meanwhile go together after that, those that come "
              "before go with it",
              NULL),
    LOOM_PARAM(struct sm_config, every_atomic_waits, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "A warp stops until its atomic has returned also where "
                      "nobody reads the old value, which otherwise goes its "
                      "way like a store",
               .source = "GPGPU-Sim: true; hardware has RED for these"),
    LOOM_PARAM(struct sm_config, atomic_results_wait, .unit = LOOM_UNIT_NONE,
               .def = {.b = true},
               .doc = "A warp stops until an atomic has returned whose old "
                      "value is read; false: as for a load, until it is read",
               .source = "GPGPU-Sim: true; H100, H200, measured: false"),
    LOOM_PARAM(struct sm_config, flush_l1, .unit = LOOM_UNIT_NONE,
               .def = {.b = true},
               .doc = "Drop the contents of the L1 at the end of a kernel",
               .source = "GPGPU-Sim 4, GTX480: -gpgpu_flush_l1_cache 1"),
    SM_TIMING(int_add, 4, 1, "integer add and subtract"),
    SM_TIMING(int_max, 13, 2, "integer minimum and maximum"),
    SM_TIMING(int_mul, 4, 2, "integer multiply"),
    SM_TIMING(int_mad, 5, 1, "integer multiply-add"),
    SM_TIMING(int_div, 145, 8, "integer divide and remainder"),
    SM_TIMING(move, 1, 1, "move, logic, shift, convert, compare, select"),
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
    SM_CYCLES(cross_cycles, 0, 0, 64,
              "Cycles more until a multiplier can read an ALU's result, or an "
              "ALU a multiplier's, where a compiler's schedule is timed",
              "GPGPU-Sim: none"),
    SM_CYCLES(far_cycles, 0, 0, 64,
              "Likewise, until memory instructions, SFUs and others without a "
              "fixed latency can",
              "GPGPU-Sim: none"),
    SM_CYCLES(guard_cycles, 0, 0, 64,
              "Likewise, from a comparison until its predicate can guard an "
              "instruction, or is voted on",
              "GPGPU-Sim: none"),
    SM_CYCLES(tensor_latency, 64, 1, 512,
              "Latency of a product of m16n8 and 256 bits of k", FERMI),
    SM_INTERVAL(tensor, 64, "such products; larger ones are several", FERMI),
    SM_TIMING(shuffle, 32, 4, "exchange between lanes, vote"),
    SM_FORM(logic, "moves", "logic, shift, compare, select"),
    SM_FORM(convert, "moves",
            "conversion to integers, from and to f64, counts and order of "
            "bits, done by the SFUs"),
    SM_FORM(half, "the operation", "arithmetic of 16 bits"),
    SM_FORM(vote, "shuffles", "votes"),
    SM_FORM(special, "moves",
            "special registers that are no constants, and addresses of shared "
            "variables"),
    SM_FORM(tensor_short, "tensor operations",
            "products of 128 bits of k and less"),
    SM_FORM(tensor_f64, "tensor operations",
            "products in double precision, of m8n8k4 or m16n8k4"),
    SM_FORM(tensor_group, "tensor operations",
            "a warp's products of m16n8 and 256 bits of k in wgmma"),
    SM_COUNT(tensor_queue, 0, 0, SM_UNITS_MAX, LOOM_UNIT_NONE,
             "wgmma of a sub-core that wait for its tensor unit while their "
             "warps go on to wgmma.wait_group; 0: a warp waits with the next "
             "one, and for its sums",
             "GPGPU-Sim: no such instruction"),
    SM_COUNT(tensor_queue_bytes, 0, 0, 65536, LOOM_UNIT_BYTE,
             "Bytes of shared memory that wgmma in a queue read in a cycle, of "
             "A (if it is there) and B; 0: any number",
             "GPGPU-Sim: no such instruction"),
    SM_CYCLES(tensor_queue_cycles, 0, 0, 512,
              "Cycles that a wgmma in a queue takes at least",
              "GPGPU-Sim: no such instruction"),
};

static const char *const op_keys[LOOM_OPS] = {
    "int_add", "int_max", "int_mul", "int_mad", "int_div", "move",   "fp_add",
    "fp_max",  "fp_mul",  "fp_mad",  "fp_div",  "dp_add",  "dp_max", "dp_mul",
    "dp_mad",  "dp_div",  "sfu",     "tensor",  "shuffle", "branch", "barrier",
    "membar",  "load",    "store",   "atomic",  "exit",    "nop"};

static const char *const slot_keys[SM_SLOTS] = {
    "issued",    "throttled",  "unit_busy", "result_bus", "collector",
    "ldst_full", "scoreboard", "memory",    "fetch",      "fetch_miss",
    "membar",    "atomic",     "barrier",   "drain",      "no_warp"};

/* One reason, by scheduler: those of a scheduler sum to the cycles. */
#define SM_SLOT_OF(slot, name_, doc_)                                          \
    {                                                                          \
        .name = "scheduler_" name_, .kind = LOOM_STAT_ARRAY,                   \
        .unit = LOOM_UNIT_CYCLE, .axis = "scheduler",                          \
        .offset = LOOM_ARRAY_AT(struct sm_stats, by_scheduler[slot]),          \
        .doc = "Cycles in which the scheduler " doc_                           \
    }

static const struct loom_stat sm_stat_table[] = {
    LOOM_COUNTER(struct sm_stats, cycles, LOOM_UNIT_CYCLE, "Cycles simulated"),
    LOOM_COUNTER(struct sm_stats, active_cycles, LOOM_UNIT_CYCLE,
                 "Cycles with at least one warp resident"),
    LOOM_EXACT_COUNTER(struct sm_stats, warp_insts, LOOM_UNIT_WARP_INST,
                       "Warp instructions issued"),
    LOOM_EXACT_COUNTER(struct sm_stats, thread_insts, LOOM_UNIT_THREAD_INST,
                       "Thread instructions issued: active lanes"),
    LOOM_EXACT_COUNTER(struct sm_stats, lane_slots, LOOM_UNIT_THREAD_INST,
                       "Lanes of all warp instructions issued, active or not"),
    LOOM_EXACT_VECTOR(struct sm_stats, insts, "op", op_keys,
                      LOOM_UNIT_WARP_INST,
                      "Warp instructions issued, by class of operation"),
    LOOM_EXACT_COUNTER(struct sm_stats, loads, LOOM_UNIT_WARP_INST,
                       "Loads issued"),
    LOOM_EXACT_COUNTER(struct sm_stats, stores, LOOM_UNIT_WARP_INST,
                       "Stores issued"),
    LOOM_EXACT_COUNTER(struct sm_stats, atomics, LOOM_UNIT_WARP_INST,
                       "Atomics issued"),
    LOOM_EXACT_COUNTER(struct sm_stats, barriers, LOOM_UNIT_EVENT,
                       "Arrivals of warps at barriers"),
    LOOM_COUNTER(struct sm_stats, dual_issues, LOOM_UNIT_WARP_INST,
                 "Warp instructions issued after another of the same warp in "
                 "the same cycle"),
    LOOM_EXACT_COUNTER(struct sm_stats, kernels, LOOM_UNIT_EVENT,
                       "Kernels announced"),
    LOOM_EXACT_COUNTER(struct sm_stats, ctas, LOOM_UNIT_CTA, "CTAs started"),
    LOOM_EXACT_COUNTER(struct sm_stats, ctas_done, LOOM_UNIT_CTA,
                       "CTAs finished"),
    LOOM_EXACT_COUNTER(struct sm_stats, warps, LOOM_UNIT_WARP, "Warps started"),
    LOOM_EXACT_COUNTER(struct sm_stats, warps_done, LOOM_UNIT_WARP,
                       "Warps finished"),
    LOOM_COUNTER(struct sm_stats, resident_warp_cycles, LOOM_UNIT_WARP,
                 "Warps resident, summed over cycles"),
    LOOM_COUNTER(struct sm_stats, ibuffer_warp_cycles, LOOM_UNIT_WARP,
                 "Warps with a valid instruction buffer entry, summed over "
                 "cycles"),
    LOOM_VECTOR(struct sm_stats, issue_slots, "slot", slot_keys,
                LOOM_UNIT_CYCLE,
                "What became of the schedulers' cycles; the sum is "
                "schedulers times cycles"),
    SM_SLOT_OF(SM_SLOT_ISSUED, "issued", "issued"),
    SM_SLOT_OF(SM_SLOT_THROTTLED, "throttled",
               "had warps that a throttle held "
               "back"),
    SM_SLOT_OF(SM_SLOT_UNIT, "unit_busy", "found no unit free"),
    SM_SLOT_OF(SM_SLOT_RESULT_BUS, "result_bus", "found the result bus taken"),
    SM_SLOT_OF(SM_SLOT_COLLECTOR, "collector", "found no operand collector"),
    SM_SLOT_OF(SM_SLOT_LDST, "ldst_full", "waited for the load/store unit"),
    SM_SLOT_OF(SM_SLOT_SCOREBOARD, "scoreboard", "waited for registers"),
    SM_SLOT_OF(SM_SLOT_MEMORY, "memory", "waited for loads"),
    SM_SLOT_OF(SM_SLOT_FETCH, "fetch", "waited for instructions"),
    SM_SLOT_OF(SM_SLOT_FETCH_MISS, "fetch_miss",
               "waited for a line of "
               "instructions"),
    SM_SLOT_OF(SM_SLOT_MEMBAR, "membar", "waited at memory barriers"),
    SM_SLOT_OF(SM_SLOT_ATOMIC, "atomic", "waited for atomics"),
    SM_SLOT_OF(SM_SLOT_BARRIER, "barrier", "waited at barriers"),
    SM_SLOT_OF(SM_SLOT_DRAIN, "drain", "had warps with nothing left to issue"),
    SM_SLOT_OF(SM_SLOT_IDLE, "no_warp", "had no warp"),
    LOOM_COUNTER(struct sm_stats, fetches, LOOM_UNIT_REQUEST,
                 "Accesses for instructions, of machines with a fetch stage"),
    LOOM_COUNTER(struct sm_stats, fetch_hits, LOOM_UNIT_REQUEST,
                 "Accesses that hit, or found no cache connected"),
    LOOM_COUNTER(struct sm_stats, fetch_misses, LOOM_UNIT_REQUEST,
                 "Accesses that sent a request to port 'l1i'"),
    LOOM_COUNTER(struct sm_stats, fetch_merges, LOOM_UNIT_REQUEST,
                 "Accesses to a line that was on its way"),
    LOOM_COUNTER(struct sm_stats, fetch_refusals, LOOM_UNIT_REQUEST,
                 "Slots used up by accesses that found no MSHR, no room in one "
                 "or none on the link; not among the fetches"),
    LOOM_COUNTER(struct sm_stats, register_reads, LOOM_UNIT_REQUEST,
                 "Registers of warps read from banks"),
    LOOM_COUNTER(struct sm_stats, bank_conflicts, LOOM_UNIT_REQUEST,
                 "Reads that waited for another of their bank, summed over "
                 "cycles"),
    LOOM_COUNTER(struct sm_stats, write_conflicts, LOOM_UNIT_REQUEST,
                 "Reads that waited for a write to their bank, summed over "
                 "cycles"),
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
    {"l1i", "Instructions; if not connected, every fetch hits", LOOM_CLIENT,
     &loom_mem_protocol, 0, 1},
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
    .energies = {sm_energies, SM_ENERGY_COUNT},
    .ports = LOOM_SLICE(sm_ports),
    .slots = LOOM_SLICE(sm_slots),
    .ops = &sm_ops,
};
