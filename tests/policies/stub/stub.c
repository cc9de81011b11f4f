/*
 * stub: answers every question of every hook and watches every event.
 *
 * It decides nothing interesting; it counts.  tests/lua/stub.lua puts one
 * into every slot of a machine and compares its counts with the counters of
 * the components, so that a technique to come finds every door open: asked
 * at the moment its hook promises, with the facts its hook promises.
 */
#include "tests/policies/stub/stub_private.h"

/* ---- events ---- */

static void stub_observe(struct loom_policy *self,
                         const struct loom_event *event)
{
    const struct stub_config *config = loom_policy_config(self);
    const struct stub *s = loom_policy_state(self);

    count(self)->wrong += event->kind >= LOOM_EVENTS;
    count(self)->events[event->kind]++;
    if (event->kind == LOOM_EVENT_MISS && s->host != NULL &&
        one_in(event->request, config->query_one_in)) {
        count(self)->queried += s->host->query(s->host->cache, event->request);
    }
    if (event->kind == LOOM_EVENT_ACCESS) {
        count(self)->marked += event->request->policy_bits != 0;
    }
    if (event->kind == LOOM_EVENT_MEM_ISSUE) {
        count(self)->event_accesses += event->count;
    }
    if (event->kind == LOOM_EVENT_IBUFFER) {
        count(self)->event_duration += event->duration;
    }
}

const struct loom_observe_ops stub_observe_ops = {
    .events = UINT64_MAX,
    .observe = stub_observe,
};

static const struct loom_param stub_params[] = {
    LOOM_PARAM(struct stub_config, bypass_one_in,
               .doc = "Caches: loads of one block in so many go around"),
    LOOM_PARAM(struct stub_config, query_one_in,
               .doc = "Caches: misses of one block in so many ask below"),
    LOOM_PARAM(struct stub_config, insert, .max = {.u = 1000},
               .doc = "Transforms: instructions put before the first one"),
    LOOM_PARAM(struct stub_config, as_text, .def = {.b = false},
               .doc = "Transforms: answer with a text"),
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
    STUB_COUNT(prefers, "Calls of throttle.prefer"),
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
    STUB_COUNT(pages, "Calls of page.close_at"),
    STUB_COUNT(commands, "Calls of commands.issued"),
    LOOM_VECTOR(struct stub_stats, events, "event", loom_event_names,
                LOOM_UNIT_EVENT, "Events observed"),
    STUB_COUNT(event_accesses, "Sum of the counts of mem_issue events"),
    STUB_COUNT(event_duration, "Sum of the durations of ibuffer events"),
    STUB_COUNT(queried, "Queries sent"),
    STUB_COUNT(maps, "Calls of map"),
    STUB_COUNT(marks, "Calls of mark"),
    STUB_COUNT(marked, "Accesses with policy bits"),
    STUB_COUNT(rewrites, "Calls of transform.rewrite"),
    STUB_COUNT(inserted_insts, "Instructions inserted by transform.rewrite"),
    STUB_COUNT(wrong, "Calls that broke a promise of their hook"),
};

/* One policy per place it can be attached to: all facets of a policy are
 * bound together. */
#define STUB(name_, ...)                                                       \
    static const struct loom_facet name_##_facets[] = {__VA_ARGS__};           \
    const struct loom_policy_type name_##_policy = {                           \
        .name = #name_,                                                        \
        .doc = "Answers everything it is asked here, watches and counts",      \
        .config_size = sizeof(struct stub_config),                             \
        .params = LOOM_SLICE(stub_params),                                     \
        .state_size = sizeof(struct stub),                                     \
        .stats_size = sizeof(struct stub_stats),                               \
        .stats = LOOM_SLICE(stub_stat_table),                                  \
        .facets = LOOM_SLICE(name_##_facets),                                  \
    }

STUB(stub_sm, {&loom_scheduler_hook, &stub_scheduler_ops},
     {&loom_throttle_hook, &stub_throttle_ops},
     {&loom_coalesce_hook, &stub_coalesce_ops},
     {&loom_order_hook, &stub_order_ops},
     {&loom_ldst_mark_hook, &stub_mark_ops},
     {&loom_sm_observe_hook, &stub_observe_ops},
     {&loom_ldst_observe_hook, &stub_observe_ops});
STUB(stub_cache, {&loom_admit_hook, &stub_admit_ops},
     {&loom_allocation_hook, &stub_allocation_ops},
     {&loom_candidates_hook, &stub_candidates_ops},
     {&loom_replacement_hook, &stub_replacement_ops},
     {&loom_set_index_hook, &stub_set_index_ops},
     {&loom_power_hook, &stub_power_ops},
     {&loom_cache_mark_hook, &stub_mark_ops},
     {&loom_cache_observe_hook, &stub_observe_ops});
STUB(stub_dispatch, {&loom_dispatch_hook, &stub_dispatch_ops});
STUB(stub_routing, {&loom_routing_hook, &stub_routing_ops});
STUB(stub_arbiter, {&loom_arbiter_hook, &stub_arbiter_ops});
STUB(stub_schedule, {&loom_schedule_hook, &stub_schedule_ops});
STUB(stub_page, {&loom_page_hook, &stub_page_ops});
STUB(stub_commands, {&loom_commands_hook, &stub_commands_ops});
STUB(stub_map, {&loom_map_hook, &stub_map_ops});
STUB(stub_transform, {&loom_transform_hook, &stub_transform_ops});
