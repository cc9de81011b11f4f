/*
 * What comes back from below: fills, replies that pass, answers; and MSHRs
 * that drain.
 *
 * A reply may come in parts (mem_protocol.h).  A part fills the sectors of
 * the line that it completes; the fetch is filled with its last part.
 */
#include "components/cache/cache_private.h"

/* Its data is here: it drains next, or is free if nobody waits. */
static void mshr_ready(struct cache *c, uint32_t entry, loom_cycle now)
{
    struct cache_mshr *m = &c->mshr[entry];

    m->ready = true;
    if (m->first == CACHE_NONE) {
        cache_mshr_release(c, entry, now);
    } else if (c->ready_first == CACHE_NONE) {
        c->ready_first = entry;
        c->ready_last = entry;
    } else {
        c->mshr[c->ready_last].ready_next = entry;
        c->ready_last = entry;
    }
}

void cache_drain(struct cache *c, loom_cycle now)
{
    uint32_t entry = c->ready_first;
    struct cache_mshr *m;
    struct cache_item *item;
    uint32_t number;

    if (entry == CACHE_NONE) {
        return;
    }
    m = &c->mshr[entry];
    number = m->first;
    item = &c->waiting[number];
    if (!loom_ready(c->up[item->port], now)) {
        return;
    }
    cache_reply(c, item, 0, item->request.reply_bits, now, 0);
    m->first = item->next;
    m->count--;
    item->next = c->free_item;
    c->free_item = number;
    c->changes++;
    if (m->first == CACHE_NONE) {
        c->ready_first = m->ready_next;
        cache_mshr_release(c, entry, now);
    }
}

/* A cache that allocates on fills looks for the way now, which the line may
 * have by another sector; there may be none, but waiting for one could block
 * the fills that would free it.  False: no room to write back. */
static bool take_way(struct cache *c, struct cache_mshr *m,
                     struct cache_access *a)
{
    struct loom_bypass ignored = {0};
    struct cache_victim victim;

    a->way = cache_find(c, a->set, a->line);
    if (a->way != CACHE_NONE) {
        m->way = a->way;
        cache_line_of(c, a)->pending |= c->sector[m->sectors & 15].mask;
        return true;
    }
    a->forced = m->dirty != 0;
    if (cache_choose(c, a, &a->way, &ignored) != CACHE_DONE ||
        a->way == CACHE_NONE) {
        if (m->dirty != 0 && !cache_room(c, 1, a->now)) {
            return false;
        }
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
        return true;
    }
    if (cache_line_of(c, a)->dirty != 0 &&
        !cache_room(c, c->power != NULL ? 2 : 1, a->now)) {
        return false;
    }
    m->way = a->way;
    cache_install(c, a, &victim);
    cache_line_of(c, a)->pending = c->sector[m->sectors].mask;
    cache_tell(c, LOOM_EVENT_ALLOCATE, a);
    if (c->replacement->inserted != NULL) {
        c->replacement->inserted(c->replacement_self, a->request, a->set,
                                 a->way);
    }
    if (victim.dirty != 0) {
        cache_write_back(c, &victim, a->now);
    }
    return true;
}

/* Sectors of the line that are whole with this reply. */
static uint8_t arrive(const struct cache *c, struct cache_mshr *m,
                      const struct loom_mem_request *reply)
{
    const struct cache_sector *s = &c->sector[reply->sectors & 15];
    uint32_t done = 0;

    if (LOOM_LIKELY((reply->flags & LOOM_MEM_PART) == 0)) {
        return s->mask;
    }
    m->arrived |= reply->sectors;
    for (uint32_t i = 0; (c->whole >> i & 1) != 0; i++) {
        uint32_t all = (uint32_t)c->expand[1u << i]
                       << s->offset / LOOM_SECTOR_BYTES;

        if ((m->arrived & all) == all) {
            m->arrived &= (uint8_t)~all;
            done |= 1u << i;
        }
    }
    return (uint8_t)done;
}

/* The data of waiting writes goes into the line. */
static void write_line(struct cache *c, const struct cache_access *a,
                       uint8_t dirty)
{
    uint32_t at = cache_at(c, a->set, a->way);

    c->line[at].dirty |= dirty;
    cache_note_written(c, at, dirty);
    if (c->bytes != NULL) {
        uint32_t first =
            (uint32_t)(a->line & (LOOM_BLOCK_BYTES - 1)) / LOOM_SECTOR_BYTES;

        cache_sector_bytes((uint8_t)(c->expand[dirty] << first), c->bytes[at]);
    }
}

static void fill_line(struct cache *c, const struct cache_access *a)
{
    struct cache_line *line = cache_line_of(c, a);

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
        bytes = loom_popcount(c->expand[a->need]) * LOOM_SECTOR_BYTES;
    }
    c->fill_free =
        a->now + ((bytes + c->config->fill_port_bytes - 1u) >> c->fill_shift);
}

static bool fill(struct cache *c, const struct loom_mem_request *reply,
                 loom_cycle now)
{
    struct cache_mshr *m = &c->mshr[reply->token];
    bool last = (reply->flags & LOOM_MEM_MORE) == 0;
    struct cache_access a = {
        .request = reply,
        .line = m->line,
        .now = now,
        .set = m->set,
        .way = m->way,
    };

    if (c->fill_free > now || (c->power != NULL && !cache_room(c, 1, now))) {
        return false;
    }
    if (m->fill && m->way == CACHE_NONE && !take_way(c, m, &a)) {
        return false;
    }
    a.need = arrive(c, m, reply);
    if (a.way != CACHE_NONE && a.need != 0) {
        fill_line(c, &a);
    }
    if (a.way != CACHE_NONE && last) {
        if (m->outstanding == 1 && m->dirty != 0) {
            write_line(c, &a, m->dirty);
        }
    }
    if (a.way != CACHE_NONE && a.need != 0) {
        cache_power(c, LOOM_EVENT_FILL, &a);
    }
    if (a.need != 0) {
        occupy_fill_port(c, reply, &a);
    }
    if (m->first != CACHE_NONE) {
        c->waiting[m->first].request.reply_bits |= reply->reply_bits;
    }
    c->stats->fills += last;
    c->stats->part_fills += !last;
    if (last && --m->outstanding == 0) {
        mshr_ready(c, reply->token, now);
    }
    c->changes++;
    return true;
}

/* The reply to a request that went by without an MSHR. */
static bool pass_up(struct cache *c, const struct loom_mem_request *reply,
                    loom_cycle now)
{
    uint32_t number = reply->token & ~CACHE_TOKEN_PASSING;
    const struct cache_passing *p = &c->passing[number];
    struct cache_item item = {.port = p->port, .parent = p->parent};

    if (!loom_ready(c->up[p->port], now)) {
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
        c->passing_free[--c->passing_used] = number;
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

    c->queries_out--;
    c->stats->answers++;
    cache_tell(c, LOOM_EVENT_ANSWER, &a);
    return true;
}

void cache_from_below(struct cache *c, loom_cycle now)
{
    const struct loom_mem_request *reply = loom_peek(c->from_below, now);
    bool done;

    if (reply == NULL) {
        return;
    }
    if ((reply->token & CACHE_TOKEN_PASSING) != 0) {
        done = pass_up(c, reply, now);
    } else if ((reply->token & CACHE_TOKEN_QUERY) != 0) {
        done = take_answer(c, reply, now);
    } else {
        done = fill(c, reply, now);
    }
    if (done) {
        loom_pop(c->from_below, now);
    }
}
