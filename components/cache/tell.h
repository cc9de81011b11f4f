/*
 * Counting, and telling those who watch.  Only files in components/cache/
 * include this.
 */
#ifndef COMPONENTS_CACHE_TELL_H
#define COMPONENTS_CACHE_TELL_H

#include "components/cache/cache_types.h"

void cache_tell_watchers(struct cache *c, enum loom_event_kind kind,
                         const struct cache_access *a);
void cache_tell_watchers_evict(struct cache *c, const struct cache_access *a,
                               loom_addr block, enum loom_evict_reason reason);
void cache_tell_reply(struct cache *c, const struct loom_mem_request *reply,
                      loom_cycle now);
void cache_tell_sent(struct cache *c, const struct loom_mem_request *request,
                     loom_cycle now);
/* An access waits. */
void cache_tell_fail(struct cache *c, const struct cache_wait *w,
                     const struct loom_mem_request *r, loom_cycle now);

/* Tells who has subscribed, if anybody has. */
static inline void cache_tell(struct cache *c, enum loom_event_kind kind,
                              const struct cache_access *a)
{
    if (LOOM_UNLIKELY(!c->unobserved) && loom_observed(&c->observers, kind)) {
        cache_tell_watchers(c, kind, a);
    }
}

static inline void cache_tell_evict(struct cache *c,
                                    const struct cache_access *a,
                                    loom_addr block,
                                    enum loom_evict_reason reason)
{
    if (loom_observed(&c->observers, LOOM_EVENT_EVICT)) {
        cache_tell_watchers_evict(c, a, block, reason);
    }
}

/* The access is accepted; `outcome` is HIT, PENDING_HIT, MISS or BYPASS.
 * `quiet`: nobody watches, a constant. */
static LOOM_INLINE void cache_count(struct cache *c,
                                    const struct cache_access *a,
                                    enum loom_event_kind outcome, bool quiet)
{
    const struct loom_mem_request *r = a->request;
    struct cache_stats *s = c->stats;
    uint64_t *counter = outcome == LOOM_EVENT_HIT    ? s->hits_by_kind
                        : outcome == LOOM_EVENT_MISS ? s->misses_by_kind
                        : outcome == LOOM_EVENT_PENDING_HIT
                            ? s->pending_hits_by_kind
                            : s->bypasses_by_kind;

    counter[r->kind]++;
    if (c->level == LOOM_LEVEL_L1) {
        c->rank[r->warp % CACHE_RANKS] = r->rank;
    }
    if (!quiet && LOOM_UNLIKELY(!c->unobserved)) {
        cache_tell(c, LOOM_EVENT_ACCESS, a);
        cache_tell(c, outcome, a);
    }
}

static LOOM_INLINE void
cache_count_miss(struct cache *c, const struct cache_access *a, bool quiet)
{
    if (a->way != CACHE_NONE) {
        const struct cache_line *line = cache_line_of(&c->tags, a);

        c->stats->sector_misses +=
            (line->valid | line->pending | line->written) != 0;
    }
    cache_count(c, a, LOOM_EVENT_MISS, quiet);
}

#endif
