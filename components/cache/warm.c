/*
 * Accesses without time (engine/warm.h).
 *
 * The steps are those of a timed access, in the same order and by the same
 * functions, so that policies are asked and told the same.  What differs is
 * who drives them: everything that an access could wait for is there, what it
 * sends down is answered before anything else happens, and its reply is
 * written over the request.
 *
 * What is under way in time is left as it is: an MSHR, a place for a request
 * that goes by and a queue are kept for these accesses alone.  One to a block
 * that is on its way finds it there.
 */
#include "components/cache/warm.h"

#include "components/cache/access.h"
#include "components/cache/answers.h"
#include "components/cache/ask.h"
#include "components/cache/reply.h"
#include "components/cache/send.h"

bool cache_quiet(struct loom_component *self)
{
    const struct cache *c = loom_state(self);

    return c->mshrs.used == 0 && c->pipe.held == 0 &&
           !cache_has_to_send(&c->down) &&
           (c->down.passing_used | c->down.queries_out) == 0 &&
           c->up.split_left == 0 && c->gate_port == CACHE_NO_PORT;
}

/* Has all that was sent down answered. */
static void answer_all(struct cache *c, loom_cycle now)
{
    struct loom_mem_request m;

    while (cache_take_sent(&c->down, &m)) {
        bool replied = loom_mem_replied((enum loom_mem_kind)m.kind);

        loom_warm(c->down.channel, &m);
        if (replied) {
            c->fill_free = 0;
            LOOM_CHECK(cache_take_reply(c, &m, now));
        }
    }
    c->fill_free = 0;
}

/* Is the block on its way? */
static bool meets(const struct cache *c, const struct loom_mem_request *r)
{
    return c->mshrs.used != 0 && r->kind < CACHE_KINDS &&
           cache_mshr_find(&c->mshrs, cache_key(&c->sectors, r)) != CACHE_NONE;
}

/* A load finds it, what is written goes on. */
static enum cache_stall serve_met(struct cache *c, struct cache_item *item,
                                  loom_cycle now)
{
    struct loom_bypass how = {item->request.size_bytes, false};

    if (item->request.kind == LOOM_MEM_LOAD) {
        cache_reply(c, item, LOOM_MEM_HIT, 0, now, 0);
        return CACHE_DONE;
    }
    cache_mark_bypass(c, &item->request, &how, 0);
    return cache_bypass(c, item, now);
}

static enum cache_stall serve(struct cache *c, struct cache_item *item,
                              loom_cycle now)
{
    const struct loom_mem_request *r = &item->request;
    struct cache_bank *bank = &c->pipe.first_bank;

    if (meets(c, r)) {
        return serve_met(c, item, now);
    }
    bank->data_free = 0;
    if (c->quiet_loads && r->kind == LOOM_MEM_LOAD &&
        (r->bypassed & c->level) == 0) {
        return cache_serve_load(c, bank, item, now);
    }
    return cache_serve(c, bank, item, false, now);
}

/* The reply is written to c->up.warm. */
static void serve_item(struct cache *c, struct cache_item *item, loom_cycle now)
{
    struct loom_bypass how = {item->request.size_bytes, false};
    enum cache_stall stall;

    do {
        stall = serve(c, item, now);
        answer_all(c, now);
    } while (stall == CACHE_STALL_FLUSH); /* as much as has room at a time */
    if (stall != CACHE_DONE) {
        /* A policy would have it wait for others; there are none. */
        cache_mark_bypass(c, &item->request, &how, 0);
        stall = cache_bypass(c, item, now);
        LOOM_CHECK(stall == CACHE_DONE);
        answer_all(c, now);
    }
}

/* Each sector by itself; the reply is one. */
static void serve_sectors(struct cache *c, struct cache_item *item,
                          struct loom_mem_request *r, loom_cycle now)
{
    struct loom_mem_request part;
    uint8_t flags = LOOM_MEM_HIT;

    item->flags = r->flags;
    item->bypassed = r->bypassed;
    item->bypassed_by = r->bypassed_by;
    item->bytes[0] = r->bytes[0];
    item->bytes[1] = r->bytes[1];
    r->reply_bits = 0;
    c->up.warm = &part;
    c->up.split_requests++;
    for (uint32_t left = r->sectors & 15u; left != 0; left &= left - 1) {
        cache_cut(item, &item->request, loom_lowest(left));
        part.flags = 0;
        part.reply_bits = 0;
        part.bypassed = 0;
        serve_item(c, item, now);
        flags &= part.flags;
        r->reply_bits |= part.reply_bits;
        r->bypassed |= part.bypassed;
        c->stats->split_accesses++;
    }
    r->flags = (uint8_t)((r->flags & ~(uint32_t)LOOM_MEM_HIT) | LOOM_MEM_REPLY |
                         (flags & LOOM_MEM_HIT));
}

/* Does the request go around?  It is marked then. */
static void decide_around(struct cache *c, struct loom_mem_request *r)
{
    struct loom_bypass how = {r->size_bytes, false};
    uint32_t by = 0;

    if ((r->bypassed & c->level) == 0 && cache_goes_around(c, r, &how, &by)) {
        cache_mark_bypass(c, r, &how, by);
    }
}

/* What is under way in time is put aside, and back. */
struct aside {
    loom_cycle sent_at, fill_free, data_free;
    uint32_t unit_interval, unit_real;
    struct loom_mem_request *queue, *newest;
    uint32_t miss_queue, count, head, ready_first, ready_last;
};

static struct aside put_aside(struct cache *c, loom_cycle now)
{
    struct cache_down *d = &c->down;
    struct aside aside = {
        d->sent_at,
        c->fill_free,
        c->pipe.first_bank.data_free,
        c->pipe.unit_interval,
        c->pipe.unit_real,
        d->queue,
        d->newest,
        d->miss_queue,
        d->count,
        d->head,
        c->mshrs.ready_first,
        c->mshrs.ready_last,
    };

    d->sent_at = now; /* nothing leaves by itself */
    d->queue = d->apart;
    d->miss_queue = d->places;
    d->newest = NULL;
    d->joins = false;
    c->pipe.unit_interval = 0;
    c->pipe.unit_real = 0;
    d->count = 0;
    d->head = 0;
    d->passing_entries++;
    c->mshrs.entries++;
    c->mshrs.ready_first = CACHE_NONE;
    return aside;
}

static void put_back(struct cache *c, const struct aside *aside)
{
    struct cache_down *d = &c->down;

    d->sent_at = aside->sent_at;
    d->queue = aside->queue;
    d->newest = aside->newest;
    d->joins = c->config->join_sectors;
    d->miss_queue = aside->miss_queue;
    d->count = aside->count;
    d->head = aside->head;
    d->passing_entries--;
    c->mshrs.entries--;
    c->mshrs.ready_first = aside->ready_first;
    c->mshrs.ready_last = aside->ready_last;
    c->fill_free = aside->fill_free;
    c->pipe.first_bank.data_free = aside->data_free;
    c->pipe.unit_interval = aside->unit_interval;
    c->pipe.unit_real = aside->unit_real;
}

/* As on a miss: a load asks for whole sectors of this cache, and policies may
 * mark it. */
static void hand_on(struct cache *c, struct loom_mem_request *r)
{
    if (r->kind == LOOM_MEM_LOAD) {
        r->sectors =
            cache_wanted(&c->sectors, r, c->sectors.of[r->sectors & 15u].mask);
        r->size_bytes =
            (uint16_t)(loom_popcount(r->sectors) * LOOM_SECTOR_BYTES);
    }
    r->src = c->id;
    cache_mark(c, r);
    loom_warm(c->down.channel, r);
}

void cache_serve_warm(struct loom_component *self, void *message,
                      loom_cycle now)
{
    struct cache *c = loom_state(self);
    struct loom_mem_request *r = message;
    struct cache_item item = {.parent = CACHE_NONE};
    struct aside aside;

    if (now < c->mshrs.counted) { /* statistics were brought up to date */
        now = c->mshrs.counted;
    }
    if ((r->bypassed & c->level) != 0 && r->bypassed_by == LOOM_BY_LEFT_OUT) {
        hand_on(c, r);
        return;
    }
    aside = put_aside(c, now);
    c->up.warm = r;
    loom_mem_copy(&item.request, r);
    decide_around(c, &item.request);
    if ((item.request.bypassed & c->level) != 0 && r->kind != LOOM_MEM_FLUSH) {
        enum cache_stall stall = cache_bypass(c, &item, now);

        LOOM_CHECK(stall == CACHE_DONE);
        answer_all(c, now);
    } else if (c->split && r->kind < CACHE_KINDS &&
               (r->sectors & (r->sectors - 1u)) != 0) {
        serve_sectors(c, &item, r, now);
    } else {
        serve_item(c, &item, now);
    }
    c->up.warm = NULL;
    put_back(c, &aside);
}
