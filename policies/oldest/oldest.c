/*
 * oldest: the oldest warp that is ready (GPGPU-Sim's OLDEST_FIRST).
 *
 * As gto without the greed: a warp that goes on while an older one waits is
 * left as soon as the older one is ready again.
 */
#include "policies/age_matrix.h"
#include "policies/sm_hook.h"

struct oldest {
    struct loom_age_matrix *ages; /* [schedulers] */
};

static bool oldest_bind(struct loom_policy *self,
                        const struct loom_sm_shape *shape,
                        struct loom_error *err)
{
    struct oldest *oldest = loom_policy_state(self);

    oldest->ages =
        loom_policy_alloc(self, shape->schedulers, sizeof(*oldest->ages));
    if (oldest->ages == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u schedulers",
                         shape->schedulers);
    }
    return true;
}

static uint32_t oldest_pick(struct loom_policy *self, uint32_t scheduler,
                            uint64_t ready, loom_cycle now)
{
    const struct oldest *oldest = loom_policy_state(self);

    (void)now;
    return loom_age_oldest(&oldest->ages[scheduler], ready);
}

static uint32_t oldest_rank(struct loom_policy *self, uint32_t scheduler,
                            uint32_t local)
{
    const struct oldest *oldest = loom_policy_state(self);

    return loom_age_rank(&oldest->ages[scheduler], local);
}

static void oldest_started(struct loom_policy *self, uint32_t scheduler,
                           uint32_t local, uint64_t age)
{
    struct oldest *oldest = loom_policy_state(self);

    (void)age; /* grows with each start: the new one is the youngest */
    loom_age_start(&oldest->ages[scheduler], local);
}

static void oldest_finished(struct loom_policy *self, uint32_t scheduler,
                            uint32_t local)
{
    struct oldest *oldest = loom_policy_state(self);

    loom_age_finish(&oldest->ages[scheduler], local);
}

static const struct loom_scheduler_ops oldest_ops = {
    .ranked = true,
    .bind = oldest_bind,
    .pick = oldest_pick,
    .rank = oldest_rank,
    .started = oldest_started,
    .finished = oldest_finished,
};

static void oldest_cost(const void *config, const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    uint32_t locals =
        (shape->warps + shape->schedulers - 1) / shape->schedulers;

    (void)config;
    loom_cost_add(cost, "age", shape->warps, loom_bits_for(locals),
                  "Place of a warp in its scheduler's order of age");
}

static const struct loom_facet oldest_facets[] = {
    {&loom_scheduler_hook, &oldest_ops},
};

const struct loom_policy_type oldest_policy = {
    .name = "oldest",
    .doc = "Warp scheduler: the oldest warp that is ready",
    .state_size = sizeof(struct oldest),
    .facets = LOOM_SLICE(oldest_facets),
    .cost = oldest_cost,
};
