/*
 * brrip: new lines are predicted never to be used again, but for one in 32
 * (bimodal re-reference interval prediction, Jaleel et al., ISCA 2010).
 *
 * The counterpart of bip: of a loop larger than the cache a part stays.
 */
#include "policies/lib/bimodal.h"
#include "policies/lib/rrip.h"

struct brrip_config {
    struct loom_rrip_config rrip;
    struct loom_bimodal_config bimodal;
};

struct brrip {
    struct loom_rrip rrip; /* first: the family's functions */
    struct loom_bimodal bimodal;
};

struct brrip_stats {
    struct loom_rrip_stats rrip; /* first */
};

static bool brrip_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    const struct brrip_config *config = loom_policy_config(self);
    struct brrip *brrip = loom_policy_state(self);

    loom_bimodal_init(&brrip->bimodal, &config->bimodal);
    return loom_rrip_bind(self, shape, &config->rrip, err);
}

static void brrip_inserted(struct loom_policy *self,
                           const struct loom_mem_request *request, uint32_t set,
                           uint32_t way)
{
    struct brrip *brrip = loom_policy_state(self);
    bool sooner = loom_bimodal_next(&brrip->bimodal, self);

    (void)request;
    loom_rrip_insert(self, set, way, brrip->rrip.distant - (sooner ? 1u : 0u));
}

static const struct loom_param brrip_params[] = {
    LOOM_RRIP_BITS_PARAM(struct brrip_config, rrip),
    LOOM_RRIP_SCAN_PARAMS(struct brrip_config, rrip),
    LOOM_BIMODAL_PARAMS(struct brrip_config, bimodal),
};

static const struct loom_stat brrip_stat_table[] = {
    LOOM_RRIP_STATS(struct brrip_stats, rrip),
};

static const struct loom_replacement_ops brrip_replacement = {
    .bind = brrip_bind,
    .victim = loom_rrip_victim,
    .inserted = brrip_inserted,
    .hit = loom_rrip_hit,
};

static void brrip_cost(const void *config, const struct loom_cost_shape *shape,
                       struct loom_cost *cost)
{
    const struct brrip_config *brrip = config;

    loom_rrip_cost(brrip->rrip.bits, shape, cost);
    loom_bimodal_cost(&brrip->bimodal, cost);
}

const struct loom_policy_type brrip_policy = {
    .name = "brrip",
    .doc = "New lines are the first to leave, but for a few (RRIP)",
    .state_size = sizeof(struct brrip),
    .config_size = sizeof(struct brrip_config),
    .stats_size = sizeof(struct brrip_stats),
    .params = LOOM_SLICE(brrip_params),
    .stats = LOOM_SLICE(brrip_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &brrip_replacement}),
    .joins = true,
    .cost = brrip_cost,
    .check = loom_rrip_check,
};
