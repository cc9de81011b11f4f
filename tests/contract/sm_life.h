/*
 * The life of an SM in front of one policy: CTAs come, their warps issue
 * arithmetic, loads and barriers, wait and finish, and a policy that answers
 * `scheduler` or `throttle` is asked and told all that an SM, its load/store
 * unit and its L1 would ask and tell.  Random, and the same for a seed.
 *
 * What it checks of each answer is what the hooks promise
 * (policies/sm_hook.h, policies/cache_hook.h).
 */
#ifndef TESTS_CONTRACT_SM_LIFE_H
#define TESTS_CONTRACT_SM_LIFE_H

#include "tests/contract/sm_life_insts.h"

struct life_masks {
    uint64_t ready, active[LOOM_WARP_LANES], waiting[LOOM_WARP_LANES];
    uint64_t memory, loads, next[LOOM_OPS];
};

static inline void life_look(const struct life *life, uint32_t scheduler,
                             struct life_masks *m)
{
    *m = (struct life_masks){0};
    for (uint32_t w = 0; w < life->shape.warps; w++) {
        const struct life_warp *warp = &life->warp[w];
        uint32_t s = w % life->shape.schedulers;
        uint64_t bit = loom_bit(w / life->shape.schedulers);
        bool ready = warp->waits == 0 && !warp->at_barrier;
        uint8_t op = life_insts[warp->next].op;

        if (warp->left == 0) {
            continue;
        }
        m->active[s] |= bit;
        m->waiting[s] |= warp->at_barrier ? bit : 0;
        if (s == scheduler) {
            m->ready |= ready ? bit : 0;
            m->memory |= warp->loading ? bit : 0;
            m->loads |= ready && op == LOOM_OP_LOAD ? bit : 0;
            m->next[op] |= bit;
        }
    }
}

/* Those of `allowed` that go first: all of them, if none does. */
static inline uint64_t life_prefer(struct life *life,
                                   const struct loom_throttle_view *asked,
                                   uint64_t allowed)
{
    struct loom_throttle_view view = *asked;
    uint64_t first = 0;

    view.ready = allowed;
    if (life->host.throttle->prefer != NULL && allowed != 0) {
        first = life->host.throttle->prefer(life->host.policy, &view) & allowed;
    }
    life_note(life, first);
    return first != 0 ? first : allowed;
}

static inline uint64_t life_allow(struct life *life, uint32_t scheduler,
                                  const struct life_masks *m)
{
    const struct loom_throttle_view view = {
        .ready = m->ready,
        .active = m->active[scheduler],
        .waiting = m->waiting[scheduler],
        .memory = m->memory,
        .loads = m->loads,
        .next = m->next,
        .sm_active = m->active,
        .sm_waiting = m->waiting,
        .now = life->now,
        .scheduler = scheduler,
    };
    uint64_t allowed = m->ready;

    for (uint32_t i = 0; life->host.throttle->allow != NULL && i < life->asked;
         i++) {
        uint64_t now = life->host.throttle->allow(life->host.policy, &view);

        EXPECT(i == 0 || allowed == (now & m->ready));
        allowed = now & m->ready;
    }
    life_note(life, allowed);
    return life_prefer(life, &view, allowed);
}

/* Returns a digest of them. */
static inline uint64_t life_check_ranks(const struct life *life,
                                        uint32_t scheduler, uint64_t active)
{
    uint64_t seen = 0, digest = 0;

    for (uint64_t left = active; left != 0; left &= left - 1) {
        uint32_t rank = life->host.scheduler->rank(life->host.policy, scheduler,
                                                   loom_lowest(left));

        EXPECT(rank < loom_popcount(active));
        seen |= loom_bit(rank & 63);
        digest = digest * 31 + rank;
    }
    EXPECT_EQ(loom_popcount(seen), loom_popcount(active));
    return digest;
}

static inline uint32_t life_pick(struct life *life, uint32_t scheduler,
                                 uint64_t ready, uint64_t active)
{
    const struct loom_scheduler_ops *ops = life->host.scheduler;
    uint32_t picked = 0;
    uint64_t ranks = 0;

    if (ops == NULL) {
        return loom_lowest(ready);
    }
    for (uint32_t i = 0; i < life->asked; i++) {
        uint32_t local =
            ops->pick(life->host.policy, scheduler, ready, life->now);

        REQUIRE(local < 64 && (ready >> local & 1) != 0);
        EXPECT(i == 0 || local == picked);
        picked = local;
        ranks = life_check_ranks(life, scheduler, active);
    }
    life_note(life, ranks);
    return picked;
}

static inline void life_schedule(struct life *life, uint32_t scheduler)
{
    const struct loom_scheduler_ops *ops = life->host.scheduler;
    struct life_masks masks;
    uint64_t ready;
    uint32_t local;

    life_look(life, scheduler, &masks);
    ready = masks.ready;
    if (ready != 0 && life->host.throttle != NULL) {
        ready = life_allow(life, scheduler, &masks);
    }
    if (ready == 0) {
        if (ops != NULL && ops->stalled != NULL) {
            ops->stalled(life->host.policy, scheduler, 1);
        }
        return;
    }
    local = life_pick(life, scheduler, ready, masks.active[scheduler]);
    life_note(life, local);
    life_issue(life, local * life->shape.schedulers + scheduler);
}

/* Runs it to its end; false if it does not come to one.  What was answered
 * is in life->digest. */
static inline bool life_run(struct life *life)
{
    loom_rng_init(&life->rng, 5, "life");
    while (life_start_ctas(life)) {
        for (uint32_t w = 0; w < life->shape.warps; w++) {
            life_wait(life, w);
        }
        for (uint32_t s = 0; s < life->shape.schedulers; s++) {
            life_schedule(life, s);
        }
        if (++life->now == LIFE_CYCLES) {
            return false;
        }
    }
    return true;
}

static const struct life_shape life_shapes[] = {
    {4, 1, 6}, {48, 2, 60}, {64, 4, 60}, {64, 1, 40}, {16, 8, 30},
};

/* One life for each shape; each question is asked `asked` times. */
static inline uint64_t life_of(const struct loom_policy_type *type,
                               uint32_t asked)
{
    uint64_t digest = 0;

    for (size_t i = 0; i < LOOM_COUNTOF(life_shapes); i++) {
        struct life_shape shape = life_shapes[i];
        struct life life = {.shape = shape, .asked = asked};

        life.host = sm_host_open(type, 3, shape.warps, shape.schedulers);
        REQUIRE(life.host.good);
        if (!life_run(&life)) {
            printf("%s: warps starve\n", type->name);
            EXPECT(false);
        }
        digest = digest * 31 + life.digest;
        sm_host_close(&life.host);
    }
    return digest;
}

#endif
