/*
 * Effects on the lower side: requests that are sent down.  There is room for
 * them.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_SEND_H
#define COMPONENTS_CACHE_SEND_H

#include "components/cache/down.h"
#include "components/cache/mshr.h"

/* A request goes by without an MSHR. */
void cache_pass(struct cache *c, const struct cache_item *item,
                uint16_t reply_bits, bool bypass, loom_cycle now);
/* Sectors of a block are asked for, for an MSHR. */
void cache_fetch(struct cache *c, const struct loom_mem_request *request,
                 uint32_t entry, uint8_t sectors, loom_cycle now);
void cache_write_back(struct cache *c, const struct cache_victim *victim,
                      loom_cycle now);
/* The request goes around this cache, as policy `by` said.  It asks for no less
 * than the sectors that its instruction wants, and for more if the verdict's
 * size says so. */
void cache_mark_bypass(struct cache *c, struct loom_mem_request *request,
                       const struct loom_bypass *how, uint32_t by);

#endif
