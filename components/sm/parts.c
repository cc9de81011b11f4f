/*
 * Warps whose streams come in parts, for they read the time
 * (loom_kernel.timed).  Who has issued the last instruction of a part is
 * executed on in the same cycle, after all SMs have ticked, one SM after the
 * other: so memory has one order, which is that of time.
 */
#include "components/sm/sm_private.h"

static void take_part(struct sm *sm, struct sm_cta *cta, uint32_t number)
{
    const struct loom_warp_stream *part = &cta->stream->warp[number];
    struct sm_warp *warp = &sm->warp[cta->first_warp + number];

    cta->insts += part->insts;
    warp->cursor = loom_cursor_of(part);
    warp->open = part->open;
    warp->fetch_at = sm->now;
    sm_next_inst(sm, warp);
    sm_update(sm, warp);
}

static void resume(struct sm *sm, struct sm_cta *cta, struct loom_moment moment)
{
    struct loom_cta_source *source = cta->kernel->source;
    uint64_t asking = cta->asking, ready;
    struct loom_error err;

    cta->asking = 0;
    if (!source->ops->resume(source, cta->stream, asking, moment, &ready,
                             &err)) {
        loom_fail_at(&err, cta->kernel->name);
        loom_raise(sm->self, &err);
        return;
    }
    for (; ready != 0; ready &= ready - 1) {
        take_part(sm, cta, loom_lowest(ready));
    }
}

void sm_meet(struct loom_component *self, loom_cycle now)
{
    struct sm *sm = loom_state(self);
    struct loom_moment moment = {now, loom_told_time(self, now) / 1000000};

    while (sm->ask_slots != 0) {
        uint32_t slot = loom_lowest(sm->ask_slots);

        sm->ask_slots &= sm->ask_slots - 1;
        resume(sm, &sm->cta[slot], moment);
    }
}
