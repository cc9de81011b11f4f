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
#include "policies/age_matrix.h"
#include "policies/sm_hook.h"

struct gto_scheduler {
    uint64_t greedy; /* bit of the warp that issued last, or 0 */
    struct loom_age_matrix ages;
};

struct gto {
    struct gto_scheduler *scheduler; /* [schedulers] */
};

static bool gto_bind(struct loom_policy *self,
                     const struct loom_sm_shape *shape, struct loom_error *err)
{
    struct gto *gto = loom_policy_state(self);

    gto->scheduler =
        loom_policy_alloc(self, shape->schedulers, sizeof(*gto->scheduler));
    if (gto->scheduler == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u schedulers",
                         shape->schedulers);
    }
    return true;
}

static uint32_t gto_pick(struct loom_policy *self, uint32_t scheduler,
                         uint64_t ready, loom_cycle now)
{
    const struct gto *gto = loom_policy_state(self);
    const struct gto_scheduler *s = &gto->scheduler[scheduler];

    (void)now;
    if ((ready & s->greedy) != 0) {
        return loom_lowest(s->greedy);
    }
    return loom_age_oldest(&s->ages, ready);
}

static uint32_t gto_rank(struct loom_policy *self, uint32_t scheduler,
                         uint32_t local)
{
    const struct gto *gto = loom_policy_state(self);

    return loom_age_rank(&gto->scheduler[scheduler].ages, local);
}

static void gto_issued(struct loom_policy *self, uint32_t scheduler,
                       uint32_t local, loom_cycle now)
{
    struct gto *gto = loom_policy_state(self);

    (void)now;
    gto->scheduler[scheduler].greedy = loom_bit(local);
}

static void gto_started(struct loom_policy *self, uint32_t scheduler,
                        uint32_t local, uint64_t age)
{
    struct gto *gto = loom_policy_state(self);

    (void)age; /* grows with each start: the new one is the youngest */
    loom_age_start(&gto->scheduler[scheduler].ages, local);
}

static void gto_finished(struct loom_policy *self, uint32_t scheduler,
                         uint32_t local)
{
    struct gto *gto = loom_policy_state(self);
    struct gto_scheduler *s = &gto->scheduler[scheduler];

    loom_age_finish(&s->ages, local);
    s->greedy &= ~loom_bit(local);
}

static const struct loom_scheduler_ops gto_ops = {
    .ranked = true,
    .bind = gto_bind,
    .pick = gto_pick,
    .rank = gto_rank,
    .issued = gto_issued,
    .started = gto_started,
    .finished = gto_finished,
};

static void gto_cost(const void *config, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    uint32_t locals =
        (shape->warps + shape->schedulers - 1) / shape->schedulers;

    (void)config;
    loom_cost_add(cost, "greedy", shape->schedulers, loom_bits_for(locals) + 1,
                  "Warp that issued last, if it is still there");
    loom_cost_add(cost, "age", shape->warps, loom_bits_for(locals),
                  "Place of a warp in its scheduler's order of age");
}

static const struct loom_facet gto_facets[] = {
    {&loom_scheduler_hook, &gto_ops},
};

const struct loom_policy_type gto_policy = {
    .name = "gto",
    .doc = "Warp scheduler: greedy, then oldest",
    .state_size = sizeof(struct gto),
    .facets = LOOM_SLICE(gto_facets),
    .cost = gto_cost,
};
