/*
 * dacache without a machine: a host that has all four slots, and the smallest
 * cache that asks and tells what the real one does.  No time passes; data is
 * there at once.
 */
#ifndef TESTS_UNIT_DACACHE_RIG_H
#define TESTS_UNIT_DACACHE_RIG_H

#include "engine/machine.h"

#include "policies/cache_hook.h"
#include "policies/sm_hook.h"
#include "tests/unit/give.h"

extern const struct loom_policy_type dacache_policy;

enum {
    RIG_SETS = 64,
    RIG_WAYS = 8
};

struct rig {
    struct loom_machine *machine;
    struct loom_component *component;
    struct loom_policy *policy;
    const struct loom_allocation_ops *allocation;
    const struct loom_replacement_ops *replacement;
    const struct loom_candidates_ops *candidates;
    const struct loom_observe_ops *cache, *sm;
    struct loom_error err;
    uint32_t sets, ways;
    uint32_t reserved; /* bits of ways that no miss may replace */
    loom_addr tag[RIG_SETS][RIG_WAYS]; /* line + 1; 0: empty */
    bool good;
};

struct rig_state {
    struct loom_cache_shape cache;
    struct loom_observe_shape observe_cache, observe_sm;
    struct loom_cache_host host;
};

static inline bool rig_valid(void *cache, uint32_t set, uint32_t way)
{
    const struct rig *rig = cache;

    return rig->tag[set][way] != 0;
}

static bool rig_init(struct loom_component *self, struct loom_error *err)
{
    const struct rig_state *s = loom_state(self);
    struct loom_binding b = loom_slot(self, "replacement");
    const struct loom_replacement_ops *replacement = b.item[0].ops;
    const struct loom_candidates_ops *candidates =
        loom_slot(self, "candidates").item[0].ops;
    const struct loom_observe_ops *sm = loom_slot(self, "sm").item[0].ops;

    return replacement->bind(b.item[0].policy, &s->cache, err) &&
           candidates->bind(b.item[0].policy, &s->cache, err) &&
           sm->bind(b.item[0].policy, &s->observe_sm, err);
}

static loom_cycle rig_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static const struct loom_slot_decl rig_slots[] = {
    {"replacement", "Under test", &loom_replacement_hook, NULL},
    {"candidates", "Under test", &loom_candidates_hook, NULL},
    {"cache", "Under test", &loom_cache_observe_hook, NULL},
    {"sm", "Under test", &loom_sm_observe_hook, NULL},
};
static const struct loom_component_ops rig_ops = {.init = rig_init,
                                                  .tick = rig_tick};
static const struct loom_component_type rig_component = {
    .name = "rig",
    .doc = "Binds a policy",
    .state_size = sizeof(struct rig_state),
    .slots = LOOM_SLICE(rig_slots),
    .ops = &rig_ops,
};

static inline void rig_note(void *context, const char *path,
                            const struct loom_error *err)
{
    (void)path;
    *(struct loom_error *)context = *err;
}

/* An L1 of sets x ways beside `schedulers` schedulers of 24 warps. */
static inline struct rig *rig_make(uint32_t sets, uint32_t ways,
                                   uint32_t schedulers)
{
    static struct rig memory;
    struct rig *rig = &memory;
    struct rig_state *state;
    uint32_t clock;

    *rig = (struct rig){
        .machine = loom_machine_create(1), .sets = sets, .ways = ways};
    clock = loom_machine_clock(rig->machine, 1000000000);
    rig->component = loom_machine_add(rig->machine, &rig_component, "rig[0]",
                                      clock, &rig->err);
    state = loom_state(rig->component);
    state->host = (struct loom_cache_host){.cache = rig, .valid = rig_valid};
    state->cache = (struct loom_cache_shape){
        .host = &state->host,
        .sets = sets,
        .ways = ways,
        .line_bytes = 128,
        .sector_bytes = 128,
        .level = LOOM_LEVEL_L1,
    };
    state->observe_sm = (struct loom_observe_shape){
        .schedulers = schedulers, .warps = 24 * schedulers, .ranked = true};
    rig->policy = loom_machine_add_policy(rig->machine, &dacache_policy,
                                          "rig[0].policy", &rig->err);
    REQUIRE(rig->policy != NULL);
    rig->replacement =
        loom_policy_type_ops(&dacache_policy, &loom_replacement_hook);
    rig->candidates =
        loom_policy_type_ops(&dacache_policy, &loom_candidates_hook);
    rig->allocation =
        loom_policy_type_ops(&dacache_policy, &loom_allocation_hook);
    rig->cache =
        loom_policy_type_ops(&dacache_policy, &loom_cache_observe_hook);
    rig->sm = loom_policy_type_ops(&dacache_policy, &loom_sm_observe_hook);
    for (size_t i = 0; i < LOOM_COUNTOF(rig_slots); i++) {
        REQUIRE(loom_machine_attach(rig->component, rig_slots[i].name,
                                    rig->policy, &rig->err));
    }
    return rig;
}

static inline void rig_set(struct rig *rig, const char *name,
                           union loom_value value)
{
    REQUIRE(loom_machine_set_policy(rig->policy, name, value, &rig->err));
}

static inline void rig_number(struct rig *rig, const char *name, uint64_t value)
{
    rig_set(rig, name, (union loom_value){.u = value});
}

/* Binds all; a kernel of four loads starts. */
static inline void rig_start(struct rig *rig)
{
    static const struct loom_static_inst inst[] = {
        {.op = LOOM_OP_LOAD, .space = LOOM_SPACE_GLOBAL},
        {.op = LOOM_OP_LOAD, .space = LOOM_SPACE_GLOBAL},
        {.op = LOOM_OP_LOAD, .space = LOOM_SPACE_GLOBAL},
        {.op = LOOM_OP_LOAD, .space = LOOM_SPACE_GLOBAL},
    };
    static const struct loom_kernel kernel = {
        .name = "kernel", .inst = inst, .inst_count = 4};

    rig->good = loom_machine_freeze(rig->machine, rig_note, &rig->err);
    if (rig->good) {
        give_kernel(rig->machine, &kernel);
    }
}

#endif
