/*
 * What a cache is told and what it counts: the structs behind its tables of
 * parameters and statistics.  Only files in components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_CACHE_CONFIG_H
#define COMPONENTS_CACHE_CACHE_CONFIG_H

#include "engine/component.h"

#include "policies/observe_hook.h"

#define CACHE_KINDS 4 /* load, store, atomic, write-back */

/* Why an access waits: enum loom_fail_reason first, then the others. */
enum cache_stall {
    CACHE_STALL_DATA_PORT = LOOM_FAIL_REASONS,
    CACHE_STALL_REPLY,
    CACHE_STALL_FLUSH,
    CACHE_STALL_BANK, /* its bank takes one access per cycle */
    CACHE_STALLS,
    CACHE_DONE = CACHE_STALLS /* it does not */
};
#define CACHE_OTHER_STALLS (CACHE_STALLS - LOOM_FAIL_REASONS)

struct cache_config {
    uint64_t size_bytes;
    uint32_t ways, line_bytes, sector_bytes;
    const char *level, *write_policy, *write_miss, *allocate, *power_start;
    bool local_write_back;
    uint32_t mshr_entries, mshr_merges, miss_queue, passing_entries;
    uint32_t hit_latency, data_port_bytes, fill_port_bytes;
    uint32_t accesses_per_cycle, wake_cycles;
    bool infinite;
    uint32_t infinite_lines;
    uint32_t map_channels, map_slices;
    const char *mshr_unit, *split_replies, *bank_hash;
    bool split_sectors;
    uint32_t write_ratio, banks, bank_bytes, max_ways;
};

struct cache_stats {
    /* Sums, brought up to date by settle. */
    uint64_t accesses, hits, pending_hits, misses, bypasses, lookups;
    /* [kind] */
    uint64_t accesses_by_kind[CACHE_KINDS], hits_by_kind[CACHE_KINDS];
    uint64_t pending_hits_by_kind[CACHE_KINDS], misses_by_kind[CACHE_KINDS];
    uint64_t bypasses_by_kind[CACHE_KINDS];
    uint64_t mshr_merges, fetches, fetched_bytes, fills, unallocated_misses;
    uint64_t evictions, write_evictions, flushed_lines, flushes;
    uint64_t writebacks, written_bytes, replies, queries, answers;
    uint64_t reservation_fails[LOOM_FAIL_REASONS];
    uint64_t fail_accesses[LOOM_FAIL_REASONS];
    uint64_t other_stalls[CACHE_OTHER_STALLS];
    uint64_t mshr_entry_cycles, line_on_cycles;
    uint64_t sector_misses, partial_fetches, split_requests, split_accesses;
    uint64_t part_fills, ratio_exceptions, resizes, ways_used;
};

#endif
