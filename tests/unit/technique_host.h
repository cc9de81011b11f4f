/*
 * A host for techniques that watch an SM, its load/store unit and its L1 and
 * act at the L1: it binds one policy to all of these slots and ticks nothing;
 * the test tells the events and asks the questions, at times that it chooses.
 */
#ifndef TESTS_UNIT_TECHNIQUE_HOST_H
#define TESTS_UNIT_TECHNIQUE_HOST_H

#include "engine/machine.h"

#include "policies/cache_hook.h"
#include "tests/unit/test.h"

struct tech_shape {
    uint32_t sets, ways, warps;
};

struct tech {
    struct loom_machine *machine;
    struct loom_policy *policy;
    struct loom_error err;
    bool good;
    const struct loom_admit_ops *admit;
    const struct loom_candidates_ops *candidates;
    const struct loom_observe_ops *cache, *sm, *ldst;
    const struct loom_kernel *kernel; /* the test's; events name it */
    loom_cycle now;
};

struct tech_state {
    struct tech_shape shape;
};

/* Binds what the slot holds, if its ops have a bind. */
#define TECH_BIND(type, slot_, shape_)                                         \
    do {                                                                       \
        struct loom_binding b = loom_slot(self, slot_);                        \
        const struct type *ops = b.count != 0 ? b.item[0].ops : NULL;          \
        if (ops != NULL && ops->bind != NULL &&                                \
            !ops->bind(b.item[0].policy, shape_, err)) {                       \
            return false;                                                      \
        }                                                                      \
    } while (0)

static bool tech_init(struct loom_component *self, struct loom_error *err)
{
    const struct tech_state *state = loom_state(self);
    struct loom_cache_shape cache = {
        .sets = state->shape.sets,
        .ways = state->shape.ways,
        .line_bytes = 128,
        .sector_bytes = 128,
        .level = LOOM_LEVEL_L1,
    };
    struct loom_observe_shape at_cache = {
        .sets = cache.sets, .ways = cache.ways, .line_bytes = 128};
    struct loom_observe_shape at_sm = {.schedulers = 2,
                                       .warps = state->shape.warps};

    TECH_BIND(loom_admit_ops, "admit", &cache);
    TECH_BIND(loom_candidates_ops, "candidates", &cache);
    TECH_BIND(loom_observe_ops, "cache", &at_cache);
    TECH_BIND(loom_observe_ops, "sm", &at_sm);
    TECH_BIND(loom_observe_ops, "ldst", &at_sm);
    return true;
}

static loom_cycle tech_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static const struct loom_slot_decl tech_slots[] = {
    {"admit", "Under test", &loom_admit_hook, NULL},
    {"candidates", "Under test", &loom_candidates_hook, NULL},
    {"cache", "Under test", &loom_cache_observe_hook, NULL},
    {"sm", "Under test", &loom_sm_observe_hook, NULL},
    {"ldst", "Under test", &loom_ldst_observe_hook, NULL},
};
static const struct loom_component_ops tech_ops = {.init = tech_init,
                                                   .tick = tech_tick};
static const struct loom_component_type tech_component = {
    .name = "host",
    .doc = "Binds a technique",
    .state_size = sizeof(struct tech_state),
    .slots = LOOM_SLICE(tech_slots),
    .ops = &tech_ops,
};

static inline void tech_note(void *context, const char *path,
                             const struct loom_error *err)
{
    (void)path;
    *(struct loom_error *)context = *err;
}

static inline struct tech tech_open(const struct loom_policy_type *type,
                                    struct tech_shape shape)
{
    struct tech t = {
        .machine = loom_machine_create(1),
        .admit = loom_policy_type_ops(type, &loom_admit_hook),
        .candidates = loom_policy_type_ops(type, &loom_candidates_hook),
        .cache = loom_policy_type_ops(type, &loom_cache_observe_hook),
        .sm = loom_policy_type_ops(type, &loom_sm_observe_hook),
        .ldst = loom_policy_type_ops(type, &loom_ldst_observe_hook),
    };
    const void *const ops[] = {t.admit, t.candidates, t.cache, t.sm, t.ldst};
    uint32_t clock = loom_machine_clock(t.machine, 1000000000);
    struct loom_component *component =
        loom_machine_add(t.machine, &tech_component, "host", clock, &t.err);
    struct tech_state *state = loom_state(component);

    state->shape = shape;
    t.policy =
        loom_machine_add_policy(t.machine, type, "host.policy.x", &t.err);
    for (size_t i = 0; i < LOOM_COUNTOF(ops); i++) {
        if (ops[i] != NULL) {
            REQUIRE(loom_machine_attach(component, tech_slots[i].name, t.policy,
                                        &t.err));
        }
    }
    return t;
}

static inline void tech_set(struct tech *t, const char *param,
                            union loom_value value)
{
    REQUIRE(loom_machine_set_policy(t->policy, param, value, &t->err));
}

#define TECH_U(t, param, v) tech_set(t, param, (union loom_value){.u = (v)})
#define TECH_F(t, param, v) tech_set(t, param, (union loom_value){.f = (v)})
#define TECH_B(t, param, v) tech_set(t, param, (union loom_value){.b = (v)})
#define TECH_S(t, param, v) tech_set(t, param, (union loom_value){.s = (v)})

static inline void tech_start(struct tech *t)
{
    t->good = loom_machine_freeze(t->machine, tech_note, &t->err);
}

static inline void tech_close(struct tech *t)
{
    loom_machine_destroy(t->machine);
}

/* ---- telling and asking ---- */

static inline void tech_tell(const struct tech *t,
                             const struct loom_observe_ops *ops,
                             struct loom_event event)
{
    event.now = t->now;
    event.kernel = event.kernel != NULL ? event.kernel : t->kernel;
    if (ops != NULL && (ops->events >> event.kind & 1) != 0) {
        ops->observe(t->policy, &event);
    }
}

/* A load of `warp` by static instruction `inst`. */
static inline struct loom_mem_request
tech_load(const struct tech *t, uint16_t warp, uint32_t inst, loom_addr block)
{
    return (struct loom_mem_request){
        .block = block,
        .bytes = {UINT64_MAX, UINT64_MAX},
        .kernel = t->kernel != NULL ? t->kernel->number : 0,
        .inst = inst,
        .warp = warp,
        .accesses = 1,
        .size_bytes = 128,
        .sectors = 15,
        .kind = LOOM_MEM_LOAD,
        .space = LOOM_SPACE_GLOBAL,
    };
}

/* An outcome at the cache: HIT, PENDING_HIT, MISS or BYPASS, ALLOCATE.. */
static inline void tech_cache(const struct tech *t, enum loom_event_kind kind,
                              const struct loom_mem_request *r, uint32_t set,
                              uint32_t way)
{
    tech_tell(t, t->cache,
              (struct loom_event){
                  .kind = (uint32_t)kind,
                  .request = r,
                  .block = r->block,
                  .set = set,
                  .way = way,
                  .inst = r->inst,
                  .warp = r->warp,
              });
}

static inline bool tech_bypasses(const struct tech *t,
                                 const struct loom_mem_request *r)
{
    struct loom_bypass how = {r->size_bytes, false};

    return t->admit->admit(t->policy, r, &how) == LOOM_ADMIT_BYPASS;
}

#endif
