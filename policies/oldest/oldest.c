/*
 * oldest: the oldest warp that is ready (GPGPU-Sim's OLDEST_FIRST).
 *
 * As gto without the greed: a warp that goes on while an older one waits is
 * left as soon as the older one is ready again.
 */
#include "policies/lib/age_scheduler.h"

static uint32_t oldest_pick(struct loom_policy *self, uint32_t scheduler,
                            uint64_t ready, loom_cycle now)
{
    const struct loom_age_scheduler *state = loom_policy_state(self);

    (void)now;
    return loom_age_oldest(&state->ages[scheduler], ready);
}

static const struct loom_scheduler_ops oldest_ops = {
    .ranked = true,
    .bind = loom_age_scheduler_bind,
    .pick = oldest_pick,
    .rank = loom_age_scheduler_rank,
    .started = loom_age_scheduler_started,
    .finished = loom_age_scheduler_finished,
};

const struct loom_policy_type oldest_policy = {
    .name = "oldest",
    .doc = "Warp scheduler: the oldest warp that is ready",
    .state_size = sizeof(struct loom_age_scheduler),
    .facets = LOOM_FACETS({&loom_scheduler_hook, &oldest_ops}),
    .joins = true,
    .cost = loom_age_scheduler_cost,
};
