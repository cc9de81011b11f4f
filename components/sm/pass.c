/*
 * CTAs that are left out of time (components/cta_protocol.h).  Nobody is told
 * of them, neither the SM's policies nor those of its caches.
 */
#include "engine/warm.h"

#include "components/sm/sm_private.h"

static void access(struct sm *sm, const struct loom_cta_left_out *cta,
                   const struct loom_warp_inst *inst, uint32_t warp)
{
    struct loom_warp_access message = {
        .kernel = cta->kernel,
        .inst = *inst,
        .born = loom_cycle_time(sm->self, sm->now),
        .cta = cta->stream->cta,
        .warp = (uint16_t)warp,
        .command = LOOM_WARP_MEMORY,
    };

    loom_warm(sm->ldst_out, &message);
}

static void count(struct sm_stats *stats, uint8_t op, uint32_t mask)
{
    stats->loads += op == LOOM_OP_LOAD;
    stats->stores += op == LOOM_OP_STORE;
    stats->atomics += op == LOOM_OP_ATOMIC;
    stats->barriers += op == LOOM_OP_BARRIER && mask != 0;
}

static void leave_out(struct sm *sm, const struct loom_cta_left_out *cta,
                      uint32_t warp)
{
    struct loom_cursor cursor = loom_cursor_of(&cta->stream->warp[warp]);
    struct loom_warp_inst inst;

    while (loom_stream_next(&cursor, &inst)) {
        const struct loom_static_inst *decoded = &cta->kernel->inst[inst.index];

        sm_count_inst(sm->stats, decoded, inst.mask);
        count(sm->stats, decoded->op, inst.mask);
        if (cta->warm && inst.mask != 0 &&
            sm->op[decoded->op].unit == SM_UNIT_LDST &&
            decoded->op != LOOM_OP_MEMBAR) {
            access(sm, cta, &inst, warp);
        }
    }
}

static void serve(struct loom_component *self, void *message, loom_cycle now)
{
    struct sm *sm = loom_state(self);
    const struct loom_cta_left_out *cta = message;

    sm->now = now > sm->now ? now : sm->now;
    sm->stats->ctas++;
    sm->stats->ctas_done++;
    sm->stats->warps += cta->stream->warp_count;
    sm->stats->warps_done += cta->stream->warp_count;
    for (uint32_t w = 0; w < cta->stream->warp_count; w++) {
        leave_out(sm, cta, w);
    }
}

static bool quiet(struct loom_component *self)
{
    const struct sm *sm = loom_state(self);

    return sm->resident == 0;
}

static void rest(struct loom_component *self)
{
    struct sm *sm = loom_state(self);

    sm->kernel = NULL;
    for (uint32_t w = 0; w < sm->config->warps; w++) {
        struct sm_warp *warp = &sm->warp[w];

        warp->next = (struct loom_warp_inst){0};
        warp->cursor = (struct loom_cursor){NULL, NULL};
        warp->table = NULL;
    }
    sm_operands_rest(sm);
}

const struct loom_warm_ops sm_warm = {
    .serve = serve, .quiet = quiet, .rest = rest};
