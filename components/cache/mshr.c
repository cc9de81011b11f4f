/*
 * MSHRs: new ones, who waits in them, and the end of them.
 */
#include "components/cache/mshr.h"

bool cache_take_mshrs(struct cache *c)
{
    uint64_t all = (uint64_t)c->mshr_entries * c->mshr_merges;
    uint32_t waiting = (uint32_t)all;
    uint32_t buckets = 1u << (64 - c->bucket_shift);

    if (c->config->line_mshrs && all > CACHE_LINE_WAITING) {
        waiting = CACHE_LINE_WAITING;
    }
    c->mshr = loom_alloc(c->self, c->mshr_entries, sizeof(*c->mshr));
    c->bucket = loom_alloc(c->self, buckets, sizeof(*c->bucket));
    c->waiting = loom_alloc(c->self, waiting, sizeof(*c->waiting));
    c->next_waiting = loom_alloc(c->self, waiting, sizeof(*c->next_waiting));
    for (uint32_t i = 0; c->bucket != NULL && i < buckets; i++) {
        c->bucket[i] = CACHE_NONE;
    }
    for (uint32_t i = 0; c->mshr != NULL && i < c->mshr_entries; i++) {
        c->mshr[i].chain = i + 1;
    }
    for (uint32_t i = 0; c->next_waiting != NULL && i < waiting; i++) {
        c->next_waiting[i] = i + 1 == waiting ? CACHE_NONE : i + 1;
    }
    c->lone = c->ports == 1 && !c->split;
    c->brief = c->split && waiting == all;
    if (c->split) { /* no more than there are places for their sectors */
        c->parents =
            waiting + c->config->passing_entries + c->banks * c->pipe_capacity;
        c->parent = loom_alloc(c->self, c->parents, sizeof(*c->parent));
        for (uint32_t i = 0; c->parent != NULL && i < c->parents; i++) {
            c->parent[i].next = i + 1;
        }
    }
    return c->mshr != NULL && c->bucket != NULL && c->waiting != NULL &&
           c->next_waiting != NULL && (!c->split || c->parent != NULL);
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

void cache_tell_first(struct cache *c, struct cache_mshr *m, uint16_t bits)
{
    if (m->parent != CACHE_NONE) {
        m->reply_bits |= bits;
    } else if (m->first != CACHE_NONE) {
        c->waiting[m->first].request.reply_bits |= bits;
    }
}

void cache_mshr_release(struct cache *c, uint32_t entry, loom_cycle now)
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

void cache_mshr_ready(struct cache *c, uint32_t entry, loom_cycle now)
{
    struct cache_mshr *m = &c->mshr[entry];

    m->ready = true;
    if (m->count == 0) {
        cache_mshr_release(c, entry, now);
    } else if (c->ready_first == CACHE_NONE) {
        c->ready_first = entry;
        c->ready_last = entry;
    } else {
        c->mshr[c->ready_last].ready_next = entry;
        c->ready_last = entry;
    }
}
