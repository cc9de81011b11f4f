/*
 * random_replacement: evicts any line.
 *
 * A number is drawn after each insertion and chooses the next victim, so a
 * miss that must wait and asks again is told the same way.
 */
#include "engine/rng.h"

#include "policies/cache_hook.h"

struct random_replacement {
    uint64_t drawn;
};

static bool random_bind(struct loom_policy *self,
                        const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    struct random_replacement *random = loom_policy_state(self);

    (void)shape;
    (void)err;
    random->drawn = loom_rng_next(loom_policy_rng(self));
    return true;
}

static uint32_t random_victim(struct loom_policy *self,
                              const struct loom_mem_request *request,
                              uint32_t set, const struct loom_ways *ways)
{
    const struct random_replacement *random = loom_policy_state(self);

    (void)request;
    (void)set;
    return ways->way[random->drawn % ways->count];
}

static void random_inserted(struct loom_policy *self,
                            const struct loom_mem_request *request,
                            uint32_t set, uint32_t way)
{
    struct random_replacement *random = loom_policy_state(self);

    (void)request;
    (void)set;
    (void)way;
    random->drawn = loom_rng_next(loom_policy_rng(self));
}

static const struct loom_replacement_ops random_ops = {
    .bind = random_bind,
    .victim = random_victim,
    .inserted = random_inserted,
};

static void random_cost(const void *config, const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "draw", 1, loom_bits_for(shape->ways),
                  "Shift register that the way is drawn from");
}

const struct loom_policy_type random_replacement_policy = {
    .name = "random_replacement",
    .doc = "Evicts any line, drawn at random from the run's seed",
    .state_size = sizeof(struct random_replacement),
    .facets = LOOM_FACETS({&loom_replacement_hook, &random_ops}),
    .joins = true,
    .cost = random_cost,
};
