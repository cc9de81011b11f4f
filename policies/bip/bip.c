/*
 * bip: as lip, but one new line in 32 enters as the most recently used
 * (Qureshi et al., "Adaptive Insertion Policies for High Performance
 * Caching", ISCA 2007).
 *
 * The few let the cache follow a working set that changes, which lip would
 * keep out for ever.
 */
#include "policies/lib/bimodal.h"
#include "policies/lib/recency.h"

struct bip_config {
    struct loom_bimodal_config bimodal;
};

struct bip {
    struct loom_recency recency; /* first: the family's functions */
    struct loom_bimodal bimodal;
};

struct bip_stats {
    struct loom_recency_stats recency; /* first */
};

static bool bip_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    const struct bip_config *config = loom_policy_config(self);
    struct bip *bip = loom_policy_state(self);

    loom_bimodal_init(&bip->bimodal, &config->bimodal);
    return loom_recency_bind(self, shape, err);
}

static void bip_inserted(struct loom_policy *self,
                         const struct loom_mem_request *request, uint32_t set,
                         uint32_t way)
{
    struct bip *bip = loom_policy_state(self);
    bool first = loom_bimodal_next(&bip->bimodal, self);

    (void)request;
    loom_recency_insert(self, set, way, first ? 0 : bip->recency.ways - 1);
}

static const struct loom_param bip_params[] = {
    LOOM_BIMODAL_PARAMS(struct bip_config, bimodal),
};

static const struct loom_stat bip_stat_table[] = {
    LOOM_RECENCY_STATS(struct bip_stats, recency),
};

static const struct loom_replacement_ops bip_replacement = {
    .bind = bip_bind,
    .victim = loom_recency_victim,
    .inserted = bip_inserted,
    .hit = loom_recency_hit,
    .invalidated = loom_recency_invalidated,
};

static void bip_cost(const void *config, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    const struct bip_config *bip = config;

    loom_recency_cost(config, shape, cost);
    loom_bimodal_cost(&bip->bimodal, cost);
}

const struct loom_policy_type bip_policy = {
    .name = "bip",
    .doc = "LRU whose new lines are the first to leave, but for a few",
    .state_size = sizeof(struct bip),
    .config_size = sizeof(struct bip_config),
    .stats_size = sizeof(struct bip_stats),
    .params = LOOM_SLICE(bip_params),
    .stats = LOOM_SLICE(bip_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &bip_replacement}),
    .joins = true,
    .cost = bip_cost,
    .check = loom_recency_check,
};
