/*
 * The questions a cache asks.
 *
 * For one request the cache asks, in this order:
 *
 *     admit -> BYPASS: sent on, nothing more is asked
 *           -> LOOKUP: set_index
 *                -> hit:         replacement.hit
 *                -> pending hit: replacement.hit (the line is reserved)
 *                -> miss: allocation.allocate
 *                     -> NO_ALLOCATE: sent on without a line
 *                     -> ALLOCATE: [every way is reserved: allocation.fail]
 *                          candidates.restrict -> [span empty:
 *                          candidates.empty] -> [no MSHR or no room in the
 *                          miss queue: allocation.fail] ->
 *                          replacement.victim -> replacement.inserted
 *
 * A request that cannot be accepted in a cycle (reservation fail) is asked
 * about again in a later cycle from `admit` on, but a question whose answer
 * was NOT to look the request up (BYPASS) is final.  Policies must not count
 * calls as accesses: LOOM_EVENT_ACCESS is told once per accepted request.
 *
 * Invalid ways are preferred: `victim` is asked among invalid candidates
 * first only if there is no invalid one, i.e. the cache takes the invalid
 * candidate of the highest way number itself and asks `victim` otherwise.
 *
 * What is counted (the same everywhere): accesses = hits + pending_hits +
 * misses + bypasses.  A hit found its data.  A pending hit found its tag with
 * data on the way.  A miss sent a request or merged in an MSHR without a tag
 * of its own.  A retry is none of these; it counts in reservation_fails
 * (once per cycle) and fail_accesses (once per request).
 */
#ifndef POLICIES_CACHE_HOOK_H
#define POLICIES_CACHE_HOOK_H

#include "engine/component.h"

#include "policies/cache_host.h"
#include "policies/observe_hook.h"

extern const struct loom_hook loom_admit_hook;      /* chain */
extern const struct loom_hook loom_allocation_hook; /* chain */
extern const struct loom_hook loom_candidates_hook; /* chain */
extern const struct loom_hook loom_replacement_hook;
extern const struct loom_hook loom_set_index_hook;
extern const struct loom_hook loom_power_hook;

/* ---- admit ---- */

enum loom_admit {
    LOOM_ADMIT_DEFAULT, /* no opinion: the next of the chain is asked */
    LOOM_ADMIT_LOOKUP,
    LOOM_ADMIT_BYPASS
};

/* How a request goes on without a line; where nothing else is said, preset to
 * the request's own size. */
struct loom_bypass {
    uint16_t size_bytes; /* 32, 64 or 128: what is fetched */
    bool may_merge;      /* may wait in an MSHR with others of its block */
};

struct loom_admit_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_cache_shape *shape,
                 struct loom_error *err); /* optional */
    enum loom_admit (*admit)(struct loom_policy *self,
                             const struct loom_mem_request *request,
                             struct loom_bypass *bypass); /* required */
};

/* ---- allocation ---- */

enum loom_allocate {
    LOOM_ALLOCATE_DEFAULT,
    LOOM_ALLOCATE,
    LOOM_NO_ALLOCATE
};

enum loom_on_fail {
    LOOM_FAIL_DEFAULT,
    LOOM_FAIL_RETRY,
    LOOM_FAIL_BYPASS
};

struct loom_allocation_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_cache_shape *shape,
                 struct loom_error *err); /* optional */
    /* Of NO_ALLOCATE `bypass` says what a load fetches, preset to 32: the
     * sectors that it needs, which may be less than its own size.  It has an
     * MSHR and merges in any case.  Optional. */
    enum loom_allocate (*allocate)(struct loom_policy *self,
                                   const struct loom_mem_request *request,
                                   uint32_t set, struct loom_bypass *bypass);
    /* The access failed for `reason`.  Optional; default RETRY. */
    enum loom_on_fail (*fail)(struct loom_policy *self,
                              const struct loom_mem_request *request,
                              enum loom_fail_reason reason,
                              struct loom_bypass *bypass);
    /* Bits to set in the reply_bits of the reply that `request` will get.
     * Asked once per accepted request that is replied to, right after its
     * HIT, PENDING_HIT, MISS, BYPASS or QUERY was told, so what that event
     * taught is known.  The bits of a whole chain are ORed.  Optional. */
    uint16_t (*answer)(struct loom_policy *self,
                       const struct loom_mem_request *request);
};

/* ---- candidates ---- */

/* Ways that may be replaced: a list in ascending order. */
struct loom_ways {
    uint16_t *way; /* [count], changed in place */
    uint32_t count;
};

enum loom_no_candidate {
    LOOM_EMPTY_DEFAULT,
    LOOM_EMPTY_BYPASS,
    LOOM_EMPTY_STALL,
    LOOM_EMPTY_ANY /* take any way that is not reserved */
};

struct loom_candidates_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_cache_shape *shape,
                 struct loom_error *err); /* optional */
    /* Removes ways from the span (which has no reserved ways).  Asked again
     * when a miss that was left a way, but found no MSHR, is tried again.
     * Required. */
    void (*restrict_ways)(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          struct loom_ways *ways);
    /* The span became empty.  Optional; default ANY. */
    enum loom_no_candidate (*empty)(struct loom_policy *self,
                                    const struct loom_mem_request *request,
                                    uint32_t set, struct loom_bypass *bypass);
};

/* ---- replacement ---- */

/* What makes a cache faster if it believes it, and changes nothing else. */
struct loom_replacement_hints {
    /* Of a policy that always evicts the candidate with the least of its
     * numbers, of which each line has one, and the first of equal ones: its
     * pointer to them [sets * ways].  The cache may look at them and not ask
     * `victim`.  NULL: no such policy. */
    uint64_t *const *ages;
    /* A hit on the line of the last insertion or hit changes nothing, so a
     * cache may leave it out. */
    bool hits_once;
};

struct loom_replacement_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_cache_shape *shape,
                 struct loom_error *err); /* optional */
    /* One of ways->way[0 .. count-1]; count >= 1; all valid.  Required. */
    uint32_t (*victim)(struct loom_policy *self,
                       const struct loom_mem_request *request, uint32_t set,
                       const struct loom_ways *ways);
    /* `way` was reserved for request's block: insertion.  Optional. */
    void (*inserted)(struct loom_policy *self,
                     const struct loom_mem_request *request, uint32_t set,
                     uint32_t way);
    /* Hit or pending hit: promotion.  Optional. */
    void (*hit)(struct loom_policy *self,
                const struct loom_mem_request *request, uint32_t set,
                uint32_t way);
    /* The line was dropped (write-evict, flush).  Optional. */
    void (*invalidated)(struct loom_policy *self, uint32_t set, uint32_t way);
    /* Asks host->next_use: a host that can know it records its accesses and
     * serves them when it has seen them all. */
    bool needs_future;
    /* Asked once, after bind.  Optional. */
    struct loom_replacement_hints (*hints)(struct loom_policy *self);
};

/* ---- set index ---- */

struct loom_set_index_ops {
    /* False if the function does not exist for this shape.  Optional. */
    bool (*bind)(struct loom_policy *self, const struct loom_cache_shape *shape,
                 struct loom_error *err);
    /* Address of a line -> [0, sets), always the same: a cache may remember
     * the answer.  Required. */
    uint32_t (*index)(struct loom_policy *self, loom_addr line);
};

/* ---- power ---- */

struct loom_power_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_cache_shape *shape,
                 struct loom_error *err); /* optional */
    /* State of the line after this event (HIT, PENDING_HIT, FILL, ALLOCATE,
     * EVICT).  A dirty line is written back before it is gated; a line whose
     * data is on its way stays reserved and takes it.  A way that a gated
     * line has is one that a replacement may choose; the cache prefers none
     * of them to others.  Between events: host->power.  Required. */
    enum loom_line_power (*after)(struct loom_policy *self,
                                  enum loom_event_kind event,
                                  const struct loom_mem_request *request,
                                  uint32_t set, uint32_t way);
};

#endif
