/*
 * What a load/store unit can be told, what it counts, its ports and slots.
 */
#include "components/ldst/ldst_private.h"

static const struct loom_param ldst_params[] = {
    LOOM_PARAM(struct ldst_config, warps, .unit = LOOM_UNIT_WARP,
               .def = {.u = 48}, .min = {.u = 1}, .max = {.u = 65535},
               .doc = "Warp slots of the SM",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, line_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 128}, .min = {.u = 32}, .max = {.u = 128},
               .power_of_2 = true,
               .doc = "Bytes of an L1 line: no access is larger",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(
        struct ldst_config, pending_entries, .unit = LOOM_UNIT_WARP_INST,
        .def = {.u = 256}, .min = {.u = 1}, .max = {.u = 65536},
        .doc =
            "Memory instructions that may wait for replies or for write-back"),
    LOOM_PARAM(struct ldst_config, accesses_per_cycle,
               .unit = LOOM_UNIT_REQUEST, .def = {.u = 1}, .min = {.u = 1},
               .max = {.u = 32}, .doc = "Accesses that go to the L1 per cycle",
               .source = "GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, shared_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 26}, .min = {.u = 1}, .max = {.u = 1000},
               .doc = "Cycles from a shared memory instruction without "
                      "conflicts to its write-back",
               .source = "GTX480 as GPGPU-Sim 4"),
    LOOM_PARAM(struct ldst_config, shared_banks, .unit = LOOM_UNIT_NONE,
               .def = {.u = 32}, .min = {.u = 1}, .max = {.u = 64},
               .power_of_2 = true,
               .doc = "Banks of 4 bytes of the shared memory",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, const_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 1000},
               .doc = "Cycles from a constant or parameter load of one line to "
                      "its write-back"),
    LOOM_PARAM(struct ldst_config, const_line_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 64}, .min = {.u = 32}, .max = {.u = 128},
               .power_of_2 = true,
               .doc = "Bytes of a constant cache's line: an access per line, "
                      "if there is one at port l1c",
               .source = "GPGPU-Sim, -gpgpu_const_cache:l1 64:64:2"),
    LOOM_PARAM(struct ldst_config, return_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .max = {.u = 64},
               .doc = "Cycles in which a scheduler's part of the SM takes up "
                      "what one pass over the banks of L1 or shared memory has "
                      "read for a load, one pass after the other; 0: at once",
               .source = "Huerta et al., MICRO 2025: 512 bits per cycle, so "
                         "2; quoted from memory"),
    LOOM_PARAM(struct ldst_config, atomic_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .max = {.u = 4096},
               .doc = "Cycles that an atomic on global memory takes longer "
                      "than the accesses it makes",
               .source = "GPGPU-Sim: 0; H100, H200, measured: 79"),
    LOOM_PARAM(struct ldst_config, texture_line_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 128}, .min = {.u = 32}, .max = {.u = 128},
               .power_of_2 = true,
               .doc = "Bytes of a texture cache's line, likewise at port l1t",
               .source = "GPGPU-Sim, -gpgpu_tex_cache:l1 4:128:24"),
    LOOM_PARAM(struct ldst_config, param_base, .unit = LOOM_UNIT_NONE,
               .def = {.u = 0},
               .doc = "Address of a kernel's parameters for the constant "
                      "cache: the same for all kernels",
               .source = "GPGPU-Sim: parameter memory starts at 0"),
    LOOM_PARAM(struct ldst_config, replies_per_cycle, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1024},
               .doc = "Replies taken from each cache per cycle; 0: all that "
                      "are there; the link's capacity is the response FIFO"),
    LOOM_PARAM(struct ldst_config, global_around, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Accesses to global memory go around the L1",
               .source = "GPGPU-Sim: -gpgpu_gmem_skip_L1D"),
    LOOM_PARAM(struct ldst_config, bypass_writeback, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Loads that went around the L1 have a turn of their own "
                      "at the register file's write port",
               .source = "GPGPU-Sim: five clients take turns"),
    LOOM_PARAM(struct ldst_config, dispatch_latch, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "The instruction in dispatch keeps its place on the "
                      "link, so that one less waits before the L1",
               .source = "GPGPU-Sim: m_dispatch_reg"),
    LOOM_PARAM(struct ldst_config, local_map, .unit = LOOM_UNIT_NONE,
               .choices = LOOM_CHOICES("grid", "slots"), .def = {.s = "grid"},
               .doc = "Where local memory lies: grid interleaves the words of "
                      "all threads of the grid, slots those of the threads "
                      "that can be resident"),
    LOOM_PARAM(struct ldst_config, local_words, .unit = LOOM_UNIT_NONE,
               .choices = LOOM_CHOICES("all", "first"), .def = {.s = "all"},
               .doc = "Which words of a vector in local memory are accessed, "
                      "if by slots; first leaves out the others, a fault of "
                      "GPGPU-Sim that can be repeated",
               .source = "GPGPU-Sim 4.2: first"),
    LOOM_PARAM(struct ldst_config, local_base, .unit = LOOM_UNIT_NONE,
               .def = {.u = 0x1F880000},
               .doc = "First address of local memory, if by slots",
               .source = "GPGPU-Sim 4.2"),
    LOOM_PARAM(struct ldst_config, sms, .unit = LOOM_UNIT_NONE,
               .def = {.u = 15}, .min = {.u = 1}, .max = {.u = 65536},
               .doc = "SMs of the machine; this and the limits below say how "
                      "many CTAs an SM holds, for local_map and unified_bytes",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, sm_threads, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1536}, .min = {.u = 32}, .max = {.u = 65536},
               .doc = "Threads of an SM",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, sm_registers, .unit = LOOM_UNIT_NONE,
               .def = {.u = 32768}, .min = {.u = 32}, .max = {.u = 1 << 24},
               .doc = "Registers of an SM",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, sm_shared_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 49152}, .max = {.u = 1 << 30},
               .doc = "Shared memory of an SM",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, sm_ctas, .unit = LOOM_UNIT_CTA,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 64},
               .doc = "CTAs of an SM", .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_CTA_GRAIN_PARAMS(struct ldst_config),
    LOOM_PARAM(struct ldst_config, unified_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 0}, .max = {.u = 1 << 30},
               .doc = "Memory that shared memory and L1 divide at each "
                      "kernel's first access; 0: they are separate",
               .source = "GPGPU-Sim 4, -gpgpu_unified_l1d_size"),
    LOOM_PARAM(struct ldst_config, shared_options, .unit = LOOM_UNIT_NONE,
               .max = {.u = 1 << 20},
               .doc = "KiB of shared memory that a kernel may have of "
                      "unified_bytes: the smallest that holds all resident "
                      "CTAs is taken",
               .source = "GPGPU-Sim 4, -gpgpu_shmem_option"),
    LOOM_PARAM(struct ldst_config, flushes_l1, .unit = LOOM_UNIT_NONE,
               .def = {.b = true},
               .doc = "Is there an L1 at port l1 that flushes go to"),
};

static const char *const ldst_spaces[] = {
    "global", "local", "shared", "const", "param", "texture", "inst"};
static const char *const ldst_stalls[] = {
    "pending", "queue", "l1", "shared", "const", "flush", "texture"};

static const struct loom_stat ldst_stats[] = {
    LOOM_VECTOR(struct ldst_stats, load_insts, "space", ldst_spaces,
                LOOM_UNIT_WARP_INST, "Warp load instructions, by space"),
    LOOM_VECTOR(struct ldst_stats, store_insts, "space", ldst_spaces,
                LOOM_UNIT_WARP_INST, "Warp store instructions, by space"),
    LOOM_VECTOR(struct ldst_stats, atomic_insts, "space", ldst_spaces,
                LOOM_UNIT_WARP_INST, "Warp atomic instructions, by space"),
    LOOM_COUNTER(struct ldst_stats, accesses, LOOM_UNIT_REQUEST,
                 "Accesses made by the coalescer"),
    LOOM_COUNTER(struct ldst_stats, coalesced_loads, LOOM_UNIT_WARP_INST,
                 "Loads from global and local memory"),
    LOOM_COUNTER(struct ldst_stats, load_accesses, LOOM_UNIT_REQUEST,
                 "Accesses of loads from global and local memory"),
    LOOM_COUNTER(struct ldst_stats, store_accesses, LOOM_UNIT_REQUEST,
                 "Accesses of stores to global and local memory"),
    LOOM_COUNTER(struct ldst_stats, atomic_accesses, LOOM_UNIT_REQUEST,
                 "Accesses of atomics on global memory"),
    LOOM_RATIO(struct ldst_stats, transactions_per_load, load_accesses,
               coalesced_loads, LOOM_UNIT_RATIO,
               "Accesses per load from global or local memory"),
    LOOM_COUNTER(struct ldst_stats, replies, LOOM_UNIT_REQUEST,
                 "Replies to accesses"),
    LOOM_COUNTER(struct ldst_stats, l1_hits, LOOM_UNIT_REQUEST,
                 "Accesses whose reply says that they hit in the L1"),
    LOOM_COUNTER(struct ldst_stats, l1_bypasses, LOOM_UNIT_REQUEST,
                 "Accesses whose reply says that they went around the L1"),
    LOOM_COUNTER(struct ldst_stats, flushes, LOOM_UNIT_EVENT,
                 "Flushes of the L1 asked for"),
    LOOM_COUNTER(struct ldst_stats, shared_conflict_cycles, LOOM_UNIT_CYCLE,
                 "Cycles lost to bank conflicts: those beyond the first of an "
                 "instruction"),
    LOOM_COUNTER(
        struct ldst_stats, const_serial_cycles, LOOM_UNIT_CYCLE,
        "Cycles in which constant loads fetched lines beyond the first"),
    LOOM_VECTOR(struct ldst_stats, stall_cycles, "stall", ldst_stalls,
                LOOM_UNIT_CYCLE,
                "Cycles in which the instruction in dispatch or the access in "
                "front of the L1 waited"),
    LOOM_COUNTER(struct ldst_stats, pending_entry_cycles, LOOM_UNIT_CYCLE,
                 "Entries of the pending table in use, summed over cycles"),
    LOOM_COUNTER(struct ldst_stats, const_accesses, LOOM_UNIT_REQUEST,
                 "Accesses to the constant cache"),
    LOOM_COUNTER(struct ldst_stats, const_hits, LOOM_UNIT_REQUEST,
                 "Accesses whose reply says that they hit in the constant "
                 "cache"),
    LOOM_COUNTER(struct ldst_stats, texture_accesses, LOOM_UNIT_REQUEST,
                 "Accesses to the texture cache"),
    LOOM_COUNTER(struct ldst_stats, texture_hits, LOOM_UNIT_REQUEST,
                 "Accesses whose reply says that they hit in the texture "
                 "cache"),
    LOOM_COUNTER(struct ldst_stats, part_replies, LOOM_UNIT_REQUEST,
                 "Replies to a part of an access, not its last"),
    LOOM_COUNTER(struct ldst_stats, l1_resizes, LOOM_UNIT_EVENT,
                 "How often unified memory was divided anew"),
    LOOM_GAUGE(struct ldst_stats, shared_carved_bytes, LOOM_UNIT_BYTE,
               "Shared memory's share of unified memory; 0: not divided"),
    LOOM_GAUGE(struct ldst_stats, l1_carved_bytes, LOOM_UNIT_BYTE,
               "The L1's share of unified memory; 0: not divided"),
    LOOM_HISTOGRAM(
        struct ldst_stats, load_latency, LOOM_UNIT_CYCLE,
        "Cycles from the issue of a load to its write-back, all spaces"),
};

#define GPUWATCH "GPUWattch, GTX 480: "

static const struct loom_energy ldst_energies[] = {
    {"coalesce_load", "Turning the lanes of a load into accesses",
     "coalesced_loads", 1.58695e-11, GPUWATCH "readcoalesce"},
    {"coalesce_store", "Turning the lanes of a store or atomic into accesses",
     "store_insts.global + store_insts.local + atomic_insts.global",
     2.07027e-11, GPUWATCH "writecoalesce"},
    {"shared", "A pass over the banks of shared memory",
     "load_insts.shared + store_insts.shared + atomic_insts.shared + "
     "shared_conflict_cycles",
     3.0106e-10, GPUWATCH "SHRD_ACC"},
    {"constant",
     "A line of constants or parameters, where no cache is "
     "connected for them",
     "load_insts.const + load_insts.param + const_serial_cycles", 1.32547e-10,
     GPUWATCH "CC_H"},
    {"leak", "Leakage of shared memory", "time", 0.02795339,
     "CACTI 7: RAM of 48 KiB, 1024 bits, 40 nm, 340 K"},
};

static const struct loom_port_decl ldst_ports[] = {
    {"sm", "Memory instructions of the SM", LOOM_SERVER, &loom_warp_protocol, 1,
     1},
    {"l1", "Accesses to global and local memory", LOOM_CLIENT,
     &loom_mem_protocol, 0, 1},
    {"l1c", "Accesses to constants and parameters", LOOM_CLIENT,
     &loom_mem_protocol, 0, 1},
    {"l1t", "Accesses to textures", LOOM_CLIENT, &loom_mem_protocol, 0, 1},
};

static const struct loom_slot_decl ldst_slots[] = {
    {"coalesce", "Turns lanes into accesses", &loom_coalesce_hook,
     "fermi_coalesce"},
    {"order", "Order in which accesses go to the L1", &loom_order_hook,
     "fifo_order"},
    {"mark", "Sets policy bits of requests", &loom_ldst_mark_hook, NULL},
    {"observe", "Watches memory instructions", &loom_ldst_observe_hook, NULL},
};

static const struct loom_component_ops ldst_ops = {
    .validate = ldst_validate,
    .init = ldst_init,
    .tick = ldst_tick,
    .settle = ldst_settle,
    .check = ldst_check,
    .report = ldst_report,
    .warm = &ldst_warm,
};

const struct loom_component_type ldst_component = {
    .name = "ldst",
    .doc = "Load/store unit: coalescer, shared and constant memory",
    .state_size = sizeof(struct ldst),
    .config_size = sizeof(struct ldst_config),
    .stats_size = sizeof(struct ldst_stats),
    .params = LOOM_SLICE(ldst_params),
    .stats = LOOM_SLICE(ldst_stats),
    .energies = LOOM_SLICE(ldst_energies),
    .ports = LOOM_SLICE(ldst_ports),
    .slots = LOOM_SLICE(ldst_slots),
    .ops = &ldst_ops,
};
