/*
 * An SM that asks nothing by itself: it binds every facet of one policy that
 * an SM, its load/store unit or its L1 would bind, and the test asks the
 * policy's questions and tells it events directly.
 */
#ifndef TESTS_UNIT_SM_POLICY_HOST_H
#define TESTS_UNIT_SM_POLICY_HOST_H

#include "engine/machine.h"

#include "policies/cache_hook.h"
#include "policies/sm_hook.h"
#include "tests/unit/test.h"

struct sm_host {
    struct loom_machine *machine;
    struct loom_component *component;
    struct loom_policy *policy;
    const struct loom_scheduler_ops *scheduler; /* NULL: no such facet */
    const struct loom_throttle_ops *throttle;
    const struct loom_observe_ops *sm, *ldst, *cache;
    const struct loom_allocation_ops *allocation;
    struct loom_error err;
    bool good;
};

struct sm_host_state {
    struct loom_sm_shape shape;
    struct loom_cache_shape cache;
    struct loom_observe_shape observe;
};

/* Binds one slot of this component, if the policy is in it. */
#define SM_HOST_BIND(slot_, ops_, shape_)                                      \
    do {                                                                       \
        struct loom_binding bound = loom_slot(self, slot_);                    \
        const struct ops_ *ops = bound.count != 0 ? bound.item[0].ops : NULL;  \
                                                                               \
        if (ops != NULL && ops->bind != NULL &&                                \
            !ops->bind(bound.item[0].policy, shape_, err)) {                   \
            return false;                                                      \
        }                                                                      \
    } while (false)

static bool sm_host_init(struct loom_component *self, struct loom_error *err)
{
    const struct sm_host_state *state = loom_state(self);

    SM_HOST_BIND("cache", loom_observe_ops, &state->observe);
    SM_HOST_BIND("allocation", loom_allocation_ops, &state->cache);
    SM_HOST_BIND("ldst", loom_observe_ops, &state->observe);
    SM_HOST_BIND("scheduler", loom_scheduler_ops, &state->shape);
    SM_HOST_BIND("throttle", loom_throttle_ops, &state->shape);
    SM_HOST_BIND("sm", loom_observe_ops, &state->observe);
    return true;
}

static loom_cycle sm_host_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static const struct loom_slot_decl sm_host_slots[] = {
    {"scheduler", "Under test", &loom_scheduler_hook, NULL},
    {"throttle", "Under test", &loom_throttle_hook, NULL},
    {"sm", "Under test", &loom_sm_observe_hook, NULL},
    {"ldst", "Under test", &loom_ldst_observe_hook, NULL},
    {"cache", "Under test", &loom_cache_observe_hook, NULL},
    {"allocation", "Under test", &loom_allocation_hook, NULL},
};
static const struct loom_component_ops sm_host_ops = {.init = sm_host_init,
                                                      .tick = sm_host_tick};
static const struct loom_component_type sm_host_component = {
    .name = "sm_host",
    .doc = "Binds a policy",
    .state_size = sizeof(struct sm_host_state),
    .slots = LOOM_SLICE(sm_host_slots),
    .ops = &sm_host_ops,
};

static inline void sm_host_note(void *context, const char *path,
                                const struct loom_error *err)
{
    (void)path;
    *(struct loom_error *)context = *err;
}

/* The policy is made and may be configured; sm_host_bind() goes on. */
static inline struct sm_host sm_host_make(const struct loom_policy_type *type,
                                          uint64_t seed, uint32_t warps,
                                          uint32_t schedulers)
{
    struct sm_host host = {.machine = loom_machine_create(seed)};
    uint32_t clock = loom_machine_clock(host.machine, 1000000000);
    struct sm_host_state *state;

    host.component = loom_machine_add(host.machine, &sm_host_component,
                                      "host[0]", clock, &host.err);
    state = loom_state(host.component);
    state->shape = (struct loom_sm_shape){
        .schedulers = schedulers,
        .warps = warps,
        .locals = (warps + schedulers - 1) / schedulers,
    };
    state->cache = (struct loom_cache_shape){
        .sets = 32,
        .ways = 4,
        .line_bytes = 128,
        .sector_bytes = 128,
        .level = LOOM_LEVEL_L1,
    };
    state->observe = (struct loom_observe_shape){
        .sets = 32,
        .ways = 4,
        .line_bytes = 128,
        .schedulers = schedulers,
        .warps = warps,
    };
    host.policy = loom_machine_add_policy(host.machine, type, "host[0].policy",
                                          &host.err);
    REQUIRE(host.policy != NULL);
    host.scheduler = loom_policy_type_ops(type, &loom_scheduler_hook);
    host.throttle = loom_policy_type_ops(type, &loom_throttle_hook);
    host.sm = loom_policy_type_ops(type, &loom_sm_observe_hook);
    host.ldst = loom_policy_type_ops(type, &loom_ldst_observe_hook);
    host.cache = loom_policy_type_ops(type, &loom_cache_observe_hook);
    host.allocation = loom_policy_type_ops(type, &loom_allocation_hook);
    return host;
}

static inline void sm_host_set(struct sm_host *host, const char *name,
                               union loom_value value)
{
    REQUIRE(loom_machine_set_policy(host->policy, name, value, &host->err));
}

static inline void sm_host_number(struct sm_host *host, const char *name,
                                  uint64_t value)
{
    sm_host_set(host, name, (union loom_value){.u = value});
}

/* host->good tells whether the policy accepted the shape; else host->err. */
static inline void sm_host_bind(struct sm_host *host)
{
    const void *const ops[] = {host->scheduler, host->throttle,
                               host->sm,        host->ldst,
                               host->cache,     host->allocation};

    for (size_t i = 0; i < LOOM_COUNTOF(ops); i++) {
        if (ops[i] != NULL) {
            REQUIRE(loom_machine_attach(host->component, sm_host_slots[i].name,
                                        host->policy, &host->err));
        }
    }
    host->good = loom_machine_freeze(host->machine, sm_host_note, &host->err);
}

static inline struct sm_host sm_host_open(const struct loom_policy_type *type,
                                          uint64_t seed, uint32_t warps,
                                          uint32_t schedulers)
{
    struct sm_host host = sm_host_make(type, seed, warps, schedulers);

    sm_host_bind(&host);
    return host;
}

static inline void sm_host_close(struct sm_host *host)
{
    loom_machine_destroy(host->machine);
}

/* Tells an event to those facets that subscribed to its kind. */
static inline void sm_host_tell(const struct sm_host *host,
                                const struct loom_event *event)
{
    const struct loom_observe_ops *const ops[] = {host->sm, host->ldst,
                                                  host->cache};

    for (size_t i = 0; i < LOOM_COUNTOF(ops); i++) {
        if (ops[i] != NULL && (ops[i]->events >> event->kind & 1) != 0) {
            ops[i]->observe(host->policy, event);
        }
    }
}

/* A counter of the policy. */
static inline uint64_t sm_host_stat(const struct sm_host *host,
                                    const char *name)
{
    const struct loom_policy_type *type = loom_policy_type_of(host->policy);
    const struct loom_stat *stat = loom_stats_find(type->stats, name);
    const char *base = loom_policy_stats(host->policy);

    REQUIRE(stat != NULL);
    return *(const uint64_t *)(const void *)(base + stat->offset);
}

#endif
