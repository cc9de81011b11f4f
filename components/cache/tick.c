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
#include "components/cache/answers.h"
#include "components/cache/reply.h"
#include "components/cache/wait.h"

/* The oldest access of the bank. */
static LOOM_INLINE struct cache_item *
oldest(struct cache *c, struct cache_bank *bank, bool again)
{
    const struct cache_slot *slot = &bank->pipe[bank->head];
    struct cache_item *item;

    if (slot->parent == CACHE_NONE) {
        return &bank->item[bank->head];
    }
    item = &c->up.parent[slot->parent];
    if (!again) {
        cache_cut(item, &item->request, slot->sector);
    }
    return item;
}

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
    item = oldest(c, bank, again);
    if (c->quiet_loads && item->request.kind == LOOM_MEM_LOAD &&
        (item->request.bypassed & c->level) == 0) {
        stall = cache_serve_load(c, bank, item, now);
    } else {
        stall = cache_serve(c, bank, item, again, now);
    }
    if (stall != CACHE_DONE) {
        cache_wait_on(c, &bank->wait, &item->request, stall, now);
        return false;
    }
    if (cache_parent_of(&c->up, item) != CACHE_NONE &&
        item->request.kind == LOOM_MEM_WRITEBACK) {
        cache_part_done(&c->up,
                        &c->up.parent[item->parent]); /* without a reply */
    }
    bank->wait.reason = CACHE_DONE;
    bank->head = cache_next_place(&c->pipe, bank->head);
    bank->due = --bank->count != 0 ? bank->pipe[bank->head].ready : LOOM_NEVER;
    c->pipe.held--;
    return true;
}

/* True if another bank should be tried again, as what was served may be what
 * it waits for. */
static bool serve_banks(struct cache *c, loom_cycle now)
{
    bool served = false;

    for (uint32_t i = 0; i < c->pipe.banks && c->pipe.held != 0; i++) {
        if (c->pipe.bank[i].count != 0 && serve(c, &c->pipe.bank[i], now)) {
            served = true;
            c->changes++;
        }
    }
    return served && c->pipe.held != 0;
}

static LOOM_INLINE bool serve_all(struct cache *c, loom_cycle now,
                                  bool one_access)
{
    uint32_t width = one_access ? 1 : c->config->accesses_per_cycle;

    if (!one_access && c->pipe.banks > 1) {
        return serve_banks(c, now);
    }
    for (uint32_t n = 0; n < width && c->pipe.held != 0; n++) {
        if (!serve(c, &c->pipe.first_bank, now)) {
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
    return bank->wait.reason == LOOM_FAIL_MISS_QUEUE && c->down.sent_at == now
               ? now + 1
               : LOOM_NEVER;
}

static loom_cycle next_for_banks(const struct cache *c, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;

    for (uint32_t i = 0; i < c->pipe.banks; i++) {
        loom_cycle at = next_for_bank(c, &c->pipe.bank[i], now);

        next = at < next ? at : next;
    }
    return next;
}

/* Without a request below there is no reply to ask for. */
static LOOM_INLINE bool expects_replies(const struct cache *c)
{
    return (c->mshrs.used | c->down.passing_used | c->down.queries_out) != 0;
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
                                        bool one_access)
{
    loom_cycle next = one_access ? next_for_bank(c, &c->pipe.first_bank, now)
                                 : next_for_banks(c, now);
    loom_cycle fill;

    if (next == now + 1) {
        return next;
    }
    if (cache_has_to_send(&c->down) &&
        (c->down.sent_at == now || loom_ready(c->down.channel, now))) {
        return now + 1;
    }
    if (c->mshrs.ready_first != CACHE_NONE) {
        const struct cache_mshr *m = &c->mshrs.entry[c->mshrs.ready_first];

        if (loom_ready(c->up.port[cache_first_port(c, m)].up, now)) {
            return now + 1;
        }
    }
    if (c->up.incoming != 0 && room_to_admit(c, one_access) &&
        c->gate_port == CACHE_NO_PORT &&
        cache_pending_port(&c->up, now) != CACHE_NO_PORT) {
        return now + 1;
    }
    if (!expects_replies(c) || loom_arrival(c->from_below) > now) {
        return next;
    }
    fill = next_for_fill(c, now);
    return next < fill ? next : fill;
}

/* What could not be done in this tick cannot be done in the next one either,
 * unless a message comes that is more than counted: nothing waits for a credit
 * or for something that another tick could change. */
static LOOM_INLINE bool needs_message(const struct cache *c)
{
    const struct cache_bank *bank = &c->pipe.first_bank;

    return c->mshrs.ready_first == CACHE_NONE && !cache_has_to_send(&c->down) &&
           (c->pipe.held == 0 || bank->wait.reason == CACHE_DONE ||
            (bank->patience == CACHE_ALONE && bank->load &&
             (bank->wait.reason == LOOM_FAIL_LINE ||
              bank->wait.reason == LOOM_FAIL_MSHR)));
}

/* Nothing is due. */
static LOOM_INLINE bool at_rest(const struct cache *c, loom_cycle now)
{
    return c->waits_for_message && c->next > now &&
           (c->up.incoming == 0 || c->pipe.held == c->pipe.capacity);
}

/* ---- the cycle ---- */

/* Sectors that came together are answered together: as many as are served. */
static LOOM_INLINE void drain_all(struct cache *c, loom_cycle now,
                                  bool one_access)
{
    uint32_t width =
        !one_access && c->down.joins ? c->config->accesses_per_cycle : 1;

    while (width-- != 0 && c->mshrs.ready_first != CACHE_NONE) {
        cache_drain(c, now);
    }
}

/* `one_access`: one bank, and one access per cycle. */
static LOOM_INLINE loom_cycle run(struct cache *c, loom_cycle now,
                                  bool one_access)
{
    bool more = false;

    if (c->mshrs.ready_first != CACHE_NONE) {
        drain_all(c, now, one_access);
    }
    if (cache_has_to_send(&c->down)) {
        if (LOOM_UNLIKELY(!c->unobserved) && c->down.count != 0 &&
            loom_ready(c->down.channel, now)) {
            cache_tell_sent(c, &c->down.queue[c->down.head], now);
        }
        c->changes += cache_send_down(&c->down, now);
    }
    if ((c->up.incoming | c->up.split_left) != 0) {
        accept_all(c, now, one_access);
    }
    if (c->pipe.held != 0) {
        more = serve_all(c, now, one_access);
    }
    c->next = more ? now + 1 : next_tick(c, now, one_access);
    c->waits_for_message = one_access && c->on_part != CACHE_PARTS_FILL &&
                           c->next != now + 1 && needs_message(c);
    return c->next;
}

static LOOM_NOINLINE loom_cycle run_one_access(struct cache *c, loom_cycle now)
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

    if (expects_replies(c) && loom_arrival(c->from_below) <= now) {
        if (!cache_take_part(c, now)) {
            cache_from_below(c, now);
        } else if (at_rest(c, now)) {
            return LOOM_NEVER; /* what the last tick asked for still holds */
        }
    } else if (at_rest(c, now)) {
        return LOOM_NEVER; /* a request has come that cannot be admitted */
    }
    return LOOM_LIKELY(c->one_access) ? run_one_access(c, now)
                                      : run_banks(c, now);
}
