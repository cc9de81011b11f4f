/*
 * What a cache is to its policies: its shape, and what they may ask of it or
 * have it do between its own questions (policies/cache_hook.h).
 */
#ifndef POLICIES_CACHE_HOST_H
#define POLICIES_CACHE_HOST_H

#include "components/mem_protocol.h"

enum loom_line_power {
    LOOM_LINE_ON,
    LOOM_LINE_DROWSY, /* keeps its data; waking costs wake_cycles */
    LOOM_LINE_GATED   /* keeps its tag only: a hit on it is a miss */
};

/* What a cache does for its policies.  Valid as long as the cache. */
struct loom_cache_host {
    void *cache;
    /* Sends a query downwards when there is room; `request` needs block,
     * policy_bits and inst.  False: the queue of queries is full, try later.
     * The answer comes as LOOM_EVENT_ANSWER. */
    bool (*query)(void *cache, const struct loom_mem_request *request);
    /* Is the way reserved (data on the way)?  Is it valid? */
    bool (*reserved)(void *cache, uint32_t set, uint32_t way);
    bool (*valid)(void *cache, uint32_t set, uint32_t way);
    /* Block in a way; meaningful if valid or reserved. */
    loom_addr (*block)(void *cache, uint32_t set, uint32_t way);
    /* Rank now of a hardware warp slot of this SM; 0 outside SMs. */
    uint32_t (*rank)(void *cache, uint32_t warp);
    /* When the block in a valid way is loaded next: a number that grows with
     * the order of accesses, LOOM_NEVER if it is written before that or not
     * loaded again.  NULL where nobody knows, which is wherever time passes:
     * what is accessed next depends on what hits now. */
    uint64_t (*next_use)(void *cache, uint32_t set, uint32_t way);
    /* Where the tag of an address is, of a line that is on or gated.  False:
     * no way has it. */
    bool (*find)(void *cache, loom_addr line, uint32_t *set, uint32_t *way);
    /* For the power policy, in bind and in its timer: the line's state from
     * cycle `now` on, without an event.  A dirty line is written back before
     * it is gated.  False: the line is reserved, or there is no room for the
     * write-back; nothing was done, try later. */
    bool (*power)(void *cache, uint32_t set, uint32_t way,
                  enum loom_line_power state, loom_cycle now);
    /* The same for all lines that are on at once: they are drowsy while the
     * cache sleeps. */
    void (*sleep)(void *cache, bool asleep, loom_cycle now);
};

struct loom_cache_shape {
    const struct loom_cache_host *host;
    uint32_t sm; /* hardware index; UINT32_MAX outside SMs */
    uint32_t sets, ways, line_bytes, sector_bytes;
    uint32_t level; /* LOOM_LEVEL_* */
};

#endif
