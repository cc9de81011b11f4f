/*
 * awake: a throttle that holds nobody back and, if it is on, does not let its
 * SM sleep while it has warps.
 *
 * With it an SM asks every question in every cycle in which a warp is ready.
 * Whatever differs from the same run without it, somebody has slept through.
 */
#include "policies/observe_hook.h"
#include "policies/sm_hook.h"

struct awake_config {
    bool on;
};

struct awake {
    uint32_t warps;
};

static uint64_t awake_allow(struct loom_policy *self,
                            const struct loom_throttle_view *view)
{
    (void)self;
    (void)view;
    return UINT64_MAX;
}

static void awake_observe(struct loom_policy *self,
                          const struct loom_event *event)
{
    struct awake *awake = loom_policy_state(self);

    if (event->kind == LOOM_EVENT_WARP_FINISH) {
        awake->warps--;
        return;
    }
    awake->warps++;
    loom_policy_wake(self, event->now + 1);
}

static void awake_timer(struct loom_policy *self, loom_cycle now)
{
    const struct awake_config *config = loom_policy_config(self);
    const struct awake *awake = loom_policy_state(self);

    if (config->on && awake->warps != 0) {
        loom_policy_wake(self, now + 1);
    }
}

static const struct loom_throttle_ops awake_ops = {.allow = awake_allow};
static const struct loom_observe_ops awake_events = {
    .events = LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH),
    .observe = awake_observe,
};

static const struct loom_facet awake_facets[] = {
    {&loom_throttle_hook, &awake_ops},
    {&loom_sm_observe_hook, &awake_events},
};

static const struct loom_param awake_params[] = {
    LOOM_PARAM(struct awake_config, on, .def = {.b = true},
               .doc = "The SM does not sleep"),
};

const struct loom_policy_type awake_policy = {
    .name = "awake",
    .doc = "Keeps an SM from sleeping while it has warps",
    .state_size = sizeof(struct awake),
    .config_size = sizeof(struct awake_config),
    .params = LOOM_SLICE(awake_params),
    .facets = LOOM_SLICE(awake_facets),
    .timer = awake_timer,
    .cost = loom_cost_none,
};
