/*
 * Power of lines: on, drowsy, gated.  Only files in components/cache/ include
 * this.
 */
#ifndef COMPONENTS_CACHE_POWER_H
#define COMPONENTS_CACHE_POWER_H

#include "components/cache/cache_types.h"

void cache_ask_power(struct cache *c, enum loom_event_kind event,
                     const struct cache_access *a);

/* Asks the power policy, if there is one. */
static inline void cache_power(struct cache *c, enum loom_event_kind event,
                               const struct cache_access *a)
{
    if (LOOM_UNLIKELY(!c->unobserved) && c->power != NULL) {
        cache_ask_power(c, event, a);
    }
}

/* Brings the cycles of lines by their state up to `now`. */
void cache_integrate_power(struct cache *c, loom_cycle now);
/* What a power policy does between events (cache_hook.h). */
bool cache_set_power(void *cache, uint32_t set, uint32_t way,
                     enum loom_line_power state, loom_cycle now);
void cache_sleep(void *cache, bool asleep, loom_cycle now);

#endif
