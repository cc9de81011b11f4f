/*
 * Effects on the lower side: requests that are sent down.  There is room for
 * them.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_SEND_H
#define COMPONENTS_CACHE_SEND_H

#include "components/cache/cache_types.h"

/* Policies may mark what is sent. */
static inline void cache_mark(const struct cache *c, struct loom_mem_request *m)
{
    if (loom_chain(&c->marks) != 0) {
        m->policy_bits |= loom_marks_ask(&c->marks, m);
    }
}

/* An MSHR for an access, with nobody in it. */
static LOOM_INLINE uint32_t cache_mshr_new(struct cache *c,
                                           const struct cache_access *a)
{
    return cache_mshr_take(
        &c->mshrs,
        &(struct cache_mshr){
            .line = a->line,
            .key = a->key,
            .first = CACHE_NONE,
            .last = CACHE_NONE,
            .set = a->set,
            .way = a->way,
            .parent = CACHE_NONE,
            .whole = cache_line_sectors(&c->sectors, a->request->sectors),
        },
        a->now);
}

/* Does the sector of a fetch go with another's request? */
bool cache_joins_fetch(struct cache *c, const struct loom_mem_request *request,
                       uint8_t sectors, loom_cycle now);

/* Sectors of a block are asked for, for an MSHR.  `quiet`: for a load, and
 * nobody marks what is sent. */
static LOOM_INLINE void cache_fetch(struct cache *c,
                                    const struct loom_mem_request *request,
                                    uint32_t entry, uint8_t sectors,
                                    loom_cycle now, bool quiet)
{
    uint32_t bytes = loom_popcount(sectors) * LOOM_SECTOR_BYTES;
    struct loom_mem_request *m;

    c->mshrs.entry[entry].outstanding++;
    c->mshrs.entry[entry].sectors |= sectors;
    c->stats->fetches++;
    c->stats->fetched_bytes += bytes;
    if (c->down.joins && cache_joins_fetch(c, request, sectors, now)) {
        return;
    }
    m = cache_push(&c->down, now);
    if (quiet) {
        loom_mem_copy_load(m, request);
    } else {
        loom_mem_copy(m, request);
    }
    m->src = c->id;
    m->token = entry;
    m->kind = LOOM_MEM_LOAD;
    m->sectors = sectors;
    m->size_bytes = (uint16_t)bytes;
    m->reply_bits = 0;
    if (!quiet) {
        cache_mark(c, m);
    }
    if (c->down.joins) {
        cache_await_company(&c->down, m, now);
    }
}

/* A request goes by without an MSHR. */
void cache_pass(struct cache *c, const struct cache_item *item,
                uint16_t reply_bits, bool bypass, loom_cycle now);
void cache_write_back(struct cache *c, const struct cache_victim *victim,
                      loom_cycle now);
/* The request goes around this cache, as policy `by` said.  It asks for no less
 * than the sectors that its instruction wants, and for more if the verdict's
 * size says so. */
void cache_mark_bypass(struct cache *c, struct loom_mem_request *request,
                       const struct loom_bypass *how, uint32_t by);

#endif
