/*
 * What comes back from below: fills, replies that go by, answers.
 *
 * A reply may come in parts (mem_protocol.h).  A part fills the sectors of the
 * line that it completes; the fetch is filled with its last part.
 */
#include "components/cache/answers.h"
#include "components/cache/ask.h"
#include "components/cache/place.h"
#include "components/cache/power.h"
#include "components/cache/reply.h"
#include "components/cache/send.h"
#include "components/cache/tell.h"

static void release(struct cache *c, uint32_t entry, loom_cycle now)
{
    cache_mshr_release(&c->mshrs, entry, now);
    c->changes++;
}

void cache_drain(struct cache *c, loom_cycle now)
{
    uint32_t entry = c->mshrs.ready_first;
    const struct cache_mshr *m = &c->mshrs.entry[entry];

    if (cache_answer_first(c, entry, now) && m->count == 0) {
        c->mshrs.ready_first = m->ready_next;
        release(c, entry, now);
    }
}

/* The data of an entry is here: it drains next, or is free if nobody waits.  If
 * nobody else is to be answered in this tick, the only one that waits need not
 * be put in line first. */
static LOOM_INLINE void mshr_done(struct cache *c, uint32_t entry,
                                  loom_cycle now)
{
    struct cache_mshr *m = &c->mshrs.entry[entry];

    if (m->count == 0 || (c->mshrs.ready_first == CACHE_NONE && m->count == 1 &&
                          cache_answer_first(c, entry, now))) {
        release(c, entry, now);
    } else {
        m->ready = true;
        cache_mshr_line_up(&c->mshrs, entry);
    }
}

/* A cache that allocates on fills looks for the way now, which the line may
 * have by another sector; there may be none, but waiting for one could block
 * the fills that would free it. */
static void take_way(struct cache *c, struct cache_mshr *m,
                     struct cache_access *a)
{
    struct loom_bypass ignored = {0};
    struct cache_victim victim;

    a->way = cache_find(&c->tags, a->set, a->line);
    if (a->way != CACHE_NONE) {
        m->way = a->way;
        cache_line_of(&c->tags, a)->pending |=
            c->sectors.of[m->sectors & 15].mask;
        return;
    }
    a->forced = m->dirty != 0;
    if (cache_choose(c, a, &a->way, &ignored) != CACHE_DONE ||
        a->way == CACHE_NONE) {
        if (m->dirty != 0) { /* no place for what was written: hand it on */
            victim = (struct cache_victim){
                .line = m->line,
                .bytes = {UINT64_MAX, UINT64_MAX},
                .dirty = m->dirty,
            };
            cache_write_back(c, &victim, a->now);
            m->dirty = 0;
        }
        a->way = CACHE_NONE;
        m->fill = false;
        return;
    }
    m->way = a->way;
    cache_install(c, a, &victim, false);
    cache_line_of(&c->tags, a)->pending = c->sectors.of[m->sectors].mask;
    cache_settle_line(c, a, false, false);
    if (victim.dirty != 0) {
        cache_write_back(c, &victim, a->now);
    }
}

/* Sectors of the line that are whole with this reply. */
static uint8_t arrive(const struct cache *c, struct cache_mshr *m,
                      const struct loom_mem_request *reply)
{
    const struct cache_sector *s = &c->sectors.of[reply->sectors & 15];
    uint32_t done = 0;

    if (LOOM_LIKELY((reply->flags & LOOM_MEM_PART) == 0)) {
        return s->mask;
    }
    m->arrived |= reply->sectors;
    for (uint32_t i = 0; (c->sectors.whole >> i & 1) != 0; i++) {
        uint32_t all = (uint32_t)c->sectors.expand[1u << i] << s->first;

        if ((m->arrived & all) == all) {
            m->arrived &= (uint8_t)~all;
            done |= 1u << i;
        }
    }
    return (uint8_t)done;
}

static void fill_line(struct cache *c, const struct cache_access *a)
{
    struct cache_line *line = cache_line_of(&c->tags, a);

    line->pending &= (uint8_t)~a->need;
    line->valid |= a->need;
    cache_tell(c, LOOM_EVENT_FILL, a);
}

static void occupy_fill_port(struct cache *c,
                             const struct loom_mem_request *reply,
                             const struct cache_access *a)
{
    uint32_t bytes = reply->size_bytes;

    if ((reply->flags & LOOM_MEM_PART) != 0) {
        bytes = loom_popcount(c->sectors.expand[a->need]) * LOOM_SECTOR_BYTES;
    }
    c->fill_free =
        a->now + ((bytes + (1u << c->fill_shift) - 1u) >> c->fill_shift);
}

/* The reply is the last, completes `need` of the line, or still has to find a
 * way for it. */
static void fill_in(struct cache *c, const struct loom_mem_request *reply,
                    bool find_way, uint8_t need, loom_cycle now)
{
    struct cache_mshr *m = &c->mshrs.entry[reply->token];
    bool last = (reply->flags & LOOM_MEM_MORE) == 0;
    struct cache_access a = {
        .request = reply,
        .line = m->line,
        .now = now,
        .set = m->set,
        .way = m->way,
        .need = need,
    };

    if (find_way) {
        take_way(c, m, &a);
        a.need = arrive(c, m, reply);
    }
    if (a.way != CACHE_NONE && a.need != 0) {
        fill_line(c, &a);
    }
    if (a.way != CACHE_NONE && last) {
        if (m->outstanding == 1 && m->dirty != 0) {
            cache_write_line(&c->tags, &c->sectors, &a, m->dirty);
        }
    }
    if (a.way != CACHE_NONE && a.need != 0) {
        cache_power(c, LOOM_EVENT_FILL, &a);
    }
    if (a.need != 0) {
        occupy_fill_port(c, reply, &a);
    }
}

/* The whole reply goes into the way that its line has, if it has one. */
static LOOM_INLINE void fill_quietly(struct cache *c,
                                     const struct cache_mshr *m, uint32_t bytes,
                                     uint8_t need, loom_cycle now)
{
    if (m->way != CACHE_NONE) {
        struct cache_line *line =
            &c->tags.line[cache_at(&c->tags, m->set, m->way)];

        line->pending &= (uint8_t)~need;
        line->valid |= need;
    }
    c->fill_free =
        now + ((bytes + (1u << c->fill_shift) - 1u) >> c->fill_shift);
}

static bool fill(struct cache *c, const struct loom_mem_request *reply,
                 loom_cycle now)
{
    struct cache_mshr *m = &c->mshrs.entry[reply->token];
    bool last = (reply->flags & LOOM_MEM_MORE) == 0;
    bool find_way = m->fill && m->way == CACHE_NONE;
    uint8_t need;

    if (c->fill_free > now) {
        return false;
    }
    need = find_way ? 0 : arrive(c, m, reply);
    if (LOOM_LIKELY(c->quiet_loads && need != 0 && m->dirty == 0 &&
                    (reply->flags & LOOM_MEM_PART) == 0)) {
        fill_quietly(c, m, reply->size_bytes, need, now);
    } else if (need != 0 || last || find_way) {
        fill_in(c, reply, find_way, need, now);
    }
    if (LOOM_UNLIKELY(reply->reply_bits != 0)) {
        cache_tell_first(&c->mshrs, reply->token, reply->reply_bits);
    }
    c->fills += last;
    c->part_fills += !last;
    if (last && --m->outstanding == 0) {
        mshr_done(c, reply->token, now);
    }
    c->changes++;
    return true;
}

/* Sectors that were asked for together: as a reply to each, but they pass the
 * fill port together. */
static bool fill_each(struct cache *c, const struct loom_mem_request *reply,
                      loom_cycle now)
{
    struct loom_mem_request one;

    if (c->fill_free > now) {
        return false;
    }
    loom_mem_copy(&one, reply);
    one.size_bytes = LOOM_SECTOR_BYTES;
    one.flags &= (uint8_t) ~(LOOM_MEM_PART | LOOM_MEM_MORE);
    for (uint32_t left = reply->sectors & 15u; left != 0; left &= left - 1) {
        uint32_t sector = loom_lowest(left);

        one.sectors = (uint8_t)(1u << sector);
        one.token = cache_mshr_find(
            &c->mshrs, reply->block + (loom_addr)sector * LOOM_SECTOR_BYTES);
        LOOM_CHECK(one.token != CACHE_NONE);
        c->fill_free = now;
        fill(c, &one, now);
    }
    c->fill_free = now + ((reply->size_bytes + (1u << c->fill_shift) - 1u) >>
                          c->fill_shift);
    return true;
}

bool cache_take_part(struct cache *c, loom_cycle now)
{
    const struct loom_mem_request *reply = loom_peek(c->from_below, now);
    struct cache_mshr *m;
    uint32_t arrived;

    if (c->on_part == CACHE_PARTS_FILL || c->fill_free > now ||
        (reply->flags & LOOM_MEM_MORE) == 0 ||
        (reply->token &
         (CACHE_TOKEN_PASSING | CACHE_TOKEN_QUERY | CACHE_TOKEN_JOINED)) != 0) {
        return false;
    }
    m = &c->mshrs.entry[reply->token];
    arrived = m->arrived | reply->sectors;
    if ((m->fill && m->way == CACHE_NONE) || (arrived & m->whole) == m->whole) {
        return false;
    }
    m->arrived = (uint8_t)arrived;
    if (LOOM_UNLIKELY(reply->reply_bits != 0)) {
        cache_tell_first(&c->mshrs, reply->token, reply->reply_bits);
    }
    c->part_fills++;
    if (c->on_part == CACHE_PARTS_CHANGE) {
        c->changes++;
    }
    loom_pop(c->from_below, now);
    return true;
}

/* To sectors that went by together: each has a reply of its own.  False: the
 * rest must wait. */
static bool pass_up_each(struct cache *c, const struct loom_mem_request *reply,
                         loom_cycle now)
{
    uint32_t first = reply->token & ~(CACHE_TOKEN_PASSING | CACHE_TOKEN_JOINED);
    uint32_t number = first, before = first;
    bool more = true;

    while (more) {
        const struct cache_passing *p = &c->down.passing[number];
        struct cache_item item = {.port = (uint8_t)p->port,
                                  .parent = p->parent};

        if ((p->sectors & ~(uint32_t)reply->sectors) != 0) {
            more = p->next != 0;
            before = number;
            number = p->next - 1;
            continue;
        }
        if (!cache_may_reply(&c->up, &item, now)) {
            return false;
        }
        item.request = *reply;
        item.request.flags &= (uint8_t) ~(LOOM_MEM_PART | LOOM_MEM_MORE);
        item.request.src = p->src;
        item.request.token = p->token;
        item.request.size_bytes = p->size_bytes;
        item.request.sectors = p->sectors;
        cache_reply(c, &item, p->bypass ? reply->flags & LOOM_MEM_HIT : 0,
                    reply->reply_bits | p->reply_bits, now, 0);
        more = cache_forget_one(&c->down, number, before);
        c->changes++;
    }
    return true;
}

/* The reply to a request that went by without an MSHR. */
static bool pass_up(struct cache *c, const struct loom_mem_request *reply,
                    loom_cycle now)
{
    uint32_t number = reply->token & ~CACHE_TOKEN_PASSING;
    const struct cache_passing *p = &c->down.passing[number];
    struct cache_item item = {.port = (uint8_t)p->port, .parent = p->parent};

    if (!cache_may_reply(&c->up, &item, now)) {
        return false;
    }
    item.request = *reply;
    item.request.src = p->src;
    item.request.token = p->token;
    if ((reply->flags & LOOM_MEM_PART) == 0) {
        item.request.size_bytes = p->size_bytes;
        item.request.sectors = p->sectors;
    }
    cache_reply(c, &item, p->bypass ? reply->flags & LOOM_MEM_HIT : 0,
                reply->reply_bits | p->reply_bits, now, 0);
    if ((reply->flags & LOOM_MEM_MORE) == 0) {
        cache_forget(&c->down, number);
    }
    c->changes++;
    return true;
}

static bool take_answer(struct cache *c, const struct loom_mem_request *reply,
                        loom_cycle now)
{
    struct cache_access a = {
        .request = reply,
        .line = reply->block,
        .now = now,
        .set = CACHE_NONE,
        .way = CACHE_NONE,
    };

    c->down.queries_out--;
    c->stats->answers++;
    cache_tell(c, LOOM_EVENT_ANSWER, &a);
    return true;
}

bool cache_take_reply(struct cache *c, const struct loom_mem_request *reply,
                      loom_cycle now)
{
    if (LOOM_UNLIKELY((reply->token & CACHE_TOKEN_JOINED) != 0)) {
        return (reply->token & CACHE_TOKEN_PASSING) != 0
                   ? pass_up_each(c, reply, now)
                   : fill_each(c, reply, now);
    }
    if ((reply->token & CACHE_TOKEN_PASSING) != 0) {
        return pass_up(c, reply, now);
    }
    return (reply->token & CACHE_TOKEN_QUERY) != 0 ? take_answer(c, reply, now)
                                                   : fill(c, reply, now);
}

/* Apart, so that a tick for a part that is only counted saves no registers. */
LOOM_NOINLINE void cache_from_below(struct cache *c, loom_cycle now)
{
    const struct loom_mem_request *reply = loom_peek(c->from_below, now);

    if (reply != NULL && cache_take_reply(c, reply, now)) {
        loom_pop(c->from_below, now);
    }
}
