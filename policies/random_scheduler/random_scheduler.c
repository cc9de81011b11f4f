/*
 * random_scheduler: any of the ready warps, all with the same chance.
 *
 * A number is drawn after each issue and kept until the next, because pick()
 * may be asked more often than a warp issues.  Number k of n ready warps is
 * taken, with k = draw * n / 2^32.
 *
 * The rank is that of a circle of the started warps that begins where the
 * pick would be if all of them were ready.
 */
#include "engine/rng.h"

#include "policies/sm_hook.h"

struct random_scheduler_one {
    uint64_t started;
    uint32_t draw;
};

struct random_scheduler {
    struct random_scheduler_one *scheduler; /* [schedulers] */
};

static uint32_t draw(struct loom_policy *self)
{
    return (uint32_t)(loom_rng_next(loom_policy_rng(self)) >> 32);
}

static bool random_scheduler_bind(struct loom_policy *self,
                                  const struct loom_sm_shape *shape,
                                  struct loom_error *err)
{
    struct random_scheduler *random = loom_policy_state(self);

    random->scheduler =
        loom_policy_alloc(self, shape->schedulers, sizeof(*random->scheduler));
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    for (uint32_t i = 0; i < shape->schedulers; i++) {
        random->scheduler[i].draw = draw(self);
    }
    return true;
}

/* Which of `count` the draw means. */
static inline uint32_t drawn(const struct random_scheduler_one *s,
                             uint32_t count)
{
    return (uint32_t)((uint64_t)s->draw * count >> 32);
}

static uint32_t random_scheduler_pick(struct loom_policy *self,
                                      uint32_t scheduler, uint64_t ready,
                                      loom_cycle now)
{
    const struct random_scheduler *random = loom_policy_state(self);
    const struct random_scheduler_one *s = &random->scheduler[scheduler];
    uint32_t skip = drawn(s, loom_popcount(ready));

    (void)now;
    for (; skip != 0; skip--) {
        ready &= ready - 1;
    }
    return loom_lowest(ready);
}

static uint32_t random_scheduler_rank(struct loom_policy *self,
                                      uint32_t scheduler, uint32_t local)
{
    const struct random_scheduler *random = loom_policy_state(self);
    const struct random_scheduler_one *s = &random->scheduler[scheduler];
    uint32_t count = loom_popcount(s->started);
    uint32_t place = loom_popcount(s->started & (loom_bit(local) - 1));
    uint32_t first = drawn(s, count);

    return place >= first ? place - first : place + count - first;
}

static void random_scheduler_issued(struct loom_policy *self,
                                    uint32_t scheduler, uint32_t local,
                                    loom_cycle now)
{
    struct random_scheduler *random = loom_policy_state(self);

    (void)local;
    (void)now;
    random->scheduler[scheduler].draw = draw(self);
}

static void random_scheduler_started(struct loom_policy *self,
                                     uint32_t scheduler, uint32_t local,
                                     uint64_t age)
{
    struct random_scheduler *random = loom_policy_state(self);

    (void)age;
    random->scheduler[scheduler].started |= loom_bit(local);
}

static void random_scheduler_finished(struct loom_policy *self,
                                      uint32_t scheduler, uint32_t local)
{
    struct random_scheduler *random = loom_policy_state(self);

    random->scheduler[scheduler].started &= ~loom_bit(local);
}

static const struct loom_scheduler_ops random_scheduler_ops = {
    .bind = random_scheduler_bind,
    .pick = random_scheduler_pick,
    .rank = random_scheduler_rank,
    .issued = random_scheduler_issued,
    .started = random_scheduler_started,
    .finished = random_scheduler_finished,
};

static void random_scheduler_cost(const void *config,
                                  const struct loom_cost_shape *shape,
                                  struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "draw", shape->schedulers, 32, "Number drawn last");
}

const struct loom_policy_type random_scheduler_policy = {
    .name = "random_scheduler",
    .doc = "Warp scheduler: any ready warp, by seeded random numbers",
    .state_size = sizeof(struct random_scheduler),
    .facets = LOOM_FACETS({&loom_scheduler_hook, &random_scheduler_ops}),
    .joins = true,
    .cost = random_scheduler_cost,
};
