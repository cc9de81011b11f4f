/*
 * Time: a cycle of a cache, in the order of GPGPU-Sim's cache_cycle.
 *
 *   1. one reply from below: a fill, if the fill port is free
 *   2. one access of a ready MSHR is answered
 *   3. one request of the miss queue leaves
 *   4. accesses are admitted: into the pipeline, or around the cache
 *   5. accesses that have been hit_latency cycles in the pipeline are served
 *
 * An access that must wait blocks those behind it.  If only a fill, a drained
 * MSHR or a free place in the queue can change that, the cache sleeps and
 * counts the cycles when it wakes.
 */
#include "components/cache/cache_private.h"

void cache_reply(struct cache *c, const struct cache_item *item, uint8_t flags,
                 uint16_t reply_bits, loom_cycle now, loom_cycle delay)
{
    struct loom_mem_request *reply = loom_send(c->up[item->port], now, delay);

    *reply = item->request;
    reply->flags &= (uint8_t)~LOOM_MEM_HIT;
    reply->flags |= (uint8_t)(LOOM_MEM_REPLY | flags);
    reply->reply_bits = reply_bits;
    c->stats->replies++;
    if (loom_observed(&c->observers, LOOM_EVENT_REPLY)) {
        struct cache_access a = {
            .request = reply,
            .line = reply->block,
            .now = now,
            .set = CACHE_NONE,
            .way = CACHE_NONE,
        };

        cache_tell(c, LOOM_EVENT_REPLY, &a);
    }
}

/* ---- waiting ---- */

static void settle_wait(struct cache *c, struct cache_wait *w, loom_cycle now)
{
    if (w->reason == CACHE_DONE || now <= w->counted) {
        return;
    }
    if (w->reason < LOOM_FAIL_REASONS) {
        c->stats->reservation_fails[w->reason] += now - w->counted;
    } else {
        c->stats->other_stalls[w->reason - LOOM_FAIL_REASONS] +=
            now - w->counted;
    }
    w->counted = now;
}

static void tell_fail(struct cache *c, const struct cache_wait *w,
                      const struct loom_mem_request *r, loom_cycle now)
{
    struct loom_event event = {
        .now = now,
        .request = r,
        .block = r->block,
        .kind = LOOM_EVENT_RESERVATION_FAIL,
        .cta = r->cta,
        .inst = r->inst,
        .count = (uint32_t)(now - w->since + 1),
        .set = CACHE_NONE,
        .way = CACHE_NONE,
        .warp = r->warp,
        .rank = r->rank,
        .scheduler = r->scheduler,
        .reason = (uint8_t)w->reason,
    };

    loom_observers_tell(&c->observers, &event);
}

/* The access was tried at `now` and must wait. */
static void wait_on(struct cache *c, struct cache_wait *w,
                    const struct loom_mem_request *r, enum cache_stall reason,
                    loom_cycle now)
{
    if (w->reason == CACHE_DONE) {
        w->since = now;
        w->counted = LOOM_NEVER;
        w->failed = false;
    }
    w->reason = reason;
    if (w->counted != now) {
        w->counted = now;
        if (reason < (uint32_t)LOOM_FAIL_REASONS) {
            c->stats->reservation_fails[reason]++;
        } else {
            c->stats->other_stalls[reason - LOOM_FAIL_REASONS]++;
        }
    }
    if (reason >= (uint32_t)LOOM_FAIL_REASONS) {
        return;
    }
    if (!w->failed) {
        w->failed = true;
        c->stats->fail_accesses[reason]++;
    }
    if (loom_observed(&c->observers, LOOM_EVENT_RESERVATION_FAIL)) {
        tell_fail(c, w, r, now);
    }
}

/* Nothing has changed that could help the oldest access. */
static bool hopeless(const struct cache *c)
{
    return c->patient && !c->changed &&
           (c->head.reason == LOOM_FAIL_LINE ||
            c->head.reason == LOOM_FAIL_MSHR ||
            c->head.reason == LOOM_FAIL_MERGE);
}

/* ---- the upper side ---- */

/* A link of `up` with a message, from next_port on. */
static uint32_t pending_port(const struct cache *c, loom_cycle now)
{
    uint32_t port = c->next_port;

    for (uint32_t i = 0; i < c->ports; i++) {
        if (loom_arrival(c->from_above[port]) <= now) {
            return port;
        }
        port = port + 1 == c->ports ? 0 : port + 1;
    }
    return CACHE_NONE;
}

/* Does the oldest request of `port` go around?  Asked once: a verdict of
 * BYPASS is final. */
static bool goes_around(struct cache *c, const struct loom_mem_request *r,
                        uint32_t port)
{
    if (c->gate_port == port) {
        return true;
    }
    c->gate_bypass = (struct loom_bypass){
        r->size_bytes,
        (r->flags & LOOM_MEM_MAY_MERGE) != 0,
    };
    c->gate_by = r->bypassed_by;
    if ((r->bypassed & c->level) != 0) {
        return r->kind != LOOM_MEM_FLUSH;
    }
    c->gate_by = 0;
    c->gate_bypass.may_merge = false;
    if (r->kind == LOOM_MEM_ATOMIC && c->write != CACHE_WRITE_BACK) {
        return true; /* atomics are done where lines are written back */
    }
    if (c->admit.count == 0 || r->kind >= CACHE_KINDS) {
        return false;
    }
    c->gate_by = cache_ask_admit(c, r, &c->gate_bypass);
    return c->gate_by != 0;
}

static bool send_around(struct cache *c, const struct loom_mem_request *r,
                        uint32_t port, loom_cycle now)
{
    struct cache_item item = {.request = *r, .port = port};
    enum cache_stall stall;

    settle_wait(c, &c->gate, now - 1);
    cache_mark_bypass(c, &item.request, &c->gate_bypass, c->gate_by);
    stall = cache_bypass(c, &item, now);
    if (stall != CACHE_DONE) {
        c->gate_port = port;
        wait_on(c, &c->gate, r, stall, now);
        return false;
    }
    c->gate_port = CACHE_NONE;
    c->gate.reason = CACHE_DONE;
    return true;
}

static void accept_all(struct cache *c, loom_cycle now)
{
    uint32_t width = c->config->accesses_per_cycle;

    for (uint32_t n = 0; n < width && c->pipe_count < c->pipe_capacity; n++) {
        uint32_t port =
            c->gate_port != CACHE_NONE ? c->gate_port : pending_port(c, now);
        const struct loom_mem_request *r;

        if (port == CACHE_NONE) {
            return;
        }
        r = loom_peek(c->from_above[port], now);
        if (goes_around(c, r, port)) {
            if (!send_around(c, r, port, now)) {
                return;
            }
        } else {
            uint32_t tail = c->pipe_head + c->pipe_count++;

            tail = tail < c->pipe_capacity ? tail : tail - c->pipe_capacity;
            c->pipe[tail].request = *r;
            c->pipe[tail].port = port;
            c->pipe_ready[tail] = now + c->config->hit_latency;
        }
        loom_pop(c->from_above[port], now);
        c->next_port = port + 1 == c->ports ? 0 : port + 1;
    }
}

static void serve_all(struct cache *c, loom_cycle now)
{
    uint32_t width = c->config->accesses_per_cycle;

    for (uint32_t n = 0; n < width && c->pipe_count != 0; n++) {
        struct cache_item *item = &c->pipe[c->pipe_head];
        bool again = c->head.reason != CACHE_DONE;
        enum cache_stall stall;

        if (c->pipe_ready[c->pipe_head] > now || (again && hopeless(c))) {
            return;
        }
        settle_wait(c, &c->head, now - 1);
        c->changed = false;
        stall = cache_serve(c, item, again, now);
        if (stall != CACHE_DONE) {
            wait_on(c, &c->head, &item->request, stall, now);
            return;
        }
        c->head.reason = CACHE_DONE;
        c->pipe_count--;
        c->pipe_head =
            c->pipe_head + 1 == c->pipe_capacity ? 0 : c->pipe_head + 1;
    }
}

/* ---- the cycle ---- */

static loom_cycle next_for_pipe(const struct cache *c, loom_cycle now)
{
    loom_cycle ready = c->pipe_ready[c->pipe_head];

    if (c->pipe_count == 0) {
        return LOOM_NEVER;
    }
    if (c->head.reason == CACHE_DONE) {
        return ready > now ? ready : now + 1;
    }
    if (c->head.reason == CACHE_STALL_DATA_PORT) {
        return c->data_free;
    }
    return c->head.reason == LOOM_FAIL_MISS_QUEUE && c->sent_at == now
               ? now + 1
               : LOOM_NEVER;
}

/* A fill that waits for its port or for room to write back. */
static loom_cycle next_for_fill(const struct cache *c, loom_cycle now)
{
    const struct loom_mem_request *reply = loom_peek(c->from_below, now);

    if (reply == NULL || (reply->token & CACHE_TOKEN_PASSING) != 0) {
        return LOOM_NEVER; /* or for a credit, which wakes */
    }
    return c->fill_free > now ? c->fill_free : now + 1;
}

static loom_cycle next_tick(struct cache *c, loom_cycle now)
{
    loom_cycle pipe = next_for_pipe(c, now);
    loom_cycle fill = next_for_fill(c, now);

    if ((c->queue_count != 0 || c->query_count != 0) &&
        (c->sent_at == now || loom_ready(c->down, now))) {
        return now + 1;
    }
    if (c->ready_first != CACHE_NONE) {
        const struct cache_mshr *m = &c->mshr[c->ready_first];

        if (loom_ready(c->up[c->waiting[m->first].port], now)) {
            return now + 1;
        }
    }
    if (c->pipe_count < c->pipe_capacity && c->gate_port == CACHE_NONE &&
        pending_port(c, now) != CACHE_NONE) {
        return now + 1;
    }
    return pipe < fill ? pipe : fill;
}

loom_cycle cache_tick(struct loom_component *self, loom_cycle now)
{
    struct cache *c = loom_state(self);

    cache_from_below(c, now);
    cache_drain(c, now);
    cache_send_down(c, now);
    accept_all(c, now);
    serve_all(c, now);
    return next_tick(c, now);
}

static uint64_t sum(const uint64_t by_kind[CACHE_KINDS])
{
    return by_kind[0] + by_kind[1] + by_kind[2] + by_kind[3];
}

void cache_settle(struct loom_component *self, loom_cycle now)
{
    struct cache *c = loom_state(self);
    struct cache_stats *s = c->stats;

    settle_wait(c, &c->head, now);
    settle_wait(c, &c->gate, now);
    cache_integrate(c, now);
    s->accesses = sum(s->accesses_by_kind);
    s->hits = sum(s->hits_by_kind);
    s->pending_hits = sum(s->pending_hits_by_kind);
    s->misses = sum(s->misses_by_kind);
    s->bypasses = sum(s->bypasses_by_kind);
    s->lookups = s->hits + s->pending_hits + s->misses;
}
