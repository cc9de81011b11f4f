/*
 * What observers are told of kernels, CTAs and warps.
 */
#include "components/sm/sm_private.h"

struct loom_event sm_warp_event(const struct sm *sm, const struct sm_warp *warp,
                                enum loom_event_kind kind)
{
    uint32_t rank = sm->scheduler_ops->rank(sm->scheduler_policy.policy,
                                            warp->scheduler, warp->local);

    return (struct loom_event){
        .now = sm->now,
        .kernel = warp->cta->kernel,
        .age = warp->age,
        .kind = (uint32_t)kind,
        .cta = warp->cta->stream->cta,
        .warp = warp->slot,
        .rank = (uint16_t)(rank * sm->config->schedulers + warp->scheduler),
        .scheduler = warp->scheduler,
    };
}

void sm_tell_kernel(const struct sm *sm, const struct loom_kernel *kernel,
                    enum loom_event_kind kind)
{
    struct loom_event event = {
        .now = sm->now, .kernel = kernel, .kind = (uint32_t)kind};

    if (loom_observed(&sm->observers, kind)) {
        loom_observers_tell(&sm->observers, &event);
    }
}

void sm_tell_cta(const struct sm *sm, const struct sm_cta *cta,
                 enum loom_event_kind kind)
{
    struct loom_event event = {
        .now = sm->now,
        .kernel = cta->kernel,
        .kind = (uint32_t)kind,
        .cta = cta->stream->cta,
        .count = cta->stream->warp_count,
    };

    if (loom_observed(&sm->observers, kind)) {
        loom_observers_tell(&sm->observers, &event);
    }
}

void sm_tell_warp(const struct sm *sm, const struct sm_warp *warp,
                  enum loom_event_kind kind)
{
    if (loom_observed(&sm->observers, kind)) {
        struct loom_event event = sm_warp_event(sm, warp, kind);

        loom_observers_tell(&sm->observers, &event);
    }
}

/* `issuable`: ready warps of its scheduler that find their unit free. */
static enum loom_wait_reason
reason_of(const struct sm *sm, const struct sm_warp *warp, uint64_t issuable)
{
    static const uint8_t reasons[SM_STATES] = {
        [SM_EMPTY] = LOOM_WAIT_REASONS,     [SM_FETCH] = LOOM_WAIT_FETCH,
        [SM_BARRIER] = LOOM_WAIT_BARRIER,   [SM_ATOMIC] = LOOM_WAIT_ATOMIC,
        [SM_MEMBAR] = LOOM_WAIT_MEMBAR,     [SM_READY] = LOOM_WAIT_READY,
        [SM_SCOREBOARD] = LOOM_WAIT_RESULT, [SM_DRAIN] = LOOM_WAIT_DRAIN,
        [SM_PRODUCTS] = LOOM_WAIT_UNIT,
    };
    bool loading = (sm->scheduler[warp->scheduler].loading & warp->bit) != 0;

    if (warp->state == SM_READY && (issuable & warp->bit) == 0) {
        return LOOM_WAIT_UNIT;
    }
    return warp->state == SM_SCOREBOARD && loading
               ? LOOM_WAIT_MEMORY
               : (enum loom_wait_reason)reasons[warp->state];
}

/* The first register that its next instruction waits for. */
static uint32_t register_of(const struct sm_warp *warp)
{
    for (uint32_t i = 0; warp->state == SM_SCOREBOARD && i < LOOM_REG_WORDS;
         i++) {
        uint64_t both = warp->inst->use[i] & warp->pending[i];

        if (both != 0) {
            return i * 64 + loom_lowest(both);
        }
    }
    return UINT32_MAX;
}

void sm_tell_waits(const struct sm *sm, const uint64_t issuable[])
{
    for (uint32_t i = 0; i < sm->config->warps; i++) {
        const struct sm_warp *warp = &sm->warp[i];
        struct sm_told told = {
            .inst = warp->inst,
            .reg = register_of(warp),
            .reason = (uint8_t)reason_of(sm, warp, issuable[warp->scheduler]),
        };
        struct loom_event event;

        if (told.reason == sm->told[i].reason &&
            (told.reason == LOOM_WAIT_REASONS ||
             (told.inst == sm->told[i].inst && told.reg == sm->told[i].reg))) {
            continue;
        }
        sm->told[i] = told;
        if (told.reason != LOOM_WAIT_REASONS) {
            event = sm_warp_event(sm, warp, LOOM_EVENT_WAIT);
            event.reason = told.reason;
            event.count = told.reg;
            event.inst = warp->inst == NULL ? UINT32_MAX : warp->next.index;
            loom_observers_tell(&sm->observers, &event);
        }
    }
}

void sm_tell_loops(const struct sm *sm, const struct sm_warp *warp,
                   uint32_t inst, uint16_t to)
{
    const struct loom_kernel *kernel = warp->cta->kernel;
    uint16_t loop = kernel->inst[inst].loop;

    while (loop != LOOM_NO_LOOP && !loom_loop_within(kernel, to, loop)) {
        struct loom_event event = sm_warp_event(sm, warp, LOOM_EVENT_LOOP_EXIT);

        event.inst = inst;
        event.count = loop;
        loom_observers_tell(&sm->observers, &event);
        loop = kernel->loop[loop].parent;
    }
}
