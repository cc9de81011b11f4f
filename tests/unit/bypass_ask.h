/*
 * Second half of bypass_host.h: questions, events and statistics.
 */
#ifndef TESTS_UNIT_BYPASS_ASK_H
#define TESTS_UNIT_BYPASS_ASK_H

#include "tests/unit/bypass_host.h"

static inline const void *bypass_ops(const struct bypass_host *h,
                                     const struct loom_hook *hook)
{
    return loom_policy_type_ops(loom_policy_type_of(h->policy), hook);
}

static inline struct loom_mem_request bypass_load(uint32_t inst, uint64_t block)
{
    return (struct loom_mem_request){
        .block = block * LOOM_BLOCK_BYTES,
        .bytes = {UINT32_MAX, 0},
        .inst = inst,
        .size_bytes = 32,
        .accesses = 1,
        .kind = LOOM_MEM_LOAD,
        .sectors = 1,
    };
}

static inline bool bypass_asked(const struct bypass_host *h,
                                const struct loom_mem_request *r)
{
    const struct loom_admit_ops *ops = bypass_ops(h, &loom_admit_hook);
    struct loom_bypass how = {r->size_bytes, false};

    return ops->admit(h->policy, r, &how) == LOOM_ADMIT_BYPASS;
}

static inline void bypass_tell(const struct bypass_host *h,
                               const struct loom_hook *hook,
                               const struct loom_event *event)
{
    const struct loom_observe_ops *ops = bypass_ops(h, hook);

    if (ops != NULL && (ops->events >> event->kind & 1) != 0) {
        ops->observe(h->policy, event);
    }
}

/* A cache's event. */
static inline void bypass_event(const struct bypass_host *h,
                                enum loom_event_kind kind,
                                const struct loom_mem_request *r, uint32_t set,
                                uint32_t way)
{
    struct loom_event event = {
        .now = loom_policy_now(h->policy),
        .request = r,
        .block = r->block,
        .kind = kind,
        .inst = r->inst,
        .warp = r->warp,
        .set = set,
        .way = way,
    };

    bypass_tell(h, &loom_cache_observe_hook, &event);
}

/* An access that was accepted, and its outcome. */
static inline void bypass_access(const struct bypass_host *h,
                                 enum loom_event_kind outcome,
                                 const struct loom_mem_request *r, uint32_t set,
                                 uint32_t way)
{
    bypass_event(h, LOOM_EVENT_ACCESS, r, set, way);
    bypass_event(h, outcome, r, set, way);
}

/* A miss that got this way. */
static inline void bypass_fill(const struct bypass_host *h,
                               const struct loom_mem_request *r, uint32_t set,
                               uint32_t way)
{
    bypass_access(h, LOOM_EVENT_MISS, r, set, UINT32_MAX);
    bypass_event(h, LOOM_EVENT_ALLOCATE, r, set, way);
}

static inline uint64_t bypass_stat(const struct bypass_host *h,
                                   const char *name, uint32_t i)
{
    const struct loom_policy_type *type = loom_policy_type_of(h->policy);
    const struct loom_stat *stat = loom_stats_find(type->stats, name);
    const char *base = loom_policy_stats(h->policy);

    REQUIRE(stat != NULL);
    if (stat->kind == LOOM_STAT_ARRAY) {
        return ((const struct loom_array *)(base + stat->offset))->item[i];
    }
    return ((const uint64_t *)(base + stat->offset))[i];
}

#endif
