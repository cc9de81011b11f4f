/*
 * Clocks: edges are exact however far the run goes, and the wheel wakes
 * whoever asked, when it asked, also beyond its horizon.
 * links: loom_engine
 */
#include <stdlib.h>

#include "engine/machine_private.h"

#include "tests/unit/test.h"

static struct clock *make(uint64_t hertz, uint32_t count,
                          struct loom_arena *arena)
{
    struct clock *clock = loom_arena_take(arena, 1, sizeof(*clock));

    clock->hertz = hertz;
    clock->count = count;
    REQUIRE(loom_clock_start(clock, arena));
    return clock;
}

static loom_time exact(uint64_t hertz, loom_cycle cycle)
{
    loom_u128 product = (loom_u128)cycle * UINT64_C(1000000000000000);

    return (loom_time)(product / hertz);
}

static void edges_do_not_drift(void)
{
    static const uint64_t hertz[] = {700000000, 924000000, 1417000001, 3};

    for (size_t i = 0; i < LOOM_COUNTOF(hertz); i++) {
        struct loom_arena arena = {0};
        struct clock *clock = make(hertz[i], 1, &arena);
        loom_cycle cycle = 0;

        for (int step = 1; step < 2000; step++) {
            cycle += (loom_cycle)(step % 7 + 1);
            loom_clock_set_base(clock, cycle);
            EXPECT_EQ(clock->base_time, exact(hertz[i], cycle));
        }
        cycle += UINT64_C(2000000);
        loom_clock_set_base(clock, cycle);
        EXPECT_EQ(clock->base_time, exact(hertz[i], cycle));
        loom_clock_set_base(clock, cycle + 1);
        EXPECT_EQ(clock->base_time, exact(hertz[i], cycle + 1));
        loom_arena_free(&arena);
    }
}

static void first_edge_after_is_strictly_after(void)
{
    struct loom_arena arena = {0};
    struct clock *clock = make(924000000, 1, &arena);

    for (loom_cycle n = 1; n < 5000; n += 13) {
        loom_time t = exact(clock->hertz, n);

        EXPECT_EQ(loom_clock_after(clock, t - 1), n);
        EXPECT_EQ(loom_clock_after(clock, t), n + 1);
        EXPECT_EQ(loom_clock_time(clock, n), t);
    }
    EXPECT_EQ(loom_clock_after(clock, 0), 1);
    loom_arena_free(&arena);
}

static void wheel_finds_the_earliest(void)
{
    struct loom_arena arena = {0};
    struct clock *clock = make(1000000000, 130, &arena);

    loom_clock_wake(clock, 129, 700);
    loom_clock_wake(clock, 3, 40);
    EXPECT_EQ(clock->next, 40);
    EXPECT_EQ(clock->next_time, 40 * UINT64_C(1000000));
    clock->summary[0] &= ~loom_bit(40);
    loom_clock_set_base(clock, 40);
    loom_clock_advance(clock);
    EXPECT_EQ(clock->next, 700);
    clock->summary[700 / 64] = 0;
    loom_clock_set_base(clock, 700);
    loom_clock_advance(clock);
    EXPECT_EQ(clock->next, LOOM_NEVER);
    loom_arena_free(&arena);
}

static void wheel_wraps_around(void)
{
    struct loom_arena arena = {0};
    struct clock *clock = make(1000000000, 2, &arena);

    loom_clock_set_base(clock, 5000);
    loom_clock_wake(clock, 1, 5000 + WHEEL_SLOTS - 1);
    EXPECT_EQ(clock->next, 5000 + WHEEL_SLOTS - 1);
    clock->next = LOOM_NEVER;
    loom_clock_advance(clock);
    EXPECT_EQ(clock->next, 5000 + WHEEL_SLOTS - 1);
    loom_arena_free(&arena);
}

static void wakes_beyond_the_horizon_are_exact(void)
{
    struct loom_arena arena = {0};
    struct clock *clock = make(1000000000, 130, &arena);

    loom_clock_wake(clock, 129, 70000);
    EXPECT_EQ(clock->next, 70000);
    EXPECT_EQ(clock->next_time, 70000 * UINT64_C(1000000));
    loom_clock_wake(clock, 5, 40);
    EXPECT_EQ(clock->next, 40);
    EXPECT_EQ(loom_clock_last(clock), 70000);
    loom_clock_begin(clock);
    clock->summary[0] &= ~loom_bit(40);
    loom_clock_advance(clock);
    EXPECT_EQ(clock->next, 70000);
    loom_clock_wake(clock, 6, 30000);
    loom_clock_wake(clock, 7, 90000);
    EXPECT_EQ(clock->next, 30000);
    EXPECT_EQ(loom_clock_last(clock), 90000);
    loom_arena_free(&arena);
}

/* Also where it does not fit into the time that there is. */
static void time_ends(void)
{
    struct loom_arena arena = {0};
    struct clock *clock = make(1, 1, &arena);

    EXPECT_EQ(loom_clock_time(clock, 9223), exact(1, 9223));
    EXPECT_EQ(loom_clock_time(clock, 9224), LOOM_TIME_END);
    EXPECT_EQ(loom_clock_time(clock, LOOM_NEVER - 1), LOOM_TIME_END);
    loom_clock_wake(clock, 0, LOOM_NEVER - 1);
    EXPECT_EQ(clock->next_time, LOOM_TIME_END);
    loom_arena_free(&arena);
}

static void catching_up_keeps_pending_edges(void)
{
    struct loom_arena arena = {0};
    struct clock *clock = make(1000000000, 1, &arena);

    loom_clock_wake(clock, 0, 10);
    loom_clock_catch_up(clock, 11);
    EXPECT_EQ(clock->base, 9);
    loom_clock_catch_up(clock, 5);
    EXPECT_EQ(clock->base, 9);
    loom_arena_free(&arena);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"edges_do_not_drift", edges_do_not_drift},
        {"first_edge_after_is_strictly_after",
         first_edge_after_is_strictly_after},
        {"wheel_finds_the_earliest", wheel_finds_the_earliest},
        {"wheel_wraps_around", wheel_wraps_around},
        {"wakes_beyond_the_horizon_are_exact",
         wakes_beyond_the_horizon_are_exact},
        {"time_ends", time_ends},
        {"catching_up_keeps_pending_edges", catching_up_keeps_pending_edges},
    };

    return loom_run_tests("clock", tests, LOOM_COUNTOF(tests));
}
