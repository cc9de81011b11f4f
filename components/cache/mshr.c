/*
 * MSHRs: who waits in them, and the end of them.
 */
#include "components/cache/mshr.h"

#include "components/cache/cache_records.h"

bool cache_make_mshrs(struct cache_mshrs *m, struct loom_component *self,
                      uint32_t entries, uint32_t merges, uint32_t waiting)
{
    uint32_t bits = loom_log2(entries) + 2;
    uint32_t buckets = 1u << bits;

    m->entries = entries;
    m->merges = merges;
    m->places = waiting;
    m->bucket_shift = 64 - bits;
    m->ready_first = CACHE_NONE;
    entries++; /* that of accesses without time */
    m->entry = loom_alloc(self, entries, sizeof(*m->entry));
    m->bucket = loom_alloc(self, buckets, sizeof(*m->bucket));
    m->waiting = loom_alloc(self, waiting, sizeof(*m->waiting));
    m->next_waiting = loom_alloc(self, waiting, sizeof(*m->next_waiting));
    return m->entry != NULL && m->bucket != NULL && m->waiting != NULL &&
           m->next_waiting != NULL;
}

void cache_tell_first(struct cache_mshrs *m, uint32_t number, uint16_t bits)
{
    struct cache_mshr *entry = &m->entry[number];

    if (entry->parent != CACHE_NONE) {
        entry->reply_bits |= bits;
    } else if (entry->first != CACHE_NONE) {
        m->waiting[entry->first].request.reply_bits |= bits;
    }
}

void cache_mshr_drop_first(struct cache_mshrs *m, uint32_t number)
{
    struct cache_mshr *entry = &m->entry[number];
    uint32_t first = entry->first;

    entry->first = m->next_waiting[first];
    entry->count--;
    m->next_waiting[first] = loom_free_link(first, m->free_item);
    m->free_item = first;
}

void cache_mshr_line_up(struct cache_mshrs *m, uint32_t number)
{
    if (m->ready_first == CACHE_NONE) {
        m->ready_first = number;
    } else {
        m->entry[m->ready_last].ready_next = number;
    }
    m->ready_last = number;
}

void cache_mshr_release(struct cache_mshrs *m, uint32_t number, loom_cycle now)
{
    uint32_t *link =
        &m->bucket[cache_hash(m->entry[number].key, m->bucket_shift)];

    while (*link != number + 1) {
        link = &m->entry[*link - 1].chain;
    }
    *link = m->entry[number].chain;
    cache_integrate(m, now);
    m->entry[number].chain = loom_free_link(number, m->free);
    m->free = number;
    m->used--;
}
