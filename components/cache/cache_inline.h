/*
 * The small steps of an access that hits or misses, for cache_serve_load()
 * (lookup.c), which is made of them, and for everybody else.  Only files in
 * components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_CACHE_INLINE_H
#define COMPONENTS_CACHE_CACHE_INLINE_H

#include "components/cache/cache_private.h"

/* ---- lines ---- */

/* The way of a set that holds a line, or CACHE_NONE. */
static LOOM_INLINE uint32_t cache_find(const struct cache *c, uint32_t set,
                                       loom_addr line)
{
    const struct cache_line *lines = c->line + cache_at(c, set, 0);
    loom_addr wanted = line | 1;
    uint32_t way = 0;

    if (LOOM_UNLIKELY(c->infinite)) {
        return cache_find_infinite(c, line);
    }
    for (; way + 8 <= c->active; way += 8) { /* one branch for eight ways .. */
        uint32_t found = 0;

        for (uint32_t i = 0; i < 8; i++) {
            found |= (uint32_t)(lines[way + i].tag == wanted) << i;
        }
        if (found != 0) {
            return way + loom_lowest(found);
        }
    }
    for (; way + 4 <= c->active; way += 4) { /* .. or for four */
        uint32_t found = (uint32_t)(lines[way].tag == wanted) |
                         (uint32_t)(lines[way + 1].tag == wanted) << 1 |
                         (uint32_t)(lines[way + 2].tag == wanted) << 2 |
                         (uint32_t)(lines[way + 3].tag == wanted) << 3;

        if (found != 0) {
            return way + loom_lowest(found);
        }
    }
    for (; way < c->active; way++) {
        if (lines[way].tag == wanted) {
            return way;
        }
    }
    return CACHE_NONE;
}

/* The set of a line, and the way that holds it.  A set is a function of the
 * line alone (policies/cache_hook.h). */
static LOOM_INLINE uint32_t cache_look(struct cache *c, loom_addr line,
                                       uint32_t *way)
{
    if (line != c->near_line) {
        c->near_line = line;
        c->near_set = cache_set_of(c, line);
        c->near_way = 0;
    }
    *way = c->near_way;
    if (c->line[cache_at(c, c->near_set, *way)].tag != (line | 1)) {
        *way = cache_find(c, c->near_set, line);
        c->near_way = *way != CACHE_NONE ? *way : 0;
    }
    return c->near_set;
}

/* The line is used. */
static LOOM_INLINE void cache_promote(struct cache *c,
                                      const struct loom_mem_request *request,
                                      uint32_t set, uint32_t way)
{
    uint32_t at = cache_at(c, set, way);

    if (at == c->used_at) {
        return;
    }
    c->used_at = c->replacement->hits_once ? at : CACHE_NONE;
    if (c->replacement->hit != NULL) {
        c->replacement->hit(c->replacement_self, request, set, way);
    }
}

/* It is new in its way. */
static LOOM_INLINE void cache_inserted(struct cache *c,
                                       const struct loom_mem_request *request,
                                       uint32_t set, uint32_t way)
{
    c->used_at = c->replacement->hits_once ? cache_at(c, set, way) : CACHE_NONE;
    if (c->replacement->inserted != NULL) {
        c->replacement->inserted(c->replacement_self, request, set, way);
    }
}

/* What a line would leave behind. */
static LOOM_INLINE struct cache_victim cache_victim_of(const struct cache *c,
                                                       uint32_t at)
{
    struct cache_victim victim = {
        .line = c->line[at].tag & ~(loom_addr)1,
        .dirty = c->line[at].dirty,
    };

    if (c->bytes != NULL) {
        victim.bytes[0] = c->bytes[at][0];
        victim.bytes[1] = c->bytes[at][1];
    }
    return victim;
}

/* Nothing is left of it. */
static LOOM_INLINE void cache_empty_line(struct cache *c, uint32_t at)
{
    struct cache_line *line = &c->line[at];

    c->modified -= line->written != 0;
    line->valid = 0;
    line->dirty = 0;
    line->written = 0;
    if (c->bytes != NULL) {
        c->bytes[at][0] = 0;
        c->bytes[at][1] = 0;
    }
}

/* So many bytes pass a bank's data port. */
static LOOM_INLINE void cache_occupy(const struct cache *c,
                                     struct cache_bank *bank, uint32_t bytes,
                                     loom_cycle now)
{
    uint32_t cycles = (bytes + (1u << c->data_shift) - 1) >> c->data_shift;

    if (cycles > 1) {
        bank->data_free = now + cycles;
    }
}

/* ---- requests down ---- */

/* The channel takes a request without a queue. */
static LOOM_INLINE bool cache_at_once(const struct cache *c, loom_cycle now)
{
    return c->queue_count == 0 && c->sent_at != now && loom_ready(c->down, now);
}

/* Room for so many requests. */
static LOOM_INLINE bool cache_room(const struct cache *c, uint32_t requests,
                                   loom_cycle now)
{
    uint32_t room =
        c->miss_queue > c->queue_count ? c->miss_queue - c->queue_count : 0;

    return room >= requests || (room + 1 == requests && cache_at_once(c, now));
}

/* Where the next one is written. */
static LOOM_INLINE struct loom_mem_request *cache_push(struct cache *c,
                                                       loom_cycle now)
{
    uint32_t tail = c->queue_head + c->queue_count;

    if (cache_at_once(c, now)) {
        c->sent_at = now;
        return loom_send(c->down, now, 0);
    }
    LOOM_CHECK(c->queue_count < c->queue_places);
    c->queue_count++;
    return &c->queue[tail < c->queue_places ? tail : tail - c->queue_places];
}

/* ---- MSHRs ---- */

static LOOM_INLINE uint32_t cache_mshr_find(const struct cache *c,
                                            loom_addr key)
{
    uint32_t entry = c->bucket[cache_hash(key, c->bucket_shift)];

    while (entry != CACHE_NONE && c->mshr[entry].key != key) {
        entry = c->mshr[entry].chain;
    }
    return entry;
}

/* There is none for another miss, or no place for who waits in it. */
static LOOM_INLINE bool cache_no_mshr(const struct cache *c)
{
    return (c->mshr_used == c->mshr_entries) | (c->free_item == CACHE_NONE);
}

/* Brings the cycles of MSHRs in use up to `now`. */
static LOOM_INLINE void cache_integrate(struct cache *c, loom_cycle now)
{
    LOOM_DEBUG_CHECK(now >= c->mshr_counted);
    c->mshr_entry_cycles += c->mshr_used * (now - c->mshr_counted);
    c->mshr_counted = now;
}

/* An entry like `model`, which says by which key it is found. */
static LOOM_INLINE uint32_t cache_mshr_take(struct cache *c,
                                            const struct cache_mshr *model,
                                            loom_cycle now)
{
    uint32_t *bucket = &c->bucket[cache_hash(model->key, c->bucket_shift)];
    uint32_t number = c->mshr_free;
    struct cache_mshr *m = &c->mshr[number];

    cache_integrate(c, now);
    c->mshr_free = m->chain;
    c->mshr_used++;
    *m = *model;
    m->chain = *bucket;
    m->ready_next = CACHE_NONE;
    *bucket = number;
    return number;
}

/* The link of `up` by which the first one that waits in an entry came. */
static LOOM_INLINE uint32_t cache_first_port(const struct cache *c,
                                             const struct cache_mshr *m)
{
    return m->parent != CACHE_NONE ? c->parent[m->parent].port
                                   : cache_port_of(c, &c->waiting[m->first]);
}

/* The item is kept for who waits. */
static LOOM_INLINE uint32_t cache_keep(struct cache *c,
                                       const struct cache_item *item,
                                       uint16_t reply_bits)
{
    uint32_t number = c->free_item;
    struct cache_item *waiting = &c->waiting[number];

    c->free_item = c->next_waiting[number];
    loom_mem_copy(&waiting->request, &item->request);
    waiting->request.reply_bits = reply_bits;
    c->next_waiting[number] = CACHE_NONE;
    if (!c->lone) {
        waiting->parent = item->parent;
        waiting->port = item->port;
    }
    return number;
}

#endif
