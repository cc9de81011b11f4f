/*
 * Effects on lines: they come, they leave.  Only files in components/cache/
 * include this.
 */
#ifndef COMPONENTS_CACHE_PLACE_H
#define COMPONENTS_CACHE_PLACE_H

#include "components/cache/send.h"

/* Puts the access's line in a->way, with nothing valid; whoever was there is
 * told to leave.  *victim says what of it must be written back. */
void cache_install(struct cache *c, const struct cache_access *a,
                   struct cache_victim *victim);
/* The line is in its way: was there already, or is new. */
void cache_settle_line(struct cache *c, const struct cache_access *a,
                       bool present);
/* A line of its own in a->way, which is chosen.  `fetch`: the data comes from
 * below; otherwise the write brought it all. */
void cache_reserve(struct cache *c, struct cache_access *a, bool fetch);
void cache_drop(struct cache *c, const struct cache_access *a,
                enum loom_evict_reason reason);
/* What is written leaves a write-evict cache. */
void cache_drop_written(struct cache *c, const struct cache_access *a);

#endif
