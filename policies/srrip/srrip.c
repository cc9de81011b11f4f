/*
 * srrip: new lines are predicted to be used again late, but not never
 * (static re-reference interval prediction, Jaleel et al., ISCA 2010).
 *
 * A line that is used once, as those of a scan are, leaves before the lines
 * that have been used again.
 */
#include "policies/lib/rrip.h"

struct srrip_config {
    struct loom_rrip_config rrip;
};

struct srrip {
    struct loom_rrip rrip; /* first: the family's functions */
};

struct srrip_stats {
    struct loom_rrip_stats rrip; /* first */
};

static bool srrip_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    const struct srrip_config *config = loom_policy_config(self);

    return loom_rrip_bind(self, shape, &config->rrip, err);
}

static void srrip_inserted(struct loom_policy *self,
                           const struct loom_mem_request *request, uint32_t set,
                           uint32_t way)
{
    const struct srrip *srrip = loom_policy_state(self);

    (void)request;
    loom_rrip_insert(self, set, way, srrip->rrip.distant - 1u);
}

static const struct loom_param srrip_params[] = {
    LOOM_RRIP_BITS_PARAM(struct srrip_config, rrip),
    LOOM_RRIP_SCAN_PARAMS(struct srrip_config, rrip),
};

static const struct loom_stat srrip_stat_table[] = {
    LOOM_RRIP_STATS(struct srrip_stats, rrip),
};

static const struct loom_replacement_ops srrip_replacement = {
    .bind = srrip_bind,
    .victim = loom_rrip_victim,
    .inserted = srrip_inserted,
    .hit = loom_rrip_hit,
};

static void srrip_cost(const void *config, const struct loom_cost_shape *shape,
                       struct loom_cost *cost)
{
    const struct srrip_config *srrip = config;

    loom_rrip_cost(srrip->rrip.bits, shape, cost);
}

const struct loom_policy_type srrip_policy = {
    .name = "srrip",
    .doc = "Lines that were used once leave before those used again (RRIP)",
    .state_size = sizeof(struct srrip),
    .config_size = sizeof(struct srrip_config),
    .stats_size = sizeof(struct srrip_stats),
    .params = LOOM_SLICE(srrip_params),
    .stats = LOOM_SLICE(srrip_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &srrip_replacement}),
    .joins = true,
    .cost = srrip_cost,
    .check = loom_rrip_check,
};
