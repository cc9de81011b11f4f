/*
 * A cache and a load/store unit that ask nothing by themselves: all facets of
 * one policy are bound, and the test asks its questions, tells it events and
 * moves the time.
 */
#ifndef TESTS_UNIT_BYPASS_HOST_H
#define TESTS_UNIT_BYPASS_HOST_H

#include "engine/machine.h"

#include "policies/cache_hook.h"
#include "policies/ldst_hook.h"
#include "tests/unit/test.h"

struct bypass_host {
    struct loom_machine *machine;
    struct loom_component *component;
    struct loom_policy *policy;
    struct loom_error err;
    bool good; /* the policy accepted its parameters and the shape */
};

struct bypass_host_state {
    struct loom_cache_shape cache;
    struct loom_ldst_shape ldst;
    struct loom_observe_shape observe;
    struct loom_cache_host host;
    uint32_t queues, depth; /* what the order policy wants */
    loom_cycle target;
};

#define BYPASS_HOST_BIND(slot_, ops_, shape_)                                  \
    do {                                                                       \
        struct loom_binding bound_ = loom_slot(self, slot_);                   \
        const struct ops_ *of_ =                                               \
            bound_.count != 0 ? bound_.item[0].ops : NULL;                     \
                                                                               \
        if (of_ != NULL && of_->bind != NULL &&                                \
            !of_->bind(bound_.item[0].policy, shape_, err)) {                  \
            return false;                                                      \
        }                                                                      \
    } while (false)

static bool bypass_host_init(struct loom_component *self,
                             struct loom_error *err)
{
    struct bypass_host_state *s = loom_state(self);
    struct loom_binding order = loom_slot(self, "order");

    BYPASS_HOST_BIND("power", loom_power_ops, &s->cache);
    BYPASS_HOST_BIND("observe", loom_observe_ops, &s->observe);
    BYPASS_HOST_BIND("admit", loom_admit_ops, &s->cache);
    BYPASS_HOST_BIND("allocation", loom_allocation_ops, &s->cache);
    BYPASS_HOST_BIND("candidates", loom_candidates_ops, &s->cache);
    BYPASS_HOST_BIND("sm", loom_observe_ops, &s->observe);
    BYPASS_HOST_BIND("ldst", loom_observe_ops, &s->observe);
    if (order.count != 0) {
        const struct loom_order_ops *ops = order.item[0].ops;

        return ops->bind(order.item[0].policy, &s->ldst, &s->queues, &s->depth,
                         err);
    }
    return true;
}

static loom_cycle bypass_host_tick(struct loom_component *self, loom_cycle now)
{
    const struct bypass_host_state *s = loom_state(self);

    return now < s->target ? s->target : LOOM_NEVER;
}

static bool bypass_host_command(struct loom_component *self,
                                const void *command, struct loom_error *err)
{
    (void)self;
    (void)command;
    (void)err;
    return true;
}

static const struct loom_slot_decl bypass_host_slots[] = {
    {"admit", "Under test", &loom_admit_hook, NULL},
    {"allocation", "Under test", &loom_allocation_hook, NULL},
    {"candidates", "Under test", &loom_candidates_hook, NULL},
    {"power", "Under test", &loom_power_hook, NULL},
    {"observe", "Under test", &loom_cache_observe_hook, NULL},
    {"order", "Under test", &loom_order_hook, NULL},
    {"sm", "Under test", &loom_sm_observe_hook, NULL},
    {"ldst", "Under test", &loom_ldst_observe_hook, NULL},
};
static const struct loom_component_ops bypass_host_ops = {
    .init = bypass_host_init,
    .tick = bypass_host_tick,
    .command = bypass_host_command,
};
static const struct loom_component_type bypass_host_component = {
    .name = "host",
    .doc = "Binds a policy",
    .state_size = sizeof(struct bypass_host_state),
    .slots = LOOM_SLICE(bypass_host_slots),
    .ops = &bypass_host_ops,
};

/* A cache that holds everything and whose queue of queries is full. */
static inline bool bypass_host_query(void *cache,
                                     const struct loom_mem_request *request)
{
    (void)cache;
    (void)request;
    return false;
}

static inline bool bypass_host_reserved(void *cache, uint32_t set, uint32_t way)
{
    (void)cache;
    (void)set;
    (void)way;
    return false;
}

static inline bool bypass_host_power(void *cache, uint32_t set, uint32_t way,
                                     enum loom_line_power state, loom_cycle now)
{
    (void)cache;
    (void)set;
    (void)way;
    (void)state;
    (void)now;
    return true;
}

static inline void bypass_host_sleep(void *cache, bool asleep, loom_cycle now)
{
    (void)cache;
    (void)asleep;
    (void)now;
}

/* ---- opening ---- */

static inline void bypass_note(void *context, const char *path,
                               const struct loom_error *err)
{
    (void)path;
    *(struct loom_error *)context = *err;
}

/* Then parameters are set, then bypass_start. */
static inline struct bypass_host
bypass_open(const struct loom_policy_type *type, uint32_t sets, uint32_t ways)
{
    struct bypass_host h = {.machine = loom_machine_create(1)};
    uint32_t clock = loom_machine_clock(h.machine, 1000000000);
    struct bypass_host_state *s;

    h.component = loom_machine_add(h.machine, &bypass_host_component, "host",
                                   clock, &h.err);
    s = loom_state(h.component);
    s->host = (struct loom_cache_host){
        .query = bypass_host_query,
        .reserved = bypass_host_reserved,
        .power = bypass_host_power,
        .sleep = bypass_host_sleep,
    };
    s->cache = (struct loom_cache_shape){.host = &s->host,
                                         .sets = sets,
                                         .ways = ways,
                                         .line_bytes = 128,
                                         .sector_bytes = 32,
                                         .level = LOOM_LEVEL_L1};
    s->ldst = (struct loom_ldst_shape){.line_bytes = 128, .warps = 48};
    s->observe = (struct loom_observe_shape){.sets = sets,
                                             .ways = ways,
                                             .line_bytes = 128,
                                             .schedulers = 2,
                                             .warps = 48};
    h.policy =
        loom_machine_add_policy(h.machine, type, "host.policy.x", &h.err);
    for (size_t i = 0; i < LOOM_COUNTOF(bypass_host_slots); i++) {
        if (loom_policy_type_ops(type, bypass_host_slots[i].hook) != NULL) {
            REQUIRE(loom_machine_attach(h.component, bypass_host_slots[i].name,
                                        h.policy, &h.err));
        }
    }
    return h;
}

static inline void bypass_set(struct bypass_host *h, const char *name,
                              union loom_value value)
{
    REQUIRE(loom_machine_set_policy(h->policy, name, value, &h->err));
}

static inline void bypass_start(struct bypass_host *h)
{
    h->good = loom_machine_freeze(h->machine, bypass_note, &h->err);
}

/* Checks the policy's laws, too. */
static inline void bypass_close(struct bypass_host *h)
{
    struct loom_error err = {0};

    if (h->good) {
        loom_machine_settle(h->machine);
        loom_machine_check(h->machine, bypass_note, &err);
        if (err.text[0] != '\0') {
            EXPECT_TEXT(err.text, "no broken law");
        }
    }
    loom_machine_destroy(h->machine);
}

/* Now is cycle `cycle`, later than before. */
static inline void bypass_to(struct bypass_host *h, loom_cycle cycle)
{
    struct bypass_host_state *s = loom_state(h->component);

    s->target = cycle;
    REQUIRE(loom_machine_command(h->component, "go", &h->err));
    REQUIRE(loom_machine_run(h->machine, LOOM_NEVER, LOOM_NEVER, &h->err) ==
            LOOM_STOP_IDLE);
    EXPECT_EQ(loom_policy_now(h->policy), cycle);
}

#endif
