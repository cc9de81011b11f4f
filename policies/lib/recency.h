/*
 * A recency stack per set, for replacement policies that differ in where a
 * new line enters it and in how a hit moves a line.
 *
 * Each way of a set has a position: 0 is the most recently used, ways - 1 the
 * least.  The positions of a set are always a permutation.  They include ways
 * whose data is on the way; the victim is the candidate nearest to the end.
 * A dropped line goes to the end, so that lines enter relative to those that
 * are there.
 *
 * A policy of this family has struct loom_recency as the first member of its
 * state and struct loom_recency_stats as that of its statistics: the hook's
 * functions below find them there.
 */
#ifndef POLICIES_LIB_RECENCY_H
#define POLICIES_LIB_RECENCY_H

#include "policies/cache_hook.h"

#define LOOM_RECENCY_WAYS 65536u /* at most */

struct loom_recency_stats {
    struct loom_array insertions; /* [ways], by position */
    uint64_t promotions;
};

#define LOOM_RECENCY_STATS(T, at)                                              \
    {.name = "insertions",                                                     \
     .doc = "Lines inserted, by position; 0: the most recently used",          \
     .kind = LOOM_STAT_ARRAY,                                                  \
     .unit = LOOM_UNIT_LINE,                                                   \
     .offset = LOOM_ARRAY_AT(T, at.insertions),                                \
     .axis = "position"},                                                      \
    {                                                                          \
        .name = "promotions", .doc = "Hits that moved a line up",              \
        .kind = LOOM_STAT_COUNTER, .unit = LOOM_UNIT_EVENT,                    \
        .offset = LOOM_STAT_AT(T, at.promotions)                               \
    }

struct loom_recency {
    uint32_t sets, ways;
    uint16_t *position; /* [sets * ways] */
    bool *seen;         /* [ways], for the check */
};

/* Sizes state and statistics; a replacement policy's bind. */
bool loom_recency_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err);

/* Moves a way to a position; those between shift by one. */
void loom_recency_move(struct loom_recency *recency, uint32_t set, uint32_t way,
                       uint32_t to);

static inline uint32_t loom_recency_position(const struct loom_recency *recency,
                                             uint32_t set, uint32_t way)
{
    return recency->position[(size_t)set * recency->ways + way];
}

/* Puts a new line at a position and counts it. */
void loom_recency_insert(struct loom_policy *self, uint32_t set, uint32_t way,
                         uint32_t position);

/* Of the hook: the candidate nearest to the end, a hit that moves a line to
 * the front, and a dropped line. */
uint32_t loom_recency_victim(struct loom_policy *self,
                             const struct loom_mem_request *request,
                             uint32_t set, const struct loom_ways *ways);
void loom_recency_hit(struct loom_policy *self,
                      const struct loom_mem_request *request, uint32_t set,
                      uint32_t way);
void loom_recency_invalidated(struct loom_policy *self, uint32_t set,
                              uint32_t way);

/* A policy's cost, or what it adds its own to. */
void loom_recency_cost(const void *config, const struct loom_cost_shape *shape,
                       struct loom_cost *cost);

/* A policy's check: positions are permutations. */
bool loom_recency_check(struct loom_policy *self, struct loom_error *err);

#endif
