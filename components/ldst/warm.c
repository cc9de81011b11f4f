/*
 * Instructions without time (engine/warm.h): their accesses are made as in time
 * and given to the caches.  What is under way in time is left as it is: they
 * have a dispatch of their own, in a copy of the unit.
 */
#include "engine/warm.h"

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

/* Makes the accesses; false: it has none that leave the SM, or it is the first
 * of a kernel, for which something has to be worked out. */
static bool make(struct ldst *w, const struct loom_static_inst *inst)
{
    enum ldst_port port = LDST_L1D;

    w->made_count = 0;
    if (ldst_cached(w, inst, &port)) {
        w->port = (uint8_t)port;
        ldst_make_cached(w, inst, port);
        return true;
    }
    w->port = LDST_L1D;
    if ((inst->space != LOOM_SPACE_GLOBAL && inst->space != LOOM_SPACE_LOCAL) ||
        w->to[LDST_L1D] == NULL ||
        (w->per_kernel &&
         (!w->announced || w->kernel.number != w->access.kernel->number))) {
        return false;
    }
    ldst_coalesce(w, inst);
    return true;
}

/* Has the accesses served. */
static void send_all(struct ldst *w, const struct loom_static_inst *inst,
                     loom_cycle now)
{
    struct ldst_pending done;

    ldst_write_entry(w, inst, &done);
    for (uint32_t i = 0; i < w->made_count; i++) {
        const struct loom_access *made = &w->made[i];
        struct loom_mem_request r = w->request;

        r.block = made->block;
        r.bytes[0] = made->bytes[0];
        r.bytes[1] = made->bytes[1];
        r.size_bytes = made->size_bytes;
        r.sectors = made->sectors;
        r.access = (uint8_t)i;
        if (loom_chain(&w->marks) != 0) {
            r.policy_bits = loom_marks_ask(&w->marks, &r);
        }
        loom_warm(w->to[w->port], &r);
        ldst_count_reply(w, &done, &r);
    }
    if (w->port == LDST_L1D &&
        loom_observed(&w->observers, LOOM_EVENT_MEM_COMPLETE)) {
        ldst_tell_complete(w, &done, now);
    }
}

static void serve(struct loom_component *self, void *message, loom_cycle now)
{
    const struct ldst *u = loom_state(self);
    const struct loom_warp_access *access = message;
    const struct loom_static_inst *inst =
        &access->kernel->inst[access->inst.index];
    struct ldst *w = u->apart;

    w->access = *access;
    w->kernel = u->kernel;
    w->announced = u->announced;
    if (!make(w, inst) || !loom_warms(w->to[w->port])) {
        return;
    }
    ldst_describe_request(w, inst, 0);
    ldst_count_accesses(w, inst);
    if (w->port == LDST_L1D &&
        loom_observed(&w->observers, LOOM_EVENT_MEM_ISSUE)) {
        ldst_tell_issue(w, now);
    }
    send_all(w, inst, now);
}

static bool quiet(struct loom_component *self)
{
    const struct ldst *u = loom_state(self);

    return u->pending_used == 0 && u->queued == 0 && !u->busy && u->due == 0;
}

const struct loom_warm_ops ldst_warm = {.serve = serve, .quiet = quiet};
