/*
 * youngest: the youngest warp that is ready (GPGPU-Sim's YOUNGEST_FIRST).
 *
 * A bad scheduler on purpose: what the old warps have brought into the cache
 * waits for as long as younger warps have work.  It bounds how much the order
 * of warps matters.
 */
#include "policies/lib/age_scheduler.h"

static uint32_t youngest_pick(struct loom_policy *self, uint32_t scheduler,
                              uint64_t ready, loom_cycle now)
{
    const struct loom_age_scheduler *state = loom_policy_state(self);

    (void)now;
    return loom_age_youngest(&state->ages[scheduler], ready);
}

static uint32_t youngest_rank(struct loom_policy *self, uint32_t scheduler,
                              uint32_t local)
{
    const struct loom_age_scheduler *state = loom_policy_state(self);
    const struct loom_age_matrix *ages = &state->ages[scheduler];

    return loom_popcount(ages->started &
                         ~(ages->older[local] | loom_bit(local)));
}

static const struct loom_scheduler_ops youngest_ops = {
    .ranked = true,
    .bind = loom_age_scheduler_bind,
    .pick = youngest_pick,
    .rank = youngest_rank,
    .started = loom_age_scheduler_started,
    .finished = loom_age_scheduler_finished,
};

const struct loom_policy_type youngest_policy = {
    .name = "youngest",
    .doc = "Warp scheduler: the youngest warp that is ready",
    .state_size = sizeof(struct loom_age_scheduler),
    .facets = LOOM_FACETS({&loom_scheduler_hook, &youngest_ops}),
    .joins = true,
    .cost = loom_age_scheduler_cost,
};
