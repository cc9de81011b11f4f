/*
 * Misses: with an MSHR, with a line, with both, with neither.
 */
#include "components/cache/access.h"
#include "components/cache/ask.h"
#include "components/cache/place.h"
#include "components/cache/reply.h"
#include "components/cache/tell.h"

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

/* ---- a way ---- */

/* Policies have left the access no way: it goes around. */
static enum cache_stall pass_by(struct cache *c, struct cache_access *a,
                                const struct loom_bypass *how)
{
    cache_mark_bypass(c, &a->item->request, how, c->empty_by);
    return cache_bypass(c, a->item, a->now);
}

enum cache_stall cache_choose_or_pass(struct cache *c, struct cache_access *a,
                                      uint32_t room)
{
    struct loom_bypass how = {a->request->size_bytes, false};
    enum cache_stall stall = cache_choose(c, a, &a->way, &how);

    if (stall != CACHE_DONE) {
        return stall;
    }
    return a->way == CACHE_NONE ? pass_by(c, a, &how)
                                : cache_take_way(c, a, room);
}

/* .. where a chain may leave it none of its ways. */
LOOM_NOINLINE static enum cache_stall
way_of_chain_and_means(struct cache *c, struct cache_access *a, bool fetches,
                       uint32_t room)
{
    struct loom_bypass how = {a->request->size_bytes, false};
    struct loom_ways ways = {c->ways_left, 0};
    enum cache_stall stall;

    stall = cache_candidates(c, a, &ways, &how);
    if (stall == CACHE_DONE && ways.count == 0) {
        return pass_by(c, a, &how);
    }
    if (stall == CACHE_DONE) {
        stall = cache_means(c, a, fetches, room);
    }
    if (stall != CACHE_DONE) {
        return stall;
    }
    a->way = cache_choose_of(c, a, &ways);
    return cache_take_way(c, a, room);
}

enum cache_stall cache_way_and_means(struct cache *c, struct cache_access *a,
                                     bool fetches, uint32_t room)
{
    enum cache_stall stall;

    if (LOOM_UNLIKELY(loom_chain(&c->candidates) != 0) && !c->infinite) {
        return way_of_chain_and_means(c, a, fetches, room);
    }
    stall = cache_all_reserved(c, a->set) ? (enum cache_stall)LOOM_FAIL_LINE
                                          : cache_means(c, a, fetches, room);
    return stall == CACHE_DONE ? cache_choose_or_pass(c, a, room) : stall;
}

/* ---- a line ---- */

void cache_allocate(struct cache *c, struct cache_access *a, bool fetch,
                    uint32_t present)
{
    const struct loom_mem_request *r = a->request;
    uint32_t way = a->way;
    uint32_t entry;

    a->way = present; /* what a miss has to say of a way */
    cache_count_miss(c, a);
    if (fetch && present != CACHE_NONE) {
        const struct cache_line *line = cache_line_of(c, a);

        c->stats->partial_fetches +=
            (a->need & line->written & (uint8_t)~line->valid) != 0;
    }
    a->way = way;
    if (fetch) {
        entry = cache_mshr_new(c, a);
        a->entry = entry;
        c->mshr[entry].fill = true;
        c->mshr[entry].dirty = a->load ? 0 : a->need;
        if (r->kind != LOOM_MEM_WRITEBACK) {
            cache_mshr_append(c, entry, a->item, cache_answer(c, r));
        }
        if (way == CACHE_NONE) {
            cache_fetch(c, r, entry, cache_wanted(c, a, a->need), a->now);
        }
    }
    if (way != CACHE_NONE) {
        cache_reserve(c, a, fetch);
    }
    if (!fetch && r->kind != LOOM_MEM_WRITEBACK) {
        cache_reply(c, a->item, 0, cache_answer(c, r), a->now, 0);
    }
}
