/*
 * Channels: never early, never lost, never beyond the bound, full rate at the
 * stated capacity, between equal and unequal clocks.
 * links: loom_engine
 */
#include "tests/unit/toy_rig.h"

static const struct sink_stats *run(const struct toy_shape *shape,
                                    struct toy_pair *pair)
{
    struct loom_error err;

    *pair = toy_build(shape);
    EXPECT_EQ(loom_machine_run(pair->machine, LOOM_NEVER, LOOM_NEVER, &err),
              LOOM_STOP_IDLE);
    EXPECT(loom_machine_check(pair->machine, toy_error, &pair->errors));
    return loom_stats_of(pair->sink);
}

static struct toy_shape shape(loom_cycle latency, loom_cycle credit,
                              uint32_t capacity)
{
    return (struct toy_shape){1000000000, 1000000000, latency, credit,
                              capacity,   1,          1,       1000,
                              false,      false,      0};
}

static void latency_is_exact(void)
{
    for (loom_cycle latency = 1; latency < 40; latency += 7) {
        struct toy_shape s = shape(latency, 1, 64);
        struct toy_pair pair;
        const struct sink_stats *sink = run(&s, &pair);

        EXPECT_EQ(sink->taken, 1000);
        EXPECT_EQ(sink->lost, 0);
        EXPECT_EQ(sink->early, 0);
        EXPECT_EQ(sink->latency, latency * 1000000);
        loom_machine_destroy(pair.machine);
    }
}

/* First message is sent at cycle 1, arrives at 1 + latency; at full rate the
 * last of 1000 arrives 999 cycles later. */
static void full_rate_needs_latency_plus_credit(void)
{
    for (loom_cycle latency = 1; latency < 9; latency += 3) {
        for (loom_cycle credit = 1; credit < 6; credit += 2) {
            uint32_t enough = (uint32_t)(latency + credit);
            struct toy_shape s = shape(latency, credit, enough);
            struct toy_pair pair;
            const struct sink_stats *sink = run(&s, &pair);

            EXPECT_EQ(sink->last_cycle, 1 + latency + 999);
            loom_machine_destroy(pair.machine);
            s.capacity = enough - 1;
            sink = run(&s, &pair);
            EXPECT_EQ(sink->taken, 1000);
            EXPECT(sink->last_cycle > 1 + latency + 999 + 50);
            loom_machine_destroy(pair.machine);
        }
    }
}

/* One place: a round trip per message. */
static void one_place_takes_a_round_trip(void)
{
    struct toy_shape s = shape(3, 2, 1);
    struct toy_pair pair;
    const struct sink_stats *sink = run(&s, &pair);

    EXPECT_EQ(sink->last_cycle, 1 + 999 * (3 + 2) + 3);
    loom_machine_destroy(pair.machine);
}

/* Whoever reads a message that it has popped finds nothing in a debug build,
 * as its memory is the next one's. */
static void what_is_popped_is_gone(void)
{
#ifdef LOOM_DEBUG
    const uint64_t kept = 0;
#else
    const uint64_t kept = 1000;
#endif

    for (uint64_t hertz = 500000000; hertz <= 1000000000; hertz *= 2) {
        struct toy_shape s = shape(3, 2, 8);
        struct toy_pair pair;
        const struct sink_stats *sink;

        s.sink_hertz = hertz;
        sink = run(&s, &pair);
        EXPECT_EQ(sink->taken, 1000);
        EXPECT_EQ(sink->kept, kept);
        loom_machine_destroy(pair.machine);
    }
}

static void clocks_may_differ(void)
{
    static const uint64_t hertz[] = {700000000, 924000000, 1401000000,
                                     350000000};

    for (size_t a = 0; a < LOOM_COUNTOF(hertz); a++) {
        for (size_t b = 0; b < LOOM_COUNTOF(hertz); b++) {
            struct toy_shape s = shape(2, 2, 3);
            struct toy_pair pair;
            const struct sink_stats *sink;

            s.source_hertz = hertz[a];
            s.sink_hertz = hertz[b];
            s.reply = true;
            sink = run(&s, &pair);
            EXPECT_EQ(sink->taken, 1000);
            EXPECT_EQ(sink->lost, 0);
            EXPECT_EQ(sink->early, 0);
            loom_machine_destroy(pair.machine);
        }
    }
}

/* What is sent ahead is seen when it would have been; where clocks differ
 * nothing is, and where there are too few places only what finds one. */
static void ahead_of_time_is_in_time(void)
{
    struct toy_shape s = shape(3, 1, 16);
    struct toy_pair pair;
    const struct sink_stats *sink;
    const struct source_stats *source;

    s.ahead = 5;
    sink = run(&s, &pair);
    source = loom_stats_of(pair.source);
    EXPECT_EQ(sink->taken, 1000);
    EXPECT_EQ(sink->lost, 0);
    EXPECT_EQ(sink->latency, (3 + 5) * 1000000);
    EXPECT_EQ(sink->last_cycle, 1 + 3 + 5 + 999);
    EXPECT_EQ(source->ahead, 1000);
    loom_machine_destroy(pair.machine);

    s.sink_period = 7;
    sink = run(&s, &pair);
    source = loom_stats_of(pair.source);
    EXPECT_EQ(sink->taken, 1000);
    EXPECT_EQ(sink->lost, 0);
    EXPECT_EQ(sink->last_cycle, 1 + 3 + 5 + 999 * 7);
    EXPECT(source->ahead == 1000 && source->refused != 0);
    loom_machine_destroy(pair.machine);

    s.sink_hertz = 500000000;
    sink = run(&s, &pair);
    source = loom_stats_of(pair.source);
    EXPECT_EQ(sink->taken, 1000);
    EXPECT_EQ(sink->lost, 0);
    EXPECT_EQ(source->ahead, 0);
    loom_machine_destroy(pair.machine);
}

static void slow_sinks_lose_nothing(void)
{
    struct toy_shape s = shape(5, 1, 2);
    struct toy_pair pair;
    const struct sink_stats *sink;
    const struct source_stats *source;

    s.sink_period = 1500; /* beyond the wheel's horizon */
    s.count = 10;
    sink = run(&s, &pair);
    source = loom_stats_of(pair.source);
    EXPECT_EQ(sink->taken, 10);
    EXPECT_EQ(sink->lost, 0);
    EXPECT_EQ(sink->last_cycle, 6 + 9 * 1500);
    EXPECT(source->refused != 0);
    loom_machine_destroy(pair.machine);
}

static void slow_sources_sleep_in_between(void)
{
    struct toy_shape s = shape(1, 1, 2);
    struct toy_pair pair;
    const struct sink_stats *sink;

    s.source_period = 5000;
    s.count = 20;
    sink = run(&s, &pair);
    EXPECT_EQ(sink->taken, 20);
    EXPECT_EQ(sink->last_cycle, 1 + 19 * 5000 + 1);
    /* A few for each message, none in between. */
    EXPECT(loom_machine_ticks(pair.machine) < 100);
    loom_machine_destroy(pair.machine);
}

/* A delay beyond the wheel's horizon, with many messages under way. */
static void long_links_lose_nothing(void)
{
    static const uint64_t hertz[] = {1000000000, 700000000};
    static const loom_cycle latency[] = {1020, 1024, 1500, 70000};

    for (size_t h = 0; h < LOOM_COUNTOF(hertz); h++) {
        for (size_t i = 0; i < LOOM_COUNTOF(latency); i++) {
            struct toy_shape s = shape(latency[i], 2000, 700);
            struct toy_pair pair;
            const struct sink_stats *sink;

            s.sink_hertz = hertz[h];
            s.reply = true;
            sink = run(&s, &pair);
            EXPECT_EQ(sink->taken, 1000);
            EXPECT_EQ(sink->lost, 0);
            EXPECT_EQ(sink->early, 0);
            if (h == 0) {
                EXPECT_EQ(sink->latency, latency[i] * 1000000);
            }
            loom_machine_destroy(pair.machine);
        }
    }
}

static void tick_order_does_not_matter(void)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct toy_shape s = shape(1, 1, 1);
        struct toy_pair pair = toy_build(&s);
        struct loom_machine *m = loom_machine_create(1);
        struct loom_error err;
        struct loom_wire wire = {1, 1, 1};
        uint32_t clock = loom_machine_clock(m, 1000000000);
        struct loom_component *a, *b;
        const struct sink_stats *x, *y;

        a = loom_machine_add(m, &toy_source, "m.source", clock, &err);
        b = loom_machine_add(m, &toy_sink, "m.sink", clock, &err);
        REQUIRE(loom_machine_link(m, (struct loom_end){a, "out", 0},
                                  (struct loom_end){b, "in", 0}, wire, wire,
                                  &err));
        loom_machine_shuffle(m, seed);
        REQUIRE(loom_machine_freeze(m, toy_error, &pair.errors));
        REQUIRE(loom_machine_command(a, "go", &err));
        loom_machine_run(m, LOOM_NEVER, LOOM_NEVER, &err);
        loom_machine_run(pair.machine, LOOM_NEVER, LOOM_NEVER, &err);
        x = loom_stats_of(pair.sink);
        y = loom_stats_of(b);
        EXPECT_EQ(x->last_cycle, y->last_cycle);
        EXPECT_EQ(x->taken, y->taken);
        loom_machine_destroy(m);
        loom_machine_destroy(pair.machine);
    }
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"latency_is_exact", latency_is_exact},
        {"full_rate_needs_latency_plus_credit",
         full_rate_needs_latency_plus_credit},
        {"one_place_takes_a_round_trip", one_place_takes_a_round_trip},
        {"what_is_popped_is_gone", what_is_popped_is_gone},
        {"clocks_may_differ", clocks_may_differ},
        {"ahead_of_time_is_in_time", ahead_of_time_is_in_time},
        {"slow_sinks_lose_nothing", slow_sinks_lose_nothing},
        {"slow_sources_sleep_in_between", slow_sources_sleep_in_between},
        {"long_links_lose_nothing", long_links_lose_nothing},
        {"tick_order_does_not_matter", tick_order_does_not_matter},
    };

    return loom_run_tests("channel", tests, LOOM_COUNTOF(tests));
}
