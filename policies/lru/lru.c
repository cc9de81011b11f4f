/*
 * lru: evicts the line that was used longest ago.
 *
 * A use is the insertion, a hit or a pending hit, as in GPGPU-Sim.  Each use
 * stamps the line with a counter that only grows, so a use costs one store
 * and no two lines are ever equally old; the oldest candidate is looked for
 * only when a line must leave.
 */
#include "policies/lib/ages.h"

struct lru {
    uint32_t ways;
    uint64_t clock; /* uses so far */
    uint64_t *used; /* [sets * ways] value of `clock` at the last use */
};

static bool lru_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    struct lru *lru = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    lru->ways = shape->ways;
    lru->used = loom_policy_alloc(self, lines, sizeof(*lru->used));
    return loom_policy_has_memory(self, err);
}

static void lru_use(struct loom_policy *self,
                    const struct loom_mem_request *request, uint32_t set,
                    uint32_t way)
{
    struct lru *lru = loom_policy_state(self);

    (void)request;
    lru->used[(size_t)set * lru->ways + way] = ++lru->clock;
}

static uint32_t lru_victim(struct loom_policy *self,
                           const struct loom_mem_request *request, uint32_t set,
                           const struct loom_ways *ways)
{
    const struct lru *lru = loom_policy_state(self);

    (void)request;
    return loom_oldest_way(lru->used + (size_t)set * lru->ways, ways);
}

/* A bind for another cache takes another array. */
static struct loom_replacement_hints lru_hints(struct loom_policy *self)
{
    const struct lru *lru = loom_policy_state(self);

    return (struct loom_replacement_hints){.ages = &lru->used,
                                           .hits_once = true};
}

static const struct loom_replacement_ops lru_replacement = {
    .bind = lru_bind,
    .victim = lru_victim,
    .inserted = lru_use,
    .hit = lru_use,
    .hints = lru_hints,
};

static void lru_cost(const void *config, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "order", (uint64_t)shape->sets * shape->ways,
                  loom_bits_for(shape->ways),
                  "Place of a line in its set's order of use");
}

const struct loom_policy_type lru_policy = {
    .name = "lru",
    .doc = "Evicts the line used longest ago",
    .state_size = sizeof(struct lru),
    .facets = LOOM_FACETS({&loom_replacement_hook, &lru_replacement}),
    .joins = true,
    .cost = lru_cost,
};
