/*
 * A cache: what it can be told, what it counts, what it is.  Only files in
 * components/cache/ include this.
 */
#ifndef COMPONENTS_CACHE_CACHE_TYPES_H
#define COMPONENTS_CACHE_CACHE_TYPES_H

#include "engine/component.h"

#include "components/cache/cache_records.h"
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
    uint32_t accesses_per_cycle, wake_cycles;
    bool line_mshrs, infinite;
    uint32_t infinite_lines;
    uint32_t map_channels, map_slices;
    const char *mshr_unit, *split_replies, *bank_hash;
    bool split_sectors;
    uint32_t write_ratio, banks, bank_bytes, max_ways;
    bool preload;
};

/* What is raised together is together. */
struct cache_stats {
    _Alignas(CACHE_ALIGN) uint64_t hits_by_kind[CACHE_KINDS]; /* [kind] */
    uint64_t replies, split_requests, split_accesses, mshr_merges;
    uint64_t misses_by_kind[CACHE_KINDS];
    uint64_t fetches, fetched_bytes, unallocated_misses, partial_fetches;
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
    uint64_t incoming; /* bit per link of `up`: a request is in its channel */
    uint32_t mshr_used, passing_used, queries_out; /* wait for replies */
    uint32_t ready_first;                          /* MSHR to be drained */
    uint32_t held, pipe_capacity; /* accesses in all banks; of one */
    uint32_t queue_count;
    uint16_t hit_latency;
    uint8_t ports, next_port, split_port; /* of `up` */
    uint8_t gate_port;                    /* CACHE_NO_PORT: no verdict waits */
    uint8_t query_count;
    uint8_t split_left; /* sectors that are not in a bank; 0: none */
    bool single;        /* one bank, one access per cycle */
    uint8_t parts;      /* enum cache_parts: what a part of a reply needs */
    bool rests;         /* what the last tick could not do needs a message */
    bool plain;         /* no power policy, and nobody watches */
    bool usual;         /* and no policy has a say in what a load does */
    /* The bank, if there is only one; every access. */
    struct cache_bank first_bank;
    struct cache_stats *stats;
    uint64_t changes; /* how often something came free */
    const struct loom_replacement_ops *replacement;
    struct loom_policy *replacement_self;
    uint64_t *const *ages;        /* ops->ages(); NULL: `victim` is asked */
    struct cache_port first_port; /* the port, if there is only one */
    /* Lookups.  near: the line looked up last, and where it was: sectors of a
     * line come one after the other. */
    struct cache_sector sector[16]; /* by a request's sectors */
    uint8_t whole;                  /* mask of all sectors of a line */
    uint8_t level;                  /* LOOM_LEVEL_* */
    uint8_t write, write_miss;      /* enum cache_write, cache_write_miss */
    uint8_t data_shift;             /* log2 of the data port */
    bool by_sector;                 /* an MSHR is for a sector, not a line */
    bool split, split_each;
    bool brief; /* a sector of a request may wait without an item */
    struct cache_line *line; /* [sets * ways] */
    loom_addr near_line;
    uint32_t near_set, near_way;
    uint32_t used_at; /* line of the last hit, where a second is nothing */
    uint32_t ways;
    struct cache_port *port; /* [ports] */
    /* Requests that are served by sectors */
    struct cache_item *parent;
    uint32_t parent_free; /* list by `next` */
    uint32_t parents_used, parents;
    uint32_t split_parent; /* of the request that is being split */
    uint32_t fill_shift, ready_last;
    struct cache_slot few[CACHE_FEW]; /* the pipeline, if it is as short */
    /* Replies */
    struct cache_mshr *mshr; /* [mshr_entries] */
    loom_cycle fill_free;
    uint64_t fills, part_fills;         /* for statistics */
    const struct loom_power_ops *power; /* NULL: none */
    struct loom_observers observers;
    /* The first access to a line */
    struct loom_binding admit;
    bool lone; /* one port, and nothing is split */
    bool asks_admit, answers, fails, infinite; /* the first three: chains */
    uint32_t active;                           /* ways that may be used now */
    const struct loom_set_index_ops *index;
    struct loom_policy *index_self;
    const struct loom_map_ops *map; /* NULL: none */
    struct loom_policy *map_self;
    uint16_t *rank; /* [CACHE_RANKS] of an L1 */
    /* Misses */
    uint32_t *bucket;           /* [2^(64 - bucket_shift)] or CACHE_NONE */
    struct cache_item *waiting; /* [entries * merges] */
    uint32_t *next_waiting;     /* [entries * merges] of a list of them */
    uint32_t mshr_entries, mshr_merges, bucket_shift, free_item;
    uint32_t mshr_free; /* list by `chain` */
    uint32_t miss_queue;
    loom_cycle mshr_counted, mshr_entry_cycles; /* for statistics */
    struct loom_channel *down;
    loom_cycle sent_at;             /* last cycle in which `down` was used */
    struct loom_mem_request *queue; /* [miss_queue] ring */
    uint32_t queue_head;
    uint32_t queue_places; /* miss_queue, and one or two for each MSHR */
    uint32_t modified;     /* lines in which something is written */
    uint16_t id;
    uint64_t (*bytes)[2]; /* [sets * ways] written bytes; NULL: not lazy */
    uint8_t expand[16];   /* line mask -> 32-byte sectors */
    uint16_t *ways_left;  /* [ways] scratch */
    uint32_t sets, lines, used;
    struct loom_binding allocation, candidates, marks;
    bool on_fill, through_allocates; /* a write that is sent on does */
    bool asleep;                     /* lines that are on are drowsy */
    bool local_write_back, spares;   /* spares: write_ratio is not 0 */
    bool flushing; /* a flush is in a bank: nothing is admitted behind it */
    /* Requests without an MSHR */
    struct cache_passing *passing; /* [passing_entries] */
    uint32_t *passing_free;        /* [passing_entries] stack */
    /* The rest */
    struct cache_bank *bank;               /* [banks] */
    uint32_t banks, bank_shift, bank_fold; /* fold: 0, or bits to XOR */
    const struct cache_bank *full;         /* the oldest request waits for it */
    uint32_t probe_shift, line_bytes, query_head;
    struct cache_wait gate;
    struct loom_bypass gate_bypass; /* verdict on the head of gate_port */
    uint32_t gate_by;
    uint32_t empty_by;    /* policy that said what to do without candidates */
    uint32_t in_power[3]; /* lines by enum loom_line_power */
    uint32_t flush_at;    /* next line to be flushed */
    loom_cycle power_counted;
    struct loom_policy *power_self;
    struct loom_component *self;
    const struct cache_config *config;
    struct loom_mem_request query[CACHE_QUERIES];
    struct loom_cache_host host;
};

/* What the oldest access of a bank was refused may be there now, though nothing
 * came free: it is tried again. */
static inline void cache_retry(struct cache *c)
{
    c->changes++;
    c->first_bank.load = false; /* CACHE_ALONE */
}

#endif
