/*
 * A cache: what it can be told, what it counts, what it is.  Only files in
 * components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_CACHE_TYPES_H
#define COMPONENTS_CACHE_CACHE_TYPES_H

#include "engine/component.h"

#include "components/cache/cache_records.h"
#include "components/cache/down.h"
#include "components/cache/mshr.h"
#include "components/cache/pipe.h"
#include "components/cache/sectors.h"
#include "components/cache/tags.h"
#include "components/cache/up.h"
#include "policies/cache_hook.h"
#include "policies/dram_hook.h"
#include "policies/mark_hook.h"
#include "policies/observe_hook.h"

struct cache_config {
    uint64_t size_bytes;
    uint32_t ways, line_bytes, sector_bytes;
    const char *level, *write_policy, *write_miss, *allocate, *power_start;
    bool local_write_back;
    uint32_t mshr_entries, mshr_merges, miss_queue, passing_entries;
    uint32_t hit_latency, data_port_bytes, fill_port_bytes;
    uint32_t accesses_per_cycle, requests_per_cycle, wake_cycles;
    double atomic_interval, atomic_real_latency;
    bool line_mshrs, infinite;
    uint32_t infinite_lines;
    uint32_t map_channels, map_slices;
    const char *mshr_unit, *split_replies, *bank_hash;
    bool split_sectors, join_sectors;
    uint32_t write_ratio, banks, bank_bytes, max_ways;
    bool preload, preload_last, future, around_waits;
    uint64_t preload_most;
};

/* What is raised together is together. */
struct cache_stats {
    _Alignas(CACHE_ALIGN) uint64_t hits_by_kind[CACHE_KINDS]; /* [kind] */
    uint64_t replies, split_requests, split_accesses, mshr_merges;
    uint64_t misses_by_kind[CACHE_KINDS];
    uint64_t fetches, fetched_bytes, unallocated_misses, partial_fetches;
    uint64_t joined_sectors;
    uint64_t reservation_fails[LOOM_FAIL_REASONS];
    uint64_t fail_accesses[LOOM_FAIL_REASONS];
    uint64_t evictions, sector_misses;
    uint64_t other_stalls[CACHE_OTHER_STALLS];
    uint64_t pending_hits_by_kind[CACHE_KINDS];
    uint64_t bypasses_by_kind[CACHE_KINDS];
    /* Sums, brought up to date by settle. */
    uint64_t accesses, hits, pending_hits, misses, bypasses, lookups;
    uint64_t accesses_by_kind[CACHE_KINDS];
    uint64_t fills, part_fills, mshr_entry_cycles; /* of the cache's own */
    uint64_t write_evictions, flushed_lines, flushes;
    uint64_t writebacks, written_bytes, queries, answers;
    uint64_t line_on_cycles, line_drowsy_cycles, line_gated_cycles;
    uint64_t ratio_exceptions, resizes, ways_used;
    uint64_t preloaded_lines;
};

/* The fields are in the order of their use, so that a tick that does little
 * reads few lines of the host's caches: each group is one of them. */
struct cache {
    /* What every tick asks. */
    _Alignas(CACHE_ALIGN) struct loom_channel *from_below;
    loom_cycle next;   /* when the last tick wanted to run again */
    uint8_t gate_port; /* CACHE_NO_PORT: no verdict waits */
    /* What shortens the way, derived in bind.c. */
    bool one_access;  /* one bank, one access per cycle */
    bool unobserved;  /* no power policy, and nobody watches */
    bool quiet_loads; /* and only the replacement policy is asked of a load */
    uint8_t on_part;  /* enum cache_parts: what a part of a reply needs */
    bool waits_for_message; /* which alone helps what the last tick left */
    struct cache_up up;
    struct cache_mshrs mshrs;
    struct cache_down down;
    struct cache_pipe pipe;
    struct cache_stats *stats;
    uint64_t changes; /* how often something came free */
    const struct loom_replacement_ops *replacement;
    struct loom_policy *replacement_self;
    struct loom_replacement_hints hints;
    /* Lookups */
    struct cache_tags tags;
    struct cache_sectors sectors;
    uint8_t level;             /* LOOM_LEVEL_* */
    uint8_t write, write_miss; /* enum cache_write, cache_write_miss */
    bool split;                /* requests into their sectors */
    bool free_choice;  /* only the replacement policy says which way it is */
    bool sectors_wait; /* in an MSHR, without an item */
    uint32_t used_at;  /* line of the last hit, where a second is nothing */
    uint32_t fill_shift;
    /* Replies */
    loom_cycle fill_free;
    uint64_t fills, part_fills;         /* for statistics */
    const struct loom_power_ops *power; /* NULL: none */
    struct loom_observers observers;
    /* The first access to a line */
    struct loom_binding admit;
    bool asks_admit, answers, fails; /* chains */
    uint16_t *rank;                  /* [CACHE_RANKS] of an L1 */
    /* Misses */
    uint16_t id;
    uint16_t *ways_left; /* [ways] scratch */
    struct loom_binding allocation, candidates, marks;
    bool on_fill, through_allocates; /* a write that is sent on does */
    bool asleep;                     /* lines that are on are drowsy */
    bool local_write_back, spares;   /* spares: write_ratio is not 0 */
    /* The rest */
    struct cache_wait gate;
    struct loom_bypass gate_bypass; /* verdict on the head of gate_port */
    uint32_t gate_by;
    uint32_t empty_by;    /* policy that said what to do without candidates */
    uint32_t in_power[3]; /* lines by enum loom_line_power */
    uint32_t flush_at;    /* next line to be flushed */
    loom_cycle power_counted;
    struct loom_policy *power_self;
    const struct loom_mem_future *future; /* NULL: nobody has told it */
    struct loom_component *self;
    const struct cache_config *config;
    struct loom_cache_host host;
};

/* What the oldest access of a bank was refused may be there now, though nothing
 * came free: it is tried again. */
static inline void cache_retry(struct cache *c)
{
    c->changes++;
    c->pipe.first_bank.load = false; /* CACHE_ALONE */
}

#endif
