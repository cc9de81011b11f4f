/*
 * What an access needs beside its line.
 */
#include "components/cache/means.h"

enum cache_stall cache_means(struct cache *c, const struct cache_access *a,
                             bool fetches, uint32_t room)
{
    if (fetches && cache_no_mshr(c)) {
        return (enum cache_stall)LOOM_FAIL_MSHR;
    }
    if (!cache_room(c, room, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    return !fetches && a->request->kind != LOOM_MEM_WRITEBACK &&
                   !cache_may_reply(c, a->item, a->now)
               ? CACHE_STALL_REPLY
               : CACHE_DONE;
}

enum cache_stall cache_take_way(struct cache *c, struct cache_access *a,
                                uint32_t room)
{
    if (cache_line_of(c, a)->dirty != 0 && !cache_room(c, room + 1, a->now)) {
        a->way = CACHE_NONE;
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    return CACHE_DONE;
}

enum cache_stall cache_ready_to_write(struct cache *c,
                                      const struct cache_access *a, bool keep,
                                      uint32_t room)
{
    const struct loom_mem_request *r = a->request;

    if (a->way == CACHE_NONE && cache_all_reserved(c, a->set)) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    if (!cache_room(c, room, a->now) ||
        (!keep && !cache_can_pass(c, r, a->now))) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (keep && r->kind != LOOM_MEM_WRITEBACK &&
        !cache_may_reply(c, a->item, a->now)) {
        return CACHE_STALL_REPLY;
    }
    return CACHE_DONE;
}

enum cache_stall cache_may_fetch(struct cache *c, const struct cache_access *a,
                                 bool way_now)
{
    if (way_now && a->way == CACHE_NONE && cache_all_reserved(c, a->set)) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    return c->mshr_used == c->mshr_entries ? (enum cache_stall)LOOM_FAIL_MSHR
                                           : CACHE_DONE;
}
