/*
 * Accesses that wait: why, how long, and whether to try again.  Only files in
 * components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_WAIT_H
#define COMPONENTS_CACHE_WAIT_H

#include "components/cache/tell.h"

/* Counts the cycles before `now`. */
void cache_settle_wait(struct cache *c, struct cache_wait *w, loom_cycle now);

/* The access was tried at `now` and must wait. */
static LOOM_INLINE void cache_wait_on(struct cache *c, struct cache_wait *w,
                                      const struct loom_mem_request *r,
                                      enum cache_stall reason, loom_cycle now)
{
    if (w->reason == CACHE_DONE) {
        w->since = now;
        w->counted = LOOM_NEVER;
        w->failed = false;
    }
    w->reason = reason;
    if (w->counted != now) {
        w->counted = now;
        if (reason < (uint32_t)LOOM_FAIL_REASONS) {
            c->stats->reservation_fails[reason]++;
        } else {
            c->stats->other_stalls[reason - (int)LOOM_FAIL_REASONS]++;
        }
    }
    if (reason >= (uint32_t)LOOM_FAIL_REASONS) {
        return;
    }
    if (!w->failed) {
        w->failed = true;
        c->stats->fail_accesses[reason]++;
    }
    if (LOOM_UNLIKELY(!c->unobserved) &&
        loom_observed(&c->observers, LOOM_EVENT_RESERVATION_FAIL)) {
        cache_tell_fail(c, w, r, now);
    }
}

/* Nothing has changed that could help the oldest access of a bank. */
bool cache_hopeless(const struct cache *c, const struct cache_bank *bank);

#endif
