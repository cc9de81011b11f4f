/*
 * The lower side: what is sent down, MSHRs, and what comes back.
 *
 * A request goes straight to the channel if nothing waits and none was sent
 * in this cycle, else into the miss queue, of which exactly `miss_queue`
 * places can be used.  So one request per cycle leaves, and callers must ask
 * cache_room() first; but a line that leaves for a fill has a place of its
 * own, one for each MSHR, and so has a line that is gated by its fill.  A fill
 * that waited for room could be what the levels below wait for before they
 * take another request.
 *
 * Invariant: an entry is in its hash bucket from cache_mshr_new() until it is
 * freed, also while it drains.
 */
#include "components/cache/cache_inline.h"

static void mark(const struct cache *c, struct loom_mem_request *m)
{
    if (loom_chain(&c->marks) != 0) {
        m->policy_bits |= loom_marks_ask(&c->marks, m);
    }
}

void cache_send_down(struct cache *c, loom_cycle now)
{
    if (c->queue_count == 0 && c->query_count == 0) {
        return;
    }
    if (!loom_ready(c->down, now)) {
        return;
    }
    c->sent_at = now;
    c->changes++;
    if (c->queue_count != 0) {
        loom_mem_copy(loom_send(c->down, now, 0), &c->queue[c->queue_head]);
        c->queue_count--;
        c->queue_head =
            c->queue_head + 1 == c->queue_places ? 0 : c->queue_head + 1;
    } else {
        loom_mem_copy(loom_send(c->down, now, 0), &c->query[c->query_head]);
        c->query_count--;
        c->query_head = (c->query_head + 1) % CACHE_QUERIES;
    }
}

bool cache_can_pass(struct cache *c, const struct loom_mem_request *request,
                    loom_cycle now)
{
    return (request->kind == LOOM_MEM_WRITEBACK ||
            c->passing_used < c->config->passing_entries) &&
           cache_room(c, 1, now);
}

void cache_pass(struct cache *c, const struct cache_item *item,
                uint16_t reply_bits, bool bypass, loom_cycle now)
{
    const struct loom_mem_request *r = &item->request;
    struct loom_mem_request *m = cache_push(c, now);
    uint32_t number;

    loom_mem_copy(m, r);
    m->src = c->id;
    m->reply_bits = 0;
    mark(c, m);
    if (r->kind == LOOM_MEM_STORE || r->kind == LOOM_MEM_WRITEBACK) {
        c->stats->written_bytes += r->size_bytes;
    } else {
        c->stats->fetched_bytes += r->size_bytes;
    }
    if (r->kind == LOOM_MEM_WRITEBACK) {
        m->token = 0;
        return;
    }
    number = c->passing_free[c->passing_used++];
    m->token = CACHE_TOKEN_PASSING | number;
    c->passing[number] = (struct cache_passing){
        .src = r->src,
        .token = r->token,
        .port = cache_port_of(c, item),
        .reply_bits = reply_bits,
        .size_bytes = r->size_bytes,
        .sectors = r->sectors,
        .bypass = bypass,
        .parent = cache_parent_of(c, item),
    };
}

void cache_fetch(struct cache *c, const struct loom_mem_request *request,
                 uint32_t entry, uint8_t sectors, loom_cycle now)
{
    struct loom_mem_request *m = cache_push(c, now);

    loom_mem_copy(m, request);
    m->src = c->id;
    m->token = entry;
    m->kind = LOOM_MEM_LOAD;
    m->sectors = sectors;
    m->size_bytes = (uint16_t)(loom_popcount(sectors) * LOOM_SECTOR_BYTES);
    m->reply_bits = 0;
    mark(c, m);
    c->mshr[entry].outstanding++;
    c->mshr[entry].sectors |= sectors;
    c->stats->fetches++;
    c->stats->fetched_bytes += m->size_bytes;
}

void cache_write_back(struct cache *c, const struct cache_victim *victim,
                      loom_cycle now)
{
    loom_addr block = victim->line & ~(loom_addr)(LOOM_BLOCK_BYTES - 1);
    uint32_t first = (uint32_t)(victim->line - block) / LOOM_SECTOR_BYTES;
    uint32_t sectors = (uint32_t)c->expand[victim->dirty] << first;
    struct loom_mem_request *m = cache_push(c, now);

    *m = (struct loom_mem_request){
        .block = block,
        .born = loom_cycle_time(c->self, now),
        .src = c->id,
        .size_bytes = (uint16_t)(loom_popcount(sectors) * LOOM_SECTOR_BYTES),
        .accesses = 1,
        .kind = LOOM_MEM_WRITEBACK,
        .space = c->local_write_back ? LOOM_SPACE_LOCAL : LOOM_SPACE_GLOBAL,
        .sectors = (uint8_t)sectors,
    };
    cache_sector_bytes((uint8_t)sectors, m->bytes);
    if (c->bytes != NULL) {
        m->bytes[0] &= victim->bytes[0];
        m->bytes[1] &= victim->bytes[1];
    }
    c->stats->writebacks++;
    c->stats->written_bytes += m->size_bytes;
}

uint32_t cache_mshr_new(struct cache *c, const struct cache_access *a)
{
    return cache_mshr_take(
        c,
        &(struct cache_mshr){
            .line = a->line,
            .key = a->key,
            .first = CACHE_NONE,
            .last = CACHE_NONE,
            .set = a->set,
            .way = a->way,
            .parent = CACHE_NONE,
            .whole = cache_line_sectors(c, a->request->sectors),
        },
        a->now);
}

static void mshr_release(struct cache *c, uint32_t entry, loom_cycle now)
{
    uint32_t *link =
        &c->bucket[cache_hash(c->mshr[entry].key, c->bucket_shift)];

    while (*link != entry) {
        link = &c->mshr[*link].chain;
    }
    *link = c->mshr[entry].chain;
    cache_integrate(c, now);
    c->mshr[entry].chain = c->mshr_free;
    c->mshr_free = entry;
    c->mshr_used--;
    c->changes++;
}

bool cache_joins(const struct cache *c, const struct cache_mshr *m,
                 uint8_t sectors)
{
    return (sectors & ~m->sectors) == 0 && m->count < c->mshr_merges &&
           c->free_item != CACHE_NONE;
}

void cache_mshr_append(struct cache *c, uint32_t entry,
                       const struct cache_item *item, uint16_t reply_bits)
{
    struct cache_mshr *m = &c->mshr[entry];
    uint32_t number = cache_keep(c, item, reply_bits);

    if (m->first == CACHE_NONE) {
        m->first = number;
    } else {
        c->next_waiting[m->last] = number;
    }
    m->last = number;
    c->stats->mshr_merges += m->count++ != 0;
}

/* ---- misses ---- */

enum cache_stall cache_merge(struct cache *c, struct cache_access *a,
                             uint32_t entry)
{
    const struct loom_mem_request *r = a->request;
    struct cache_mshr *m = &c->mshr[entry];
    uint8_t all = m->fill ? cache_wanted(c, a, a->need) : r->sectors;
    uint8_t more = (uint8_t)(all & ~m->sectors);

    if (!cache_joins(c, m, 0) || (!a->load && (m->ready || !m->fill)) ||
        (m->ready && (more != 0 || a->way != CACHE_NONE))) {
        return (enum cache_stall)LOOM_FAIL_MERGE;
    }
    if (more != 0 && !cache_room(c, 1, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (m->ready) {
        cache_count(c, a, LOOM_EVENT_PENDING_HIT);
    } else {
        cache_count_miss(c, a);
    }
    if (more != 0) {
        cache_fetch(c, r, entry, more, a->now);
        if (m->way != CACHE_NONE) {
            c->line[cache_at(c, m->set, m->way)].pending |=
                c->sector[more].mask;
        }
    }
    if (!a->load) {
        m->dirty |= a->need;
    }
    if (r->kind != LOOM_MEM_WRITEBACK) {
        cache_mshr_append(c, entry, a->item, cache_answer(c, r));
    }
    return CACHE_DONE;
}

enum cache_stall cache_miss_without_line(struct cache *c,
                                         struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry;

    if (!a->load) {
        if (!cache_can_pass(c, r, a->now)) {
            return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
        }
        cache_count_miss(c, a);
        cache_pass(c, a->item, cache_answer(c, r), false, a->now);
        return CACHE_DONE;
    }
    if (c->mshr_used == c->mshr_entries || c->free_item == CACHE_NONE) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(c, 1, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    a->way = CACHE_NONE;
    c->stats->unallocated_misses++;
    cache_count(c, a, LOOM_EVENT_MISS);
    entry = cache_mshr_new(c, a);
    cache_fetch(c, r, entry, r->sectors, a->now);
    cache_mshr_append(c, entry, a->item, cache_answer(c, r));
    return CACHE_DONE;
}

/* ---- what comes back ---- */

/* A reply may come in parts (mem_protocol.h).  A part fills the sectors of the
 * line that it completes; the fetch is filled with its last part. */

/* Its data is here: it drains next, or is free if nobody waits. */
static void mshr_ready(struct cache *c, uint32_t entry, loom_cycle now)
{
    struct cache_mshr *m = &c->mshr[entry];

    m->ready = true;
    if (m->count == 0) {
        mshr_release(c, entry, now);
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
    struct cache_mshr *m = &c->mshr[entry];

    if (cache_answer_first(c, m, now) && m->count == 0) {
        c->ready_first = m->ready_next;
        mshr_release(c, entry, now);
    }
}

/* The data of an entry is here.  If nobody else is to be answered in this tick,
 * the only one that waits need not be put in line first. */
static LOOM_INLINE void mshr_done(struct cache *c, uint32_t entry,
                                  loom_cycle now)
{
    struct cache_mshr *m = &c->mshr[entry];

    if (c->ready_first == CACHE_NONE && m->count == 1 &&
        cache_answer_first(c, m, now)) {
        mshr_release(c, entry, now);
    } else {
        mshr_ready(c, entry, now);
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

    a->way = cache_find(c, a->set, a->line);
    if (a->way != CACHE_NONE) {
        m->way = a->way;
        cache_line_of(c, a)->pending |= c->sector[m->sectors & 15].mask;
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
    cache_install(c, a, &victim);
    cache_line_of(c, a)->pending = c->sector[m->sectors].mask;
    cache_settle_line(c, a, false);
    if (victim.dirty != 0) {
        cache_write_back(c, &victim, a->now);
    }
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
        uint32_t all = (uint32_t)c->expand[1u << i] << s->first;

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
        a->now + ((bytes + (1u << c->fill_shift) - 1u) >> c->fill_shift);
}

/* The reply is the last, completes `need` of the line, or still has to find a
 * way for it. */
static void fill_in(struct cache *c, const struct loom_mem_request *reply,
                    bool find_way, uint8_t need, loom_cycle now)
{
    struct cache_mshr *m = &c->mshr[reply->token];
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
            write_line(c, &a, m->dirty);
        }
    }
    if (a.way != CACHE_NONE && a.need != 0) {
        cache_power(c, LOOM_EVENT_FILL, &a);
    }
    if (a.need != 0) {
        occupy_fill_port(c, reply, &a);
    }
}

/* .. all of it, into the way that it has, if it has one. */
static LOOM_INLINE void fill_usual(struct cache *c, const struct cache_mshr *m,
                                   uint32_t bytes, uint8_t need, loom_cycle now)
{
    if (m->way != CACHE_NONE) {
        struct cache_line *line = &c->line[cache_at(c, m->set, m->way)];

        line->pending &= (uint8_t)~need;
        line->valid |= need;
    }
    c->fill_free =
        now + ((bytes + (1u << c->fill_shift) - 1u) >> c->fill_shift);
}

static bool fill(struct cache *c, const struct loom_mem_request *reply,
                 loom_cycle now)
{
    struct cache_mshr *m = &c->mshr[reply->token];
    bool last = (reply->flags & LOOM_MEM_MORE) == 0;
    bool find_way = m->fill && m->way == CACHE_NONE;
    uint8_t need;

    if (c->fill_free > now) {
        return false;
    }
    need = find_way ? 0 : arrive(c, m, reply);
    if (LOOM_LIKELY(c->usual && need != 0 && m->dirty == 0 &&
                    (reply->flags & LOOM_MEM_PART) == 0)) {
        fill_usual(c, m, reply->size_bytes, need, now);
    } else if (need != 0 || last || find_way) {
        fill_in(c, reply, find_way, need, now);
    }
    if (LOOM_UNLIKELY(reply->reply_bits != 0)) {
        cache_tell_first(c, m, reply->reply_bits);
    }
    c->fills += last;
    c->part_fills += !last;
    if (last && --m->outstanding == 0) {
        mshr_done(c, reply->token, now);
    }
    c->changes++;
    return true;
}

bool cache_take_part(struct cache *c, loom_cycle now)
{
    const struct loom_mem_request *reply = loom_peek(c->from_below, now);
    struct cache_mshr *m;
    uint32_t arrived;

    if (c->parts == CACHE_PARTS_FILL || c->fill_free > now ||
        (reply->flags & LOOM_MEM_MORE) == 0 ||
        (reply->token & (CACHE_TOKEN_PASSING | CACHE_TOKEN_QUERY)) != 0) {
        return false;
    }
    m = &c->mshr[reply->token];
    arrived = m->arrived | reply->sectors;
    if ((m->fill && m->way == CACHE_NONE) || (arrived & m->whole) == m->whole) {
        return false;
    }
    m->arrived = (uint8_t)arrived;
    if (LOOM_UNLIKELY(reply->reply_bits != 0)) {
        cache_tell_first(c, m, reply->reply_bits);
    }
    c->part_fills++;
    if (c->parts == CACHE_PARTS_CHANGE) {
        c->changes++;
    }
    loom_pop(c->from_below, now);
    return true;
}

/* The reply to a request that went by without an MSHR. */
static bool pass_up(struct cache *c, const struct loom_mem_request *reply,
                    loom_cycle now)
{
    uint32_t number = reply->token & ~CACHE_TOKEN_PASSING;
    const struct cache_passing *p = &c->passing[number];
    struct cache_item item = {.port = (uint8_t)p->port, .parent = p->parent};

    if (!loom_ready(c->port[p->port].up, now)) {
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

/* Apart, so that a tick for a part that is only counted saves no registers. */
LOOM_NOINLINE void cache_from_below(struct cache *c, loom_cycle now)
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
