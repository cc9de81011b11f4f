/*
 * The inside of loscache.  Only files in policies/loscache/ include this.
 *
 *     loscache.c  what it is: parameters, statistics, storage
 *     predict.c   phases, the table, questions and events
 */
#ifndef POLICIES_LOSCACHE_LOSCACHE_PRIVATE_H
#define POLICIES_LOSCACHE_LOSCACHE_PRIVATE_H

#include "policies/cache_hook.h"
#include "policies/mark_hook.h"
#include "policies/sm_hook.h"

#define LOSCACHE_ENTRIES 256
#define LOSCACHE_SCHEDULERS 64
#define LOSCACHE_COUNT_BITS 6
#define LOSCACHE_COUNT_MAX                                                     \
    ((1u << LOSCACHE_COUNT_BITS) - 1) /* a saturated counter */

struct loscache_config {
    uint32_t entries, phase_accesses, max_threshold;
    const char *counted, *gone, *reset;
    bool random, prioritise;
};

struct loscache_stats {
    uint64_t phases, ended_by_accesses, ended_by_predictor, ended_by_l2, cut;
    uint64_t resident_ctas, phase_cycles, phase_accesses, preferred;
    uint64_t kept, entries_made, entries_refused;
    uint64_t queries, query_bytes, answers, empty_answers, saturated_answers;
    uint64_t requests, predicted, raises, early_replies;
    uint64_t count_sum, searches;
};

enum loscache_phase {
    PHASE_NONE, /* no kernel */
    PHASE_PREDICT,
    PHASE_NORMAL
};

struct loscache_entry {
    uint64_t kernel; /* digest of its name: with `inst` the address */
    loom_addr block;
    uint32_t inst;
    uint8_t count, threshold; /* count 0: not known, or nothing to go by */
    bool learnt;              /* its phase has ended */
    bool answered;
};

struct loscache {
    const struct loom_cache_host *host;
    struct loscache_entry entry[LOSCACHE_ENTRIES];
    uint64_t first[LOSCACHE_SCHEDULERS]; /* warps of the predictor */
    uint64_t name;                       /* digest: of the kernel */
    loom_cycle since;                    /* beginning of the phase */
    uint32_t count, asked;               /* entries in use; asked for so far */
    uint32_t kernel, predictor, ctas, accesses;
    uint32_t schedulers;
    uint32_t count_shift, early_bit, over_bit, answer_shift;
    enum loscache_phase phase;
    bool drawn;      /* the draw is over: there is traffic */
    bool counts_all; /* accesses, not the predictor's only */
    bool empties;    /* the table at each launch */
    uint8_t gone;    /* the count of a block that the L2 does not have */
};

extern const struct loom_allocation_ops loscache_allocation;
extern const struct loom_throttle_ops loscache_throttle;
extern const struct loom_mark_ops loscache_marks;
extern const struct loom_observe_ops loscache_cache, loscache_sm;

#endif
