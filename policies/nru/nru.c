/*
 * nru: evicts a line that was not used recently; one bit per line knows.
 *
 * It is what RRIP is with predictions of one bit, as Jaleel et al. (ISCA
 * 2010) describe it: a use clears the bit, and if every line that may leave
 * has a clear one, all are set again.
 */
#include "policies/lib/rrip.h"

struct nru_config {
    struct loom_rrip_config rrip; /* bits and promotion are not asked for */
};

struct nru {
    struct loom_rrip rrip; /* first: the family's functions */
};

struct nru_stats {
    struct loom_rrip_stats rrip; /* first */
};

static bool nru_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    const struct nru_config *config = loom_policy_config(self);
    struct loom_rrip_config one_bit = {
        .bits = 1,
        .promotion = "hit",
        .scan = config->rrip.scan,
        .age = config->rrip.age,
    };

    return loom_rrip_bind(self, shape, &one_bit, err);
}

static void nru_inserted(struct loom_policy *self,
                         const struct loom_mem_request *request, uint32_t set,
                         uint32_t way)
{
    (void)request;
    loom_rrip_insert(self, set, way, 0);
}

static const struct loom_param nru_params[] = {
    LOOM_RRIP_SCAN_PARAMS(struct nru_config, rrip),
};

static const struct loom_stat nru_stat_table[] = {
    LOOM_RRIP_STATS(struct nru_stats, rrip),
};

static const struct loom_replacement_ops nru_replacement = {
    .bind = nru_bind,
    .victim = loom_rrip_victim,
    .inserted = nru_inserted,
    .hit = loom_rrip_hit,
};

static void nru_cost(const void *config, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    (void)config;
    loom_rrip_cost(1, shape, cost);
}

const struct loom_policy_type nru_policy = {
    .name = "nru",
    .doc = "Evicts a line that was not used recently, by a bit per line",
    .state_size = sizeof(struct nru),
    .config_size = sizeof(struct nru_config),
    .stats_size = sizeof(struct nru_stats),
    .params = LOOM_SLICE(nru_params),
    .stats = LOOM_SLICE(nru_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &nru_replacement}),
    .joins = true,
    .cost = nru_cost,
    .check = loom_rrip_check,
};
