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
#include "components/cache/cache_private.h"

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

LOOM_NOINLINE static void tell_fail(struct cache *c, const struct cache_wait *w,
                                    const struct loom_mem_request *r,
                                    loom_cycle now)
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
    if (loom_observed(&c->observers, LOOM_EVENT_RESERVATION_FAIL)) {
        tell_fail(c, w, r, now);
    }
}

/* A load that was refused a line or an MSHR is refused again as long as there
 * is none: only accesses of its bank could bring what it looks for, and they
 * are behind it. */
static bool still_refused(const struct cache *c, const struct cache_bank *bank)
{
    if (bank->wait.reason == LOOM_FAIL_MSHR) {
        return c->mshr_used == c->mshr_entries || c->free_item == CACHE_NONE;
    }
    return bank->wait.reason == LOOM_FAIL_LINE &&
           cache_all_reserved(c, bank->set);
}

/* Nothing has changed that could help the oldest access. */
static bool hopeless(const struct cache *c, const struct cache_bank *bank)
{
    if (!c->patient) {
        return false;
    }
    if (c->alone && bank->load && still_refused(c, bank)) {
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

/* A link of `up` with a message, from next_port on. */
static uint32_t pending_port(const struct cache *c, loom_cycle now)
{
    uint32_t port = c->next_port;

    if (c->incoming == 0) {
        return CACHE_NONE;
    }
    for (uint32_t i = 0; i < c->ports; i++) {
        if (loom_arrival(c->port[port].from_above) <= now) {
            return port;
        }
        port = port + 1 == c->ports ? 0 : port + 1;
    }
    return CACHE_NONE;
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
    if (LOOM_LIKELY(loom_chain(&c->admit) == 0 && c->gate_port != port &&
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
        .request = *r, .port = port, .parent = CACHE_NONE};
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

/* The bank of an address: lines, or pieces of them, interleaved. */
static struct cache_bank *bank_of(const struct cache *c,
                                  const struct loom_mem_request *r,
                                  uint8_t sectors)
{
    loom_addr at = r->block + (sectors == 0 ? 0
                                            : (loom_addr)loom_lowest(sectors) *
                                                  LOOM_SECTOR_BYTES);
    loom_addr number;

    if (r->kind == LOOM_MEM_FLUSH) {
        return &c->bank[0];
    }
    number = at >> c->bank_shift;
    if (c->bank_fold != 0) {
        number ^= number >> c->bank_fold;
    }
    return &c->bank[number & (c->banks - 1)];
}

/* Puts the request, or its next sector, into its bank.  False: the bank has
 * no place; *whole: nothing of the request is left. */
static LOOM_INLINE bool admit(struct cache *c, const struct loom_mem_request *r,
                              uint32_t port, loom_cycle now, bool *whole,
                              bool single)
{
    bool by_sector = c->split && r->kind < CACHE_KINDS &&
                     (r->sectors & (r->sectors - 1u)) != 0;
    struct cache_bank *bank =
        single || c->banks == 1
            ? &c->first_bank
            : bank_of(c, r, c->split_left != 0 ? c->split_left : r->sectors);
    uint32_t tail = bank->head + bank->count;
    struct cache_item *item;

    *whole = false;
    if (!single && c->banks > 1 && bank->accepted_at == now) {
        c->stats->other_stalls[CACHE_STALL_BANK - LOOM_FAIL_REASONS]++;
        return false;
    }
    if (bank->count == c->pipe_capacity ||
        (by_sector && c->split_left == 0 && c->parents_used == c->parents)) {
        c->full = bank;
        return false;
    }
    if (!single) {
        c->full = NULL;
    }
    tail = tail < c->pipe_capacity ? tail : tail - c->pipe_capacity;
    item = &bank->pipe[tail];
    item->port = port;
    if (LOOM_UNLIKELY(by_sector)) {
        *whole = !cache_split(c, r, item);
        c->split_port = *whole ? CACHE_NONE : port;
    } else {
        item->request = *r;
        item->parent = CACHE_NONE;
        *whole = true;
    }
    item->ready = now + c->hit_latency;
    if (bank->count++ == 0) {
        bank->due = item->ready;
    }
    c->held++;
    if (!single) {
        bank->accepted_at = now;
        c->flushing = c->banks > 1 && r->kind == LOOM_MEM_FLUSH;
    }
    return true;
}

static LOOM_INLINE bool room_to_admit(const struct cache *c, bool single)
{
    if (single || c->banks == 1) {
        return c->held < c->pipe_capacity;
    }
    return !c->flushing &&
           (c->full == NULL || c->full->count < c->pipe_capacity);
}

static LOOM_INLINE void accept_all(struct cache *c, loom_cycle now, bool single)
{
    uint32_t width = single ? 1 : c->config->accesses_per_cycle;

    for (uint32_t n = 0; n < width && room_to_admit(c, single); n++) {
        uint32_t port = c->split_port != CACHE_NONE  ? c->split_port
                        : c->gate_port != CACHE_NONE ? c->gate_port
                                                     : pending_port(c, now);
        const struct loom_mem_request *r;
        bool whole = true;

        if (port == CACHE_NONE) {
            return;
        }
        r = loom_peek(c->port[port].from_above, now);
        if (c->split_port == CACHE_NONE && goes_around(c, r, port)) {
            if (!send_around(c, r, port, now)) {
                return;
            }
        } else if (!admit(c, r, port, now, &whole, single)) {
            return;
        }
        if (whole) {
            loom_pop(c->port[port].from_above, now);
            c->next_port = port + 1 == c->ports ? 0 : port + 1;
        }
    }
}

/* The oldest access of the bank.  False: it must wait. */
static LOOM_INLINE bool serve(struct cache *c, struct cache_bank *bank,
                              loom_cycle now)
{
    struct cache_item *item = &bank->pipe[bank->head];
    bool again = bank->wait.reason != CACHE_DONE;
    enum cache_stall stall;

    if (bank->due > now || (again && hopeless(c, bank))) {
        return false;
    }
    if (again) {
        settle_wait(c, &bank->wait, now - 1);
    }
    bank->tried = c->changes;
    stall = cache_serve(c, bank, item, again, now);
    if (stall != CACHE_DONE) {
        wait_on(c, &bank->wait, &item->request, stall, now);
        return false;
    }
    bank->wait.reason = CACHE_DONE;
    bank->head = bank->head + 1 == c->pipe_capacity ? 0 : bank->head + 1;
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

        if (loom_ready(c->port[c->waiting[m->first].port].up, now)) {
            return now + 1;
        }
    }
    if (c->incoming != 0 && room_to_admit(c, single) &&
        c->gate_port == CACHE_NONE && pending_port(c, now) != CACHE_NONE) {
        return now + 1;
    }
    if (!expects_replies(c) || loom_arrival(c->from_below) > now) {
        return next;
    }
    fill = next_for_fill(c, now);
    return next < fill ? next : fill;
}

/* Nothing is due and nothing waits for a credit: what could not be done in
 * the last tick cannot be done now either. */
static LOOM_INLINE bool at_rest(const struct cache *c, loom_cycle now)
{
    const struct cache_bank *bank = &c->first_bank;

    return c->next > now && c->ready_first == CACHE_NONE &&
           (c->queue_count | c->query_count) == 0 &&
           (c->incoming == 0 || c->held == c->pipe_capacity) &&
           (c->held == 0 || bank->wait.reason == CACHE_DONE ||
            (c->patient && c->alone && bank->load &&
             (bank->wait.reason == LOOM_FAIL_LINE ||
              bank->wait.reason == LOOM_FAIL_MSHR)));
}

/* `single`: one bank, and one access per cycle. */
static LOOM_INLINE loom_cycle run(struct cache *c, loom_cycle now, bool single)
{
    bool more = false;

    if (expects_replies(c) && loom_arrival(c->from_below) <= now) {
        if (!cache_take_part(c, now)) {
            cache_from_below(c, now);
        } else if (single && at_rest(c, now)) {
            return LOOM_NEVER; /* what the last tick asked for still holds */
        }
    }
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
    return c->next;
}

loom_cycle cache_tick(struct loom_component *self, loom_cycle now)
{
    struct cache *c = loom_state(self);

    return c->single ? run(c, now, true) : run(c, now, false);
}

static uint64_t sum(const uint64_t by_kind[CACHE_KINDS])
{
    return by_kind[0] + by_kind[1] + by_kind[2] + by_kind[3];
}

void cache_settle(struct loom_component *self, loom_cycle now)
{
    struct cache *c = loom_state(self);
    struct cache_stats *s = c->stats;

    for (uint32_t i = 0; i < c->banks; i++) {
        settle_wait(c, &c->bank[i].wait, now);
    }
    settle_wait(c, &c->gate, now);
    cache_integrate(c, now);
    cache_integrate_power(c, now);
    for (uint32_t i = 0; i < CACHE_KINDS; i++) {
        s->accesses_by_kind[i] = s->hits_by_kind[i] +
                                 s->pending_hits_by_kind[i] +
                                 s->misses_by_kind[i] + s->bypasses_by_kind[i];
    }
    s->accesses = sum(s->accesses_by_kind);
    s->hits = sum(s->hits_by_kind);
    s->pending_hits = sum(s->pending_hits_by_kind);
    s->misses = sum(s->misses_by_kind);
    s->bypasses = sum(s->bypasses_by_kind);
    s->lookups = s->hits + s->pending_hits + s->misses;
}
