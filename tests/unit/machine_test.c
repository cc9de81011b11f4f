/*
 * Machines: what is refused, how runs end, what the report says.
 * links: loom_engine
 */
#include <stdlib.h>

#include "tests/unit/toy_rig.h"

static const struct loom_wire fast = {1, 1, 2};

struct rig {
    struct loom_machine *machine;
    struct loom_component *source, *sink;
    struct loom_error err;
    struct toy_errors errors;
};

static struct rig rig_build(void)
{
    struct rig rig = {.machine = loom_machine_create(7)};
    uint32_t clock = loom_machine_clock(rig.machine, 1000000000);

    rig.source = loom_machine_add(rig.machine, &toy_source, "a[0].source",
                                  clock, &rig.err);
    rig.sink =
        loom_machine_add(rig.machine, &toy_sink, "a[0].sink", clock, &rig.err);
    return rig;
}

static bool rig_link(struct rig *rig, const char *client, const char *server)
{
    return loom_machine_link(
        rig->machine, (struct loom_end){rig->source, client, 0},
        (struct loom_end){rig->sink, server, 0}, fast, fast, &rig->err);
}

static void wrong_links_are_refused(void)
{
    struct rig rig = rig_build();

    EXPECT(!rig_link(&rig, "oot", "in"));
    EXPECT_TEXT(rig.err.text, "has no port 'oot'");
    EXPECT(!loom_machine_link(rig.machine, (struct loom_end){rig.sink, "in", 0},
                              (struct loom_end){rig.sink, "in", 0}, fast, fast,
                              &rig.err));
    EXPECT_TEXT(rig.err.text, "is a server, expected a client");
    EXPECT(!loom_machine_link(
        rig.machine, (struct loom_end){rig.source, "out", 1},
        (struct loom_end){rig.sink, "in", 0}, fast, fast, &rig.err));
    EXPECT_TEXT(rig.err.text, "'out[1]'");
    EXPECT(!loom_machine_link(rig.machine,
                              (struct loom_end){rig.source, "out", 0},
                              (struct loom_end){rig.sink, "in", 0},
                              (struct loom_wire){0, 1, 1}, fast, &rig.err));
    EXPECT_TEXT(rig.err.text, "1 or more");
    EXPECT(rig_link(&rig, "out", "in"));
    EXPECT(!rig_link(&rig, "out", "in"));
    EXPECT_TEXT(rig.err.text, "already linked");
    loom_machine_destroy(rig.machine);
}

static void open_ports_are_found_before_the_run(void)
{
    struct rig rig = rig_build();

    EXPECT(!loom_machine_freeze(rig.machine, toy_error, &rig.errors));
    EXPECT_EQ(rig.errors.count, 2); /* both ends, all at once */
    EXPECT_TEXT(rig.errors.last.text, "has 0 links, expected at least 1");
    loom_machine_destroy(rig.machine);
}

static void names_are_checked(void)
{
    struct rig rig = rig_build();

    EXPECT(loom_machine_add(rig.machine, &toy_sink, "a[0].sink", 0, &rig.err) ==
           NULL);
    EXPECT_TEXT(rig.err.text, "used twice");
    EXPECT(!loom_machine_set(rig.sink, "perod", (union loom_value){.u = 1},
                             &rig.err));
    EXPECT_TEXT(rig.err.text, "no parameter 'perod'");
    EXPECT(!loom_machine_set(rig.sink, "period", (union loom_value){.u = 0},
                             &rig.err));
    EXPECT_TEXT(rig.err.text, "'period' is 0, expected 1..");
    loom_machine_destroy(rig.machine);
}

static void ids_follow_sorted_paths(void)
{
    struct loom_machine *m = loom_machine_create(1);
    uint32_t clock = loom_machine_clock(m, 1000000);
    struct loom_error err;
    struct toy_errors errors = {0};

    loom_machine_add(m, &toy_sink, "g[0].sm[10]", clock, &err);
    loom_machine_add(m, &toy_sink, "g[0].sm[2].l1d", clock, &err);
    loom_machine_add(m, &toy_sink, "g[0].sm[2]", clock, &err);
    loom_machine_freeze(m, toy_error, &errors);
    EXPECT_TEXT(loom_component_path(loom_machine_component(m, 0)), "sm[2]");
    EXPECT_TEXT(loom_component_path(loom_machine_component(m, 1)), "sm[2].l1d");
    EXPECT_TEXT(loom_component_path(loom_machine_component(m, 2)), "sm[10]");
    EXPECT_EQ(loom_component_index(loom_machine_component(m, 2)), 10);
    EXPECT_EQ(loom_machine_clock(m, 1000000), clock);
    loom_machine_destroy(m);
}

static void a_deaf_sink_is_reported(void)
{
    struct toy_shape s = {1000000000, 1000000000, 1,     1,    2, 1,
                          1,          100,        false, true, 0};
    struct toy_pair pair = toy_build(&s);
    struct loom_error err;
    char *report;

    /* Nothing will ever happen again, although messages are waiting. */
    EXPECT_EQ(loom_machine_run(pair.machine, LOOM_NEVER, LOOM_NEVER, &err),
              LOOM_STOP_IDLE);
    report = loom_machine_report(pair.machine);
    EXPECT_TEXT(report, "m.source -> m.sink: 2 of 2 messages, full");
    EXPECT_TEXT(report, "m.sink");
    EXPECT_TEXT(report, "since 0.007 us: holds its tongue");
    free(report);
    EXPECT(!loom_machine_check(pair.machine, toy_error, &pair.errors));
    EXPECT_TEXT(pair.errors.last.text, "2 messages left");
    loom_machine_destroy(pair.machine);
}

static void time_limits_are_exact(void)
{
    struct toy_shape s = {1000000000, 1000000000, 1,     1,     2, 1,
                          1,          100000,     false, false, 0};
    struct toy_pair pair = toy_build(&s);
    const struct sink_stats *sink = loom_stats_of(pair.sink);
    struct loom_error err;

    EXPECT_EQ(loom_machine_run(pair.machine, 500 * UINT64_C(1000000),
                               LOOM_NEVER, &err),
              LOOM_STOP_TIME);
    EXPECT_EQ(loom_machine_now(pair.machine), 500 * UINT64_C(1000000));
    EXPECT_EQ(sink->last_cycle, 500);
    EXPECT_EQ(loom_machine_cycle(pair.machine, 0), 500);
    loom_machine_destroy(pair.machine);
}

/* ---- a component that ticks for ever without getting anywhere ---- */

static bool spin_init(struct loom_component *self, struct loom_error *err)
{
    (void)self;
    (void)err;
    return true;
}

static loom_cycle spin_tick(struct loom_component *self, loom_cycle now)
{
    uint64_t *ticks = loom_stats_of(self);

    if (++*ticks == 5000 && loom_component_index(self) == 1) {
        struct loom_error err;

        loom_fail(&err, LOOM_ERR_WORKLOAD, "dizzy");
        loom_raise(self, &err);
    }
    if (*ticks == 5000 && loom_component_index(self) == 2) {
        loom_notify(self);
    }
    return now + 1;
}

static bool spin_command(struct loom_component *self, const void *command,
                         struct loom_error *err)
{
    (void)self;
    (void)command;
    (void)err;
    return true;
}

static const struct loom_component_ops spin_ops = {
    .init = spin_init, .tick = spin_tick, .command = spin_command};
static const struct loom_component_type toy_spin = {
    .name = "spin",
    .doc = "Spins",
    .stats_size = sizeof(uint64_t),
    .ops = &spin_ops,
};

/* ---- and one that does so every now and then ---- */

struct timer_config {
    uint32_t period;
};

static loom_cycle timer_tick(struct loom_component *self, loom_cycle now)
{
    const struct timer_config *config = loom_config(self);
    uint64_t *ticks = loom_stats_of(self);

    ++*ticks;
    return now + config->period;
}

static const struct loom_param timer_params[] = {
    LOOM_PARAM(struct timer_config, period, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 1}, .doc = "Cycles in between"),
};
static const struct loom_component_ops timer_ops = {
    .init = spin_init, .tick = timer_tick, .command = spin_command};
static const struct loom_component_type toy_timer = {
    .name = "timer",
    .doc = "Goes off again and again",
    .config_size = sizeof(struct timer_config),
    .stats_size = sizeof(uint64_t),
    .params = LOOM_SLICE(timer_params),
    .ops = &timer_ops,
};

static enum loom_stop spin(const char *path, struct loom_error *err)
{
    struct loom_machine *m = loom_machine_create(1);
    struct toy_errors errors = {0};
    struct loom_component *c = loom_machine_add(
        m, &toy_spin, path, loom_machine_clock(m, 1000000000), err);
    enum loom_stop why;

    REQUIRE(loom_machine_freeze(m, toy_error, &errors));
    REQUIRE(loom_machine_command(c, NULL, err));
    why = loom_machine_run(m, LOOM_NEVER, UINT64_C(20000000000), err);
    loom_machine_destroy(m);
    return why;
}

static void runs_end_as_told(void)
{
    struct loom_error err = {LOOM_ERR_NONE, ""};

    EXPECT_EQ(spin("s[0]", &err), LOOM_STOP_STUCK);
    EXPECT_EQ(spin("s[1]", &err), LOOM_STOP_ERROR);
    EXPECT_TEXT(err.text, "dizzy");
    EXPECT_EQ(spin("s[2]", &err), LOOM_STOP_NOTIFY);
}

/* When a run of two that spin is given up. */
static loom_time given_up(uint32_t threads, loom_time patience)
{
    struct loom_machine *m = loom_machine_create(1);
    struct loom_error err = {LOOM_ERR_NONE, ""};
    struct toy_errors errors = {0};
    loom_time now;

    for (int i = 0; i < 2; i++) {
        uint32_t clock = loom_machine_clock(m, i == 0 ? 1000000000 : 700000000);

        REQUIRE(loom_machine_add(m, &toy_spin, i == 0 ? "s[0]" : "s[3]", clock,
                                 &err) != NULL);
    }
    loom_machine_threads(m, threads, LOOM_PACE_FIXED);
    REQUIRE(loom_machine_freeze(m, toy_error, &errors));
    for (uint32_t i = 0; i < 2; i++) {
        REQUIRE(loom_machine_command(loom_machine_component(m, i), NULL, &err));
    }
    EXPECT_EQ(loom_machine_run(m, LOOM_NEVER, patience, &err), LOOM_STOP_STUCK);
    now = loom_machine_now(m);
    EXPECT(now >= patience && now < 3 * patience);
    loom_machine_destroy(m);
    return now;
}

static void threads_lose_patience_together(void)
{
    loom_time patience = UINT64_C(20000000000);

    for (uint32_t i = 0; i < 4; i++, patience += 1234567890) {
        loom_time alone = given_up(1, patience);

        EXPECT_EQ(given_up(1, patience), alone);
        EXPECT_EQ(given_up(2, patience), alone);
    }
}

/* Whoever waits has asked to be woken. */
static void waiting_is_no_deadlock(void)
{
    struct toy_shape s = {1000000000, 1000000000, 1,     1,     2, 10000000,
                          1,          20,         false, false, 0};
    struct toy_pair pair = toy_build(&s);
    const struct sink_stats *sink = loom_stats_of(pair.sink);
    struct loom_error err;

    EXPECT_EQ(
        loom_machine_run(pair.machine, LOOM_NEVER, UINT64_C(20000000000), &err),
        LOOM_STOP_IDLE);
    EXPECT_EQ(sink->taken, 20);
    EXPECT_EQ(sink->last_cycle, 2 + 19 * UINT64_C(10000000));
    loom_machine_destroy(pair.machine);
}

/* Nor is it one if somebody else is busy meanwhile, to no end. */
static void waiting_beside_a_spinner_is_no_deadlock(void)
{
    struct rig rig = rig_build();
    struct loom_component *spin =
        loom_machine_add(rig.machine, &toy_spin, "a[0].s[0]",
                         loom_machine_clock(rig.machine, 1000000000), &rig.err);
    const struct sink_stats *sink = loom_stats_of(rig.sink);

    toy_set(rig.source, "period", 1000000);
    toy_set(rig.source, "count", 3);
    REQUIRE(rig_link(&rig, "out", "in"));
    REQUIRE(loom_machine_freeze(rig.machine, toy_error, &rig.errors));
    REQUIRE(loom_machine_command(spin, NULL, &rig.err));
    REQUIRE(loom_machine_command(rig.source, "go", &rig.err));
    EXPECT_EQ(loom_machine_run(rig.machine, LOOM_NEVER, UINT64_C(20000000000),
                               &rig.err),
              LOOM_STOP_STUCK);
    EXPECT_EQ(sink->taken, 3);
    EXPECT_EQ(sink->last_cycle, 2 + 2 * 1000000);
    EXPECT(loom_machine_now(rig.machine) < UINT64_C(3100000000000));
    loom_machine_destroy(rig.machine);
}

/* A timer that goes off for ever hides no deadlock, however long it takes. */
static void a_timer_beside_a_deadlock(void)
{
    static const uint64_t period[] = {100, 1000, 30000, 1u << 30};

    for (size_t i = 0; i < LOOM_COUNTOF(period); i++) {
        struct rig rig = rig_build();
        struct loom_component *timer = loom_machine_add(
            rig.machine, &toy_timer, "a[0].timer",
            loom_machine_clock(rig.machine, 1000000000), &rig.err);

        toy_set(timer, "period", period[i]);
        REQUIRE(loom_machine_set(rig.sink, "deaf",
                                 (union loom_value){.b = true}, &rig.err));
        REQUIRE(rig_link(&rig, "out", "in"));
        REQUIRE(loom_machine_freeze(rig.machine, toy_error, &rig.errors));
        REQUIRE(loom_machine_command(timer, NULL, &rig.err));
        REQUIRE(loom_machine_command(rig.source, "go", &rig.err));
        EXPECT_EQ(loom_machine_run(rig.machine, LOOM_NEVER,
                                   UINT64_C(20000000000), &rig.err),
                  LOOM_STOP_STUCK);
        EXPECT(loom_machine_ticks(rig.machine) < 50000);
        loom_machine_destroy(rig.machine);
    }
}

static void time_has_an_end(void)
{
    struct rig rig = rig_build();
    struct loom_component *timer =
        loom_machine_add(rig.machine, &toy_timer, "a[0].timer",
                         loom_machine_clock(rig.machine, 1), &rig.err);

    toy_set(timer, "period", 4000);
    REQUIRE(rig_link(&rig, "out", "in"));
    REQUIRE(loom_machine_freeze(rig.machine, toy_error, &rig.errors));
    REQUIRE(loom_machine_command(timer, NULL, &rig.err));
    EXPECT_EQ(loom_machine_run(rig.machine, LOOM_NEVER, LOOM_NEVER, &rig.err),
              LOOM_STOP_ERROR);
    EXPECT_TEXT(rig.err.text, "beyond the 9223 s of simulated time");
    EXPECT_EQ(*(uint64_t *)loom_stats_of(timer), 3);
    loom_machine_destroy(rig.machine);
}

static void components_without_commands_say_so(void)
{
    struct rig rig = rig_build();

    EXPECT(!loom_machine_command(rig.sink, NULL, &rig.err));
    EXPECT_TEXT(rig.err.text, "takes no commands");
    loom_machine_destroy(rig.machine);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"wrong_links_are_refused", wrong_links_are_refused},
        {"open_ports_are_found_before_the_run",
         open_ports_are_found_before_the_run},
        {"names_are_checked", names_are_checked},
        {"ids_follow_sorted_paths", ids_follow_sorted_paths},
        {"a_deaf_sink_is_reported", a_deaf_sink_is_reported},
        {"time_limits_are_exact", time_limits_are_exact},
        {"runs_end_as_told", runs_end_as_told},
        {"threads_lose_patience_together", threads_lose_patience_together},
        {"waiting_is_no_deadlock", waiting_is_no_deadlock},
        {"waiting_beside_a_spinner_is_no_deadlock",
         waiting_beside_a_spinner_is_no_deadlock},
        {"a_timer_beside_a_deadlock", a_timer_beside_a_deadlock},
        {"time_has_an_end", time_has_an_end},
        {"components_without_commands_say_so",
         components_without_commands_say_so},
    };

    return loom_run_tests("machine", tests, LOOM_COUNTOF(tests));
}
