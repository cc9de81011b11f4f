/*
 * A host that asks nothing by itself: it binds one policy to a shape, and
 * the test asks the policy's questions directly.
 */
#ifndef TESTS_UNIT_POLICY_HOST_H
#define TESTS_UNIT_POLICY_HOST_H

#include "engine/machine.h"

#include "policies/cache_hook.h"
#include "policies/ldst_hook.h"
#include "tests/unit/test.h"

struct host {
    struct loom_machine *machine;
    struct loom_policy *policy;
    struct loom_error err;
    bool good;
};

struct host_state {
    struct loom_cache_shape cache;
    struct loom_ldst_shape ldst;
};

static bool host_init(struct loom_component *self, struct loom_error *err)
{
    const struct host_state *state = loom_state(self);
    struct loom_binding replacement = loom_slot(self, "replacement");
    struct loom_binding index = loom_slot(self, "set_index");
    struct loom_binding coalesce = loom_slot(self, "coalesce");

    if (replacement.count != 0) {
        const struct loom_replacement_ops *ops = replacement.item[0].ops;

        return ops->bind == NULL ||
               ops->bind(replacement.item[0].policy, &state->cache, err);
    }
    if (index.count != 0) {
        const struct loom_set_index_ops *ops = index.item[0].ops;

        return ops->bind == NULL ||
               ops->bind(index.item[0].policy, &state->cache, err);
    }
    if (coalesce.count != 0) {
        const struct loom_coalesce_ops *ops = coalesce.item[0].ops;

        return ops->bind == NULL ||
               ops->bind(coalesce.item[0].policy, &state->ldst, err);
    }
    return true;
}

static loom_cycle host_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static const struct loom_slot_decl host_slots[] = {
    {"replacement", "Under test", &loom_replacement_hook, NULL},
    {"set_index", "Under test", &loom_set_index_hook, NULL},
    {"coalesce", "Under test", &loom_coalesce_hook, NULL},
};
static const struct loom_component_ops host_ops = {.init = host_init,
                                                   .tick = host_tick};
static const struct loom_component_type host_component = {
    .name = "host",
    .doc = "Binds a policy",
    .state_size = sizeof(struct host_state),
    .slots = LOOM_SLICE(host_slots),
    .ops = &host_ops,
};

static inline void host_note(void *context, const char *path,
                             const struct loom_error *err)
{
    (void)path;
    *(struct loom_error *)context = *err;
}

/* A host that is not frozen yet: parameters can be set. */
static inline struct host host_make(const struct loom_policy_type *type,
                                    const char *slot,
                                    const struct loom_cache_shape *shape)
{
    struct host host = {.machine = loom_machine_create(1)};
    uint32_t clock = loom_machine_clock(host.machine, 1000000000);
    struct loom_component *component = loom_machine_add(
        host.machine, &host_component, "host", clock, &host.err);
    struct host_state *state = loom_state(component);

    state->cache = *shape;
    state->ldst =
        (struct loom_ldst_shape){.line_bytes = shape->line_bytes, .warps = 48};
    host.policy =
        loom_machine_add_policy(host.machine, type, "host.policy.x", &host.err);
    REQUIRE(loom_machine_attach(component, slot, host.policy, &host.err));
    return host;
}

static inline void host_set(struct host *host, const char *param,
                            union loom_value value)
{
    REQUIRE(loom_machine_set_policy(host->policy, param, value, &host->err));
}

/* host.good tells whether the policy accepted the shape; else host.err. */
static inline void host_freeze(struct host *host)
{
    host->good = loom_machine_freeze(host->machine, host_note, &host->err);
}

static inline struct loom_cache_shape host_shape(uint32_t sets, uint32_t ways,
                                                 uint32_t line_bytes)
{
    return (struct loom_cache_shape){
        .sets = sets,
        .ways = ways,
        .line_bytes = line_bytes,
        .sector_bytes = line_bytes,
        .level = LOOM_LEVEL_L1,
    };
}

static inline struct host host_open(const struct loom_policy_type *type,
                                    const char *slot, uint32_t sets,
                                    uint32_t ways, uint32_t line_bytes)
{
    struct loom_cache_shape shape = host_shape(sets, ways, line_bytes);
    struct host host = host_make(type, slot, &shape);

    host_freeze(&host);
    return host;
}

static inline void host_close(struct host *host)
{
    loom_machine_destroy(host->machine);
}

#endif
