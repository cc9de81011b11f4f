/*
 * lip: LRU replacement whose new lines enter at the LRU end (Qureshi et al.,
 * "Adaptive Insertion Policies for High Performance Caching", ISCA 2007).
 *
 * Of a loop larger than the cache all but one way of each set keep their
 * lines; a line moves to the front when it is used a second time.
 */
#include "policies/lib/recency.h"

struct lip {
    struct loom_recency recency; /* first: the family's functions */
};

struct lip_stats {
    struct loom_recency_stats recency; /* first */
};

static void lip_inserted(struct loom_policy *self,
                         const struct loom_mem_request *request, uint32_t set,
                         uint32_t way)
{
    const struct lip *lip = loom_policy_state(self);

    (void)request;
    loom_recency_insert(self, set, way, lip->recency.ways - 1);
}

static const struct loom_stat lip_stat_table[] = {
    LOOM_RECENCY_STATS(struct lip_stats, recency),
};

static const struct loom_replacement_ops lip_replacement = {
    .bind = loom_recency_bind,
    .victim = loom_recency_victim,
    .inserted = lip_inserted,
    .hit = loom_recency_hit,
    .invalidated = loom_recency_invalidated,
};

const struct loom_policy_type lip_policy = {
    .name = "lip",
    .doc = "LRU whose new lines are the first to leave",
    .state_size = sizeof(struct lip),
    .stats_size = sizeof(struct lip_stats),
    .stats = LOOM_SLICE(lip_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &lip_replacement}),
    .joins = true,
    .cost = loom_recency_cost,
    .check = loom_recency_check,
};
