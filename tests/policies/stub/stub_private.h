/*
 * What the files of the stub share: its state, its counts, and the ops with
 * which it answers.
 */
#ifndef TESTS_POLICIES_STUB_STUB_PRIVATE_H
#define TESTS_POLICIES_STUB_STUB_PRIVATE_H

#include "policies/cache_hook.h"
#include "policies/dram_hook.h"
#include "policies/gpu_hook.h"
#include "policies/ldst_hook.h"
#include "policies/mark_hook.h"
#include "policies/noc_hook.h"
#include "policies/sm_hook.h"
#include "policies/transform_hook.h"

struct stub_stats {
    uint64_t picks, ranks, issued, stalled_cycles, started, finished, allows;
    uint64_t prefers;
    uint64_t coalesces, coalesced, queue_ofs, nexts, sents;
    uint64_t admits, allocates, fails, restricts, empties;
    uint64_t victims, inserted, hits, invalidated, indexes, powers;
    uint64_t selects, routes, arbitrations, grants;
    uint64_t schedules, arrivals, serves;
    uint64_t pages, commands;
    uint64_t events[LOOM_EVENTS];
    uint64_t event_accesses, event_duration, wrong, queried, maps, marks,
        marked;
    uint64_t rewrites, inserted_insts;
};

/* Of the blocks with this remainder, some are sent around the cache and some
 * make the stub ask the stub below. */
struct stub_config {
    uint32_t bypass_one_in, query_one_in; /* 0: never */
    uint32_t insert;                      /* transforms: instructions */
    bool as_text;                         /* and answer with a text */
};

struct stub {
    const struct loom_cache_host *host;
    uint32_t sets, ways, inputs;
    uint32_t channels, slices;
    uint32_t bit; /* shift of the policy bit that stubs mark requests with */
};

static inline struct stub_stats *count(struct loom_policy *self)
{
    return loom_policy_stats(self);
}

static inline bool one_in(const struct loom_mem_request *request, uint32_t n)
{
    return n != 0 && request->block / LOOM_BLOCK_BYTES % n == 0;
}

extern const struct loom_scheduler_ops stub_scheduler_ops;
extern const struct loom_throttle_ops stub_throttle_ops;
extern const struct loom_coalesce_ops stub_coalesce_ops;
extern const struct loom_order_ops stub_order_ops;
extern const struct loom_admit_ops stub_admit_ops;
extern const struct loom_allocation_ops stub_allocation_ops;
extern const struct loom_candidates_ops stub_candidates_ops;
extern const struct loom_replacement_ops stub_replacement_ops;
extern const struct loom_set_index_ops stub_set_index_ops;
extern const struct loom_power_ops stub_power_ops;
extern const struct loom_dispatch_ops stub_dispatch_ops;
extern const struct loom_routing_ops stub_routing_ops;
extern const struct loom_arbiter_ops stub_arbiter_ops;
extern const struct loom_schedule_ops stub_schedule_ops;
extern const struct loom_page_ops stub_page_ops;
extern const struct loom_commands_ops stub_commands_ops;
extern const struct loom_map_ops stub_map_ops;
extern const struct loom_observe_ops stub_observe_ops;
extern const struct loom_mark_ops stub_mark_ops;
extern const struct loom_transform_ops stub_transform_ops;

#endif
