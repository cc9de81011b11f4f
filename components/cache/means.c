/*
 * What an access needs beside its line.
 */
#include "components/cache/means.h"

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
