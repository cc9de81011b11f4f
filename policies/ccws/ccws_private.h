/*
 * The inside of ccws:
 *
 *     ccws.c   the descriptor, events and the throttle
 *     vta.c    victim tag arrays
 *     score.c  lost-locality scores and who may load
 */
#ifndef POLICIES_CCWS_CCWS_PRIVATE_H
#define POLICIES_CCWS_CCWS_PRIVATE_H

#include "policies/cache_hook.h"
#include "policies/lib/warp_order.h"
#include "policies/sm_hook.h"

struct ccws_config {
    uint32_t vta_sets, vta_ways;
    uint32_t base_score, factor, decay;
    bool clear_tags, clear_on_flush;
};

struct ccws_stats {
    uint64_t probes, events, insertions, store_drops, holds;
    uint64_t limited_cycles, limited_warp_cycles;
    uint64_t limited, score_sum;
    struct loom_histogram scores;
};

/* Tags of lines that left the L1, by the warp that had brought them. */
struct ccws_vta {
    uint32_t sets, ways, warps;
    loom_addr *tag; /* [warps][sets][ways] block + 1; 0: none */
    uint16_t *next; /* [warps][sets] way that is replaced next: FIFO */
};

struct ccws_warp {
    uint64_t score; /* at ccws.at, not below the base */
    uint64_t insts; /* issued since it started */
    uint64_t hits;  /* in its tags since it started */
    bool present;
};

struct ccws {
    struct ccws_vta vta;
    uint32_t schedulers;
    uint32_t ways;   /* of the L1 */
    uint16_t *owner; /* [sets][ways] warp that allocated the line */
    struct ccws_warp warp[LOOM_WARP_SLOTS];
    uint32_t present;     /* warps */
    uint64_t insts, hits; /* of those that are present */
    loom_cycle at;        /* scores and masks are those of this cycle */
    loom_cycle until;     /* the masks hold before this one */
    uint64_t excluded;    /* warps that may not load */
    uint64_t allowed[LOOM_SM_SCHEDULERS];
    uint64_t held[LOOM_SM_SCHEDULERS]; /* ready, and not allowed */
};

/* ---- vta.c ---- */

bool ccws_vta_init(struct loom_policy *self, struct ccws_vta *vta);
void ccws_vta_insert(struct ccws_vta *vta, uint32_t warp, loom_addr block);
bool ccws_vta_has(const struct ccws_vta *vta, uint32_t warp, loom_addr block);
/* Forgets a block in all of them; how many had it. */
uint32_t ccws_vta_drop(struct ccws_vta *vta, loom_addr block);
void ccws_vta_clear(struct ccws_vta *vta, uint32_t warp);
void ccws_vta_clear_all(struct ccws_vta *vta);

/* ---- score.c ---- */

/* Lets time pass up to `now`: scores decay, cycles are counted. */
void ccws_advance(struct loom_policy *self, loom_cycle now);
/* Who may load with the scores as they are. */
void ccws_rank(struct loom_policy *self);
/* The warp has lost locality. */
void ccws_raise(struct loom_policy *self, uint32_t warp);

#endif
