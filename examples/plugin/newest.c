/*
 * newest: evicts the line that came into its set last.
 *
 * Keeps a part of a loop that is larger than the cache.
 */
#include "engine/plugin.h"

#include "policies/cache_hook.h"

struct newest_config {
    uint32_t skip; /* so many of the newest lines are spared */
};

struct newest_stats {
    uint64_t evictions;
};

struct newest {
    uint32_t ways;
    uint64_t clock;
    uint64_t *arrived; /* [sets * ways] value of `clock` at the insertion */
};

static bool newest_bind(struct loom_policy *self,
                        const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    struct newest *n = loom_policy_state(self);

    n->ways = shape->ways;
    n->arrived = loom_policy_alloc(self, (size_t)shape->sets * shape->ways,
                                   sizeof(*n->arrived));
    return loom_policy_has_memory(self, err);
}

/* The newest of `ways` that is older than `limit`, or the oldest of all. */
static uint32_t newest_below(const uint64_t *arrived,
                             const struct loom_ways *ways, uint64_t limit)
{
    uint32_t best = UINT32_MAX, oldest = ways->way[0];

    for (uint32_t i = 0; i < ways->count; i++) {
        uint32_t way = ways->way[i];

        if (arrived[way] < arrived[oldest]) {
            oldest = way;
        }
        if (arrived[way] < limit &&
            (best == UINT32_MAX || arrived[way] > arrived[best])) {
            best = way;
        }
    }
    return best == UINT32_MAX ? oldest : best;
}

static uint32_t newest_victim(struct loom_policy *self,
                              const struct loom_mem_request *request,
                              uint32_t set, const struct loom_ways *ways)
{
    const struct newest_config *config = loom_policy_config(self);
    const struct newest *n = loom_policy_state(self);
    const uint64_t *arrived = n->arrived + (size_t)set * n->ways;
    struct newest_stats *stats = loom_policy_stats(self);
    uint32_t way = newest_below(arrived, ways, UINT64_MAX);

    (void)request;
    for (uint32_t i = 0; i < config->skip; i++) {
        way = newest_below(arrived, ways, arrived[way]);
    }
    stats->evictions++;
    return way;
}

static void newest_inserted(struct loom_policy *self,
                            const struct loom_mem_request *request,
                            uint32_t set, uint32_t way)
{
    struct newest *n = loom_policy_state(self);

    (void)request;
    n->arrived[(size_t)set * n->ways + way] = ++n->clock;
}

static void newest_cost(const void *config, const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "order", (uint64_t)shape->sets * shape->ways,
                  loom_bits_for(shape->ways),
                  "Place of a line in its set's order of arrival");
}

static const struct loom_replacement_ops newest_replacement = {
    .bind = newest_bind,
    .victim = newest_victim,
    .inserted = newest_inserted,
};

static const struct loom_param newest_params[] = {
    LOOM_PARAM(struct newest_config, skip, .unit = LOOM_UNIT_LINE,
               .def = {.u = 0}, .max = {.u = 255},
               .doc = "Lines that are newer than the victim"),
};

static const struct loom_stat newest_stat_table[] = {
    LOOM_COUNTER(struct newest_stats, evictions, LOOM_UNIT_LINE,
                 "Lines evicted to make room"),
};

static const struct loom_policy_type newest_policy = {
    .name = "newest",
    .doc = "Evicts the line that came last",
    .state_size = sizeof(struct newest),
    .config_size = sizeof(struct newest_config),
    .stats_size = sizeof(struct newest_stats),
    .params = LOOM_SLICE(newest_params),
    .stats = LOOM_SLICE(newest_stat_table),
    .facets = LOOM_FACETS({&loom_replacement_hook, &newest_replacement}),
    .cost = newest_cost,
};

static const struct loom_policy_type *const policies[] = {&newest_policy, NULL};

LOOM_PLUGIN(.policies = policies);
