/*
 * drrip: srrip or brrip, whichever misses less in a few sets that always
 * follow one of them (dynamic re-reference interval prediction, Jaleel et
 * al., ISCA 2010; "RRIP" in DaCache).
 *
 * srrip keeps scans from evicting what is reused, brrip keeps a part of a
 * loop that is larger than the cache.
 */
#include "policies/lib/bimodal.h"
#include "policies/lib/duel.h"
#include "policies/lib/rrip.h"

struct drrip_config {
    struct loom_rrip_config rrip;
    struct loom_duel_config duel;
    struct loom_bimodal_config bimodal;
};

struct drrip {
    struct loom_rrip rrip; /* first: the family's functions */
    struct loom_bimodal bimodal;
    struct loom_duel duel; /* srrip against brrip */
};

struct drrip_stats {
    struct loom_rrip_stats rrip; /* first */
    struct loom_duel_stats duel;
};

static bool drrip_validate(const void *config, struct loom_error *err)
{
    return loom_duel_validate(&((const struct drrip_config *)config)->duel,
                              err);
}

static bool drrip_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    const struct drrip_config *config = loom_policy_config(self);
    struct drrip_stats *stats = loom_policy_stats(self);
    struct drrip *drrip = loom_policy_state(self);

    loom_bimodal_init(&drrip->bimodal, &config->bimodal);
    return loom_rrip_bind(self, shape, &config->rrip, err) &&
           loom_duel_bind(&drrip->duel, self, shape, &config->duel,
                          &stats->duel, err);
}

static void drrip_inserted(struct loom_policy *self,
                           const struct loom_mem_request *request, uint32_t set,
                           uint32_t way)
{
    struct drrip *drrip = loom_policy_state(self);
    bool sooner = loom_duel_miss(&drrip->duel, set) == LOOM_DUEL_FIRST ||
                  loom_bimodal_next(&drrip->bimodal, self);

    (void)request;
    loom_rrip_insert(self, set, way, drrip->rrip.distant - (sooner ? 1u : 0u));
}

static bool drrip_check(struct loom_policy *self, struct loom_error *err)
{
    const struct drrip_stats *stats = loom_policy_stats(self);
    const struct drrip *drrip = loom_policy_state(self);

    return loom_duel_check(&drrip->duel, &stats->rrip.insertions, err) &&
           loom_rrip_check(self, err);
}

static const char *const drrip_sides[] = {"srrip", "brrip", NULL};

static const struct loom_param drrip_params[] = {
    LOOM_RRIP_BITS_PARAM(struct drrip_config, rrip),
    LOOM_RRIP_SCAN_PARAMS(struct drrip_config, rrip),
    LOOM_DUEL_PARAMS(struct drrip_config, duel),
    LOOM_BIMODAL_PARAMS(struct drrip_config, bimodal),
};

static const struct loom_stat drrip_stat_table[] = {
    LOOM_RRIP_STATS(struct drrip_stats, rrip),
    LOOM_DUEL_STATS(struct drrip_stats, duel, drrip_sides),
};

static const struct loom_replacement_ops drrip_replacement = {
    .bind = drrip_bind,
    .victim = loom_rrip_victim,
    .inserted = drrip_inserted,
    .hit = loom_rrip_hit,
};

static void drrip_cost(const void *config, const struct loom_cost_shape *shape,
                       struct loom_cost *cost)
{
    const struct drrip_config *drrip = config;

    loom_rrip_cost(drrip->rrip.bits, shape, cost);
    loom_bimodal_cost(&drrip->bimodal, cost);
    loom_duel_cost(&drrip->duel, cost);
}

const struct loom_policy_type drrip_policy = {
    .name = "drrip",
    .doc = "srrip or brrip, whichever misses less in a few leader sets",
    .state_size = sizeof(struct drrip),
    .config_size = sizeof(struct drrip_config),
    .stats_size = sizeof(struct drrip_stats),
    .params = LOOM_SLICE(drrip_params),
    .stats = LOOM_SLICE(drrip_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &drrip_replacement}),
    .joins = true,
    .cost = drrip_cost,
    .validate = drrip_validate,
    .check = drrip_check,
};
