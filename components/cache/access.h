/*
 * Accesses that are looked up.  Only files in components/cache/ include this.
 *
 * Everything that can refuse an access is asked before anything changes, so
 * an access that must wait has left no trace and can be tried again.
 */
#ifndef COMPONENTS_CACHE_ACCESS_H
#define COMPONENTS_CACHE_ACCESS_H

#include "components/cache/answers.h"
#include "components/cache/means.h"

/* miss.c: a miss whose block has an entry. */
enum cache_stall cache_merge(struct cache *c, struct cache_access *a,
                             uint32_t entry);
/* Goes down without a line: a write of a cache that does not allocate on
 * writes, or the verdict NO_ALLOCATE. */
enum cache_stall cache_miss_without_line(struct cache *c,
                                         struct cache_access *a);
/* A way for the access, asked only once everything else is there: `room` for
 * requests.  CACHE_DONE with a->way CACHE_NONE: it has gone around. */
enum cache_stall cache_choose_or_pass(struct cache *c, struct cache_access *a,
                                      uint32_t room);
/* A way for a miss, and the means.  The ways come first, as in GPGPU-Sim,
 * whose tags are probed before MSHRs are asked for: an access that policies
 * leave no way goes around even while all MSHRs are in use. */
enum cache_stall cache_way_and_means(struct cache *c, struct cache_access *a,
                                     bool fetches, uint32_t room);
/* The access is a miss that gets a line: a->way now, or when its data comes.
 * `present`: the way that had its tag already. */
void cache_allocate(struct cache *c, struct cache_access *a, bool fetch,
                    uint32_t present);

/* write.c */
enum cache_stall cache_lazy_write(struct cache *c, struct cache_access *a);
enum cache_stall cache_write_and_fetch(struct cache *c, struct cache_access *a,
                                       uint32_t entry);

/* access.c: the oldest access of a bank.  `again`: it has waited. */
enum cache_stall cache_serve(struct cache *c, struct cache_bank *bank,
                             struct cache_item *item, bool again,
                             loom_cycle now);

/* load.c: a load that is not sent around, where cache.usual is set. */
enum cache_stall cache_serve_load(struct cache *c, struct cache_bank *bank,
                                  struct cache_item *item, loom_cycle now);

#endif
