/*
 * Misses: with an MSHR, with a line, with both, with neither.  `quiet`: of a
 * load of a cache with `quiet_loads`, a constant.  Only files in
 * components/cache/ include this.
 *
 * Everything that can refuse an access is asked before anything changes, so
 * an access that must wait has left no trace and can be tried again.
 */
#ifndef COMPONENTS_CACHE_MISS_H
#define COMPONENTS_CACHE_MISS_H

#include "components/cache/place.h"
#include "components/cache/reply.h"

/* A miss whose block has an entry. */
enum cache_stall cache_merge(struct cache *c, struct cache_access *a,
                             uint32_t entry);
/* A load goes down without a line, by the verdict NO_ALLOCATE, which says how
 * much it fetches. */
enum cache_stall cache_load_without_line(struct cache *c,
                                         struct cache_access *a,
                                         const struct loom_bypass *how);
/* A write does: the cache does not allocate on writes, or the verdict. */
enum cache_stall cache_write_without_line(struct cache *c,
                                          struct cache_access *a);
/* A way for the access, asked only once everything else is there: `room` for
 * requests.  CACHE_DONE with a->way CACHE_NONE: it has gone around. */
enum cache_stall cache_choose_or_pass(struct cache *c, struct cache_access *a,
                                      uint32_t room);
enum cache_stall cache_way_of_chain_and_means(struct cache *c,
                                              struct cache_access *a,
                                              bool fetches, uint32_t room);

/* A write: all that it needs but a way.  `room`: requests that it sends. */
enum cache_stall cache_ready_to_write(struct cache *c,
                                      const struct cache_access *a, bool keep,
                                      uint32_t room);
/* Everything that fetching the line of a write needs but a way. */
enum cache_stall cache_may_fetch(struct cache *c, const struct cache_access *a,
                                 bool way_now);

/* A miss: an MSHR if it `fetches`, room for an answer if not, room for so many
 * requests. */
static LOOM_INLINE enum cache_stall cache_means(struct cache *c,
                                                const struct cache_access *a,
                                                bool fetches, uint32_t room)
{
    if (fetches && cache_no_mshr(&c->mshrs)) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(&c->down, room, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    return !fetches && a->request->kind != LOOM_MEM_WRITEBACK &&
                   !cache_may_reply(&c->up, a->item, a->now)
               ? CACHE_STALL_REPLY
               : CACHE_DONE;
}

/* Of a miss whose way is chosen: room for what must be written back.  Without
 * it the way is given up. */
static LOOM_INLINE enum cache_stall
cache_take_way(struct cache *c, struct cache_access *a, uint32_t room)
{
    if (cache_line_of(&c->tags, a)->dirty != 0 &&
        !cache_room(&c->down, room + 1, a->now)) {
        a->way = CACHE_NONE;
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    return CACHE_DONE;
}

/* A way for a miss, and the means.  The ways come first, as in GPGPU-Sim,
 * whose tags are probed before MSHRs are asked for: an access that policies
 * leave no way goes around even while all MSHRs are in use. */
static LOOM_INLINE enum cache_stall
cache_way_and_means(struct cache *c, struct cache_access *a, bool fetches,
                    uint32_t room, bool quiet)
{
    enum cache_stall stall;

    if (quiet || c->free_choice) {
        uint32_t ways = cache_free_ways(&c->tags, a->set);

        stall = ways == 0 ? (enum cache_stall)LOOM_FAIL_LINE
                          : cache_means(c, a, fetches, room);
        if (stall != CACHE_DONE) {
            return stall;
        }
        a->way = cache_choose_free(c, a->request, a->set, ways);
        return cache_take_way(c, a, room);
    }
    if (loom_chain(&c->candidates) != 0 && !c->tags.infinite) {
        return cache_way_of_chain_and_means(c, a, fetches, room);
    }
    stall = cache_all_reserved(&c->tags, a->set)
                ? (enum cache_stall)LOOM_FAIL_LINE
                : cache_means(c, a, fetches, room);
    return stall == CACHE_DONE ? cache_choose_or_pass(c, a, room) : stall;
}

/* An MSHR for a miss that fetches its line.  The access waits in it, which a
 * sector of a request can do without an item. */
static LOOM_INLINE uint32_t cache_wait_for_line(struct cache *c,
                                                const struct cache_access *a,
                                                bool quiet)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry = cache_mshr_new(c, a);
    struct cache_mshr *m = &c->mshrs.entry[entry];

    m->fill = true;
    m->dirty = a->load ? 0 : a->need;
    if (quiet && c->sectors_wait && a->item->parent != CACHE_NONE) {
        m->parent = a->item->parent;
        m->sector = (uint8_t)loom_lowest(r->sectors);
        m->count = 1;
    } else if (quiet || r->kind != LOOM_MEM_WRITEBACK) {
        cache_mshr_append(&c->mshrs, entry, a->item,
                          quiet ? 0 : cache_answer(c, r));
    }
    return entry;
}

/* The access is a miss that gets a line: a->way now, or when its data comes.
 * `present`: the way that had its tag already. */
static LOOM_INLINE void cache_allocate(struct cache *c, struct cache_access *a,
                                       bool fetch, uint32_t present, bool quiet)
{
    const struct loom_mem_request *r = a->request;
    uint32_t way = a->way;

    a->way = present; /* what a miss has to say of a way */
    cache_count_miss(c, a, quiet);
    if (fetch && present != CACHE_NONE) {
        const struct cache_line *line = cache_line_of(&c->tags, a);

        c->stats->partial_fetches +=
            (a->need & line->written & (uint8_t)~line->valid) != 0;
    }
    a->way = way;
    if (fetch) {
        a->entry = cache_wait_for_line(c, a, quiet);
    }
    if (way != CACHE_NONE) {
        cache_reserve(c, a, fetch, quiet);
    } else if (fetch) {
        cache_fetch(c, r, a->entry, cache_wanted(&c->sectors, r, a->need),
                    a->now, quiet);
    }
    if (!fetch && r->kind != LOOM_MEM_WRITEBACK) {
        cache_reply(c, a->item, 0, cache_answer(c, r), a->now, 0);
    }
}

#endif
