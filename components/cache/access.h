/*
 * Accesses that are looked up.  Only files in components/cache/ include this.
 *
 * Everything that can refuse an access is asked before anything changes, so
 * an access that must wait has left no trace and can be tried again.
 */
#ifndef COMPONENTS_CACHE_ACCESS_H
#define COMPONENTS_CACHE_ACCESS_H

#include "components/cache/cache_types.h"

/* write.c */
enum cache_stall cache_lazy_write(struct cache *c, struct cache_access *a);
enum cache_stall cache_write_and_fetch(struct cache *c, struct cache_access *a,
                                       uint32_t entry);

/* access.c: the oldest access of a bank.  `again`: it has waited. */
enum cache_stall cache_serve(struct cache *c, struct cache_bank *bank,
                             struct cache_item *item, bool again,
                             loom_cycle now);

/* The same of a load that is not sent around, of a cache with `quiet_loads`. */
enum cache_stall cache_serve_load(struct cache *c, struct cache_bank *bank,
                                  struct cache_item *item, loom_cycle now);

#endif
