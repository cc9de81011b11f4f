/*
 * Effects on lines: they come, they leave.  `quiet`: of a load of a cache with
 * `quiet_loads`, a constant.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_PLACE_H
#define COMPONENTS_CACHE_PLACE_H

#include "components/cache/ask.h"
#include "components/cache/power.h"
#include "components/cache/send.h"
#include "components/cache/tell.h"

/* Another line of an infinite cache is in use. */
void cache_check_infinite(struct cache *c);

/* Puts the access's line in a->way, with nothing valid; whoever was there is
 * told to leave.  *victim says what of it must be written back. */
static LOOM_INLINE void cache_install(struct cache *c,
                                      const struct cache_access *a,
                                      struct cache_victim *victim, bool quiet)
{
    uint32_t at = cache_at(&c->tags, a->set, a->way);
    struct cache_line *line = &c->tags.line[at];

    *victim = cache_victim_of(&c->tags, at);
    if (line->tag != 0 && victim->line != a->line) {
        c->stats->evictions++;
        if (!quiet) {
            cache_tell_evict(c, a, victim->line, LOOM_EVICT_CAPACITY);
            cache_power(c, LOOM_EVENT_EVICT, a);
        }
    } else if (!quiet && c->tags.infinite && line->tag == 0) {
        cache_check_infinite(c);
    }
    line->tag = a->line | 1;
    c->tags.touched = true;
    cache_empty_line(&c->tags, at);
}

/* The line is in its way: was there already, or is new. */
static LOOM_INLINE void cache_settle_line(struct cache *c,
                                          const struct cache_access *a,
                                          bool present, bool quiet)
{
    if (present) {
        cache_promote(c, a->request, a->set, a->way);
        return;
    }
    if (!quiet) {
        cache_tell(c, LOOM_EVENT_ALLOCATE, a);
    }
    cache_inserted(c, a->request, a->set, a->way);
}

/* A line of its own in a->way, which is chosen.  `fetch`: the data comes from
 * below; otherwise the write brought it all. */
static LOOM_INLINE void cache_reserve(struct cache *c, struct cache_access *a,
                                      bool fetch, bool quiet)
{
    struct cache_line *line = cache_line_of(&c->tags, a);
    struct cache_victim victim = {0};
    bool present = line->tag == (a->line | 1) &&
                   (line->valid | line->pending | line->written) != 0;
    uint8_t missing;

    if (!present) {
        cache_install(c, a, &victim, quiet);
    }
    missing = a->need & (uint8_t)~line->valid;
    if (fetch) {
        line->pending |= missing;
    } else {
        line->valid |= a->need;
        cache_modify(&c->tags, &c->sectors, a, true);
    }
    cache_settle_line(c, a, present, quiet);
    if (fetch) {
        c->mshrs.entry[a->entry].way = a->way;
        cache_fetch(c, a->request, a->entry,
                    cache_wanted(&c->sectors, a->request, missing), a->now,
                    quiet);
    }
    if (LOOM_UNLIKELY(victim.dirty != 0)) {
        cache_write_back(c, &victim, a->now);
        cache_occupy(&c->pipe, a->bank, c->tags.line_bytes, a->now);
    }
    if (!quiet) {
        cache_power(c, present ? LOOM_EVENT_HIT : LOOM_EVENT_ALLOCATE, a);
    }
}

void cache_drop(struct cache *c, const struct cache_access *a,
                enum loom_evict_reason reason);
/* What is written leaves a write-evict cache. */
void cache_drop_written(struct cache *c, const struct cache_access *a);

#endif
