/*
 * Misses: with an MSHR, with a line, with both, with neither.
 */
#include "components/cache/miss.h"

#include "components/cache/answers.h"

enum cache_stall cache_merge(struct cache *c, struct cache_access *a,
                             uint32_t entry)
{
    const struct loom_mem_request *r = a->request;
    struct cache_mshr *m = &c->mshrs.entry[entry];
    uint8_t all =
        m->fill ? cache_wanted(&c->sectors, a->request, a->need) : r->sectors;
    uint8_t more = (uint8_t)(all & ~m->sectors);

    if (!cache_joins(&c->mshrs, entry, 0) ||
        (!a->load && (m->ready || !m->fill)) ||
        (m->ready && (more != 0 || a->way != CACHE_NONE))) {
        return (enum cache_stall)LOOM_FAIL_MERGE;
    }
    if (more != 0 && !cache_room(&c->down, 1, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (m->ready) {
        cache_count(c, a, LOOM_EVENT_PENDING_HIT, false);
    } else {
        cache_count_miss(c, a, false);
    }
    if (more != 0) {
        cache_fetch(c, r, entry, more, a->now, false);
        if (m->way != CACHE_NONE) {
            c->tags.line[cache_at(&c->tags, m->set, m->way)].pending |=
                c->sectors.of[more].mask;
        }
    }
    if (!a->load) {
        m->dirty |= a->need;
    }
    if (r->kind != LOOM_MEM_WRITEBACK) {
        cache_mshr_append(&c->mshrs, entry, a->item, cache_answer(c, r));
    }
    return CACHE_DONE;
}

enum cache_stall cache_write_without_line(struct cache *c,
                                          struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;

    if (!cache_can_pass(&c->down, r, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    cache_count_miss(c, a, false);
    cache_pass(c, a->item, cache_answer(c, r), false, a->now);
    return CACHE_DONE;
}

enum cache_stall cache_load_without_line(struct cache *c,
                                         struct cache_access *a,
                                         const struct loom_bypass *how)
{
    const struct loom_mem_request *r = a->request;
    uint32_t entry;

    if (cache_no_mshr(&c->mshrs)) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(&c->down, 1, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    a->way = CACHE_NONE;
    c->stats->unallocated_misses++;
    cache_count(c, a, LOOM_EVENT_MISS, false);
    entry = cache_mshr_new(c, a);
    cache_fetch(c, r, entry,
                cache_widen(&c->sectors, r->sectors, how->size_bytes), a->now,
                false);
    cache_mshr_append(&c->mshrs, entry, a->item, cache_answer(c, r));
    return CACHE_DONE;
}

/* ---- what a write needs beside its line: questions only ---- */

enum cache_stall cache_ready_to_write(struct cache *c,
                                      const struct cache_access *a, bool keep,
                                      uint32_t room)
{
    const struct loom_mem_request *r = a->request;

    if (a->way == CACHE_NONE && cache_all_reserved(&c->tags, a->set)) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    if ((!keep && !cache_can_pass(&c->down, r, a->now)) ||
        ((keep || room > 1) && !cache_room(&c->down, room, a->now))) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (keep && r->kind != LOOM_MEM_WRITEBACK &&
        !cache_may_reply(&c->up, a->item, a->now)) {
        return CACHE_STALL_REPLY;
    }
    return CACHE_DONE;
}

enum cache_stall cache_may_fetch(struct cache *c, const struct cache_access *a,
                                 bool way_now)
{
    if (way_now && a->way == CACHE_NONE &&
        cache_all_reserved(&c->tags, a->set)) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    return c->mshrs.used == c->mshrs.entries ? (enum cache_stall)LOOM_FAIL_MSHR
                                             : CACHE_DONE;
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

LOOM_NOINLINE enum cache_stall
cache_way_of_chain_and_means(struct cache *c, struct cache_access *a,
                             bool fetches, uint32_t room)
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
