/*
 * ldst: the load/store unit of an SM.
 *
 * Turns warp memory instructions into accesses and their replies into
 * completions.  Shared memory is answered here, by a pipeline of fixed latency,
 * and so are constants, parameters and textures unless there are caches for
 * them at ports `l1c` and `l1t`; global and local memory by the L1 at port
 * `l1`, or by a network where there is none.  How lanes become accesses and in
 * which order those go out is up to the policies in its slots.  The model
 * follows GPGPU-Sim's ldst_unit (shader.cc).
 *
 *   tick.c      a cycle: dispatch, coalescing, queues
 *   begin.c     a memory instruction's entry, what its requests have in common
 *   onchip.c    shared memory with bank conflicts, constant memory
 *   caches.c    constant and texture caches
 *   kernel.c    local memory by slots, shares of a unified memory
 *   complete.c  replies, write-back arbitration
 *
 * Invariants: every access gets exactly one reply, every instruction exactly
 * one completion; an entry of the pending table is taken from before its
 * first access is made until its completion is sent.
 */
#include <string.h>

#include "components/ldst/ldst_private.h"

static void make_ring(struct ldst *u, uint32_t ring, uint32_t capacity)
{
    struct ldst_ring *r = &u->ring[ring];

    r->capacity = capacity;
    r->item = loom_alloc(u->self, capacity, sizeof(*r->item));
}

static bool take_memory(struct ldst *u, struct loom_error *err)
{
    const struct ldst_config *k = u->config;
    uint32_t entries = k->pending_entries;

    u->pending = loom_alloc(u->self, entries, sizeof(*u->pending));
    u->pending_free = loom_alloc(u->self, entries, sizeof(*u->pending_free));
    make_ring(u, LDST_PIPE_SHARED, k->shared_latency + 1);
    make_ring(u, LDST_PIPE_CONST, entries + k->const_latency + 1);
    make_ring(u, LDST_PIPE_TEXTURE, entries);
    make_ring(u, LDST_PIPE_BYPASS, entries);
    make_ring(u, LDST_PIPE_GLOBAL, entries);
    make_ring(u, LDST_PIPE_ACK, entries + 1);
    if (!loom_has_memory(u->self, err)) {
        return false;
    }
    for (uint32_t i = 0; i < entries; i++) {
        u->pending_free[i] = i;
    }
    return true;
}

static bool make_queues(struct ldst *u, const struct loom_ldst_shape *shape,
                        struct loom_error *err)
{
    if (!u->order->bind(u->order_self, shape, &u->queues, &u->depth, err)) {
        return false;
    }
    if (u->queues == 0 || u->queues > LDST_QUEUES || u->depth == 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "'%s' wants %u queues of %u, expected 1..%u of at "
                         "least 1",
                         loom_policy_path(u->order_self), u->queues, u->depth,
                         (uint32_t)LDST_QUEUES);
    }
    u->view =
        loom_alloc(u->self, u->queues, sizeof(*u->view) + sizeof(*u->queue));
    if (!loom_has_memory(u->self, err)) {
        return false;
    }
    u->queue = (void *)(u->view + u->queues);
    for (uint32_t i = 0; i < u->queues; i++) {
        u->queue[i].item =
            loom_alloc(u->self, u->depth, sizeof(*u->queue[i].item));
    }
    return loom_has_memory(u->self, err);
}

static bool bind_policies(struct ldst *u, struct loom_error *err)
{
    struct loom_binding coalesce = loom_slot(u->self, "coalesce");
    struct loom_binding order = loom_slot(u->self, "order");
    struct loom_ldst_shape shape = {
        .sm = u->sm,
        .line_bytes = u->config->line_bytes,
        .warps = u->config->warps,
    };
    struct loom_observe_shape observe = {
        .sm = u->sm,
        .warps = u->config->warps,
        .pending = u->config->pending_entries,
    };

    u->coalesce = coalesce.item[0].ops;
    u->coalesce_self = coalesce.item[0].policy;
    u->order = order.item[0].ops;
    u->order_self = order.item[0].policy;
    if (u->coalesce->bind != NULL &&
        !u->coalesce->bind(u->coalesce_self, &shape, err)) {
        return false;
    }
    return make_queues(u, &shape, err) &&
           loom_marks_bind(&u->marks, u->self, "mark", err) &&
           loom_observers_bind(&u->observers, u->self, "observe", &observe,
                               err);
}

bool ldst_init(struct loom_component *self, struct loom_error *err)
{
    static const char *const ports[LDST_PORTS] = {"l1", "l1c", "l1t"};
    struct ldst *u = loom_state(self);

    u->self = self;
    u->config = loom_config(self);
    u->stats = loom_stats_of(self);
    u->id = loom_component_id(self);
    u->sm = loom_component_index(self);
    u->from_sm = loom_port_in(self, "sm", 0);
    u->to_sm = loom_port_out(self, "sm", 0);
    for (uint32_t i = 0; i < LDST_PORTS; i++) {
        u->to[i] = loom_port_out(self, ports[i], 0);
        u->from[i] = loom_port_in(self, ports[i], 0);
        if (u->from[i] != NULL) {
            loom_watch(u->from[i], &u->incoming, loom_bit(i));
        }
    }
    u->by_slot = strcmp(u->config->local_map, "slots") == 0;
    u->first_words = strcmp(u->config->local_words, "first") == 0;
    u->per_kernel = u->by_slot || u->config->unified_bytes != 0;
    u->period = loom_cycle_time(self, 1);
    u->dispatch_wait.reason = LDST_MOVED;
    u->l1_wait.reason = LDST_MOVED;
    u->sent_at = LOOM_NEVER;
    u->width = (uint16_t)u->config->accesses_per_cycle;
    u->replies = (uint16_t)u->config->replies_per_cycle;
    return take_memory(u, err) && bind_policies(u, err) &&
           ldst_warm_init(u, err);
}

bool ldst_check(struct loom_component *self, struct loom_error *err)
{
    const struct ldst *u = loom_state(self);
    const struct ldst_stats *s = u->stats;

    uint64_t accesses = s->accesses + s->const_accesses + s->texture_accesses;

    if (accesses != s->replies) {
        return loom_fail(
            err, LOOM_ERR_LAW, "accesses %llu are not replies %llu",
            (unsigned long long)accesses, (unsigned long long)s->replies);
    }
    if (u->resizing) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "the L1 has not answered a change of its size");
    }
    if (u->pending_used != 0 || u->queued != 0 || u->busy || u->flushing) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%u instructions are pending, %u accesses queued, "
                         "%u in dispatch",
                         u->pending_used, u->queued, u->busy);
    }
    for (uint32_t i = 0; i < LDST_RINGS; i++) {
        if (u->ring[i].count != 0) {
            return loom_fail(err, LOOM_ERR_LAW, "%u completions were not sent",
                             u->ring[i].count);
        }
    }
    return true;
}

/* An entry is in use if it waits for replies; the oldest such. */
static const struct ldst_pending *oldest(const struct ldst *u)
{
    const struct ldst_pending *first = NULL;

    for (uint32_t i = 0; i < u->config->pending_entries; i++) {
        const struct ldst_pending *p = &u->pending[i];

        if (p->outstanding != 0 && (first == NULL || p->born < first->born)) {
            first = p;
        }
    }
    return first;
}

void ldst_report(struct loom_component *self, struct loom_report *report)
{
    static const char *const reason[] = {
        "a pending entry",   "its queue",       "the L1",
        "the shared memory", "constant memory", "earlier accesses",
        "the texture cache", "its turn",
    };
    const struct ldst *u = loom_state(self);
    const struct ldst_pending *p = oldest(u);

    if (p != NULL) {
        loom_report_line(report, self, LOOM_NEVER,
                         "%u instructions pending, the oldest (%u of warp %u, "
                         "CTA %u) waits for %u of %u replies",
                         u->pending_used, p->inst, p->warp, p->cta,
                         p->outstanding, p->accesses);
    }
    if (u->busy) {
        bool waits = u->dispatch_wait.reason != LDST_MOVED;

        loom_report_line(report, self,
                         waits ? u->dispatch_wait.since : LOOM_NEVER,
                         "an instruction of warp %u waits for %s",
                         u->access.warp, reason[u->dispatch_wait.reason]);
    }
    if (u->l1_wait.reason != LDST_MOVED) {
        loom_report_line(report, self, u->l1_wait.since,
                         "%u accesses wait for the L1", u->queued);
    }
}
