/*
 * ldst: the load/store unit of an SM.
 *
 * Turns warp memory instructions into accesses and their replies into
 * completions.  Shared, constant and parameter memory are answered here, by
 * pipelines of fixed latency; global and local memory by the L1 at port
 * `l1`, or by a network where there is none.  How lanes become accesses and
 * in which order those go out is up to the policies in its slots.  The model
 * follows GPGPU-Sim's ldst_unit (shader.cc).
 *
 *   tick.c      a cycle: dispatch, coalescing, queues
 *   onchip.c    shared memory with bank conflicts, constant memory
 *   complete.c  replies, write-back arbitration
 *
 * Invariants: every access gets exactly one reply, every instruction exactly
 * one completion; an entry of the pending table is taken from before its
 * first access is made until its completion is sent.
 */
#include "components/ldst/ldst_private.h"

static bool make_ring(struct ldst *u, uint32_t ring, uint32_t capacity)
{
    struct ldst_ring *r = &u->ring[ring];

    r->capacity = capacity;
    r->item = loom_alloc(u->self, capacity, sizeof(*r->item));
    return r->item != NULL;
}

static bool take_memory(struct ldst *u, struct loom_error *err)
{
    const struct ldst_config *k = u->config;
    uint32_t entries = k->pending_entries;

    u->pending = loom_alloc(u->self, entries, sizeof(*u->pending));
    u->pending_free = loom_alloc(u->self, entries, sizeof(*u->pending_free));
    if (u->pending == NULL || u->pending_free == NULL ||
        !make_ring(u, LDST_PIPE_SHARED, k->shared_latency + 1) ||
        !make_ring(u, LDST_PIPE_CONST, k->const_latency + 1) ||
        !make_ring(u, LDST_PIPE_GLOBAL, entries) ||
        !make_ring(u, LDST_PIPE_ACK, entries + 1)) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no memory for %u pending instructions", entries);
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
    u->queue = loom_alloc(u->self, u->queues, sizeof(*u->queue));
    for (uint32_t i = 0; u->queue != NULL && i < u->queues; i++) {
        u->queue[i].item =
            loom_alloc(u->self, u->depth, sizeof(*u->queue[i].item));
        if (u->queue[i].item == NULL) {
            u->queue = NULL;
        }
    }
    if (u->queue == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u queues of %u",
                         u->queues, u->depth);
    }
    return true;
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

static bool ldst_init(struct loom_component *self, struct loom_error *err)
{
    struct ldst *u = loom_state(self);

    u->self = self;
    u->config = loom_config(self);
    u->stats = loom_stats_of(self);
    u->id = loom_component_id(self);
    u->sm = loom_component_index(self);
    u->from_sm = loom_port_in(self, "sm", 0);
    u->to_sm = loom_port_out(self, "sm", 0);
    u->to_l1 = loom_port_out(self, "l1", 0);
    u->from_l1 = loom_port_in(self, "l1", 0);
    u->period = loom_cycle_time(self, 1);
    u->dispatch_wait.reason = LDST_MOVED;
    u->l1_wait.reason = LDST_MOVED;
    u->sent_at = LOOM_NEVER;
    return take_memory(u, err) && bind_policies(u, err);
}

static bool ldst_check(struct loom_component *self, struct loom_error *err)
{
    const struct ldst *u = loom_state(self);
    const struct ldst_stats *s = u->stats;

    if (s->accesses != s->replies) {
        return loom_fail(
            err, LOOM_ERR_DEADLOCK, "accesses %llu are not replies %llu",
            (unsigned long long)s->accesses, (unsigned long long)s->replies);
    }
    if (u->pending_used != 0 || u->queued != 0 || u->busy || u->flushing) {
        return loom_fail(err, LOOM_ERR_DEADLOCK,
                         "%u instructions are pending, %u accesses queued, "
                         "%u in dispatch",
                         u->pending_used, u->queued, u->busy);
    }
    for (uint32_t i = 0; i < LDST_RINGS; i++) {
        if (u->ring[i].count != 0) {
            return loom_fail(err, LOOM_ERR_DEADLOCK,
                             "%u completions were not sent", u->ring[i].count);
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

static void ldst_report(struct loom_component *self, struct loom_report *report)
{
    static const char *const reason[] = {
        "a pending entry", "its queue",        "the L1",   "the shared memory",
        "constant memory", "earlier accesses", "its turn",
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

static const struct loom_param ldst_params[] = {
    LOOM_PARAM(struct ldst_config, warps, .unit = LOOM_UNIT_WARP,
               .def = {.u = 48}, .min = {.u = 1}, .max = {.u = 65535},
               .doc = "Warp slots of the SM",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, line_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 128}, .min = {.u = 32}, .max = {.u = 128},
               .power_of_2 = true,
               .doc = "Bytes of an L1 line: no access is larger",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(
        struct ldst_config, pending_entries, .unit = LOOM_UNIT_WARP_INST,
        .def = {.u = 256}, .min = {.u = 1}, .max = {.u = 65536},
        .doc =
            "Memory instructions that may wait for replies or for write-back"),
    LOOM_PARAM(struct ldst_config, accesses_per_cycle,
               .unit = LOOM_UNIT_REQUEST, .def = {.u = 1}, .min = {.u = 1},
               .max = {.u = 32}, .doc = "Accesses that go to the L1 per cycle",
               .source = "GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, shared_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 26}, .min = {.u = 1}, .max = {.u = 1000},
               .doc = "Cycles from a shared memory instruction without "
                      "conflicts to its write-back",
               .source = "GTX480 as GPGPU-Sim 4"),
    LOOM_PARAM(struct ldst_config, shared_banks, .unit = LOOM_UNIT_NONE,
               .def = {.u = 32}, .min = {.u = 1}, .max = {.u = 64},
               .power_of_2 = true,
               .doc = "Banks of 4 bytes of the shared memory",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct ldst_config, const_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 1000},
               .doc = "Cycles from a constant or parameter load of one line to "
                      "its write-back"),
    LOOM_PARAM(struct ldst_config, flushes_l1, .unit = LOOM_UNIT_NONE,
               .def = {.b = true},
               .doc = "Is there an L1 at port l1 that flushes go to"),
};

static const char *const ldst_spaces[] = {
    "global", "local", "shared", "const", "param", "texture", "inst"};
static const char *const ldst_stalls[] = {"pending", "queue", "l1",
                                          "shared",  "const", "flush"};

static const struct loom_stat ldst_stats[] = {
    LOOM_VECTOR(struct ldst_stats, load_insts, "space", ldst_spaces,
                LOOM_UNIT_WARP_INST, "Warp load instructions, by space"),
    LOOM_VECTOR(struct ldst_stats, store_insts, "space", ldst_spaces,
                LOOM_UNIT_WARP_INST, "Warp store instructions, by space"),
    LOOM_VECTOR(struct ldst_stats, atomic_insts, "space", ldst_spaces,
                LOOM_UNIT_WARP_INST, "Warp atomic instructions, by space"),
    LOOM_COUNTER(struct ldst_stats, accesses, LOOM_UNIT_REQUEST,
                 "Accesses made by the coalescer"),
    LOOM_COUNTER(struct ldst_stats, coalesced_loads, LOOM_UNIT_WARP_INST,
                 "Loads from global and local memory"),
    LOOM_COUNTER(struct ldst_stats, load_accesses, LOOM_UNIT_REQUEST,
                 "Accesses of loads from global and local memory"),
    LOOM_COUNTER(struct ldst_stats, store_accesses, LOOM_UNIT_REQUEST,
                 "Accesses of stores to global and local memory"),
    LOOM_COUNTER(struct ldst_stats, atomic_accesses, LOOM_UNIT_REQUEST,
                 "Accesses of atomics on global memory"),
    LOOM_RATIO(struct ldst_stats, transactions_per_load, load_accesses,
               coalesced_loads, LOOM_UNIT_RATIO,
               "Accesses per load from global or local memory"),
    LOOM_COUNTER(struct ldst_stats, replies, LOOM_UNIT_REQUEST,
                 "Replies to accesses"),
    LOOM_COUNTER(struct ldst_stats, l1_hits, LOOM_UNIT_REQUEST,
                 "Accesses whose reply says that they hit in the L1"),
    LOOM_COUNTER(struct ldst_stats, l1_bypasses, LOOM_UNIT_REQUEST,
                 "Accesses whose reply says that they went around the L1"),
    LOOM_COUNTER(struct ldst_stats, flushes, LOOM_UNIT_EVENT,
                 "Flushes of the L1 asked for"),
    LOOM_COUNTER(struct ldst_stats, shared_conflict_cycles, LOOM_UNIT_CYCLE,
                 "Cycles lost to bank conflicts: those beyond the first of an "
                 "instruction"),
    LOOM_COUNTER(
        struct ldst_stats, const_serial_cycles, LOOM_UNIT_CYCLE,
        "Cycles in which constant loads fetched lines beyond the first"),
    LOOM_VECTOR(struct ldst_stats, stall_cycles, "reason", ldst_stalls,
                LOOM_UNIT_CYCLE,
                "Cycles in which the instruction in dispatch or the access in "
                "front of the L1 waited"),
    LOOM_COUNTER(struct ldst_stats, pending_entry_cycles, LOOM_UNIT_CYCLE,
                 "Entries of the pending table in use, summed over cycles"),
    LOOM_HISTOGRAM(
        struct ldst_stats, load_latency, LOOM_UNIT_CYCLE,
        "Cycles from the issue of a load to its write-back, all spaces"),
};

static const struct loom_port_decl ldst_ports[] = {
    {"sm", "Memory instructions of the SM", LOOM_SERVER, &loom_warp_protocol, 1,
     1},
    {"l1", "Accesses to global and local memory", LOOM_CLIENT,
     &loom_mem_protocol, 0, 1},
};

static const struct loom_slot_decl ldst_slots[] = {
    {"coalesce", "Turns lanes into accesses", &loom_coalesce_hook,
     "fermi_coalesce"},
    {"order", "Order in which accesses go to the L1", &loom_order_hook,
     "fifo_order"},
    {"mark", "Sets policy bits of requests", &loom_ldst_mark_hook, NULL},
    {"observe", "Watches memory instructions", &loom_ldst_observe_hook, NULL},
};

static const struct loom_component_ops ldst_ops = {
    .init = ldst_init,
    .tick = ldst_tick,
    .settle = ldst_settle,
    .check = ldst_check,
    .report = ldst_report,
};

const struct loom_component_type ldst_component = {
    .name = "ldst",
    .doc = "Load/store unit: coalescer, shared and constant memory",
    .state_size = sizeof(struct ldst),
    .config_size = sizeof(struct ldst_config),
    .stats_size = sizeof(struct ldst_stats),
    .params = LOOM_SLICE(ldst_params),
    .stats = LOOM_SLICE(ldst_stats),
    .ports = LOOM_SLICE(ldst_ports),
    .slots = LOOM_SLICE(ldst_slots),
    .ops = &ldst_ops,
};
