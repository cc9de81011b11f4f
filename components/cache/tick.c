/*
 * Time: a cycle of a cache, in the order of GPGPU-Sim's cache_cycle.
 *
 *   1. one reply from below: a fill, if the fill port is free
 *   2. one access of a ready MSHR is answered
 *   3. one request of the miss queue leaves
 *   4. accesses are admitted: into the pipeline of their bank, or around the
 *      cache; requests may be split into their sectors
 *   5. accesses that have been hit_latency cycles in a pipeline are served
 *
 * An access that must wait blocks those behind it in its bank.  If only a fill,
 * a drained MSHR or a free place in the queue can change that, the cache sleeps
 * and counts the cycles when it wakes.
 */
#include "components/cache/tick.h"

#include "components/cache/access.h"
#include "components/cache/admit.h"

/* False: the oldest access must wait. */
static LOOM_INLINE bool serve(struct cache *c, struct cache_bank *bank,
                              loom_cycle now)
{
    bool again = bank->wait.reason != CACHE_DONE;
    struct cache_item *item;
    enum cache_stall stall;

    if (bank->due > now || (again && cache_hopeless(c, bank))) {
        return false;
    }
    if (again) {
        cache_settle_wait(c, &bank->wait, now);
    }
    bank->tried = c->changes;
    item = cache_oldest(c, bank, again);
    if (c->usual && item->request.kind == LOOM_MEM_LOAD &&
        (item->request.bypassed & c->level) == 0) {
        stall = cache_serve_load(c, bank, item, now);
    } else {
        stall = cache_serve(c, bank, item, again, now);
    }
    if (stall != CACHE_DONE) {
        cache_wait_on(c, &bank->wait, &item->request, stall, now);
        return false;
    }
    if (cache_parent_of(c, item) != CACHE_NONE &&
        item->request.kind == LOOM_MEM_WRITEBACK) {
        cache_part_done(c, &c->parent[item->parent]); /* without a reply */
    }
    bank->wait.reason = CACHE_DONE;
    bank->head = cache_next_place(c, bank->head);
    bank->due = --bank->count != 0 ? bank->pipe[bank->head].ready : LOOM_NEVER;
    c->held--;
    return true;
}

/* True if another bank should be tried again, as what was served may be what
 * it waits for. */
static bool serve_banks(struct cache *c, loom_cycle now)
{
    bool served = false;

    for (uint32_t i = 0; i < c->banks && c->held != 0; i++) {
        if (c->bank[i].count != 0 && serve(c, &c->bank[i], now)) {
            served = true;
            c->changes++;
        }
    }
    return served && c->held != 0;
}

static LOOM_INLINE bool serve_all(struct cache *c, loom_cycle now, bool single)
{
    uint32_t width = single ? 1 : c->config->accesses_per_cycle;

    if (!single && c->banks > 1) {
        return serve_banks(c, now);
    }
    for (uint32_t n = 0; n < width && c->held != 0; n++) {
        if (!serve(c, &c->first_bank, now)) {
            break;
        }
    }
    return false;
}

/* ---- the next cycle ---- */

static LOOM_INLINE loom_cycle next_for_bank(const struct cache *c,
                                            const struct cache_bank *bank,
                                            loom_cycle now)
{
    if (bank->wait.reason == CACHE_DONE) { /* also of an empty one */
        return bank->due > now ? bank->due : now + 1;
    }
    if (bank->wait.reason == CACHE_STALL_DATA_PORT) {
        return bank->data_free;
    }
    return bank->wait.reason == LOOM_FAIL_MISS_QUEUE && c->sent_at == now
               ? now + 1
               : LOOM_NEVER;
}

static loom_cycle next_for_banks(const struct cache *c, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;

    for (uint32_t i = 0; i < c->banks; i++) {
        loom_cycle at = next_for_bank(c, &c->bank[i], now);

        next = at < next ? at : next;
    }
    return next;
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

/* What was asked first need not be asked: a tick at now + 1 asks it all. */
static LOOM_INLINE loom_cycle next_tick(struct cache *c, loom_cycle now,
                                        bool single)
{
    loom_cycle next =
        single ? next_for_bank(c, &c->first_bank, now) : next_for_banks(c, now);
    loom_cycle fill;

    if (next == now + 1) {
        return next;
    }
    if ((c->queue_count | c->query_count) != 0 &&
        (c->sent_at == now || loom_ready(c->down, now))) {
        return now + 1;
    }
    if (c->ready_first != CACHE_NONE) {
        const struct cache_mshr *m = &c->mshr[c->ready_first];

        if (loom_ready(c->port[cache_first_port(c, m)].up, now)) {
            return now + 1;
        }
    }
    if (c->incoming != 0 && room_to_admit(c, single) &&
        c->gate_port == CACHE_NO_PORT &&
        cache_pending_port(c, now) != CACHE_NO_PORT) {
        return now + 1;
    }
    if (!cache_expects_replies(c) || loom_arrival(c->from_below) > now) {
        return next;
    }
    fill = next_for_fill(c, now);
    return next < fill ? next : fill;
}

/* What could not be done in this tick cannot be done in the next one either,
 * unless a message comes that is more than counted: nothing waits for a credit
 * or for something that another tick could change. */
static LOOM_INLINE bool rests(const struct cache *c)
{
    const struct cache_bank *bank = &c->first_bank;

    return c->ready_first == CACHE_NONE &&
           (c->queue_count | c->query_count) == 0 &&
           (c->held == 0 || bank->wait.reason == CACHE_DONE ||
            (bank->patience == CACHE_ALONE && bank->load &&
             (bank->wait.reason == LOOM_FAIL_LINE ||
              bank->wait.reason == LOOM_FAIL_MSHR)));
}

/* Nothing is due. */
static LOOM_INLINE bool at_rest(const struct cache *c, loom_cycle now)
{
    return c->rests && c->next > now &&
           (c->incoming == 0 || c->held == c->pipe_capacity);
}

/* ---- the cycle ---- */

/* `single`: one bank, and one access per cycle. */
static LOOM_INLINE loom_cycle run(struct cache *c, loom_cycle now, bool single)
{
    bool more = false;

    if (c->ready_first != CACHE_NONE) {
        cache_drain(c, now);
    }
    if ((c->queue_count | c->query_count) != 0) {
        cache_send_down(c, now);
    }
    if ((c->incoming | c->split_left) != 0) {
        accept_all(c, now, single);
    }
    if (c->held != 0) {
        more = serve_all(c, now, single);
    }
    c->next = more ? now + 1 : next_tick(c, now, single);
    c->rests = single && c->parts != CACHE_PARTS_FILL && c->next != now + 1 &&
               rests(c);
    return c->next;
}

static LOOM_NOINLINE loom_cycle run_single(struct cache *c, loom_cycle now)
{
    return run(c, now, true);
}

static LOOM_NOINLINE loom_cycle run_banks(struct cache *c, loom_cycle now)
{
    return run(c, now, false);
}

loom_cycle cache_tick(struct loom_component *self, loom_cycle now)
{
    struct cache *c = loom_state(self);

    if (cache_expects_replies(c) && loom_arrival(c->from_below) <= now) {
        if (!cache_take_part(c, now)) {
            cache_from_below(c, now);
        } else if (at_rest(c, now)) {
            return LOOM_NEVER; /* what the last tick asked for still holds */
        }
    } else if (at_rest(c, now)) {
        return LOOM_NEVER; /* a request has come that cannot be admitted */
    }
    return LOOM_LIKELY(c->single) ? run_single(c, now) : run_banks(c, now);
}
