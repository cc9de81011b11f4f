/*
 * What policies that gate lines of a cache share: which lines are on, how long
 * each has been, and that a gated way is taken before one that holds data.
 */
#ifndef POLICIES_LIB_GATING_H
#define POLICIES_LIB_GATING_H

#include "policies/cache_hook.h"

struct loom_gating {
    const struct loom_cache_host *host;
    struct loom_array *on_cycles; /* by line: of its statistics */
    uint8_t *state;               /* [lines] enum loom_line_power */
    loom_cycle *since;            /* [lines] counted up to here */
    uint32_t ways, lines, on;     /* on: lines that are on */
};

/* Memory for the lines of a cache, all of them in `state`.  For the bind of
 * the power facet, which is the first that a cache calls. */
bool loom_gating_bind(struct loom_gating *g, struct loom_policy *self,
                      const struct loom_cache_shape *shape,
                      enum loom_line_power state, struct loom_error *err);

/* The line is in this state from now on; returns it. */
enum loom_line_power loom_gating_set(struct loom_gating *g, uint32_t set,
                                     uint32_t way, enum loom_line_power state,
                                     loom_cycle now);

/* For candidates.restrict_ways: only the gated ways, if there are any. */
void loom_gating_prefer(const struct loom_gating *g, uint32_t set,
                        struct loom_ways *ways);

/* Brings on_cycles up to now. */
void loom_gating_settle(struct loom_gating *g, loom_cycle now);

static inline bool loom_gating_is_off(const struct loom_gating *g, uint32_t set,
                                      uint32_t way)
{
    return g->state[(size_t)set * g->ways + way] == LOOM_LINE_GATED;
}

#endif
