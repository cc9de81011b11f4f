/*
 * What an access needs beside its line: MSHRs, room for requests, room for a
 * reply.  Questions only.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_MEANS_H
#define COMPONENTS_CACHE_MEANS_H

#include "components/cache/down.h"
#include "components/cache/mshr.h"

/* A miss: an MSHR if it `fetches`, room for an answer if not, room for so many
 * requests. */
enum cache_stall cache_means(struct cache *c, const struct cache_access *a,
                             bool fetches, uint32_t room);
/* Of a miss whose way is chosen: room for what must be written back.  Without
 * it the way is given up. */
enum cache_stall cache_take_way(struct cache *c, struct cache_access *a,
                                uint32_t room);
/* A write: all that it needs but a way.  `room`: requests that it sends. */
enum cache_stall cache_ready_to_write(struct cache *c,
                                      const struct cache_access *a, bool keep,
                                      uint32_t room);
/* Everything that fetching the line of a write needs but a way. */
enum cache_stall cache_may_fetch(struct cache *c, const struct cache_access *a,
                                 bool way_now);

#endif
