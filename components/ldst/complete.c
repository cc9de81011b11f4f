/*
 * Completion: replies from the L1, and one register write-back per cycle.
 *
 * Loads and atomics of the three pipes (shared, constant, global) take turns
 * for the one write port of the register file, as in GPGPU-Sim; stores and
 * flushes only say that they are done.  An entry of the pending table is
 * free when its instruction has written back, which bounds everything here.
 */
#include "components/ldst/ldst_private.h"

uint8_t ldst_done_kind(const struct loom_static_inst *inst)
{
    return inst->op == LOOM_OP_LOAD    ? LOOM_DONE_LOAD
           : inst->op == LOOM_OP_STORE ? LOOM_DONE_STORE
                                       : LOOM_DONE_ATOMIC;
}

static struct ldst_done *done_at(const struct ldst_ring *r, uint32_t number)
{
    uint32_t place = r->head + number;

    return &r->item[place < r->capacity ? place : place - r->capacity];
}

/* In the order in which they are ready: behind those of the same cycle. */
void ldst_push_done(struct ldst *u, uint32_t ring, const struct ldst_done *done)
{
    struct ldst_ring *r = &u->ring[ring];
    uint32_t number = r->count++;

    u->due |= 1u << ring;
    LOOM_CHECK(r->count <= r->capacity);
    while (number != 0 && done_at(r, number - 1)->ready > done->ready) {
        *done_at(r, number) = *done_at(r, number - 1);
        number--;
    }
    *done_at(r, number) = *done;
}

/* The first pass ends `passes` - 1 cycles before the last at the latest. */
loom_cycle ldst_returned(struct ldst *u, uint32_t part, uint32_t passes,
                         loom_cycle last)
{
    loom_cycle *free = &u->taken_up[part % LDST_PARTS];
    loom_cycle first = last >= passes ? last - passes + 1 : 0;
    loom_cycle cycles = u->config->return_cycles;

    first = first > *free ? first : *free;
    *free = first + passes * cycles;
    first += (passes - 1) * cycles;
    return first > last ? first : last;
}

static void pop_done(struct ldst *u, uint32_t ring)
{
    struct ldst_ring *r = &u->ring[ring];

    r->head = r->head + 1 == r->capacity ? 0 : r->head + 1;
    r->count--;
    if (r->count == 0) {
        u->due &= ~(1u << ring);
    }
}

void ldst_integrate(struct ldst *u, loom_cycle now)
{
    if (now > u->pending_counted) {
        u->stats->pending_entry_cycles +=
            u->pending_used * (now - u->pending_counted);
        u->pending_counted = now;
    }
}

static void tell_complete(struct ldst *u, const struct ldst_pending *p,
                          loom_cycle now)
{
    struct loom_event event = {
        .now = now,
        .kernel = p->kernel,
        .kind = LOOM_EVENT_MEM_COMPLETE,
        .cta = p->cta,
        .inst = p->inst,
        .mask = p->mask,
        .count = p->accesses,
        .hits = p->hits,
        .bypasses = p->bypasses,
        .warp = p->warp,
        .rank = p->rank,
        .scheduler = p->scheduler,
    };

    loom_observers_tell(&u->observers, &event);
}

static uint32_t pipe_of(const struct ldst *u, const struct ldst_pending *p)
{
    if (p->done == LOOM_DONE_STORE) {
        return LDST_PIPE_ACK;
    }
    if (p->port != LDST_L1D) {
        return p->port == LDST_L1C ? LDST_PIPE_CONST : LDST_PIPE_TEXTURE;
    }
    return u->config->bypass_writeback && p->bypasses != 0 ? LDST_PIPE_BYPASS
                                                           : LDST_PIPE_GLOBAL;
}

/* All replies of the instruction are back. */
void ldst_complete(struct ldst *u, uint32_t entry, loom_cycle now)
{
    const struct ldst_pending *p = &u->pending[entry];
    struct ldst_done done = {
        .message = {.warp = p->warp,
                    .kind = p->done,
                    .slot = p->slot,
                    .inst = p->inst,
                    .cta = p->cta},
        .born = p->born,
        .ready = now,
        .entry = entry,
    };

    if (p->done == LOOM_DONE_ATOMIC) {
        done.ready += u->config->atomic_latency;
    }
    if (p->passes != 0) {
        done.ready = ldst_returned(u, p->scheduler, p->passes, now);
    }
    if (p->port == LDST_L1D &&
        loom_observed(&u->observers, LOOM_EVENT_MEM_COMPLETE)) {
        tell_complete(u, p, now);
    }
    ldst_push_done(u, pipe_of(u, p), &done);
}

static void flushed(struct ldst *u, const struct loom_mem_request *r,
                    loom_cycle now)
{
    struct ldst_done done = {
        .message.kind = LOOM_DONE_FLUSH, .ready = now, .entry = LDST_NONE};

    if ((r->flags & LOOM_MEM_RESIZE) != 0) {
        u->resizing = false;
    } else {
        ldst_push_done(u, LDST_PIPE_ACK, &done);
    }
}

static void count_reply(struct ldst *u, struct ldst_pending *p,
                        const struct loom_mem_request *r)
{
    bool hit = (r->flags & LOOM_MEM_HIT) != 0;

    u->stats->replies++;
    if (LOOM_UNLIKELY(p->port != LDST_L1D)) {
        *(p->port == LDST_L1C ? &u->stats->const_hits
                              : &u->stats->texture_hits) += hit;
    } else if ((r->bypassed & LOOM_LEVEL_L1) != 0) {
        p->bypasses++;
        u->stats->l1_bypasses++;
    } else if (hit) {
        p->hits++;
        u->stats->l1_hits++;
    }
}

static void take_from(struct ldst *u, struct loom_channel *from, loom_cycle now)
{
    uint32_t most = u->replies;
    const struct loom_mem_request *r;

    for (uint32_t n = 0; most == 0 || n < most; n++) {
        struct ldst_pending *p;

        r = loom_peek(from, now);
        if (r == NULL) {
            return;
        }
        p = &u->pending[r->origin];
        if (r->kind == LOOM_MEM_FLUSH) {
            flushed(u, r, now);
        } else if ((r->flags & LOOM_MEM_MORE) != 0) {
            u->stats->part_replies++;
        } else {
            count_reply(u, p, r);
            LOOM_CHECK(p->outstanding != 0);
            if (--p->outstanding == 0) {
                ldst_complete(u, r->origin, now);
            }
        }
        loom_pop(from, now);
    }
}

void ldst_take_replies(struct ldst *u, loom_cycle now)
{
    for (uint64_t left = u->incoming; left != 0; left &= left - 1) {
        take_from(u, u->from[loom_lowest(left)], now);
    }
}

/* Cycles since it issued. */
static uint64_t age_of(const struct ldst *u, const struct ldst_done *done,
                       loom_cycle now)
{
    loom_time time = loom_cycle_time(u->self, now) - done->born;

    return (time + u->period / 2) / u->period;
}

LOOM_NOINLINE static void
tell_done(struct ldst *u, const struct ldst_done *done, loom_cycle now)
{
    struct loom_event event = {
        .now = now,
        .kind = LOOM_EVENT_MEM_DONE,
        .cta = done->message.cta,
        .inst = done->message.inst,
        .count = done->entry == LDST_NONE ? UINT32_MAX : done->entry,
        .duration = age_of(u, done, now),
        .warp = done->message.warp,
    };

    if (done->entry != LDST_NONE) {
        event.kernel = u->pending[done->entry].kernel;
        event.scheduler = u->pending[done->entry].scheduler;
    }
    loom_observers_tell(&u->observers, &event);
}

static void send_done(struct ldst *u, uint32_t ring, loom_cycle now)
{
    const struct ldst_ring *r = &u->ring[ring];
    const struct ldst_done *done = &r->item[r->head];
    struct loom_warp_done *message = loom_send(u->to_sm, now, 0);

    *message = done->message;
    if (done->message.kind == LOOM_DONE_LOAD) {
        loom_histogram_add(&u->stats->load_latency, age_of(u, done, now));
    }
    if (loom_observed(&u->observers, LOOM_EVENT_MEM_DONE) &&
        done->message.kind != LOOM_DONE_FLUSH) {
        tell_done(u, done, now);
    }
    if (done->message.kind == LOOM_DONE_FLUSH) {
        u->flushing = false;
    }
    if (done->entry != LDST_NONE) {
        ldst_integrate(u, now);
        u->pending_free[--u->pending_used] = done->entry;
    }
    pop_done(u, ring);
}

static bool due(const struct ldst_ring *r, loom_cycle now)
{
    return r->count != 0 && r->item[r->head].ready <= now;
}

static bool is_store(const struct ldst_ring *r)
{
    return r->item[r->head].message.kind == LOOM_DONE_STORE;
}

void ldst_write_back(struct ldst *u, loom_cycle now)
{
    const uint32_t pipes = (1u << LDST_PIPES) - 1;
    struct ldst_ring *shared = &u->ring[LDST_PIPE_SHARED];
    uint32_t left;

    if (due(&u->ring[LDST_PIPE_ACK], now)) {
        if (loom_ready(u->to_sm, now)) {
            send_done(u, LDST_PIPE_ACK, now);
        }
    } else if (due(shared, now) && is_store(shared) &&
               loom_ready(u->to_sm, now)) {
        send_done(u, LDST_PIPE_SHARED, now);
    }
    /* The pipes from `turn` on, then those before it. */
    left = u->due & pipes;
    left = (left | left << LDST_PIPES) >> u->turn & pipes;
    for (; left != 0; left &= left - 1) {
        uint32_t pipe = u->turn + loom_lowest(left);
        struct ldst_ring *r;

        pipe = pipe < LDST_PIPES ? pipe : pipe - LDST_PIPES;
        r = &u->ring[pipe];
        if (due(r, now) && !is_store(r)) {
            if (loom_ready(u->to_sm, now)) {
                send_done(u, pipe, now);
                u->turn = pipe + 1 < LDST_PIPES ? pipe + 1 : 0;
            }
            return;
        }
    }
}
