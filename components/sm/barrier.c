/*
 * Barriers of a CTA: who has arrived, and who goes on.
 */
#include "components/sm/sm_private.h"

void sm_barrier_wake(struct sm *sm, const struct sm_warp *warp)
{
    if (warp->barrier_at != LOOM_NEVER) {
        sm_wake_until(sm, warp, warp->barrier_at);
    }
}

void sm_hold(struct sm *sm, struct sm_warp *warp, loom_cycle until,
             enum sm_state as)
{
    if (until > sm->now) {
        warp->barrier_at = until;
        warp->held = (uint8_t)as;
        sm_barrier_wake(sm, warp);
    }
}

static void release(struct sm *sm, struct sm_cta *cta, uint64_t warps)
{
    loom_cycle at = sm->now + sm->config->barrier_cycles;

    if (sm->barrier_free > sm->now) {
        at += sm->barrier_free - sm->now;
    }
    for (; warps != 0; warps &= warps - 1) {
        sm_hold(sm, &sm->warp[cta->first_warp + loom_lowest(warps)], at,
                SM_BARRIER);
    }
}

/* Released when as many warps are there as it is for or, if that is all of
 * the CTA, when those are that have instructions left. */
static void try_release(struct sm *sm, struct sm_cta *cta, uint32_t barrier)
{
    uint64_t arrived = cta->arrived[barrier];
    uint64_t waiting = cta->waiting[barrier];

    if (arrived == 0 || (cta->expected[barrier] != 0
                             ? cta->arrivals[barrier] < cta->expected[barrier]
                             : (cta->running & ~arrived) != 0)) {
        return;
    }
    cta->arrived[barrier] = 0;
    cta->waiting[barrier] = 0;
    cta->arrivals[barrier] = 0;
    cta->expected[barrier] = 0;
    release(sm, cta, waiting & cta->running);
}

void sm_barrier_arrive(struct sm *sm, struct sm_warp *warp, uint32_t barrier)
{
    struct sm_cta *cta = warp->cta;
    uint32_t warps = warp->inst->bytes;
    uint64_t bit = loom_bit(warp->slot - cta->first_warp);

    if (warp->next.mode != LOOM_ADDR_NONE) { /* computed by the program */
        loom_addr what = loom_stream_base(&warp->next);

        barrier = (uint32_t)what;
        warps =
            (uint32_t)(((what >> 32) + LOOM_WARP_LANES - 1) / LOOM_WARP_LANES);
    }
    barrier %= SM_NAMED_BARRIERS;
    cta->arrived[barrier] |= bit;
    cta->arrivals[barrier]++;
    cta->expected[barrier] = warps;
    sm->stats->barriers++;
    if (sm->barrier_free < sm->now) {
        sm->barrier_free = sm->now;
    }
    sm->barrier_free += sm->config->barrier_interval;
    if ((warp->inst->flags & LOOM_INST_ARRIVE) == 0) {
        sm_hold(sm, warp, LOOM_NEVER, SM_BARRIER);
        cta->waiting[barrier] |= bit;
    }
    try_release(sm, cta, barrier);
}

void sm_barrier_leave(struct sm *sm, struct sm_cta *cta)
{
    for (uint32_t i = 0; i < SM_NAMED_BARRIERS; i++) {
        try_release(sm, cta, i);
    }
}
