/*
 * Accesses of CTAs that are left out of time (components/cta_protocol.h): made
 * as in time and given to the caches below those of the SM.  Nothing is counted
 * and nobody is told.  What is under way in time is left as it is: they have a
 * dispatch of their own, in a copy of the unit.
 */
#include "engine/warm.h"

#include <string.h>

#include "components/ldst/ldst_private.h"

bool ldst_warm_init(struct ldst *u, struct loom_error *err)
{
    u->apart = loom_alloc(u->self, 1, sizeof(*u->apart));
    if (!loom_has_memory(u->self, err)) {
        return false;
    }
    *u->apart = *u;
    return true;
}

/* Makes the accesses; false: it has none to the L1D. */
static bool make(struct ldst *w, const struct loom_static_inst *inst)
{
    enum ldst_port port = LDST_L1D;

    w->made_count = 0;
    w->port = LDST_L1D;
    if (ldst_cached(w, inst, &port) || w->to[LDST_L1D] == NULL ||
        (inst->space != LOOM_SPACE_GLOBAL && inst->space != LOOM_SPACE_LOCAL)) {
        return false;
    }
    if (w->per_kernel) {
        ldst_meet_kernel_warm(w);
    }
    ldst_coalesce(w, inst);
    return true;
}

static void serve(struct loom_component *self, void *message, loom_cycle now)
{
    const struct ldst *u = loom_state(self);
    const struct loom_warp_access *access = message;
    const struct loom_static_inst *inst =
        &access->kernel->inst[access->inst.index];
    struct ldst *w = u->apart;

    (void)now;
    w->access = *access;
    if (!make(w, inst) || !loom_warms(w->to[LDST_L1D])) {
        return;
    }
    ldst_describe_request(w, inst, 0);
    w->request.bypassed = LOOM_LEVEL_L1;
    w->request.bypassed_by = LOOM_BY_LEFT_OUT;
    for (uint32_t i = 0; i < w->made_count; i++) {
        const struct loom_access *made = &w->made[i];
        struct loom_mem_request r = w->request;

        r.block = made->block;
        r.bytes[0] = made->bytes[0];
        r.bytes[1] = made->bytes[1];
        r.size_bytes = made->size_bytes;
        r.sectors = made->sectors;
        r.access = (uint8_t)i;
        if (loom_chain(&u->marks) != 0) {
            r.policy_bits = loom_marks_ask(&u->marks, &r);
        }
        loom_warm(w->to[LDST_L1D], &r);
    }
}

static bool quiet(struct loom_component *self)
{
    const struct ldst *u = loom_state(self);

    return u->pending_used == 0 && u->queued == 0 && !u->busy && u->due == 0;
}

static void rest(struct loom_component *self)
{
    struct ldst *u = loom_state(self);

    memset(&u->access, 0, sizeof(u->access));
    memset(&u->apart->access, 0, sizeof(u->apart->access));
    for (uint32_t i = 0; i < u->config->pending_entries; i++) {
        u->pending[i].kernel = NULL;
    }
}

const struct loom_warm_ops ldst_warm = {
    .serve = serve, .quiet = quiet, .rest = rest};
