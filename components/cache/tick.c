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
#include "components/cache/answers.h"
#include "components/cache/ask.h"
#include "components/cache/reply.h"
#include "components/cache/send.h"
#include "components/cache/wait.h"

/* ---- requests are admitted: into the pipeline of their bank, sector by sector
 * if they are split, or around the cache ---- */

/* Does the oldest request of `port` go around?  Asked once: a verdict of
 * BYPASS is final. */
static bool decide_around(struct cache *c, const struct loom_mem_request *r,
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
        return r->kind != LOOM_MEM_FLUSH &&
               (r->kind != LOOM_MEM_LOAD || !c->config->around_waits);
    }
    c->gate_bypass.may_merge = false;
    return cache_goes_around(c, r, &c->gate_bypass, &c->gate_by);
}

/* Does the request go around?  Most are seen at once not to. */
static LOOM_INLINE bool
goes_around(struct cache *c, const struct loom_mem_request *r, uint32_t port)
{
    if (LOOM_LIKELY(!c->asks_admit && c->gate_port != port &&
                    (r->bypassed & c->level) == 0 &&
                    r->kind != LOOM_MEM_ATOMIC)) {
        return false;
    }
    return decide_around(c, r, port);
}

static bool send_around(struct cache *c, const struct loom_mem_request *r,
                        uint32_t port, loom_cycle now)
{
    struct cache_item item = {
        .request = *r, .port = (uint8_t)port, .parent = CACHE_NONE};
    enum cache_stall stall;

    cache_settle_wait(c, &c->gate, now);
    cache_mark_bypass(c, &item.request, &c->gate_bypass, c->gate_by);
    stall = cache_bypass(c, &item, now);
    if (stall != CACHE_DONE) {
        c->gate_port = (uint8_t)port;
        cache_wait_on(c, &c->gate, r, stall, now);
        return false;
    }
    c->gate_port = CACHE_NO_PORT;
    c->gate.reason = CACHE_DONE;
    return true;
}

/* The next sector of the request that is split.  Where there are banks, two of
 * its sectors may be tried in one cycle, and each has an item. */
static LOOM_INLINE bool admit_sector(struct cache *c, struct cache_bank *bank,
                                     loom_cycle now, bool one_access)
{
    uint32_t sector = loom_lowest(c->up.split_left);

    if (one_access || c->pipe.banks == 1) {
        cache_take_slot(&c->pipe, bank, c->up.split_parent, sector, now);
    } else {
        struct cache_item *item =
            cache_take_slot(&c->pipe, bank, CACHE_NONE, 0, now);

        *item = c->up.parent[c->up.split_parent];
        cache_cut(item, &item->request, sector);
    }
    c->stats->split_accesses++;
    c->up.split_left &= (uint8_t)(c->up.split_left - 1u);
    return c->up.split_left == 0;
}

static LOOM_INLINE void admit_whole(struct cache *c, struct cache_bank *bank,
                                    const struct loom_mem_request *r,
                                    uint32_t port, loom_cycle now)
{
    struct cache_item *item =
        cache_take_slot(&c->pipe, bank, CACHE_NONE, 0, now);

    loom_mem_copy(&item->request, r);
    if (!c->up.bare_items) {
        item->port = (uint8_t)port;
        item->parent = CACHE_NONE;
    }
}

/* The bank that takes the request, or its next sector; NULL: it cannot. */
static LOOM_INLINE struct cache_bank *
bank_with_place(struct cache *c, const struct loom_mem_request *r,
                loom_cycle now, bool one_access)
{
    struct cache_bank *bank = &c->pipe.first_bank;

    if (!one_access && c->pipe.banks > 1) {
        bank = cache_bank_of(
            &c->pipe, r, c->up.split_left != 0 ? c->up.split_left : r->sectors);
        if (cache_has_taken(&c->pipe, bank, now)) {
            c->stats->other_stalls[CACHE_STALL_BANK - (int)LOOM_FAIL_REASONS]++;
            return NULL;
        }
    }
    if (bank->count == c->pipe.capacity) {
        c->pipe.full = bank;
        return NULL;
    }
    if (!one_access) {
        c->pipe.full = NULL;
        c->pipe.flushing = c->pipe.banks > 1 && r->kind == LOOM_MEM_FLUSH;
    }
    return bank;
}

/* Puts the request, or its next sector, into its bank.  False: the bank has
 * no place; *whole: nothing of the request is left. */
static LOOM_INLINE bool admit(struct cache *c, const struct loom_mem_request *r,
                              uint32_t port, loom_cycle now, bool *whole,
                              bool one_access)
{
    struct cache_bank *bank = bank_with_place(c, r, now, one_access);

    if (bank == NULL) {
        *whole = false;
        return false;
    }
    if (c->split && r->kind < CACHE_KINDS &&
        (r->sectors & (r->sectors - 1u)) != 0 &&
        (r->bypassed & c->level) == 0) {
        cache_split(&c->up, r, port);
        c->up.split_port = (uint8_t)port;
        *whole = admit_sector(c, bank, now, one_access);
    } else {
        admit_whole(c, bank, r, port, now);
        *whole = true;
    }
    return true;
}

/* The sectors of a split request that follow its first. */
static LOOM_INLINE bool admit_next(struct cache *c, loom_cycle now, bool *whole,
                                   bool one_access)
{
    const struct loom_mem_request *r =
        &c->up.parent[c->up.split_parent].request;
    struct cache_bank *bank = bank_with_place(c, r, now, one_access);

    *whole = bank != NULL && admit_sector(c, bank, now, one_access);
    return bank != NULL;
}

static LOOM_INLINE bool room_to_admit(const struct cache *c, bool one_access)
{
    if (one_access || c->pipe.banks == 1) {
        return c->pipe.held < c->pipe.capacity;
    }
    return !c->pipe.flushing &&
           (c->pipe.full == NULL || c->pipe.full->count < c->pipe.capacity);
}

/* A link of `up` has a request that is not admitted yet. */
static LOOM_INLINE bool accept(struct cache *c, uint32_t port, loom_cycle now,
                               bool *whole, bool one_access)
{
    const struct loom_mem_request *r =
        loom_peek(c->up.port[port].from_above, now);

    return goes_around(c, r, port) ? send_around(c, r, port, now)
                                   : admit(c, r, port, now, whole, one_access);
}

/* One access.  False: there is none, or it cannot be admitted. */
static LOOM_INLINE bool accept_one(struct cache *c, loom_cycle now,
                                   bool one_access)
{
    uint32_t port = c->up.split_port;
    bool whole = true;

    if (c->up.split_left != 0) {
        if (!admit_next(c, now, &whole, one_access)) {
            return false;
        }
    } else {
        port = c->gate_port != CACHE_NO_PORT ? c->gate_port
                                             : cache_pending_port(&c->up, now);
        if (port == CACHE_NO_PORT ||
            !accept(c, port, now, &whole, one_access)) {
            return false;
        }
    }
    if (whole) {
        loom_pop(c->up.port[port].from_above, now);
        c->up.next_port = (uint8_t)cache_after_port(&c->up, port);
    }
    return true;
}

static LOOM_INLINE void accept_all(struct cache *c, loom_cycle now,
                                   bool one_access)
{
    uint32_t width = one_access ? 1 : c->config->accesses_per_cycle;
    uint32_t requests = one_access ? 0 : c->config->requests_per_cycle;
    bool bounded = requests != 0;

    while (width-- != 0 && room_to_admit(c, one_access)) {
        if (bounded && c->up.split_left == 0 && requests-- == 0) {
            break;
        }
        if (!accept_one(c, now, one_access)) {
            break;
        }
    }
}

/* ---- accesses are served ---- */

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
