/*
 * two_level_scheduler, asked directly.
 *
 * links: policy_two_level_scheduler
 */
#include "tests/unit/throttle_rig.h"

extern const struct loom_policy_type two_level_scheduler_policy;

static struct throttle_rig rig_of(const char *inner)
{
    struct throttle_rig rig = {
        .host = sm_host_make(&two_level_scheduler_policy, 1, 8, 2)};

    sm_host_number(&rig.host, "active_warps", 2);
    sm_host_set(&rig.host, "inner", (union loom_value){.s = inner});
    sm_host_bind(&rig.host);
    REQUIRE(rig.host.good);
    for (uint32_t local = 0; local < 4; local++) {
        throttle_start(&rig, 2 * local);
    }
    return rig;
}

static uint32_t pick(const struct throttle_rig *rig, uint64_t ready)
{
    return rig->host.scheduler->pick(rig->host.policy, 0, ready, 0);
}

static uint32_t rank(const struct throttle_rig *rig, uint32_t local)
{
    return rig->host.scheduler->rank(rig->host.policy, 0, local);
}

/* Locals 0 and 1 are active and take turns; 2 and 3 are pending. */
static void active_warps_take_turns(void)
{
    struct throttle_rig rig = rig_of("lrr");

    EXPECT_EQ(throttle_allow(&rig, 0), 3);
    EXPECT_EQ(pick(&rig, 3), 0);
    throttle_issue(&rig, 0);
    EXPECT_EQ(pick(&rig, 3), 1);
    EXPECT_EQ(rank(&rig, 1), 0);
    EXPECT_EQ(rank(&rig, 0), 1);
    EXPECT_EQ(rank(&rig, 2), 2);
    EXPECT_EQ(rank(&rig, 3), 3);
    throttle_issue(&rig, 2);
    EXPECT_EQ(pick(&rig, 3), 0);
    EXPECT_EQ(pick(&rig, 2), 1);
    sm_host_close(&rig.host);
}

/* 0 waits for memory: 2 takes its place.  1 waits at a barrier: 3 does.  Back
 * from their waits they are behind, in the order in which they gave up. */
static void who_waits_gives_its_place_up(void)
{
    struct throttle_rig rig = rig_of("lrr");

    EXPECT_EQ(throttle_allow(&rig, 0), 3);
    throttle_put(rig.memory, 0, true);
    EXPECT_EQ(throttle_allow(&rig, 0), 6);
    throttle_wait(&rig, 2, true);
    EXPECT_EQ(throttle_allow(&rig, 0), 12);
    throttle_put(rig.memory, 0, false);
    throttle_wait(&rig, 2, false);
    EXPECT_EQ(throttle_allow(&rig, 0), 12);
    EXPECT_EQ(rank(&rig, 2), 0);
    EXPECT_EQ(rank(&rig, 3), 1);
    EXPECT_EQ(rank(&rig, 0), 2);
    EXPECT_EQ(rank(&rig, 1), 3);
    throttle_exhaust(&rig, 4); /* local 2 */
    EXPECT_EQ(throttle_allow(&rig, 0), 9);
    EXPECT_EQ(sm_host_stat(&rig.host, "promotions"), 5);
    EXPECT_EQ(sm_host_stat(&rig.host, "demotions"), 3);
    EXPECT_EQ(sm_host_stat(&rig.host, "most"), 2);
    sm_host_close(&rig.host);
}

/* A short wait (for arithmetic) keeps the place, and nobody else issues. */
static void a_short_wait_keeps_the_place(void)
{
    struct throttle_rig rig = rig_of("lrr");
    const uint64_t next[LOOM_OPS] = {0};
    const struct loom_throttle_view view = {
        .ready = 12, /* the pending ones only */
        .active = 15,
        .next = next,
        .sm_active = rig.active,
        .sm_waiting = rig.waiting,
    };

    EXPECT_EQ(throttle_allow(&rig, 0), 3);
    EXPECT_EQ(rig.host.throttle->allow(rig.host.policy, &view) & view.ready, 0);
    sm_host_close(&rig.host);
}

static void inner_gto_is_greedy_then_oldest(void)
{
    struct throttle_rig rig = rig_of("gto");

    EXPECT_EQ(throttle_allow(&rig, 0), 3);
    throttle_issue(&rig, 2); /* local 1 */
    EXPECT_EQ(pick(&rig, 3), 1);
    EXPECT_EQ(rank(&rig, 0), 0);
    EXPECT_EQ(rank(&rig, 1), 1);
    EXPECT_EQ(pick(&rig, 1), 0);
    sm_host_close(&rig.host);
}

/* What was allowed and did not issue was held back by another throttle. */
static void another_throttle_moves_the_places_on(void)
{
    struct throttle_rig rig = rig_of("lrr");

    EXPECT_EQ(throttle_allow(&rig, 0), 3);
    rig.host.scheduler->stalled(rig.host.policy, 0, 1);
    EXPECT_EQ(sm_host_stat(&rig.host, "vetoes"), 1);
    EXPECT_EQ(throttle_allow(&rig, 0), 12);
    throttle_issue(&rig, 4);
    rig.host.scheduler->stalled(rig.host.policy, 0, 1); /* nobody was ready */
    EXPECT_EQ(sm_host_stat(&rig.host, "vetoes"), 1);
    EXPECT_EQ(throttle_allow(&rig, 0), 12);
    sm_host_close(&rig.host);
}

static const struct loom_test tests[] = {
    {"active_warps_take_turns", active_warps_take_turns},
    {"who_waits_gives_its_place_up", who_waits_gives_its_place_up},
    {"a_short_wait_keeps_the_place", a_short_wait_keeps_the_place},
    {"inner_gto_is_greedy_then_oldest", inner_gto_is_greedy_then_oldest},
    {"another_throttle_moves_the_places_on",
     another_throttle_moves_the_places_on},
};

int main(void)
{
    return loom_run_tests("two_level_scheduler", tests, LOOM_COUNTOF(tests));
}
