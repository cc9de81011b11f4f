/*
 * Schedulers that go by age: the order is one matrix for each scheduler.
 */
#include "policies/lib/age_scheduler.h"

bool loom_age_scheduler_bind(struct loom_policy *self,
                             const struct loom_sm_shape *shape,
                             struct loom_error *err)
{
    struct loom_age_scheduler *state = loom_policy_state(self);

    state->ages =
        loom_policy_alloc(self, shape->schedulers, sizeof(*state->ages));
    return loom_policy_has_memory(self, err);
}

uint32_t loom_age_scheduler_rank(struct loom_policy *self, uint32_t scheduler,
                                 uint32_t local)
{
    const struct loom_age_scheduler *state = loom_policy_state(self);

    return loom_age_rank(&state->ages[scheduler], local);
}

void loom_age_scheduler_started(struct loom_policy *self, uint32_t scheduler,
                                uint32_t local, uint64_t age)
{
    struct loom_age_scheduler *state = loom_policy_state(self);

    (void)age; /* grows with each start: the new one is the youngest */
    loom_age_start(&state->ages[scheduler], local);
}

void loom_age_scheduler_finished(struct loom_policy *self, uint32_t scheduler,
                                 uint32_t local)
{
    struct loom_age_scheduler *state = loom_policy_state(self);

    loom_age_finish(&state->ages[scheduler], local);
}

void loom_age_scheduler_cost(const void *config,
                             const struct loom_cost_shape *shape,
                             struct loom_cost *cost)
{
    uint32_t locals =
        (shape->warps + shape->schedulers - 1) / shape->schedulers;

    (void)config;
    loom_cost_add(cost, "age", shape->warps, loom_bits_for(locals),
                  "Place of a warp in its scheduler's order of age");
}
