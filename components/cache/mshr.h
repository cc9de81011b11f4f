/*
 * MSHRs: blocks that were asked for below, and who waits for them.  Only files
 * in components/cache/ include this.
 *
 * Invariant: an entry is in its hash bucket from cache_mshr_take() until it is
 * freed, also while it drains.
 */
#ifndef COMPONENTS_CACHE_MSHR_H
#define COMPONENTS_CACHE_MSHR_H

#include "components/cache/tags.h"
#include "components/cache/up.h"

/* Accesses in all MSHRs of a cache that has one for each of its lines: more
 * than an SM sends. */
#define CACHE_LINE_WAITING 8192

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

/* May an access to these sectors wait in the entry? */
static inline bool cache_joins(const struct cache *c,
                               const struct cache_mshr *m, uint8_t sectors)
{
    return (sectors & ~m->sectors) == 0 && m->count < c->mshr_merges &&
           c->free_item != CACHE_NONE;
}

bool cache_take_mshrs(struct cache *c);
/* One for an access, with nobody in it. */
uint32_t cache_mshr_new(struct cache *c, const struct cache_access *a);
/* An access waits in it, for whose reply these bits are. */
void cache_mshr_append(struct cache *c, uint32_t entry,
                       const struct cache_item *item, uint16_t reply_bits);
/* What was said below of the block goes to the first that waits for it. */
void cache_tell_first(struct cache *c, struct cache_mshr *m, uint16_t bits);
/* Its data is here: it drains next, or is free if nobody waits. */
void cache_mshr_ready(struct cache *c, uint32_t entry, loom_cycle now);
void cache_mshr_release(struct cache *c, uint32_t entry, loom_cycle now);

#endif
