/*
 * gto: greedy, then oldest (Rogers et al., MICRO 2012; as GPGPU-Sim).
 *
 * The warp that issued last goes on as long as it is ready; then the oldest
 * ready warp does.  Age is the order in which warps were started on the SM,
 * so the warps of a new CTA are the youngest whatever slots they occupy.
 *
 * The rank is the place in order of age alone: being greedy for a moment does
 * not make a warp older.
 */
#include "policies/lib/age_scheduler.h"

struct gto {
    struct loom_age_scheduler by_age;
    uint64_t *greedy; /* [schedulers] bit of the warp that issued last, or 0 */
};

static bool gto_bind(struct loom_policy *self,
                     const struct loom_sm_shape *shape, struct loom_error *err)
{
    struct gto *gto = loom_policy_state(self);

    gto->greedy =
        loom_policy_alloc(self, shape->schedulers, sizeof(*gto->greedy));
    return loom_age_scheduler_bind(self, shape, err);
}

static uint32_t gto_pick(struct loom_policy *self, uint32_t scheduler,
                         uint64_t ready, loom_cycle now)
{
    const struct gto *gto = loom_policy_state(self);
    uint64_t greedy = gto->greedy[scheduler];

    (void)now;
    if ((ready & greedy) != 0) {
        return loom_lowest(greedy);
    }
    return loom_age_oldest(&gto->by_age.ages[scheduler], ready);
}

static void gto_issued(struct loom_policy *self, uint32_t scheduler,
                       uint32_t local, loom_cycle now)
{
    struct gto *gto = loom_policy_state(self);

    (void)now;
    gto->greedy[scheduler] = loom_bit(local);
}

static void gto_finished(struct loom_policy *self, uint32_t scheduler,
                         uint32_t local)
{
    struct gto *gto = loom_policy_state(self);

    loom_age_scheduler_finished(self, scheduler, local);
    gto->greedy[scheduler] &= ~loom_bit(local);
}

static const struct loom_scheduler_ops gto_ops = {
    .ranked = true,
    .bind = gto_bind,
    .pick = gto_pick,
    .rank = loom_age_scheduler_rank,
    .issued = gto_issued,
    .started = loom_age_scheduler_started,
    .finished = gto_finished,
};

static void gto_cost(const void *config, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    uint32_t locals =
        (shape->warps + shape->schedulers - 1) / shape->schedulers;

    loom_cost_add(cost, "greedy", shape->schedulers, loom_bits_for(locals) + 1,
                  "Warp that issued last, if it is still there");
    loom_age_scheduler_cost(config, shape, cost);
}

const struct loom_policy_type gto_policy = {
    .name = "gto",
    .doc = "Warp scheduler: greedy, then oldest",
    .state_size = sizeof(struct gto),
    .facets = LOOM_FACETS({&loom_scheduler_hook, &gto_ops}),
    .joins = true,
    .cost = gto_cost,
};
