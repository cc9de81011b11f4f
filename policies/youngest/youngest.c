/*
 * youngest: the youngest warp that is ready (GPGPU-Sim's YOUNGEST_FIRST).
 *
 * A bad scheduler on purpose: what the old warps have brought into the cache
 * waits for as long as younger warps have work.  It bounds how much the order
 * of warps matters.
 */
#include "policies/age_matrix.h"
#include "policies/sm_hook.h"

struct youngest {
    struct loom_age_matrix *ages; /* [schedulers] */
};

static bool youngest_bind(struct loom_policy *self,
                          const struct loom_sm_shape *shape,
                          struct loom_error *err)
{
    struct youngest *youngest = loom_policy_state(self);

    youngest->ages =
        loom_policy_alloc(self, shape->schedulers, sizeof(*youngest->ages));
    if (youngest->ages == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u schedulers",
                         shape->schedulers);
    }
    return true;
}

static uint32_t youngest_pick(struct loom_policy *self, uint32_t scheduler,
                              uint64_t ready, loom_cycle now)
{
    const struct youngest *youngest = loom_policy_state(self);

    (void)now;
    return loom_age_youngest(&youngest->ages[scheduler], ready);
}

static uint32_t youngest_rank(struct loom_policy *self, uint32_t scheduler,
                              uint32_t local)
{
    const struct youngest *youngest = loom_policy_state(self);
    const struct loom_age_matrix *ages = &youngest->ages[scheduler];

    return loom_popcount(ages->started &
                         ~(ages->older[local] | loom_bit(local)));
}

static void youngest_started(struct loom_policy *self, uint32_t scheduler,
                             uint32_t local, uint64_t age)
{
    struct youngest *youngest = loom_policy_state(self);

    (void)age; /* grows with each start: the new one is the youngest */
    loom_age_start(&youngest->ages[scheduler], local);
}

static void youngest_finished(struct loom_policy *self, uint32_t scheduler,
                              uint32_t local)
{
    struct youngest *youngest = loom_policy_state(self);

    loom_age_finish(&youngest->ages[scheduler], local);
}

static const struct loom_scheduler_ops youngest_ops = {
    .ranked = true,
    .bind = youngest_bind,
    .pick = youngest_pick,
    .rank = youngest_rank,
    .started = youngest_started,
    .finished = youngest_finished,
};

static void youngest_cost(const void *config,
                          const struct loom_cost_shape *shape,
                          struct loom_cost *cost)
{
    uint32_t locals =
        (shape->warps + shape->schedulers - 1) / shape->schedulers;

    (void)config;
    loom_cost_add(cost, "age", shape->warps, loom_bits_for(locals),
                  "Place of a warp in its scheduler's order of age");
}

static const struct loom_facet youngest_facets[] = {
    {&loom_scheduler_hook, &youngest_ops},
};

const struct loom_policy_type youngest_policy = {
    .name = "youngest",
    .doc = "Warp scheduler: the youngest warp that is ready",
    .state_size = sizeof(struct youngest),
    .facets = LOOM_SLICE(youngest_facets),
    .cost = youngest_cost,
};
