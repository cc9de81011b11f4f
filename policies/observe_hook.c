/*
 * The identities of the three observe hooks, and the chain behind them.
 *
 * The union of the masks is taken once, when the chain is bound, so that an
 * event nobody watches costs its component one test of a bit.
 */
#include "policies/observe_hook.h"

const struct loom_hook loom_sm_observe_hook = {
    .name = "sm_observe",
    .doc = "Watches an SM",
    .chain = true,
};

const struct loom_hook loom_ldst_observe_hook = {
    .name = "ldst_observe",
    .doc = "Watches a load/store unit",
    .chain = true,
};

const struct loom_hook loom_cache_observe_hook = {
    .name = "cache_observe",
    .doc = "Watches a cache",
    .chain = true,
};

/* clang-format off */
#define EVENTS(EVENT) \
    EVENT(KERNEL_START, "kernel_start", sm) \
    EVENT(KERNEL_END, "kernel_end", sm) \
    EVENT(CTA_START, "cta_start", sm) \
    EVENT(CTA_FINISH, "cta_finish", sm) \
    EVENT(WARP_START, "warp_start", sm) \
    EVENT(WARP_FINISH, "warp_finish", sm) \
    EVENT(ISSUE, "issue", sm) \
    EVENT(LOOP_EXIT, "loop_exit", sm) \
    EVENT(IBUFFER, "ibuffer", sm) \
    EVENT(WAIT, "wait", sm) \
    EVENT(MEM_ISSUE, "mem_issue", ldst) \
    EVENT(MEM_COMPLETE, "mem_complete", ldst) \
    EVENT(MEM_DONE, "mem_done", ldst) \
    EVENT(ACCESS, "access", cache) \
    EVENT(HIT, "hit", cache) \
    EVENT(PENDING_HIT, "pending_hit", cache) \
    EVENT(MISS, "miss", cache) \
    EVENT(BYPASS, "bypass", cache) \
    EVENT(ALLOCATE, "allocate", cache) \
    EVENT(FILL, "fill", cache) \
    EVENT(EVICT, "evict", cache) \
    EVENT(REPLY, "reply", cache) \
    EVENT(RESERVATION_FAIL, "reservation_fail", cache) \
    EVENT(QUERY, "query", cache) \
    EVENT(ANSWER, "answer", cache) \
    EVENT(SEND, "send", cache)
#define NAME(kind, name, place) [LOOM_EVENT_##kind] = name,
#define HOOK(kind, name, place) \
    [LOOM_EVENT_##kind] = &loom_##place##_observe_hook,
#define ONE(kind, name, place) +1
/* clang-format on */

const char *const loom_event_names[LOOM_EVENTS] = {EVENTS(NAME)};
const char *const loom_wait_names[LOOM_WAIT_REASONS] = {
    "ready",  "memory", "result", "fetch", "barrier",
    "atomic", "membar", "drain",  "unit"};
const char *const loom_fail_names[LOOM_FAIL_REASONS] = {
    "line", "mshr", "merge", "miss_queue", "candidates"};
_Static_assert(EVENTS(ONE) == LOOM_EVENTS, "each kind of event has a row");

const struct loom_hook *loom_event_hook(enum loom_event_kind kind)
{
    static const struct loom_hook *const hooks[LOOM_EVENTS] = {EVENTS(HOOK)};

    return hooks[kind];
}

bool loom_observers_bind(struct loom_observers *observers,
                         struct loom_component *self, const char *slot,
                         const struct loom_observe_shape *shape,
                         struct loom_error *err)
{
    observers->chain = loom_slot(self, slot);
    observers->events = 0;
    for (uint32_t i = 0; i < observers->chain.count; i++) {
        const struct loom_bound *bound = &observers->chain.item[i];
        const struct loom_observe_ops *ops = bound->ops;

        if (ops->events != 0 && ops->observe == NULL) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "'%s' subscribes to events and has no observe()",
                             loom_policy_path(bound->policy));
        }
        if (ops->bind != NULL && !ops->bind(bound->policy, shape, err)) {
            return loom_fail_at(err, loom_policy_path(bound->policy));
        }
        observers->events |= ops->events;
    }
    return true;
}

void loom_observers_tell(const struct loom_observers *observers,
                         const struct loom_event *event)
{
    for (uint32_t i = 0; i < observers->chain.count; i++) {
        const struct loom_bound *bound = &observers->chain.item[i];
        const struct loom_observe_ops *ops = bound->ops;

        if ((ops->events >> event->kind & 1) != 0) {
            ops->observe(bound->policy, event);
        }
    }
}
