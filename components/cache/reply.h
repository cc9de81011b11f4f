/*
 * Effects on the upper side: replies.  Only files in components/cache/ include
 * this.
 */
#ifndef COMPONENTS_CACHE_REPLY_H
#define COMPONENTS_CACHE_REPLY_H

#include "components/cache/mshr.h"

/* Sends the access's reply up, where there must be room. */
void cache_reply(struct cache *c, const struct cache_item *item, uint8_t flags,
                 uint16_t reply_bits, loom_cycle now, loom_cycle delay);
/* The first one that waits in an entry gets its reply, if there is room. */
bool cache_answer_first(struct cache *c, struct cache_mshr *m, loom_cycle now);

#endif
