/*
 * lrr: loose round robin.
 *
 * The search starts at the warp slot after the last one that issued and
 * takes the first ready warp ("loose": a warp that is not ready loses its
 * turn).  As GPGPU-Sim's lrr, and as scheduler 0 of most papers' baselines.
 * With `greedy` it starts at the last one itself.
 */
#include "policies/sm_hook.h"

struct lrr_config {
    bool greedy;
};

struct lrr_scheduler {
    uint64_t started; /* warps that have a place in the order */
    uint32_t from;    /* local where the search starts */
};

struct lrr {
    struct lrr_scheduler *scheduler; /* [schedulers] */
    uint32_t step; /* 0: the warp that issued is asked first again */
};

static bool lrr_bind(struct loom_policy *self,
                     const struct loom_sm_shape *shape, struct loom_error *err)
{
    const struct lrr_config *config = loom_policy_config(self);
    struct lrr *lrr = loom_policy_state(self);

    lrr->step = config->greedy ? 0 : 1;
    lrr->scheduler =
        loom_policy_alloc(self, shape->schedulers, sizeof(*lrr->scheduler));
    return loom_policy_has_memory(self, err);
}

/* Bits `from` and above. */
static inline uint64_t tail(uint64_t mask, uint32_t from)
{
    return mask >> from << from;
}

static uint32_t lrr_pick(struct loom_policy *self, uint32_t scheduler,
                         uint64_t ready, loom_cycle now)
{
    const struct lrr *lrr = loom_policy_state(self);
    uint64_t first = tail(ready, lrr->scheduler[scheduler].from);

    (void)now;
    return loom_lowest(first != 0 ? first : ready);
}

static uint32_t lrr_rank(struct loom_policy *self, uint32_t scheduler,
                         uint32_t local)
{
    const struct lrr *lrr = loom_policy_state(self);
    const struct lrr_scheduler *s = &lrr->scheduler[scheduler];
    uint64_t below = s->started & (loom_bit(local) - 1);

    if (local >= s->from) {
        return loom_popcount(tail(below, s->from));
    }
    return loom_popcount(tail(s->started, s->from)) + loom_popcount(below);
}

static void lrr_issued(struct loom_policy *self, uint32_t scheduler,
                       uint32_t local, loom_cycle now)
{
    struct lrr *lrr = loom_policy_state(self);

    (void)now;
    lrr->scheduler[scheduler].from = (local + lrr->step) % 64;
}

static void lrr_started(struct loom_policy *self, uint32_t scheduler,
                        uint32_t local, uint64_t age)
{
    struct lrr *lrr = loom_policy_state(self);

    (void)age;
    lrr->scheduler[scheduler].started |= loom_bit(local);
}

static void lrr_finished(struct loom_policy *self, uint32_t scheduler,
                         uint32_t local)
{
    struct lrr *lrr = loom_policy_state(self);

    lrr->scheduler[scheduler].started &= ~loom_bit(local);
}

static const struct loom_scheduler_ops lrr_ops = {
    .bind = lrr_bind,
    .pick = lrr_pick,
    .rank = lrr_rank,
    .issued = lrr_issued,
    .started = lrr_started,
    .finished = lrr_finished,
};

static void lrr_cost(const void *config, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    uint32_t locals =
        (shape->warps + shape->schedulers - 1) / shape->schedulers;

    (void)config;
    loom_cost_add(cost, "last", shape->schedulers, loom_bits_for(locals),
                  "Warp after which the search starts");
}

static const struct loom_param lrr_params[] = {
    LOOM_PARAM(struct lrr_config, greedy, .def = {.b = false},
               .source = "GPGPU-Sim: not; cards since Volta: measured",
               .doc = "The warp that issued last goes on while it is ready"),
};

const struct loom_policy_type lrr_policy = {
    .name = "lrr",
    .doc = "Warp scheduler: loose round robin",
    .state_size = sizeof(struct lrr),
    .config_size = sizeof(struct lrr_config),
    .params = LOOM_SLICE(lrr_params),
    .facets = LOOM_FACETS({&loom_scheduler_hook, &lrr_ops}),
    .joins = true,
    .cost = lrr_cost,
};
