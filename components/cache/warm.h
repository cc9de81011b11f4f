/*
 * Accesses without time.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_WARM_H
#define COMPONENTS_CACHE_WARM_H

#include "engine/warm.h"

#include "components/cache/cache_types.h"

/* Is nothing under way? */
bool cache_quiet(struct loom_component *self);
/* The request `message` becomes its reply. */
void cache_serve_warm(struct loom_component *self, void *message,
                      loom_cycle now);

#endif
