/*
 * What a load/store unit can be told and what it counts.  Only files in
 * components/ldst/ include this.
 */
#ifndef COMPONENTS_LDST_CONFIG_H
#define COMPONENTS_LDST_CONFIG_H

#include "engine/component.h"

#include "components/cta_protocol.h"
#include "components/mem_protocol.h"

/* Why the instruction in dispatch, or the access in front, waits. */
enum ldst_stall {
    LDST_STALL_PENDING, /* no entry in the table of pending instructions */
    LDST_STALL_QUEUE,   /* its queue between coalescer and L1 is full */
    LDST_STALL_L1,      /* the L1 takes no access */
    LDST_STALL_SHARED,  /* the shared memory is busy with conflicts */
    LDST_STALL_CONST,   /* the constant cache is busy */
    LDST_STALL_FLUSH,   /* a flush waits for earlier accesses */
    LDST_STALL_TEXTURE, /* the texture cache takes no access */
    LDST_STALLS,
    LDST_MOVED = LDST_STALLS
};

struct ldst_config {
    uint32_t warps, line_bytes;
    uint32_t pending_entries, accesses_per_cycle;
    uint32_t shared_latency, shared_banks, const_latency;
    uint32_t return_cycles, atomic_latency;
    bool flushes_l1;
    uint32_t const_line_bytes, texture_line_bytes, replies_per_cycle;
    uint64_t param_base, local_base;
    const char *local_map, *local_words;
    bool global_around;
    bool bypass_writeback, dispatch_latch;
    uint32_t sms, sm_threads, sm_registers, sm_shared_bytes, sm_ctas;
    struct loom_cta_grain grain;
    uint64_t unified_bytes;
    struct loom_list shared_options;
};

struct ldst_stats {
    /* [space] */
    uint64_t load_insts[LOOM_SPACES], store_insts[LOOM_SPACES];
    uint64_t atomic_insts[LOOM_SPACES];
    uint64_t accesses, coalesced_loads, load_accesses;
    uint64_t store_accesses, atomic_accesses;
    uint64_t replies, l1_hits, l1_bypasses, flushes;
    uint64_t shared_conflict_cycles, const_serial_cycles;
    uint64_t stall_cycles[LDST_STALLS];
    uint64_t pending_entry_cycles;
    uint64_t const_accesses, const_hits, texture_accesses, texture_hits;
    uint64_t part_replies, l1_resizes, shared_carved_bytes, l1_carved_bytes;
    struct loom_histogram load_latency;
};

#endif
