/*
 * Whole answers: what a request, a message from below or a command comes to,
 * but for accesses that are looked up (access.h).  Only files in
 * components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_ANSWERS_H
#define COMPONENTS_CACHE_ANSWERS_H

#include "components/cache/cache_types.h"

/* around.c: a request that is marked as a bypass, and a policy's query. */
enum cache_stall cache_bypass(struct cache *c, struct cache_item *item,
                              loom_cycle now);
enum cache_stall cache_answer_query(struct cache *c, struct cache_item *item,
                                    loom_cycle now);

/* flush.c */
enum cache_stall cache_flush(struct cache *c, const struct cache_item *item,
                             loom_cycle now);

/* fill.c: one reply from below.  False: it must wait. */
bool cache_take_reply(struct cache *c, const struct loom_mem_request *reply,
                      loom_cycle now);
/* The first in the channel, if there is one. */
void cache_from_below(struct cache *c, loom_cycle now);
/* Takes a reply, which must be there, if it is a part of a fetch that
 * completes nothing and so is only counted. */
bool cache_take_part(struct cache *c, loom_cycle now);
/* Answers one that waits in an entry that is ready, of which there is one. */
void cache_drain(struct cache *c, loom_cycle now);

/* preload.c: a copy of the host. */
bool cache_command(struct loom_component *self, const void *command,
                   struct loom_error *err);

#endif
