/*
 * A cycle of the load/store unit.
 *
 *   1. replies from the L1 are counted against their instructions
 *   2. one instruction writes its registers back, one store is acknowledged
 *   3. the instruction in dispatch goes on: into a pipe of its own, or
 *      through the coalescer, access by access, into the queues
 *   4. the queues' heads go to the L1, in the order policy's order
 *
 * Dispatch holds one instruction, which blocks the next until all its
 * accesses are in a queue, as in GPGPU-Sim.
 */
#include "components/ldst/ldst_private.h"

/* ---- waiting ---- */

/* Counts the cycles before `now`. */
static void settle_wait(struct ldst *u, struct ldst_wait *w, loom_cycle now)
{
    uint64_t cycles = now - 1 - w->counted;

    if (w->reason != LDST_MOVED && now > w->counted + 1) {
        u->stats->stall_cycles[w->reason] += cycles;
        w->counted += cycles;
    }
}

/* What the attempt at `now` came to; cycles slept through belong to the
 * reason before. */
static void set_wait(struct ldst *u, struct ldst_wait *w,
                     enum ldst_stall reason, loom_cycle now)
{
    if (w->reason != LDST_MOVED) {
        settle_wait(u, w, now);
    } else if (reason != LDST_MOVED) {
        w->since = now;
        w->counted = LOOM_NEVER;
    }
    w->reason = reason;
    if (reason != LDST_MOVED && w->counted != now) {
        w->counted = now;
        u->stats->stall_cycles[reason]++;
    }
}

/* The attempt of the next cycle is known to come to that. */
static void expect_wait(struct ldst_wait *w, enum ldst_stall reason,
                        loom_cycle now)
{
    w->since = now + 1;
    w->counted = now;
    w->reason = reason;
}

/* ---- dispatch ---- */

static void no_memory(struct ldst *u)
{
    struct loom_error err;

    loom_fail(&err, LOOM_ERR_CONFIG,
              "port 'l1' is not linked, but a kernel uses global or local "
              "memory");
    loom_raise(u->self, &err);
}

/* Takes an entry and coalesces. */
static enum ldst_stall start_memory(struct ldst *u,
                                    const struct loom_static_inst *inst,
                                    loom_cycle now)
{
    if (u->pending_used == u->config->pending_entries) {
        return LDST_STALL_PENDING;
    }
    if (u->to[LDST_L1D] == NULL) {
        no_memory(u);
    }
    if (LOOM_UNLIKELY(u->per_kernel) && !ldst_meet_kernel(u, now)) {
        return LDST_STALL_L1;
    }
    u->made_next = 0;
    u->made_count = 0;
    if (u->access.inst.mask != 0 && u->to[LDST_L1D] != NULL) {
        ldst_coalesce(u, inst);
    }
    ldst_begin(u, inst, LDST_L1D, now);
    return LDST_MOVED;
}

static enum ldst_stall start_flush(struct ldst *u, loom_cycle now)
{
    struct ldst_done done = {
        .message.kind = LOOM_DONE_FLUSH, .ready = now, .entry = LDST_NONE};

    if (u->queued != 0 || u->flushing) {
        return LDST_STALL_FLUSH;
    }
    if (!u->config->flushes_l1 || u->to[LDST_L1D] == NULL) {
        u->flushing = true;
        ldst_push_done(u, LDST_PIPE_ACK, &done);
    } else if (!loom_ready(u->to[LDST_L1D], now)) {
        return LDST_STALL_L1;
    } else {
        *(struct loom_mem_request *)loom_send(u->to[LDST_L1D], now, 0) =
            (struct loom_mem_request){
                .born = loom_cycle_time(u->self, now),
                .src = u->id,
                .sm = (uint16_t)u->sm,
                .kind = LOOM_MEM_FLUSH,
            };
        u->flushing = true;
    }
    u->stats->flushes++;
    u->busy = false;
    return LDST_MOVED;
}

static void count_inst(struct ldst *u, const struct loom_static_inst *inst)
{
    struct ldst_stats *s = u->stats;
    uint64_t *by_space = inst->op == LOOM_OP_LOAD    ? s->load_insts
                         : inst->op == LOOM_OP_STORE ? s->store_insts
                                                     : s->atomic_insts;

    by_space[inst->space]++;
}

/* The instruction in dispatch has not started. */
static enum ldst_stall start(struct ldst *u, loom_cycle now)
{
    const struct loom_static_inst *inst;
    enum ldst_stall stall;
    enum ldst_port port;

    if (u->access.command == LOOM_WARP_FLUSH) {
        return start_flush(u, now);
    }
    inst = &u->access.kernel->inst[u->access.inst.index];
    if (ldst_cached(u, inst, &port)) {
        stall = ldst_start_cached(u, inst, port, now);
        if (stall == LDST_MOVED) {
            count_inst(u, inst);
        }
        return stall;
    }
    switch ((enum loom_mem_space)inst->space) {
    case LOOM_SPACE_GLOBAL:
    case LOOM_SPACE_LOCAL:
        stall = start_memory(u, inst, now);
        break;
    case LOOM_SPACE_SHARED:
        stall = ldst_shared(u, inst, now);
        u->busy = stall != LDST_MOVED;
        break;
    default:
        stall = ldst_const(u, inst, now);
        u->busy = stall != LDST_MOVED;
        break;
    }
    if (stall == LDST_MOVED) {
        count_inst(u, inst);
    }
    return stall;
}

/* Moves one access from the coalescer into its queue. */
static enum ldst_stall queue_access(struct ldst *u)
{
    const struct loom_access *a = &u->made[u->made_next];
    struct loom_mem_request *r = &u->request;
    struct loom_queue_view *view;
    struct ldst_queue *queue;
    uint32_t number, tail;

    if (u->full) {
        return LDST_STALL_QUEUE;
    }
    r->block = a->block;
    r->bytes[0] = a->bytes[0];
    r->bytes[1] = a->bytes[1];
    r->size_bytes = a->size_bytes;
    r->sectors = a->sectors;
    r->access = (uint8_t)u->made_next;
    number = u->order->queue_of(u->order_self, r);
    LOOM_CHECK(number < u->queues);
    view = &u->view[number];
    if (view->length == u->depth) {
        u->full = true;
        return LDST_STALL_QUEUE;
    }
    if (loom_chain(&u->marks) != 0) {
        r->policy_bits = loom_marks_ask(&u->marks, r);
    }
    queue = &u->queue[number];
    tail = queue->head + view->length++;
    queue->item[tail < u->depth ? tail : tail - u->depth] = *r;
    view->head = &queue->item[queue->head];
    u->queued++;
    u->made_next++;
    return LDST_MOVED;
}

/* One step of the instruction in dispatch. */
static void dispatch(struct ldst *u, loom_cycle now)
{
    enum ldst_stall stall = LDST_MOVED;

    if (!u->started) {
        stall = start(u, now);
    }
    if (u->started) {
        if (u->made_next < u->made_count) {
            stall = u->port == LDST_L1D ? queue_access(u)
                                        : ldst_send_cached(u, now);
        }
        if (u->made_next == u->made_count) {
            u->busy = false;
            u->started = false;
        }
    }
    set_wait(u, &u->dispatch_wait, stall, now);
}

/* ---- towards the L1 ---- */

static void send_access(struct ldst *u, loom_cycle now)
{
    struct loom_queue_view *view;
    struct ldst_queue *queue;
    uint32_t number;

    if (!loom_ready(u->to[LDST_L1D], now)) {
        set_wait(u, &u->l1_wait, LDST_STALL_L1, now);
        return;
    }
    set_wait(u, &u->l1_wait, LDST_MOVED, now);
    number = u->order->next(u->order_self, u->view, u->queues, now);
    LOOM_CHECK(number < u->queues && u->view[number].length != 0);
    view = &u->view[number];
    queue = &u->queue[number];
    *(struct loom_mem_request *)loom_send(u->to[LDST_L1D], now, 0) =
        *view->head;
    if (u->order->sent != NULL) {
        u->order->sent(u->order_self, number, view->head);
    }
    queue->head = queue->head + 1 == u->depth ? 0 : queue->head + 1;
    view->length--;
    view->head = view->length != 0 ? &queue->item[queue->head] : NULL;
    u->queued--;
    u->full = false;
    u->sent_at = now;
}

/* ---- the cycle ---- */

/* The data of a copy to shared memory go there when they come; its store is
 * told when the copy is, and takes banks, but no turn in dispatch. */
static bool stores_copy(struct ldst *u, loom_cycle now)
{
    const struct loom_static_inst *inst;

    if (u->access.command != LOOM_WARP_MEMORY) {
        return false;
    }
    inst = &u->access.kernel->inst[u->access.inst.index];
    if (inst->op != LOOM_OP_STORE || inst->space != LOOM_SPACE_SHARED ||
        (inst->flags & LOOM_INST_ASYNC) == 0 ||
        ldst_store_copy(u, inst, now) != LDST_MOVED) {
        return false;
    }
    count_inst(u, inst);
    return true;
}

static void take_instruction(struct ldst *u, loom_cycle now)
{
    const struct loom_warp_access *a;

    while ((a = loom_peek(u->from_sm, now)) != NULL) {
        u->access = *a;
        u->started = false;
        if (u->config->dispatch_latch) {
            u->busy = true;
            return;
        }
        loom_pop(u->from_sm, now);
        if (!stores_copy(u, now)) {
            u->busy = true;
            return;
        }
    }
}

static loom_cycle next_done(struct ldst *u, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;

    for (uint32_t left = u->due; left != 0; left &= left - 1) {
        const struct ldst_ring *r = &u->ring[loom_lowest(left)];

        if (r->item[r->head].ready < next) {
            next = r->item[r->head].ready;
        }
    }
    if (next <= now) {
        return loom_ready(u->to_sm, now) ? now + 1 : LOOM_NEVER;
    }
    return next;
}

/* The next access of the instruction in dispatch finds its queue full, which
 * is the only one. */
static bool finds_full(const struct ldst *u)
{
    return u->queues == 1 && u->view[0].length == u->depth && u->started &&
           u->port == LDST_L1D;
}

static loom_cycle next_dispatch(struct ldst *u, loom_cycle now)
{
    if (!u->busy) {
        return loom_arrival(u->from_sm) <= now ? now + 1 : LOOM_NEVER;
    }
    switch (u->dispatch_wait.reason) {
    case LDST_MOVED:
        if (!finds_full(u)) {
            return now + 1;
        }
        u->full = true;
        expect_wait(&u->dispatch_wait, LDST_STALL_QUEUE, now);
        return LOOM_NEVER;
    case LDST_STALL_SHARED:
        return u->shared_free > now ? u->shared_free : LOOM_NEVER;
    case LDST_STALL_CONST:
        return u->const_free > now ? u->const_free : LOOM_NEVER;
    default: /* a reply, a credit or a write-back wakes */
        return LOOM_NEVER;
    }
}

/* More than are taken in a cycle. */
static bool replies_wait(const struct ldst *u, loom_cycle now)
{
    for (uint64_t left = u->incoming; left != 0; left &= left - 1) {
        if (loom_arrival(u->from[loom_lowest(left)]) <= now) {
            return true;
        }
    }
    return false;
}

/* Do the queues wait for the L1 and the instruction in dispatch, if any, for
 * them?  Then nothing moves, and the waits go on as they are, until the L1
 * takes an access. */
static bool held_up(const struct ldst *u)
{
    return u->l1_wait.reason == LDST_STALL_L1 && u->queued != 0 &&
           (!u->busy || (u->full && u->started && u->port == LDST_L1D &&
                         u->dispatch_wait.reason == LDST_STALL_QUEUE));
}

/* Dispatch and the queues' heads. */
static void go_on(struct ldst *u, loom_cycle now)
{
    for (uint32_t n = 0; n < u->width; n++) {
        if (u->busy) {
            dispatch(u, now);
        }
        if (u->queued != 0) {
            send_access(u, now);
        }
    }
}

loom_cycle ldst_tick(struct loom_component *self, loom_cycle now)
{
    struct ldst *u = loom_state(self);
    loom_cycle done, more;
    bool in_dispatch;

    if (u->incoming != 0) {
        ldst_take_replies(u, now);
    }
    if (u->due != 0) {
        ldst_write_back(u, now);
    }
    if (!u->busy) {
        take_instruction(u, now);
    }
    in_dispatch = u->busy;
    if (!held_up(u) || loom_ready(u->to[LDST_L1D], now)) {
        go_on(u, now);
    }
    if (in_dispatch && !u->busy && u->config->dispatch_latch) {
        loom_pop(u->from_sm, now);
    }
    if (u->sent_at == now && (u->queued != 0 || u->busy)) {
        return now + 1;
    }
    if (u->replies != 0 && replies_wait(u, now)) {
        return now + 1;
    }
    done = next_done(u, now);
    more = next_dispatch(u, now);
    return done < more ? done : more;
}

void ldst_settle(struct loom_component *self, loom_cycle now)
{
    struct ldst *u = loom_state(self);

    settle_wait(u, &u->dispatch_wait, now);
    settle_wait(u, &u->l1_wait, now);
    ldst_integrate(u, now);
}
