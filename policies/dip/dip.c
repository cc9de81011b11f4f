/*
 * dip: LRU or bip, whichever misses less in a few sets that always follow
 * one of them (Qureshi et al., "Adaptive Insertion Policies for High
 * Performance Caching", ISCA 2007; a rival in DaCache).
 *
 * Both keep the same recency stack, so the winner can change at any time.
 */
#include "policies/lib/bimodal.h"
#include "policies/lib/duel.h"
#include "policies/lib/recency.h"

struct dip_config {
    struct loom_duel_config duel;
    struct loom_bimodal_config bimodal;
};

struct dip {
    struct loom_recency recency; /* first: the family's functions */
    struct loom_bimodal bimodal;
    struct loom_duel duel; /* LRU against bip */
};

struct dip_stats {
    struct loom_recency_stats recency; /* first */
    struct loom_duel_stats duel;
};

static bool dip_validate(const void *config, struct loom_error *err)
{
    return loom_duel_validate(&((const struct dip_config *)config)->duel, err);
}

static bool dip_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    const struct dip_config *config = loom_policy_config(self);
    struct dip_stats *stats = loom_policy_stats(self);
    struct dip *dip = loom_policy_state(self);

    loom_bimodal_init(&dip->bimodal, &config->bimodal);
    return loom_recency_bind(self, shape, err) &&
           loom_duel_bind(&dip->duel, self, shape, &config->duel, &stats->duel,
                          err);
}

static void dip_inserted(struct loom_policy *self,
                         const struct loom_mem_request *request, uint32_t set,
                         uint32_t way)
{
    struct dip *dip = loom_policy_state(self);
    bool first = loom_duel_miss(&dip->duel, set) == LOOM_DUEL_FIRST ||
                 loom_bimodal_next(&dip->bimodal, self);

    (void)request;
    loom_recency_insert(self, set, way, first ? 0 : dip->recency.ways - 1);
}

static bool dip_check(struct loom_policy *self, struct loom_error *err)
{
    const struct dip_stats *stats = loom_policy_stats(self);
    const struct dip *dip = loom_policy_state(self);

    return loom_duel_check(&dip->duel, &stats->recency.insertions, err) &&
           loom_recency_check(self, err);
}

static const char *const dip_sides[] = {"lru", "bip", NULL};

static const struct loom_param dip_params[] = {
    LOOM_DUEL_PARAMS(struct dip_config, duel),
    LOOM_BIMODAL_PARAMS(struct dip_config, bimodal),
};

static const struct loom_stat dip_stat_table[] = {
    LOOM_RECENCY_STATS(struct dip_stats, recency),
    LOOM_DUEL_STATS(struct dip_stats, duel, dip_sides),
};

static const struct loom_replacement_ops dip_replacement = {
    .bind = dip_bind,
    .victim = loom_recency_victim,
    .inserted = dip_inserted,
    .hit = loom_recency_hit,
    .invalidated = loom_recency_invalidated,
};

static void dip_cost(const void *config, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    const struct dip_config *dip = config;

    loom_recency_cost(config, shape, cost);
    loom_bimodal_cost(&dip->bimodal, cost);
    loom_duel_cost(&dip->duel, cost);
}

const struct loom_policy_type dip_policy = {
    .name = "dip",
    .doc = "LRU or bip, whichever misses less in a few leader sets",
    .state_size = sizeof(struct dip),
    .config_size = sizeof(struct dip_config),
    .stats_size = sizeof(struct dip_stats),
    .params = LOOM_SLICE(dip_params),
    .stats = LOOM_SLICE(dip_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &dip_replacement}),
    .joins = true,
    .cost = dip_cost,
    .validate = dip_validate,
    .check = dip_check,
};
