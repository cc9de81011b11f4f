/*
 * Issue: each scheduler takes one warp that is ready and has a unit, or
 * counts why there was none.
 *
 * What cannot issue is masked out before the policy is asked, so a pick never
 * fails.  Of several reasons for an empty slot the one nearest to issue is
 * counted, as GPGPU-Sim does (ready but no unit, then scoreboard, then idle);
 * a register that only loads hold back counts as `memory`.
 */
#include "components/sm/sm_private.h"

/* Ready warps whose instruction has a unit that is not in `busy`, and room
 * in the load/store link. */
static uint64_t available(struct sm *sm, const struct sm_scheduler *scheduler,
                          uint32_t busy)
{
    uint64_t ready = scheduler->state[SM_READY];

    for (; busy != 0; busy &= busy - 1) {
        ready &= ~scheduler->next_unit[loom_lowest(busy)];
    }
    if ((ready & scheduler->next_unit[SM_UNIT_LDST]) != 0 &&
        !loom_ready(sm->ldst_out, sm->now)) {
        ready &= ~scheduler->next_unit[SM_UNIT_LDST];
    }
    return ready;
}

/* Why no warp was available. */
static enum sm_slot reason(const struct sm_scheduler *scheduler, uint32_t busy)
{
    uint64_t ready = scheduler->state[SM_READY];
    uint64_t blocked = scheduler->state[SM_SCOREBOARD];

    if (ready != 0) {
        bool memory = (ready & scheduler->next_unit[SM_UNIT_LDST]) != 0 &&
                      (busy & 1u << SM_UNIT_LDST) == 0;

        return memory ? SM_SLOT_LDST : SM_SLOT_UNIT;
    }
    if (blocked != 0) {
        return (blocked & ~scheduler->loading) != 0 ? SM_SLOT_SCOREBOARD
                                                    : SM_SLOT_MEMORY;
    }
    if (scheduler->state[SM_FETCH] != 0) {
        return SM_SLOT_FETCH;
    }
    if (scheduler->state[SM_MEMBAR] != 0) {
        return SM_SLOT_MEMBAR;
    }
    if (scheduler->state[SM_ATOMIC] != 0) {
        return SM_SLOT_ATOMIC;
    }
    if (scheduler->state[SM_BARRIER] != 0) {
        return SM_SLOT_BARRIER;
    }
    return scheduler->state[SM_DRAIN] != 0 ? SM_SLOT_DRAIN : SM_SLOT_IDLE;
}

static uint64_t throttle(const struct sm *sm, uint32_t number, uint64_t ready)
{
    const struct sm_scheduler *scheduler = &sm->scheduler[number];
    struct loom_throttle_view view = {
        .ready = ready,
        .active = scheduler->active,
        .waiting = scheduler->state[SM_BARRIER] | scheduler->state[SM_MEMBAR],
        .next = scheduler->next,
        .now = sm->now,
        .scheduler = number,
    };

    for (uint32_t i = 0; i < sm->throttles.count; i++) {
        const struct loom_throttle_ops *ops = sm->throttles.item[i].ops;

        ready &= ops->allow(sm->throttles.item[i].policy, &view);
    }
    return ready;
}

static void count(struct sm *sm, const struct sm_warp *warp)
{
    struct sm_stats *stats = sm->stats;
    uint32_t mask = warp->next.mask;

    stats->warp_insts++;
    stats->lane_slots += LOOM_WARP_LANES;
    stats->thread_insts +=
        mask == UINT32_MAX ? LOOM_WARP_LANES : loom_popcount(mask);
    stats->insts[warp->inst->op]++;
    if (loom_observed(&sm->observers, LOOM_EVENT_ISSUE)) {
        struct loom_event event = sm_warp_event(sm, warp, LOOM_EVENT_ISSUE);

        event.inst = warp->next.index;
        event.mask = mask;
        loom_observers_tell(&sm->observers, &event);
    }
}

static void issue_warp(struct sm *sm, struct sm_warp *warp)
{
    const struct loom_scheduler_ops *ops = sm->scheduler_ops;

    count(sm, warp);
    sm_execute(sm, warp);
    warp->since = sm->now;
    if (ops->issued != NULL) {
        ops->issued(sm->scheduler_policy.policy, warp->scheduler, warp->local,
                    sm->now);
    }
    sm_next_inst(sm, warp);
    sm_update(sm, warp);
}

static enum sm_slot run_scheduler(struct sm *sm, uint32_t number)
{
    struct sm_scheduler *scheduler = &sm->scheduler[number];
    uint32_t schedulers = sm->config->schedulers;
    uint64_t ready;
    uint32_t local;

    if (scheduler->state[SM_READY] == 0) {
        return reason(scheduler, 0);
    }
    sm->busy = sm_busy_at(sm, sm->now);
    ready = available(sm, scheduler, sm->busy);
    if (ready == 0) {
        return reason(scheduler, sm->busy);
    }
    if (sm->throttles.count != 0) {
        ready = throttle(sm, number, ready);
        if (ready == 0) {
            return SM_SLOT_THROTTLED;
        }
    }
    local = sm->scheduler_ops->pick(sm->scheduler_policy.policy, number, ready,
                                    sm->now);
    LOOM_CHECK(local < 64 && (ready >> local & 1) != 0);
    issue_warp(sm, &sm->warp[local * schedulers + number]);
    for (uint32_t i = 1; i < sm->config->issue_per_scheduler; i++) {
        sm->busy = sm_busy_at(sm, sm->now);
        if ((available(sm, scheduler, sm->busy) & loom_bit(local)) == 0) {
            break;
        }
        issue_warp(sm, &sm->warp[local * schedulers + number]);
        sm->stats->dual_issues++;
    }
    return SM_SLOT_ISSUED;
}

void sm_issue(struct sm *sm)
{
    const struct loom_scheduler_ops *ops = sm->scheduler_ops;
    uint32_t schedulers = sm->config->schedulers;
    uint32_t number = sm->rotate ? (uint32_t)(sm->now % schedulers) : 0;
    bool issued = false;

    for (uint32_t i = 0; i < schedulers; i++) {
        enum sm_slot slot = run_scheduler(sm, number);

        sm->stats->issue_slots[slot]++;
        if (slot == SM_SLOT_ISSUED) {
            issued = true;
        } else if (ops->stalled != NULL) {
            ops->stalled(sm->scheduler_policy.policy, number, 1);
        }
        number = number + 1 == schedulers ? 0 : number + 1;
    }
    if (issued) {
        sm->changed = true;
        loom_progress(sm->self);
    }
}

static loom_cycle next_wake(const struct sm *sm)
{
    uint32_t from = (uint32_t)((sm->now + 1) % SM_RING);
    uint64_t bits = sm->ring_used;

    if (bits == 0) {
        return LOOM_NEVER;
    }
    bits = from == 0 ? bits : bits >> from | bits << (SM_RING - from);
    return sm->now + 1 + loom_lowest(bits);
}

static loom_cycle next_unit(const struct sm *sm, uint32_t busy)
{
    loom_cycle next = LOOM_NEVER;

    for (; busy != 0; busy &= busy - 1) {
        loom_cycle at = sm->unit[loom_lowest(busy)].free_at;

        next = at < next ? at : next;
    }
    return next;
}

/* A throttle's answer changes with events only (or its policy sets a timer),
 * so a cycle in which nothing happened would be repeated as it was. */
loom_cycle sm_plan(struct sm *sm)
{
    uint32_t busy = sm_busy_at(sm, sm->now + 1);
    loom_cycle next = LOOM_NEVER, at;

    for (uint32_t s = 0; s < sm->config->schedulers; s++) {
        struct sm_scheduler *scheduler = &sm->scheduler[s];

        if (scheduler->state[SM_READY] == 0) {
            scheduler->idle_slot = reason(scheduler, busy);
        } else if (available(sm, scheduler, busy) == 0) {
            at = next_unit(sm, busy);
            next = at < next ? at : next;
            scheduler->idle_slot = reason(scheduler, busy);
        } else if (sm->throttles.count == 0 || sm->changed) {
            return sm->now + 1;
        } else {
            scheduler->idle_slot = SM_SLOT_THROTTLED;
        }
    }
    at = next_wake(sm);
    next = at < next ? at : next;
    at = sm_next_write(sm);
    return at < next ? at : next;
}
