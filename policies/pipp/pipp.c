/*
 * pipp: lines enter in the middle of the stack and climb step by step, as in
 * promotion/insertion pseudo-partitioning (Xie and Loh, "PIPP: Promotion/
 * Insertion Pseudo-Partitioning of Multi-Core Shared Caches", ISCA 2009).
 *
 * Of that only the incremental promotion is here: one insertion position for
 * all accesses instead of one per core.  A line has to be used several times
 * before it outlives those that entered above it.
 */
#include "engine/rng.h"

#include "policies/lib/recency.h"

struct pipp_config {
    uint32_t insertion;
    uint32_t steps;
    uint32_t promote_percent;
};

struct pipp {
    struct loom_recency recency; /* first: the family's functions */
    uint32_t insertion;          /* position, 0 is the most recently used */
};

struct pipp_stats {
    struct loom_recency_stats recency; /* first */
};

static bool pipp_bind(struct loom_policy *self,
                      const struct loom_cache_shape *shape,
                      struct loom_error *err)
{
    const struct pipp_config *config = loom_policy_config(self);
    struct pipp *pipp = loom_policy_state(self);
    uint32_t from_end =
        config->insertion != 0 ? config->insertion : (shape->ways + 1) / 2;

    pipp->insertion = from_end < shape->ways ? shape->ways - from_end : 0;
    return loom_recency_bind(self, shape, err);
}

static void pipp_inserted(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          uint32_t way)
{
    const struct pipp *pipp = loom_policy_state(self);

    (void)request;
    loom_recency_insert(self, set, way, pipp->insertion);
}

static void pipp_hit(struct loom_policy *self,
                     const struct loom_mem_request *request, uint32_t set,
                     uint32_t way)
{
    const struct pipp_config *config = loom_policy_config(self);
    struct pipp_stats *stats = loom_policy_stats(self);
    struct pipp *pipp = loom_policy_state(self);
    uint32_t at = loom_recency_position(&pipp->recency, set, way);

    (void)request;
    if (at != 0 && (config->promote_percent == 100 ||
                    loom_rng_below(loom_policy_rng(self), 100) <
                        config->promote_percent)) {
        stats->recency.promotions++;
        loom_recency_move(&pipp->recency, set, way,
                          at > config->steps ? at - config->steps : 0);
    }
}

static const struct loom_param pipp_params[] = {
    LOOM_PARAM(struct pipp_config, insertion, .unit = LOOM_UNIT_NONE,
               .def = {.u = 0}, .max = {.u = LOOM_RECENCY_WAYS},
               .doc = "Position of a new line, counted from the end, which is "
                      "1; 0: half of the ways",
               .source = "Xie and Loh 2009: the ways that the core was given"),
    LOOM_PARAM(struct pipp_config, steps, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1},
               .max = {.u = LOOM_RECENCY_WAYS},
               .doc = "Positions that a hit moves a line up",
               .source = "Xie and Loh 2009: 1; DaCache: 4"),
    LOOM_PARAM(struct pipp_config, promote_percent, .unit = LOOM_UNIT_NONE,
               .def = {.u = 75}, .min = {.u = 0}, .max = {.u = 100},
               .doc = "Hits of a hundred that move a line, drawn at random",
               .source = "Xie and Loh 2009: 3/4, and 1/128 for streams"),
};

static const struct loom_stat pipp_stat_table[] = {
    LOOM_RECENCY_STATS(struct pipp_stats, recency),
};

static const struct loom_replacement_ops pipp_replacement = {
    .bind = pipp_bind,
    .victim = loom_recency_victim,
    .inserted = pipp_inserted,
    .hit = pipp_hit,
    .invalidated = loom_recency_invalidated,
};

static void pipp_cost(const void *config, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    (void)config;
    loom_recency_cost(config, shape, cost);
    loom_cost_add(cost, "draw", 1, 7,
                  "Shift register for the hits that move a line");
}

const struct loom_policy_type pipp_policy = {
    .name = "pipp",
    .doc = "New lines enter in the middle and climb one step per hit",
    .state_size = sizeof(struct pipp),
    .config_size = sizeof(struct pipp_config),
    .stats_size = sizeof(struct pipp_stats),
    .params = LOOM_SLICE(pipp_params),
    .stats = LOOM_SLICE(pipp_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &pipp_replacement}),
    .joins = true,
    .cost = pipp_cost,
    .check = loom_recency_check,
};
