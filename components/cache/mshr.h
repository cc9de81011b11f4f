/*
 * MSHRs: blocks that were asked for below, and who waits for them.  Only files
 * in components/cache/ include this.
 *
 * Invariant: an entry is in its hash bucket from cache_mshr_take() until it is
 * released, also while it drains.
 */
#ifndef COMPONENTS_CACHE_MSHR_H
#define COMPONENTS_CACHE_MSHR_H

#include "engine/free_list.h"

#include "components/cache/cache_records.h"

/* Accesses in all MSHRs of a cache that has one for each of its lines: more
 * than an SM sends. */
#define CACHE_LINE_WAITING 8192

struct cache_mshrs {
    uint32_t used, entries;           /* of these, and how many may be */
    uint32_t ready_first, ready_last; /* those to be drained, in order */
    struct cache_mshr *entry;         /* [entries + 1]: one for warm.c */
    uint32_t *bucket;           /* [2^(64 - bucket_shift)] entry + 1; 0: none */
    struct cache_item *waiting; /* who wait, in all entries together */
    uint32_t *next_waiting;     /* of a list of them */
    uint32_t bucket_shift, merges;
    uint32_t free, free_item; /* lists by `chain` and `next_waiting`, as
                               * free_list.h has them */
    uint32_t places;          /* for who wait */
    bool bare_items;          /* items have no ports and no parents */
    /* For statistics. */
    uint64_t merged; /* accesses that joined an entry */
    loom_cycle counted, entry_cycles;
};

/* `waiting`: accesses that wait, in all entries together.  False: no memory. */
bool cache_make_mshrs(struct cache_mshrs *m, struct loom_component *self,
                      uint32_t entries, uint32_t merges, uint32_t waiting);

/* The entry of a line or sector, or CACHE_NONE. */
static LOOM_INLINE uint32_t cache_mshr_find(const struct cache_mshrs *m,
                                            loom_addr key)
{
    uint32_t after = m->bucket[cache_hash(key, m->bucket_shift)];

    while (after != 0 && m->entry[after - 1].key != key) {
        after = m->entry[after - 1].chain;
    }
    return after - 1;
}

/* There is none for another miss, or no place for who waits in it. */
static LOOM_INLINE bool cache_no_mshr(const struct cache_mshrs *m)
{
    return (m->used == m->entries) | (m->free_item == m->places);
}

/* Brings the cycles of MSHRs in use up to `now`. */
static LOOM_INLINE void cache_integrate(struct cache_mshrs *m, loom_cycle now)
{
    LOOM_DEBUG_CHECK(now >= m->counted);
    m->entry_cycles += m->used * (now - m->counted);
    m->counted = now;
}

/* An entry like `model`, which says by which key it is found. */
static LOOM_INLINE uint32_t cache_mshr_take(struct cache_mshrs *m,
                                            const struct cache_mshr *model,
                                            loom_cycle now)
{
    uint32_t *bucket = &m->bucket[cache_hash(model->key, m->bucket_shift)];
    uint32_t number = m->free;
    struct cache_mshr *entry = &m->entry[number];

    cache_integrate(m, now);
    m->free = loom_free_next(number, entry->chain);
    m->used++;
    *entry = *model;
    entry->chain = *bucket;
    entry->ready_next = CACHE_NONE;
    *bucket = number + 1;
    return number;
}

/* The item is kept for who waits. */
static LOOM_INLINE uint32_t cache_keep(struct cache_mshrs *m,
                                       const struct cache_item *item,
                                       uint16_t reply_bits)
{
    uint32_t number = m->free_item;
    struct cache_item *waiting = &m->waiting[number];

    m->free_item = loom_free_next(number, m->next_waiting[number]);
    loom_mem_copy(&waiting->request, &item->request);
    waiting->request.reply_bits = reply_bits;
    m->next_waiting[number] = CACHE_NONE;
    if (!m->bare_items) {
        waiting->parent = item->parent;
        waiting->port = item->port;
    }
    return number;
}

/* May an access to these sectors wait in the entry? */
static inline bool cache_joins(const struct cache_mshrs *m, uint32_t number,
                               uint8_t sectors)
{
    const struct cache_mshr *entry = &m->entry[number];

    return (sectors & ~entry->sectors) == 0 && entry->count < m->merges &&
           m->free_item != m->places;
}

/* An access waits in the entry, for whose reply these bits are. */
static LOOM_INLINE void cache_mshr_append(struct cache_mshrs *m,
                                          uint32_t number,
                                          const struct cache_item *item,
                                          uint16_t reply_bits)
{
    struct cache_mshr *entry = &m->entry[number];
    uint32_t last = cache_keep(m, item, reply_bits);

    if (entry->first == CACHE_NONE) {
        entry->first = last;
    } else {
        m->next_waiting[entry->last] = last;
    }
    entry->last = last;
    m->merged += entry->count++ != 0;
}

/* What was said below of the block goes to the first that waits for it. */
void cache_tell_first(struct cache_mshrs *m, uint32_t number, uint16_t bits);
/* The first one that waits with an item has its reply. */
void cache_mshr_drop_first(struct cache_mshrs *m, uint32_t number);
/* It is the last to be drained. */
void cache_mshr_line_up(struct cache_mshrs *m, uint32_t number);
void cache_mshr_release(struct cache_mshrs *m, uint32_t number, loom_cycle now);

#endif
