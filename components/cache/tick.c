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
#include "components/cache/cache_inline.h"

/* ---- waiting ---- */

void cache_settle_wait(struct cache *c, struct cache_wait *w, loom_cycle now)
{
    uint64_t cycles = now - 1 - w->counted;

    if (w->reason == CACHE_DONE || now <= w->counted + 1) {
        return;
    }
    if (w->reason < LOOM_FAIL_REASONS) {
        c->stats->reservation_fails[w->reason] += cycles;
    } else {
        c->stats->other_stalls[w->reason - LOOM_FAIL_REASONS] += cycles;
    }
    w->counted += cycles;
}

/* The access was tried at `now` and must wait. */
static LOOM_INLINE void wait_on(struct cache *c, struct cache_wait *w,
                                const struct loom_mem_request *r,
                                enum cache_stall reason, loom_cycle now)
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
    if (LOOM_UNLIKELY(!c->plain) &&
        loom_observed(&c->observers, LOOM_EVENT_RESERVATION_FAIL)) {
        cache_tell_fail(c, w, r, now);
    }
}

/* A load that was refused a line or an MSHR is refused again as long as there
 * is none: only accesses of its bank could bring what it looks for, and they
 * are behind it. */
static bool still_refused(const struct cache *c, const struct cache_bank *bank)
{
    if (bank->wait.reason == LOOM_FAIL_MSHR) {
        return (c->mshr_used == c->mshr_entries) | (c->free_item == CACHE_NONE);
    }
    return bank->wait.reason == LOOM_FAIL_LINE &&
           cache_all_reserved(c, bank->set);
}

/* Nothing has changed that could help the oldest access. */
static bool hopeless(const struct cache *c, const struct cache_bank *bank)
{
    if (bank->patience == CACHE_IMPATIENT) {
        return false;
    }
    if (bank->patience == CACHE_ALONE && bank->load && still_refused(c, bank)) {
        return true;
    }
    return bank->tried == c->changes &&
           (bank->wait.reason == LOOM_FAIL_LINE ||
            bank->wait.reason == LOOM_FAIL_MSHR ||
            bank->wait.reason == LOOM_FAIL_MERGE ||
            (bank->wait.reason == LOOM_FAIL_MISS_QUEUE && c->queue_count != 0 &&
             c->queue_count == c->miss_queue));
}

/* ---- the upper side ---- */

static uint32_t after_port(const struct cache *c, uint32_t port)
{
    return port + 1 == c->ports ? 0 : port + 1;
}

/* A link of `up` with a message, from next_port on. */
static uint32_t pending_port(const struct cache *c, loom_cycle now)
{
    uint32_t port = c->next_port;

    if (c->incoming == 0) {
        return CACHE_NO_PORT;
    }
    for (uint32_t i = 0; i < c->ports; i++) {
        if (loom_arrival(c->port[port].from_above) <= now) {
            return port;
        }
        port = after_port(c, port);
    }
    return CACHE_NO_PORT;
}

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
        return r->kind != LOOM_MEM_FLUSH;
    }
    c->gate_by = 0;
    c->gate_bypass.may_merge = false;
    if (r->kind == LOOM_MEM_ATOMIC && c->write != CACHE_WRITE_BACK) {
        return true; /* atomics are done where lines are written back */
    }
    if (loom_chain(&c->admit) == 0 || r->kind >= CACHE_KINDS) {
        return false;
    }
    c->gate_by = cache_ask_admit(c, r, &c->gate_bypass);
    return c->gate_by != 0;
}

/* .. first what nobody has a say in. */
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
        wait_on(c, &c->gate, r, stall, now);
        return false;
    }
    c->gate_port = CACHE_NO_PORT;
    c->gate.reason = CACHE_DONE;
    return true;
}

/* The next place of a bank is taken, by a sector of `parent` or an item. */
static LOOM_INLINE struct cache_item *take_slot(struct cache *c,
                                                struct cache_bank *bank,
                                                uint32_t parent,
                                                uint32_t sector, loom_cycle now)
{
    uint32_t tail = bank->head + bank->count;
    struct cache_slot *slot;

    tail -= tail < c->pipe_capacity ? 0 : c->pipe_capacity;
    slot = &bank->pipe[tail];
    slot->ready = now + c->hit_latency;
    slot->parent = parent;
    slot->sector = sector;
    bank->due = loom_choose(bank->count++ == 0, slot->ready, bank->due);
    c->held++;
    return &bank->item[tail];
}

/* The next sector of the request that is split.  Where there are banks, two of
 * its sectors may be tried in one cycle, and each has an item. */
static LOOM_INLINE bool admit_sector(struct cache *c, struct cache_bank *bank,
                                     loom_cycle now, bool single)
{
    uint32_t sector = loom_lowest(c->split_left);

    if (single || c->banks == 1) {
        take_slot(c, bank, c->split_parent, sector, now);
    } else {
        struct cache_item *item = take_slot(c, bank, CACHE_NONE, 0, now);

        *item = c->parent[c->split_parent];
        cache_cut(item, &item->request, sector);
    }
    c->stats->split_accesses++;
    c->split_left &= (uint8_t)(c->split_left - 1u);
    return c->split_left == 0;
}

static LOOM_INLINE void admit_whole(struct cache *c, struct cache_bank *bank,
                                    const struct loom_mem_request *r,
                                    uint32_t port, loom_cycle now)
{
    struct cache_item *item = take_slot(c, bank, CACHE_NONE, 0, now);

    loom_mem_copy(&item->request, r);
    if (!c->lone) {
        item->port = (uint8_t)port;
        item->parent = CACHE_NONE;
    }
}

/* The bank has taken an access in this cycle. */
static bool has_taken(const struct cache *c, const struct cache_bank *bank,
                      loom_cycle now)
{
    uint32_t newest = bank->head + bank->count - 1;

    newest = newest < c->pipe_capacity ? newest : newest - c->pipe_capacity;
    return bank->count != 0 && bank->pipe[newest].ready == now + c->hit_latency;
}

/* The bank that takes the request, or its next sector; NULL: it cannot. */
static LOOM_INLINE struct cache_bank *
bank_with_place(struct cache *c, const struct loom_mem_request *r,
                loom_cycle now, bool single)
{
    struct cache_bank *bank = &c->first_bank;

    if (!single && c->banks > 1) {
        bank = cache_bank_of(c, r,
                             c->split_left != 0 ? c->split_left : r->sectors);
        if (has_taken(c, bank, now)) {
            c->stats->other_stalls[CACHE_STALL_BANK - LOOM_FAIL_REASONS]++;
            return NULL;
        }
    }
    if (bank->count == c->pipe_capacity) {
        c->full = bank;
        return NULL;
    }
    if (!single) {
        c->full = NULL;
        c->flushing = c->banks > 1 && r->kind == LOOM_MEM_FLUSH;
    }
    return bank;
}

/* Puts the request, or its next sector, into its bank.  False: the bank has
 * no place; *whole: nothing of the request is left. */
static LOOM_INLINE bool admit(struct cache *c, const struct loom_mem_request *r,
                              uint32_t port, loom_cycle now, bool *whole,
                              bool single)
{
    struct cache_bank *bank = bank_with_place(c, r, now, single);

    if (bank == NULL) {
        *whole = false;
        return false;
    }
    if (c->split && r->kind < CACHE_KINDS &&
        (r->sectors & (r->sectors - 1u)) != 0) {
        cache_split(c, r, port);
        c->split_port = (uint8_t)port;
        *whole = admit_sector(c, bank, now, single);
    } else {
        admit_whole(c, bank, r, port, now);
        *whole = true;
    }
    return true;
}

/* .. and the sectors that follow. */
static LOOM_INLINE bool admit_next(struct cache *c, loom_cycle now, bool *whole,
                                   bool single)
{
    const struct loom_mem_request *r = &c->parent[c->split_parent].request;
    struct cache_bank *bank = bank_with_place(c, r, now, single);

    *whole = bank != NULL && admit_sector(c, bank, now, single);
    return bank != NULL;
}

static LOOM_INLINE bool room_to_admit(const struct cache *c, bool single)
{
    if (single || c->banks == 1) {
        return c->held < c->pipe_capacity;
    }
    return !c->flushing &&
           (c->full == NULL || c->full->count < c->pipe_capacity);
}

/* A link of `up` has a request that is not admitted yet. */
static LOOM_INLINE bool accept(struct cache *c, uint32_t port, loom_cycle now,
                               bool *whole, bool single)
{
    const struct loom_mem_request *r = loom_peek(c->port[port].from_above, now);

    return goes_around(c, r, port) ? send_around(c, r, port, now)
                                   : admit(c, r, port, now, whole, single);
}

/* One access.  False: there is none, or it cannot be admitted. */
static LOOM_INLINE bool accept_one(struct cache *c, loom_cycle now, bool single)
{
    uint32_t port = c->split_port;
    bool whole = true;

    if (c->split_left != 0) {
        if (!admit_next(c, now, &whole, single)) {
            return false;
        }
    } else {
        port =
            c->gate_port != CACHE_NO_PORT ? c->gate_port : pending_port(c, now);
        if (port == CACHE_NO_PORT || !accept(c, port, now, &whole, single)) {
            return false;
        }
    }
    if (whole) {
        loom_pop(c->port[port].from_above, now);
        c->next_port = (uint8_t)after_port(c, port);
    }
    return true;
}

static LOOM_INLINE void accept_all(struct cache *c, loom_cycle now, bool single)
{
    uint32_t width = single ? 1 : c->config->accesses_per_cycle;

    while (width-- != 0 && room_to_admit(c, single) &&
           accept_one(c, now, single)) {
    }
}

/* The oldest access of the bank. */
static LOOM_INLINE struct cache_item *
oldest(struct cache *c, struct cache_bank *bank, bool again)
{
    const struct cache_slot *slot = &bank->pipe[bank->head];
    struct cache_item *item;

    if (slot->parent == CACHE_NONE) {
        return &bank->item[bank->head];
    }
    item = &c->parent[slot->parent];
    if (!again) {
        cache_cut(item, &item->request, slot->sector);
    }
    return item;
}

/* In the ring of a bank; short ones would make a branch a coin toss. */
static LOOM_INLINE uint32_t next_place(const struct cache *c, uint32_t place)
{
    uint32_t next = place + 1;

    return next & (0u - (uint32_t)(next != c->pipe_capacity));
}

/* False: the oldest access must wait. */
static LOOM_INLINE bool serve(struct cache *c, struct cache_bank *bank,
                              loom_cycle now)
{
    bool again = bank->wait.reason != CACHE_DONE;
    struct cache_item *item;
    enum cache_stall stall;

    if (bank->due > now || (again && hopeless(c, bank))) {
        return false;
    }
    if (again) {
        cache_settle_wait(c, &bank->wait, now);
    }
    bank->tried = c->changes;
    item = oldest(c, bank, again);
    if (c->usual && item->request.kind == LOOM_MEM_LOAD &&
        (item->request.bypassed & c->level) == 0) {
        stall = cache_serve_load(c, bank, item, now);
    } else {
        stall = cache_serve(c, bank, item, again, now);
    }
    if (stall != CACHE_DONE) {
        wait_on(c, &bank->wait, &item->request, stall, now);
        return false;
    }
    if (cache_parent_of(c, item) != CACHE_NONE &&
        item->request.kind == LOOM_MEM_WRITEBACK) {
        cache_part_done(c, &c->parent[item->parent]); /* without a reply */
    }
    bank->wait.reason = CACHE_DONE;
    bank->head = next_place(c, bank->head);
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

/* ---- the cycle ---- */

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

/* Without a request below there is no reply to ask for. */
static LOOM_INLINE bool expects_replies(const struct cache *c)
{
    return (c->mshr_used | c->passing_used | c->queries_out) != 0;
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
        pending_port(c, now) != CACHE_NO_PORT) {
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

    if (expects_replies(c) && loom_arrival(c->from_below) <= now) {
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
