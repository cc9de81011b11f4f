/*
 * Policies: facets, chains, timers, kicks, groups and their tick order.
 * links: loom_engine
 */
#include "engine/rng.h"

#include "tests/unit/toy_rig.h"

/* ---- a hook with one question, and a component that asks it ---- */

static const struct loom_hook ask_hook = {"ask", "One number", false};
static const struct loom_hook watch_hook = {"watch", "Sees ticks", true};

struct ask_ops {
    uint64_t (*ask)(struct loom_policy *self, loom_cycle now);
};
struct watch_ops {
    void (*watch)(struct loom_policy *self, uint32_t id, loom_cycle now);
};

struct asker_stats {
    uint64_t ticks, sum, last;
};

static bool asker_init(struct loom_component *self, struct loom_error *err)
{
    (void)self;
    (void)err;
    return true;
}

static loom_cycle asker_tick(struct loom_component *self, loom_cycle now)
{
    struct asker_stats *stats = loom_stats_of(self);
    struct loom_binding ask = loom_slot(self, "ask");
    struct loom_binding watch = loom_slot(self, "watch");

    stats->ticks++;
    stats->last = now;
    for (uint32_t i = 0; i < ask.count; i++) {
        const struct ask_ops *ops = ask.item[i].ops;

        stats->sum += ops->ask(ask.item[i].policy, now);
    }
    for (uint32_t i = 0; i < watch.count; i++) {
        const struct watch_ops *ops = watch.item[i].ops;

        ops->watch(watch.item[i].policy, loom_component_id(self), now);
    }
    return LOOM_NEVER;
}

static bool asker_command(struct loom_component *self, const void *command,
                          struct loom_error *err)
{
    (void)self;
    (void)command;
    (void)err;
    return true;
}

static const struct loom_slot_decl asker_slots[] = {
    {"ask", "Asked every tick", &ask_hook, NULL},
    {"watch", "Told every tick", &watch_hook, NULL},
};
static const struct loom_port_decl asker_ports[] = {
    {"up", "From above", LOOM_SERVER, &toy_protocol, 0, 1},
    {"down", "To below", LOOM_CLIENT, &toy_protocol, 0, 1},
};
static const struct loom_component_ops asker_ops = {
    .init = asker_init, .tick = asker_tick, .command = asker_command};
static const struct loom_component_type toy_asker = {
    .name = "asker",
    .doc = "Asks",
    .stats_size = sizeof(struct asker_stats),
    .ports = LOOM_SLICE(asker_ports),
    .slots = LOOM_SLICE(asker_slots),
    .ops = &asker_ops,
};

/* ---- a policy with two facets and a timer ---- */

struct clerk {
    uint32_t order[8];
    uint32_t watched;
    uint32_t timers;
    loom_cycle fired;
};

struct clerk_config {
    uint64_t first; /* timer; 0: none */
};

static uint64_t clerk_ask(struct loom_policy *self, loom_cycle now)
{
    const struct clerk_config *config = loom_policy_config(self);
    struct clerk *c = loom_policy_state(self);

    EXPECT_EQ(loom_policy_now(self), now);
    if (config->first != 0 && c->timers == 0) {
        loom_policy_wake(self, config->first);
    }
    return 5;
}

static void clerk_watch(struct loom_policy *self, uint32_t id, loom_cycle now)
{
    const struct clerk_config *config = loom_policy_config(self);
    struct clerk *c = loom_policy_state(self);

    (void)now;
    if (config->first != 0 && c->timers == 0) {
        loom_policy_wake(self, config->first);
    }
    if (c->watched < 8) {
        c->order[c->watched] = id;
    }
    c->watched++;
}

static void clerk_timer(struct loom_policy *self, loom_cycle now)
{
    struct clerk *c = loom_policy_state(self);

    c->timers++;
    c->fired = now;
}

static const struct ask_ops clerk_ask_ops = {clerk_ask};
static const struct watch_ops clerk_watch_ops = {clerk_watch};
static const struct loom_facet clerk_facets[] = {
    {&ask_hook, &clerk_ask_ops},
    {&watch_hook, &clerk_watch_ops},
};
static const struct loom_param clerk_params[] = {
    LOOM_PARAM(struct clerk_config, first, .unit = LOOM_UNIT_CYCLE,
               .doc = "Cycle of the timer"),
};
static const struct loom_policy_type toy_clerk = {
    .name = "clerk",
    .doc = "Answers and watches",
    .state_size = sizeof(struct clerk),
    .config_size = sizeof(struct clerk_config),
    .params = LOOM_SLICE(clerk_params),
    .facets = LOOM_SLICE(clerk_facets),
    .timer = clerk_timer,
};

struct office {
    struct loom_machine *machine;
    struct loom_component *a, *b, *c;
    struct loom_policy *clerk;
    struct loom_error err;
    struct toy_errors errors;
};

static struct office open_office(void)
{
    struct office o = {.machine = loom_machine_create(3)};
    uint32_t clock = loom_machine_clock(o.machine, 1000000000);

    o.a = loom_machine_add(o.machine, &toy_asker, "o.a", clock, &o.err);
    o.b = loom_machine_add(o.machine, &toy_asker, "o.b", clock, &o.err);
    o.c = loom_machine_add(o.machine, &toy_asker, "o.c", clock, &o.err);
    o.clerk = loom_machine_add_policy(o.machine, &toy_clerk, "o.a.policy.clerk",
                                      &o.err);
    return o;
}

static void attach(struct office *o, struct loom_component *to,
                   const char *slot)
{
    REQUIRE(loom_machine_attach(to, slot, o->clerk, &o->err));
}

static void run(struct office *o)
{
    REQUIRE(loom_machine_freeze(o->machine, toy_error, &o->errors));
    REQUIRE(loom_machine_command(o->a, NULL, &o->err));
    REQUIRE(loom_machine_command(o->b, NULL, &o->err));
    REQUIRE(loom_machine_command(o->c, NULL, &o->err));
    EXPECT_EQ(loom_machine_run(o->machine, LOOM_NEVER, LOOM_NEVER, &o->err),
              LOOM_STOP_IDLE);
}

static void one_policy_answers_several_slots(void)
{
    struct office o = open_office();
    const struct asker_stats *a = loom_stats_of(o.a);
    const struct clerk *clerk = loom_policy_state(o.clerk);

    attach(&o, o.a, "ask");
    attach(&o, o.a, "watch");
    attach(&o, o.b, "watch");
    run(&o);
    EXPECT_EQ(a->sum, 5);
    EXPECT_EQ(clerk->watched, 2);
    EXPECT(loom_policy_host(o.clerk) == o.a);
    loom_machine_destroy(o.machine);
}

static void slots_that_do_not_chain_take_one(void)
{
    struct office o = open_office();
    struct loom_policy *other = loom_machine_add_policy(
        o.machine, &toy_clerk, "o.a.policy.other", &o.err);

    attach(&o, o.a, "ask");
    EXPECT(!loom_machine_attach(o.a, "ask", other, &o.err));
    EXPECT_TEXT(o.err.text, "already holds 'clerk'");
    EXPECT(loom_machine_attach(o.a, "watch", other, &o.err));
    attach(&o, o.a, "watch");
    EXPECT(!loom_machine_attach(o.a, "wotch", other, &o.err));
    EXPECT_TEXT(o.err.text, "no slot 'wotch'");
    run(&o);
    EXPECT_EQ(loom_slot(o.a, "watch").count, 2);
    EXPECT(loom_slot(o.a, "watch").item[0].policy == other);
    loom_machine_destroy(o.machine);
}

static void policies_must_be_attached(void)
{
    struct office o = open_office();

    EXPECT(!loom_machine_freeze(o.machine, toy_error, &o.errors));
    EXPECT_TEXT(o.errors.last.text, "attached to nothing");
    loom_machine_destroy(o.machine);
}

static void timers_fire_once_before_the_tick(void)
{
    static const uint64_t at[] = {7, 500, 1500, 100000};

    for (size_t i = 0; i < LOOM_COUNTOF(at); i++) {
        struct office o = open_office();
        const struct clerk *clerk = loom_policy_state(o.clerk);
        const struct asker_stats *a = loom_stats_of(o.a);

        REQUIRE(loom_machine_set_policy(
            o.clerk, "first", (union loom_value){.u = at[i]}, &o.err));
        attach(&o, o.a, "ask");
        run(&o);
        EXPECT_EQ(clerk->timers, 1);
        EXPECT_EQ(clerk->fired, at[i]);
        EXPECT_EQ(a->last, at[i]);
        EXPECT_EQ(a->ticks, 2);
        loom_machine_destroy(o.machine);
    }
}

/* The later one is not forgotten for the earlier one. */
static void timers_of_one_host_all_fire(void)
{
    struct office o = open_office();
    struct loom_policy *other = loom_machine_add_policy(
        o.machine, &toy_clerk, "o.a.policy.other", &o.err);
    const struct clerk *first = loom_policy_state(o.clerk);
    const struct clerk *second = loom_policy_state(other);

    REQUIRE(loom_machine_set_policy(o.clerk, "first",
                                    (union loom_value){.u = 50000}, &o.err));
    REQUIRE(loom_machine_set_policy(other, "first",
                                    (union loom_value){.u = 90000}, &o.err));
    REQUIRE(loom_machine_attach(o.a, "ask", o.clerk, &o.err));
    REQUIRE(loom_machine_attach(o.a, "watch", other, &o.err));
    run(&o);
    EXPECT_EQ(first->fired, 50000);
    EXPECT_EQ(first->timers, 1);
    EXPECT_EQ(second->fired, 90000);
    EXPECT_EQ(second->timers, 1);
    loom_machine_destroy(o.machine);
}

/* a is above c in memory's direction; both share the clerk, b does not. */
static void groups_tick_downstream_first(void)
{
    struct loom_wire wire = {1, 1, 2};

    for (uint64_t seed = 0; seed < 10; seed++) {
        struct office o = open_office();
        const struct clerk *clerk = loom_policy_state(o.clerk);

        REQUIRE(loom_machine_link(o.machine, (struct loom_end){o.a, "down", 0},
                                  (struct loom_end){o.c, "up", 0}, wire, wire,
                                  &o.err));
        attach(&o, o.a, "watch");
        attach(&o, o.c, "watch");
        if (seed != 0) {
            loom_machine_shuffle(o.machine, seed);
        }
        run(&o);
        EXPECT_EQ(clerk->watched, 2);
        EXPECT_EQ(clerk->order[0], loom_component_id(o.c));
        EXPECT_EQ(clerk->order[1], loom_component_id(o.a));
        loom_machine_destroy(o.machine);
    }
}

static void a_kick_wakes_the_host(void)
{
    struct office o = open_office();
    const struct asker_stats *a = loom_stats_of(o.a);

    attach(&o, o.a, "ask");
    run(&o);
    EXPECT_EQ(a->ticks, 1);
    loom_policy_kick(o.clerk);
    loom_machine_run(o.machine, LOOM_NEVER, LOOM_NEVER, &o.err);
    EXPECT_EQ(a->ticks, 2);
    EXPECT_EQ(a->last, 2);
    loom_machine_destroy(o.machine);
}

static void bits_are_allotted_by_name(void)
{
    struct office o = open_office();
    struct loom_policy *other = loom_machine_add_policy(
        o.machine, &toy_clerk, "o.b.policy.clerk", &o.err);
    uint32_t a, b, c, d;

    REQUIRE(loom_policy_bits(o.clerk, LOOM_BITS_REQUEST, "x", 3, &a, &o.err));
    REQUIRE(loom_policy_bits(other, LOOM_BITS_REQUEST, "y", 4, &b, &o.err));
    REQUIRE(loom_policy_bits(other, LOOM_BITS_REQUEST, "x", 3, &c, &o.err));
    REQUIRE(loom_policy_bits(other, LOOM_BITS_REPLY, "z", 16, &d, &o.err));
    EXPECT_EQ(a, 0);
    EXPECT_EQ(b, 3);
    EXPECT_EQ(c, a);
    EXPECT_EQ(d, 0);
    EXPECT(!loom_policy_bits(other, LOOM_BITS_REQUEST, "x", 2, &c, &o.err));
    EXPECT_TEXT(o.err.text, "'x' are 3 wide, not 2");
    EXPECT(!loom_policy_bits(other, LOOM_BITS_REQUEST, "w", 10, &c, &o.err));
    EXPECT_TEXT(o.err.text, "need 10, but 7 of 16 are taken");
    loom_machine_destroy(o.machine);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"one_policy_answers_several_slots", one_policy_answers_several_slots},
        {"slots_that_do_not_chain_take_one", slots_that_do_not_chain_take_one},
        {"policies_must_be_attached", policies_must_be_attached},
        {"timers_fire_once_before_the_tick", timers_fire_once_before_the_tick},
        {"timers_of_one_host_all_fire", timers_of_one_host_all_fire},
        {"groups_tick_downstream_first", groups_tick_downstream_first},
        {"a_kick_wakes_the_host", a_kick_wakes_the_host},
        {"bits_are_allotted_by_name", bits_are_allotted_by_name},
    };

    return loom_run_tests("policy", tests, LOOM_COUNTOF(tests));
}
