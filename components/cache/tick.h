/*
 * The cycle of a cache.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_TICK_H
#define COMPONENTS_CACHE_TICK_H

#include "engine/component.h"

loom_cycle cache_tick(struct loom_component *self, loom_cycle now);

#endif
