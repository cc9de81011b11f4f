/*
 * dacache: what its three files share.
 *
 *   dacache.c   parameters, statistics, facets
 *   place.c     the recency stack: insertion, promotion, replacement
 *   learn.c     coherent loads with and without locality; fully cached warps
 *
 * Positions of a set count from 0, the most recently used end, to ways - 1,
 * the end at which lines leave.  Ranks of warps count from 0, the oldest: a
 * request's rank is prio * schedulers + scheduler (components/mem_protocol.h).
 */
#ifndef POLICIES_DACACHE_DACACHE_PRIVATE_H
#define POLICIES_DACACHE_DACACHE_PRIVATE_H

#include "policies/lib/bypass.h"
#include "policies/lib/load_table.h"

#define DACACHE_WARPS 256 /* warp slots of an SM that are told apart */

enum dacache_constraint {
    DACACHE_BYPASS,
    DACACHE_STALL,
    DACACHE_OFF
};

enum dacache_class {
    DACACHE_COHERENT,
    DACACHE_NARROW, /* divergent, of few accesses */
    DACACHE_DIVERGENT,
    DACACHE_CLASSES
};

struct dacache_config {
    const char *constrained;
    const char *partition;
    const char *fall_count;
    double f;
    uint32_t width, promotion;
    uint32_t coherent_accesses, narrow_accesses;
    uint32_t counter_max;
    uint32_t fcw_initial, fcw_min, fcw_max;
    uint32_t replaceable_ways;
    uint32_t profiler_entries, victim_entries, sampled_warps, verdict_victims;
    uint32_t fetch_bytes;
    uint32_t loads;
    bool gauged, coherent_first, profiled, pending_is_cached;
    bool bypass_is_miss, unknown_first, merge;
};

enum dacache_outcome {
    DACACHE_FULL,
    DACACHE_PARTLY,
    DACACHE_MISSED,
    DACACHE_OUTCOMES
};

enum dacache_end {
    DACACHE_MRU,
    DACACHE_GAUGED,
    DACACHE_LRU,
    DACACHE_ENDS
};

struct dacache_stats {
    uint64_t coherent_loads[DACACHE_OUTCOMES];
    uint64_t divergent_loads[DACACHE_OUTCOMES];
    uint64_t insertions[DACACHE_ENDS];
    struct loom_array insert_position;
    uint64_t promotions, constrained_bypasses, constrained_stalls;
    uint64_t fcw_raised, fcw_lowered;
    uint64_t fcw, count, region; /* gauges */
    uint64_t victims, victim_hits;
    uint64_t with_locality, without_locality;
    uint64_t untracked_loads;
    struct loom_load_ids load;
    struct loom_array load_class, load_insts, load_full, load_partly,
        load_bypasses, load_mru, load_gauged, load_lru, load_positions;
};

/* The load that a warp slot is sending through the cache: Div-reg and FCW-reg
 * of the paper, for each warp as accesses of several may be mixed. */
struct dacache_load {
    uint32_t seen, missed;
};

struct dacache_victim {
    uint32_t load; /* row of the load */
    loom_addr line;
    bool used;
};

struct dacache_profile {
    uint32_t load;
    bool locality;
};

struct dacache {
    const struct dacache_config *config;
    struct dacache_stats *stats;
    const struct loom_cache_host *host;
    enum dacache_constraint constraint;
    bool dynamic;
    uint32_t sets, ways, schedulers, line_bytes;
    uint32_t fcw, fcw_min, fcw_max, count;
    uint32_t region;   /* ways of the locality region: p + 1 */
    uint16_t *stack;   /* [sets * ways] ways by position */
    uint32_t *brought; /* [sets * ways] row of the load whose coherent access
                        * brought the line, or LOOM_NO_ROW */
    struct dacache_load load[DACACHE_WARPS];
    struct loom_load_table table;
    struct dacache_victim *victim;   /* [victim_entries], a ring */
    struct dacache_profile *profile; /* [profiler_entries], a ring */
    uint32_t *evicted;               /* [loads] victims not missed again */
    uint32_t victims, victim_next, profiles, profile_next;
    uint32_t fall_count; /* CNT after FCW has fallen */
};

/* learn.c */
void dacache_start(struct dacache *d);
enum dacache_class dacache_class_of(const struct dacache *d,
                                    const struct loom_mem_request *request);
/* Is this load known to have no locality? */
bool dacache_streams(const struct dacache *d, uint32_t load);
void dacache_accessed(struct dacache *d, const struct loom_event *event);
void dacache_evicted(struct dacache *d, const struct loom_event *event);
/* Row of a load, LOOM_NO_ROW for all that is none. */
uint32_t dacache_row(struct dacache *d, const struct loom_mem_request *request);

/* place.c */
bool dacache_bind_stack(struct loom_policy *self,
                        const struct loom_cache_shape *shape,
                        struct loom_error *err);
extern const struct loom_replacement_ops dacache_replacement;
extern const struct loom_allocation_ops dacache_allocation;
extern const struct loom_candidates_ops dacache_candidates;

#endif
