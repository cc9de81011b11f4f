/*
 * Instructions that are passed over: what follows from one without time.
 */
#include "engine/warm.h"

#include "components/sm/sm_private.h"

static void access(struct sm *sm, const struct sm_warp *warp)
{
    uint32_t rank = sm->scheduler_ops->rank(sm->scheduler_policy.policy,
                                            warp->scheduler, warp->local);
    struct loom_warp_access message = {
        .kernel = warp->cta->kernel,
        .inst = warp->next,
        .born = loom_cycle_time(sm->self, sm->now),
        .cta = warp->cta->stream->cta,
        .warp = warp->slot,
        .rank = (uint16_t)(rank * sm->config->schedulers + warp->scheduler),
        .scheduler = warp->scheduler,
        .command = LOOM_WARP_MEMORY,
    };

    loom_warm(sm->ldst_out, &message);
}

static void pass_memory(struct sm *sm, const struct sm_warp *warp, bool warm)
{
    uint8_t op = warp->inst->op;

    sm->stats->loads += op == LOOM_OP_LOAD;
    sm->stats->stores += op == LOOM_OP_STORE;
    sm->stats->atomics += op == LOOM_OP_ATOMIC;
    if (warm && warp->next.mask != 0) {
        access(sm, warp);
    }
}

static bool at_last(const struct sm_warp *warp)
{
    return warp->cursor.at == warp->cursor.end;
}

/* The last warp of a CTA does not end, nor one that an instruction is fetched
 * for. */
static bool must_stay(const struct sm *sm, const struct sm_warp *warp)
{
    return at_last(warp) &&
           ((warp->cta->running & (warp->cta->running - 1)) == 0 ||
            warp->step != SM_FETCH_NONE || warp->fetch_at > sm->now);
}

bool sm_pass_inst(struct sm *sm, struct sm_warp *warp, bool warm)
{
    const struct loom_static_inst *inst = warp->inst;
    bool more;

    if (inst == NULL || warp->barrier_at == LOOM_NEVER || must_stay(sm, warp)) {
        return false;
    }
    sm_count_inst(sm, warp);
    sm->pass.place[warp->slot].at++;
    if (inst->op == LOOM_OP_BARRIER) {
        sm_barrier_arrive(sm, warp, inst->barrier);
    } else if (sm->op[inst->op].unit == SM_UNIT_LDST &&
               inst->op != LOOM_OP_MEMBAR) {
        pass_memory(sm, warp, warm);
    }
    more = loom_stream_next(&warp->cursor, &warp->next);
    if (loom_observed(&sm->observers, LOOM_EVENT_LOOP_EXIT) &&
        inst->loop != LOOM_NO_LOOP) {
        sm_tell_loops(sm, warp, (uint32_t)(inst - warp->table),
                      more ? warp->table[warp->next.index].loop : LOOM_NO_LOOP);
    }
    if (!more) {
        sm_exhaust(sm, warp);
        return false;
    }
    warp->inst = warp->table + warp->next.index;
    return true;
}

bool sm_cta_passed(const struct sm *sm, const struct sm_cta *cta)
{
    for (uint64_t left = cta->running; left != 0; left &= left - 1) {
        const struct sm_warp *warp =
            &sm->warp[cta->first_warp + loom_lowest(left)];

        if (!at_last(warp) || warp->barrier_at == LOOM_NEVER) {
            return false;
        }
    }
    return cta->kernel != NULL && cta->running != 0;
}
