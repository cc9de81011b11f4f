/*
 * A throttle asked directly: a few warps that start, wait, issue, run out of
 * instructions and finish.  All that are active and wait for nothing are
 * ready.
 */
#ifndef TESTS_UNIT_THROTTLE_RIG_H
#define TESTS_UNIT_THROTTLE_RIG_H

#include "tests/unit/sm_policy_host.h"

enum {
    RIG_SCHEDULERS = 2
};

struct throttle_rig {
    struct sm_host host; /* first: rigs are made from a host */
    uint64_t active[RIG_SCHEDULERS], waiting[RIG_SCHEDULERS];
    uint64_t memory[RIG_SCHEDULERS], loads[RIG_SCHEDULERS];
    uint64_t age;
    loom_cycle now;
    uint32_t cta;
    const struct loom_kernel *kernel;
    uint32_t inst; /* of the next events */
};

static inline struct loom_event throttle_event(const struct throttle_rig *rig,
                                               uint32_t warp,
                                               enum loom_event_kind kind)
{
    return (struct loom_event){
        .now = rig->now,
        .kernel = rig->kernel,
        .age = rig->age,
        .kind = (uint32_t)kind,
        .cta = rig->cta,
        .inst = rig->inst,
        .warp = (uint16_t)warp,
        .scheduler = (uint8_t)(warp % RIG_SCHEDULERS),
    };
}

static inline void throttle_tell(struct throttle_rig *rig, uint32_t warp,
                                 enum loom_event_kind kind)
{
    struct loom_event event = throttle_event(rig, warp, kind);

    sm_host_tell(&rig->host, &event);
}

static inline void throttle_put(uint64_t *mask, uint32_t warp, bool on)
{
    uint64_t bit = loom_bit(warp / RIG_SCHEDULERS);

    mask += warp % RIG_SCHEDULERS;
    *mask = on ? *mask | bit : *mask & ~bit;
}

static inline void throttle_cta(struct throttle_rig *rig, uint32_t cta)
{
    rig->cta = cta;
    throttle_tell(rig, 0, LOOM_EVENT_CTA_START);
}

static inline void throttle_start(struct throttle_rig *rig, uint32_t warp)
{
    const struct loom_scheduler_ops *ops = rig->host.scheduler;

    throttle_put(rig->active, warp, true);
    if (ops != NULL) {
        ops->started(rig->host.policy, warp % RIG_SCHEDULERS,
                     warp / RIG_SCHEDULERS, rig->age);
    }
    throttle_tell(rig, warp, LOOM_EVENT_WARP_START);
    rig->age++;
}

/* It has nothing left to issue. */
static inline void throttle_exhaust(struct throttle_rig *rig, uint32_t warp)
{
    const struct loom_scheduler_ops *ops = rig->host.scheduler;

    throttle_put(rig->active, warp, false);
    throttle_put(rig->waiting, warp, false);
    throttle_put(rig->memory, warp, false);
    throttle_put(rig->loads, warp, false);
    if (ops != NULL) {
        ops->finished(rig->host.policy, warp % RIG_SCHEDULERS,
                      warp / RIG_SCHEDULERS);
    }
}

static inline void throttle_finish(struct throttle_rig *rig, uint32_t warp)
{
    throttle_exhaust(rig, warp);
    throttle_tell(rig, warp, LOOM_EVENT_WARP_FINISH);
}

static inline void throttle_issue(struct throttle_rig *rig, uint32_t warp)
{
    const struct loom_scheduler_ops *ops = rig->host.scheduler;

    throttle_tell(rig, warp, LOOM_EVENT_ISSUE);
    if (ops != NULL) {
        ops->issued(rig->host.policy, warp % RIG_SCHEDULERS,
                    warp / RIG_SCHEDULERS, rig->now);
    }
}

/* At a barrier. */
static inline void throttle_wait(struct throttle_rig *rig, uint32_t warp,
                                 bool waits)
{
    throttle_put(rig->waiting, warp, waits);
}

/* The ready warps of a scheduler that may issue. */
static inline uint64_t throttle_allow(struct throttle_rig *rig,
                                      uint32_t scheduler)
{
    const uint64_t next[LOOM_OPS] = {0};
    uint64_t ready = rig->active[scheduler] &
                     ~(rig->waiting[scheduler] | rig->memory[scheduler]);
    const struct loom_throttle_view view = {
        .ready = ready,
        .active = rig->active[scheduler],
        .waiting = rig->waiting[scheduler],
        .memory = rig->memory[scheduler],
        .loads = ready & rig->loads[scheduler],
        .next = next,
        .sm_active = rig->active,
        .sm_waiting = rig->waiting,
        .now = rig->now,
        .scheduler = scheduler,
    };

    return rig->host.throttle->allow(rig->host.policy, &view) & ready;
}

#endif
