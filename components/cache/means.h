/*
 * What an access needs beside its line: MSHRs, room for requests, room for a
 * reply.  Questions only.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_MEANS_H
#define COMPONENTS_CACHE_MEANS_H

#include "components/cache/cache_types.h"

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

/* A write: all that it needs but a way.  `room`: requests that it sends. */
enum cache_stall cache_ready_to_write(struct cache *c,
                                      const struct cache_access *a, bool keep,
                                      uint32_t room);
/* Everything that fetching the line of a write needs but a way. */
enum cache_stall cache_may_fetch(struct cache *c, const struct cache_access *a,
                                 bool way_now);

#endif
