/*
 * stub: answers every question of every hook and watches every event.
 *
 * It decides nothing interesting; it counts.  tests/lua/stub.lua puts one
 * into every slot of a machine and compares its counts with the counters of
 * the components, so that a technique to come finds every door open: asked
 * at the moment its hook promises, with the facts its hook promises.
 */
#include "policies/cache_hook.h"
#include "policies/dram_hook.h"
#include "policies/gpu_hook.h"
#include "policies/ldst_hook.h"
#include "policies/noc_hook.h"
#include "policies/sm_hook.h"

struct stub_stats {
    uint64_t picks, ranks, issued, stalled_cycles, started, finished, allows;
    uint64_t coalesces, coalesced, queue_ofs, nexts, sents;
    uint64_t admits, allocates, fails, restricts, empties;
    uint64_t victims, inserted, hits, invalidated, indexes, powers;
    uint64_t selects, routes, arbitrations, grants;
    uint64_t schedules, arrivals, serves;
    uint64_t events[LOOM_EVENTS];
    uint64_t event_accesses, event_duration, wrong;
};

struct stub {
    uint32_t sets, ways, inputs;
};

static struct stub_stats *count(struct loom_policy *self)
{
    return loom_policy_stats(self);
}

/* ---- SM ---- */

static uint32_t stub_pick(struct loom_policy *self, uint32_t scheduler,
                          uint64_t ready, loom_cycle now)
{
    (void)now;
    count(self)->wrong += scheduler >= 64 || ready == 0;
    count(self)->picks++;
    return loom_lowest(ready);
}

static uint32_t stub_rank(struct loom_policy *self, uint32_t scheduler,
                          uint32_t local)
{
    (void)scheduler;
    count(self)->ranks++;
    return local;
}

static void stub_issued(struct loom_policy *self, uint32_t scheduler,
                        uint32_t local, loom_cycle now)
{
    (void)scheduler;
    (void)local;
    (void)now;
    count(self)->issued++;
}

static void stub_stalled(struct loom_policy *self, uint32_t scheduler,
                         uint64_t cycles)
{
    (void)scheduler;
    count(self)->stalled_cycles += cycles;
}

static void stub_started(struct loom_policy *self, uint32_t scheduler,
                         uint32_t local, uint64_t age)
{
    (void)scheduler;
    (void)local;
    (void)age;
    count(self)->started++;
}

static void stub_finished(struct loom_policy *self, uint32_t scheduler,
                          uint32_t local)
{
    (void)scheduler;
    (void)local;
    count(self)->finished++;
}

static uint64_t stub_allow(struct loom_policy *self,
                           const struct loom_throttle_view *view)
{
    count(self)->wrong += (view->ready & ~view->active) != 0;
    count(self)->allows++;
    return UINT64_MAX;
}

static const struct loom_scheduler_ops scheduler_ops = {
    .pick = stub_pick,
    .rank = stub_rank,
    .issued = stub_issued,
    .stalled = stub_stalled,
    .started = stub_started,
    .finished = stub_finished,
};
static const struct loom_throttle_ops throttle_ops = {.allow = stub_allow};

/* ---- load/store unit ---- */

/* One access per lane: as uncoalesced as can be, yet correct. */
static uint32_t stub_coalesce(struct loom_policy *self,
                              const struct loom_lanes *lanes,
                              struct loom_access access[LOOM_ACCESS_MAX])
{
    uint32_t bytes = (uint32_t)lanes->inst->bytes * lanes->inst->vector;
    uint32_t n = 0;

    for (uint32_t mask = lanes->mask; mask != 0; mask &= mask - 1) {
        uint32_t lane = loom_lowest(mask);
        loom_addr at = lanes->address[lane];
        uint32_t offset = (uint32_t)(at % LOOM_BLOCK_BYTES);
        struct loom_access *a = &access[n++];

        *a = (struct loom_access){.block = at - offset,
                                  .lanes = 1u << lane,
                                  .size_bytes = LOOM_SECTOR_BYTES};
        a->bytes[offset / 64] = ((UINT64_C(1) << bytes) - 1) << (offset % 64);
        a->sectors = (uint8_t)(1u << offset / LOOM_SECTOR_BYTES);
    }
    count(self)->coalesces++;
    count(self)->coalesced += n;
    return n;
}

static bool stub_order_bind(struct loom_policy *self,
                            const struct loom_ldst_shape *shape,
                            uint32_t *queues, uint32_t *depth,
                            struct loom_error *err)
{
    (void)self;
    (void)shape;
    (void)err;
    *queues = 2;
    *depth = 8;
    return true;
}

static uint32_t stub_queue_of(struct loom_policy *self,
                              const struct loom_mem_request *request)
{
    count(self)->queue_ofs++;
    return request->warp & 1;
}

static uint32_t stub_next(struct loom_policy *self,
                          const struct loom_queue_view *queue, uint32_t queues,
                          loom_cycle now)
{
    (void)now;
    count(self)->nexts++;
    count(self)->wrong += queues != 2;
    return queue[0].head != NULL ? 0 : 1;
}

static void stub_sent(struct loom_policy *self, uint32_t queue,
                      const struct loom_mem_request *request)
{
    count(self)->wrong += queue != (request->warp & 1u);
    count(self)->sents++;
}

static const struct loom_coalesce_ops coalesce_ops = {
    .coalesce = stub_coalesce,
};
static const struct loom_order_ops order_ops = {
    .bind = stub_order_bind,
    .queue_of = stub_queue_of,
    .next = stub_next,
    .sent = stub_sent,
};

/* ---- cache ---- */

static bool stub_cache_bind(struct loom_policy *self,
                            const struct loom_cache_shape *shape,
                            struct loom_error *err)
{
    struct stub *s = loom_policy_state(self);

    (void)err;
    s->sets = shape->sets;
    s->ways = shape->ways;
    return true;
}

static enum loom_admit stub_admit(struct loom_policy *self,
                                  const struct loom_mem_request *request,
                                  struct loom_bypass *bypass)
{
    (void)request;
    (void)bypass;
    count(self)->admits++;
    return LOOM_ADMIT_DEFAULT;
}

static enum loom_allocate stub_allocate(struct loom_policy *self,
                                        const struct loom_mem_request *request,
                                        uint32_t set)
{
    const struct stub *s = loom_policy_state(self);

    (void)request;
    count(self)->wrong += set >= s->sets;
    count(self)->allocates++;
    return LOOM_ALLOCATE_DEFAULT;
}

static enum loom_on_fail stub_fail(struct loom_policy *self,
                                   const struct loom_mem_request *request,
                                   enum loom_fail_reason reason,
                                   struct loom_bypass *bypass)
{
    (void)request;
    (void)bypass;
    count(self)->wrong += reason >= LOOM_FAIL_REASONS;
    count(self)->fails++;
    return LOOM_FAIL_DEFAULT;
}

static void stub_restrict(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          struct loom_ways *ways)
{
    (void)request;
    (void)set;
    count(self)->wrong += ways->count == 0;
    count(self)->restricts++;
}

static enum loom_no_candidate stub_empty(struct loom_policy *self,
                                         const struct loom_mem_request *request,
                                         uint32_t set,
                                         struct loom_bypass *bypass)
{
    (void)request;
    (void)set;
    (void)bypass;
    count(self)->empties++;
    return LOOM_EMPTY_DEFAULT;
}

static uint32_t stub_victim(struct loom_policy *self,
                            const struct loom_mem_request *request,
                            uint32_t set, const struct loom_ways *ways)
{
    (void)request;
    (void)set;
    count(self)->wrong += ways->count == 0;
    count(self)->victims++;
    return ways->way[ways->count - 1];
}

static void stub_inserted(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          uint32_t way)
{
    const struct stub *s = loom_policy_state(self);

    (void)request;
    (void)set;
    count(self)->wrong += way >= s->ways;
    count(self)->inserted++;
}

static void stub_hit(struct loom_policy *self,
                     const struct loom_mem_request *request, uint32_t set,
                     uint32_t way)
{
    (void)request;
    (void)set;
    (void)way;
    count(self)->hits++;
}

static void stub_invalidated(struct loom_policy *self, uint32_t set,
                             uint32_t way)
{
    (void)set;
    (void)way;
    count(self)->invalidated++;
}

static uint32_t stub_index(struct loom_policy *self, loom_addr line)
{
    const struct stub *s = loom_policy_state(self);

    count(self)->indexes++;
    return (uint32_t)(line / LOOM_BLOCK_BYTES % s->sets);
}

static enum loom_line_power stub_power(struct loom_policy *self,
                                       enum loom_event_kind event,
                                       const struct loom_mem_request *request,
                                       uint32_t set, uint32_t way)
{
    (void)event;
    (void)request;
    (void)set;
    (void)way;
    count(self)->powers++;
    return LOOM_LINE_ON;
}

static const struct loom_admit_ops admit_ops = {.admit = stub_admit};
static const struct loom_allocation_ops allocation_ops = {
    .bind = stub_cache_bind,
    .allocate = stub_allocate,
    .fail = stub_fail,
};
static const struct loom_candidates_ops candidates_ops = {
    .restrict_ways = stub_restrict,
    .empty = stub_empty,
};
static const struct loom_replacement_ops replacement_ops = {
    .bind = stub_cache_bind,
    .victim = stub_victim,
    .inserted = stub_inserted,
    .hit = stub_hit,
    .invalidated = stub_invalidated,
};
static const struct loom_set_index_ops set_index_ops = {
    .bind = stub_cache_bind,
    .index = stub_index,
};
static const struct loom_power_ops power_ops = {.after = stub_power};

/* ---- GPU, network, memory ---- */

static uint32_t stub_select(struct loom_policy *self,
                            const struct loom_dispatch_view *view)
{
    count(self)->selects++;
    for (uint32_t i = 0; i < view->sms; i++) {
        if (view->fits[i]) {
            return i;
        }
    }
    return UINT32_MAX;
}

static uint32_t stub_route(struct loom_policy *self, uint32_t router,
                           uint32_t input, uint32_t destination)
{
    (void)router;
    (void)input;
    count(self)->routes++;
    return destination;
}

static bool stub_arbiter_bind(struct loom_policy *self,
                              const struct loom_noc_shape *shape,
                              struct loom_error *err)
{
    struct stub *s = loom_policy_state(self);

    (void)err;
    s->inputs = shape->inputs;
    return true;
}

static uint32_t stub_arbitrate(struct loom_policy *self, uint32_t output,
                               const uint64_t *requests, loom_cycle now)
{
    const struct stub *s = loom_policy_state(self);

    (void)output;
    (void)now;
    count(self)->arbitrations++;
    for (uint32_t word = 0; word < (s->inputs + 63) / 64; word++) {
        if (requests[word] != 0) {
            return word * 64 + loom_lowest(requests[word]);
        }
    }
    count(self)->wrong++;
    return 0;
}

static void stub_granted(struct loom_policy *self, uint32_t output,
                         uint32_t input)
{
    (void)output;
    (void)input;
    count(self)->grants++;
}

static uint32_t stub_schedule(struct loom_policy *self,
                              const struct loom_schedule_view *view)
{
    uint64_t any =
        view->column | view->activate | (view->precharge & ~view->hits);

    count(self)->schedules++;
    count(self)->wrong += (any & ~view->waiting) != 0;
    return any != 0 ? loom_lowest(any) : UINT32_MAX;
}

static void stub_arrived(struct loom_policy *self, uint32_t entry,
                         uint32_t bank, uint32_t row, bool write)
{
    (void)bank;
    (void)row;
    (void)write;
    count(self)->wrong += entry >= 64;
    count(self)->arrivals++;
}

static void stub_served(struct loom_policy *self, uint32_t entry)
{
    (void)entry;
    count(self)->serves++;
}

static const struct loom_dispatch_ops dispatch_ops = {.select = stub_select};
static const struct loom_routing_ops routing_ops = {.route = stub_route};
static const struct loom_arbiter_ops arbiter_ops = {
    .bind = stub_arbiter_bind,
    .pick = stub_arbitrate,
    .granted = stub_granted,
};
static const struct loom_schedule_ops schedule_ops = {
    .pick = stub_schedule,
    .arrived = stub_arrived,
    .served = stub_served,
};

/* ---- events ---- */

static void stub_observe(struct loom_policy *self,
                         const struct loom_event *event)
{
    count(self)->wrong += event->kind >= LOOM_EVENTS;
    count(self)->events[event->kind]++;
    if (event->kind == LOOM_EVENT_MEM_ISSUE) {
        count(self)->event_accesses += event->count;
    }
    if (event->kind == LOOM_EVENT_IBUFFER) {
        count(self)->event_duration += event->duration;
    }
}

static const struct loom_observe_ops observe_ops = {
    .events = UINT64_MAX,
    .observe = stub_observe,
};

/* One policy per place it can be attached to: all facets of a policy are
 * bound together. */
static const struct loom_facet sm_facets[] = {
    {&loom_scheduler_hook, &scheduler_ops},
    {&loom_throttle_hook, &throttle_ops},
    {&loom_coalesce_hook, &coalesce_ops},
    {&loom_order_hook, &order_ops},
    {&loom_sm_observe_hook, &observe_ops},
    {&loom_ldst_observe_hook, &observe_ops},
};
static const struct loom_facet cache_facets[] = {
    {&loom_admit_hook, &admit_ops},
    {&loom_allocation_hook, &allocation_ops},
    {&loom_candidates_hook, &candidates_ops},
    {&loom_replacement_hook, &replacement_ops},
    {&loom_set_index_hook, &set_index_ops},
    {&loom_power_hook, &power_ops},
    {&loom_cache_observe_hook, &observe_ops},
};
static const struct loom_facet dispatch_facets[] = {
    {&loom_dispatch_hook, &dispatch_ops},
};
static const struct loom_facet routing_facets[] = {
    {&loom_routing_hook, &routing_ops},
};
static const struct loom_facet arbiter_facets[] = {
    {&loom_arbiter_hook, &arbiter_ops},
};
static const struct loom_facet schedule_facets[] = {
    {&loom_schedule_hook, &schedule_ops},
};

static const char *const event_names[] = {
    [LOOM_EVENT_KERNEL_START] = "kernel_start",
    [LOOM_EVENT_KERNEL_END] = "kernel_end",
    [LOOM_EVENT_CTA_START] = "cta_start",
    [LOOM_EVENT_CTA_FINISH] = "cta_finish",
    [LOOM_EVENT_WARP_START] = "warp_start",
    [LOOM_EVENT_WARP_FINISH] = "warp_finish",
    [LOOM_EVENT_ISSUE] = "issue",
    [LOOM_EVENT_LOOP_EXIT] = "loop_exit",
    [LOOM_EVENT_IBUFFER] = "ibuffer",
    [LOOM_EVENT_MEM_ISSUE] = "mem_issue",
    [LOOM_EVENT_MEM_COMPLETE] = "mem_complete",
    [LOOM_EVENT_ACCESS] = "access",
    [LOOM_EVENT_HIT] = "hit",
    [LOOM_EVENT_PENDING_HIT] = "pending_hit",
    [LOOM_EVENT_MISS] = "miss",
    [LOOM_EVENT_BYPASS] = "bypass",
    [LOOM_EVENT_ALLOCATE] = "allocate",
    [LOOM_EVENT_FILL] = "fill",
    [LOOM_EVENT_EVICT] = "evict",
    [LOOM_EVENT_REPLY] = "reply",
    [LOOM_EVENT_RESERVATION_FAIL] = "reservation_fail",
    [LOOM_EVENT_QUERY] = "query",
    [LOOM_EVENT_ANSWER] = "answer",
};

#define STUB_COUNT(field, doc_)                                                \
    LOOM_COUNTER(struct stub_stats, field, LOOM_UNIT_EVENT, doc_)

static const struct loom_stat stub_stat_table[] = {
    STUB_COUNT(picks, "Calls of scheduler.pick"),
    STUB_COUNT(ranks, "Calls of scheduler.rank"),
    STUB_COUNT(issued, "Calls of scheduler.issued"),
    STUB_COUNT(stalled_cycles, "Cycles told by scheduler.stalled"),
    STUB_COUNT(started, "Calls of scheduler.started"),
    STUB_COUNT(finished, "Calls of scheduler.finished"),
    STUB_COUNT(allows, "Calls of throttle.allow"),
    STUB_COUNT(coalesces, "Calls of coalesce"),
    STUB_COUNT(coalesced, "Accesses made by coalesce"),
    STUB_COUNT(queue_ofs, "Calls of order.queue_of"),
    STUB_COUNT(nexts, "Calls of order.next"),
    STUB_COUNT(sents, "Calls of order.sent"),
    STUB_COUNT(admits, "Calls of admit"),
    STUB_COUNT(allocates, "Calls of allocation.allocate"),
    STUB_COUNT(fails, "Calls of allocation.fail"),
    STUB_COUNT(restricts, "Calls of candidates.restrict_ways"),
    STUB_COUNT(empties, "Calls of candidates.empty"),
    STUB_COUNT(victims, "Calls of replacement.victim"),
    STUB_COUNT(inserted, "Calls of replacement.inserted"),
    STUB_COUNT(hits, "Calls of replacement.hit"),
    STUB_COUNT(invalidated, "Calls of replacement.invalidated"),
    STUB_COUNT(indexes, "Calls of set_index.index"),
    STUB_COUNT(powers, "Calls of power.after"),
    STUB_COUNT(selects, "Calls of dispatch.select"),
    STUB_COUNT(routes, "Calls of routing.route"),
    STUB_COUNT(arbitrations, "Calls of arbiter.pick"),
    STUB_COUNT(grants, "Calls of arbiter.granted"),
    STUB_COUNT(schedules, "Calls of schedule.pick"),
    STUB_COUNT(arrivals, "Calls of schedule.arrived"),
    STUB_COUNT(serves, "Calls of schedule.served"),
    LOOM_VECTOR(struct stub_stats, events, "event", event_names,
                LOOM_UNIT_EVENT, "Events observed"),
    STUB_COUNT(event_accesses, "Sum of the counts of mem_issue events"),
    STUB_COUNT(event_duration, "Sum of the durations of ibuffer events"),
    STUB_COUNT(wrong, "Calls that broke a promise of their hook"),
};

#define STUB(name_, facets_)                                                   \
    const struct loom_policy_type name_##_policy = {                           \
        .name = #name_,                                                        \
        .doc = "Answers everything it is asked here, watches and counts",      \
        .state_size = sizeof(struct stub),                                     \
        .stats_size = sizeof(struct stub_stats),                               \
        .stats = LOOM_SLICE(stub_stat_table),                                  \
        .facets = LOOM_SLICE(facets_),                                         \
    }

STUB(stub_sm, sm_facets);
STUB(stub_cache, cache_facets);
STUB(stub_dispatch, dispatch_facets);
STUB(stub_routing, routing_facets);
STUB(stub_arbiter, arbiter_facets);
STUB(stub_schedule, schedule_facets);
