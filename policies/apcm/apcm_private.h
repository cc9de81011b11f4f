/*
 * The inside of apcm.  Only files in policies/apcm/ include this.
 *
 *     apcm.c      what it is: parameters, statistics, storage, building
 *     monitor.c   load ids (LAT), the monitored warp's tags (MTA), what was
 *                 learnt of each load (CAIT)
 *     protect.c   who protects (PSB), which lines are protected, who may go
 *     watch.c     questions and events
 */
#ifndef POLICIES_APCM_APCM_PRIVATE_H
#define POLICIES_APCM_APCM_PRIVATE_H

#include "policies/lib/bypass.h"
#include "policies/lib/load_table.h"

#define APCM_NO_ID UINT32_MAX
#define APCM_NO_WARP UINT32_MAX
#define APCM_MEMO 64

struct apcm_config {
    const char *manage;
    uint32_t loads;
    uint32_t mta_entries, mta_ways, mta_address_bits;
    uint32_t count_bits, threshold, tracked_accesses;
    bool count_dropped, track_bypasses, early_streaming;
    const char *remonitor, *reset;
    const char *protection, *distance_scope;
    uint32_t distance;
    bool distance_reset, protect_on_hit;
    const char *psb_set, *psb_holder, *release_at, *loop_release;
    uint32_t epoch_bits, fetch_bytes, load_rows;
    bool merge, probe;
};

/* What is done for the lines of a load. */
enum apcm_method {
    APCM_NORMAL,
    APCM_BYPASS,
    APCM_PROTECT,
    APCM_METHODS
};

/* Table 2 of the paper. */
enum apcm_type {
    APCM_STREAMING,
    APCM_INTER,
    APCM_INTRA,
    APCM_MIXED,
    APCM_TYPES
};

/* Why a warp's protection ended. */
enum apcm_release {
    APCM_BY_LOAD,
    APCM_BY_LOOP,
    APCM_BY_WARP,
    APCM_RELEASES
};

struct apcm_stats {
    /* Monitoring */
    uint64_t monitored_warps, monitoring, tracked_loads, untracked_loads;
    uint64_t mta_allocations, mta_evictions, mta_intra_hits, mta_other_hits;
    uint64_t dropped_accesses;
    uint64_t lines[APCM_TYPES];
    uint64_t updates, threshold_updates, updates_by_method[APCM_METHODS];
    /* What follows from it */
    uint64_t loads_normal, loads_bypass, loads_protect; /* gauges */
    uint64_t accesses, undecided, bypasses, no_way;
    uint64_t protections, psb_conflicts;
    uint64_t acquired, released[APCM_RELEASES], unprotected;
    uint64_t protecting_warps, protected_lines; /* gauges */
    uint64_t protected_hits, spared_ways;
    /* Per load */
    struct loom_load_ids load;
    struct loom_array load_accesses, load_hits, load_bypasses;
    struct loom_array load_protections, load_no_way;
    struct loom_array load_unknown, load_method[APCM_METHODS];
    struct loom_array load_type[APCM_TYPES];
};

struct apcm_lat {
    uint64_t kernel; /* digest of its name */
    uint32_t inst, row;
};

struct apcm_mta {
    uint64_t tag, used; /* used: order of use, for sets of several ways */
    uint32_t total, intra, first, last;
    enum apcm_type type; /* for statistics: when the count was full */
    bool valid, full;
};

struct apcm_cait {
    uint32_t count, last;
    enum apcm_method method;
    bool valid;
};

struct apcm_psb {
    uint32_t last, load, kernel, epoch;
    uint16_t loop; /* whose exit ends it, if `loops` */
    bool valid, loops;
};

struct apcm_line {
    uint64_t stamp; /* accesses when it was protected, for distances */
    uint32_t count, warp, epoch;
    bool protect;
};

struct apcm_memo {
    uint32_t inst, id;
};

struct apcm {
    struct loom_load_table table;
    const struct loom_kernel *kernel; /* that the tables are about, or NULL */
    uint64_t kernel_name;
    struct apcm_lat *lat;   /* [loads] */
    struct apcm_cait *cait; /* [loads] */
    struct apcm_mta *mta;   /* [mta_entries], set by set */
    struct apcm_psb *psb;   /* [warps] */
    struct apcm_line *line; /* [sets * ways] */
    uint64_t *set_clock;    /* [sets] accesses */
    uint64_t clock, mta_clock;
    struct apcm_memo memo[APCM_MEMO]; /* id NO_ID: unused */
    uint32_t ids, warps, sets, ways, mta_sets, count_max, epoch_mask;
    uint32_t warp; /* monitored, or APCM_NO_WARP */
    bool chosen;   /* this launch has had its monitored warp */
    bool bypasses, protects, by_distance, per_set, always;
    bool set_on_access, holder_is_load, at_issue, outermost;
};

static inline bool apcm_manages(const struct loom_mem_request *request)
{
    return request->kind == LOOM_MEM_LOAD &&
           request->space == LOOM_SPACE_GLOBAL;
}

/* Did the access find a line?  A pending hit on data whose line has left
 * again did not. */
static inline bool apcm_hit_line(const struct apcm *a,
                                 const struct loom_event *event)
{
    return (event->kind == LOOM_EVENT_HIT ||
            event->kind == LOOM_EVENT_PENDING_HIT) &&
           event->way < a->ways;
}

/* monitor.c */
/* Id of a load of the current kernel, or APCM_NO_ID. */
uint32_t apcm_find(struct apcm *a, uint32_t inst);
/* The same; gives it one if there is one left. */
void apcm_meet(struct loom_policy *self, uint32_t inst);
/* A load's access came to `outcome` at the cache; `count`: accesses to its
 * line while it is there, this one included. */
void apcm_monitor(struct loom_policy *self,
                  const struct loom_mem_request *request, uint32_t id,
                  uint32_t count);
/* Everything known is entered into the CAIT; monitoring ends. */
void apcm_conclude(struct loom_policy *self);
/* LAT, CAIT and MTA are empty. */
void apcm_forget(struct apcm *a);

/* protect.c */
bool apcm_bind_cache(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err);
bool apcm_bind_sm(struct loom_policy *self,
                  const struct loom_observe_shape *shape,
                  struct loom_error *err);
void apcm_allocated(struct loom_policy *self,
                    const struct loom_mem_request *request, uint32_t set,
                    uint32_t way);
void apcm_touched(struct loom_policy *self,
                  const struct loom_mem_request *request, uint32_t id,
                  const struct loom_event *event);
void apcm_left(struct apcm *a, uint32_t set, uint32_t way);
void apcm_release(struct loom_policy *self, uint32_t warp,
                  enum apcm_release why);
bool apcm_protected(const struct apcm *a, const struct loom_policy *self,
                    uint32_t set, uint32_t way);
void apcm_unprotect_all(struct apcm *a);
extern const struct loom_candidates_ops apcm_candidates_ops;

/* watch.c */
extern const struct loom_admit_ops apcm_admit_ops;
extern const struct loom_allocation_ops apcm_allocation_ops;
extern const struct loom_observe_ops apcm_cache_ops, apcm_sm_ops, apcm_ldst_ops;
void apcm_given(struct loom_policy *self, const void *work, uint32_t kind);
void apcm_settle(struct loom_policy *self, loom_cycle now);

/* The row of an id in a per-load statistic. */
static inline void apcm_count_row(struct loom_array *array, uint32_t row)
{
    if (row != LOOM_NO_ROW) {
        array->item[row]++;
    }
}

#endif
