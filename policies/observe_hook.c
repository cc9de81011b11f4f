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
