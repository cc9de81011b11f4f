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
