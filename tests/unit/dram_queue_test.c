/*
 * DRAM channels with long queues, with the controllers of other simulators, and
 * with commands of several cycles.  The GTX 480's timing, see dram_test.c.
 * links: component_dram policy_frfcfs policy_fcfs policy_linear_map
 * links: policy_dramsim3_queues policy_ramulator_frfcfs
 */
#include "tests/unit/dram_rig.h"

extern const struct loom_policy_type dramsim3_queues_policy;
extern const struct loom_policy_type ramulator_frfcfs_policy;

static loom_cycle reply_at(const struct dram_rig *rig, uint32_t token)
{
    const struct rig_list *list = &rig->list[0];

    for (uint32_t i = 0; i < list->got_count; i++) {
        if (list->got[i].message.token == token) {
            return list->got[i].at;
        }
    }
    REQUIRE(false);
    return 0;
}

/* Random requests, never more than 64 of them: a queue that is longer shows
 * some of them to the policy, and must serve all at the same times. */
static void same_times(const struct loom_policy_type *schedule, uint64_t seed)
{
    struct dram_rig rig[2];

    for (uint32_t i = 0; i < 2; i++) {
        rig[i] = dram_rig_build(2, 32, schedule);
        rig_set(rig[i].dram, "queue_entries", i == 0 ? 64 : 65);
        dram_rig_random(&rig[i], 32, seed);
        dram_rig_run(&rig[i]);
    }
    for (uint32_t c = 0; c < 2; c++) {
        const struct rig_list *a = &rig[0].list[c], *b = &rig[1].list[c];

        REQUIRE(a->got_count == 32 && b->got_count == 32);
        for (uint32_t i = 0; i < 32; i++) {
            REQUIRE(a->got[i].message.token == b->got[i].message.token);
            REQUIRE(a->got[i].at == b->got[i].at);
        }
    }
    dram_rig_destroy(&rig[0]);
    dram_rig_destroy(&rig[1]);
}

static void a_longer_queue_serves_the_same_requests_alike(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        same_times(&frfcfs_policy, seed);
        same_times(&fcfs_policy, seed);
    }
}

/* A hit behind a hundred conflicts of its bank overtakes them if the queue
 * reaches so far. */
static uint64_t activates_with(uint32_t entries)
{
    struct dram_rig rig = dram_rig_build(1, 128, &frfcfs_policy);
    uint64_t activates;

    rig_set(rig.dram, "queue_entries", entries);
    /* The row stays open while the link fills the queue: a long tRAS. */
    rig_set(rig.dram, "tras", 400);
    dram_rig_add(&rig, 0, 10, dram_at(0, 1, 0), LOOM_MEM_LOAD);
    for (uint32_t i = 0; i < 100; i++) {
        dram_rig_add(&rig, 0, 10, dram_at(0, 2, i % 64), LOOM_MEM_LOAD);
    }
    dram_rig_add(&rig, 0, 10, dram_at(0, 1, 1), LOOM_MEM_LOAD);
    dram_rig_run(&rig);
    REQUIRE(rig.list[0].got_count == 102);
    activates = dram_rig_counter(&rig, "activates");
    dram_rig_destroy(&rig);
    return activates;
}

static void a_hit_is_found_as_far_as_the_queue_reaches(void)
{
    EXPECT_EQ(activates_with(64), 3);
    EXPECT_EQ(activates_with(128), 2);
}

static void a_long_activate_keeps_its_bus(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);

    rig_set(rig.dram, "act_cycles", 3);
    rig_set(rig.dram, "trrd", 1);
    dram_rig_add(&rig, 0, 10, dram_at(0, 5, 0), LOOM_MEM_LOAD);
    dram_rig_add(&rig, 0, 11, dram_at(1, 5, 0), LOOM_MEM_LOAD);
    dram_rig_add(&rig, 0, 1000, dram_at(0, 6, 0), LOOM_MEM_LOAD);
    dram_rig_run(&rig);
    /* tRCD from its last cycle. */
    EXPECT_EQ(reply_at(&rig, 0) - 10, 1 + 2 + 12 + 12 + 2 + 2);
    EXPECT_EQ(reply_at(&rig, 1), reply_at(&rig, 0) + 3);
    /* tRP to its last cycle, too. */
    EXPECT_EQ(reply_at(&rig, 2) - 1000, 1 + 12 + 12 + 12 + 2 + 2);
    dram_rig_destroy(&rig);
}

static uint64_t precharges_with(const char *close)
{
    struct dram_rig rig = dram_rig_build(1, 32, &frfcfs_policy);
    struct loom_error err = {LOOM_ERR_NONE, ""};
    uint64_t precharges;

    REQUIRE(loom_machine_set(rig.dram, "refresh_close",
                             (union loom_value){.s = close}, &err));
    rig_set(rig.dram, "trefi", 1000);
    rig_set(rig.dram, "trfc", 100);
    for (uint32_t b = 0; b < 16; b++) {
        dram_rig_add(&rig, 0, 10, dram_at(b, 1, 0), LOOM_MEM_LOAD);
    }
    dram_rig_add(&rig, 0, 1100, dram_at(0, 1, 0), LOOM_MEM_LOAD);
    dram_rig_run(&rig);
    EXPECT_EQ(dram_rig_counter(&rig, "refreshes"), 1);
    EXPECT_EQ(dram_rig_counter(&rig, "activates"), 17);
    precharges = dram_rig_counter(&rig, "precharges");
    dram_rig_destroy(&rig);
    return precharges;
}

static void one_precharge_closes_all_banks(void)
{
    EXPECT_EQ(precharges_with("each"), 16);
    EXPECT_EQ(precharges_with("all"), 1);
}

static void posted_writes_are_answered_at_once(void)
{
    struct dram_rig rig = dram_rig_build(1, 16, &frfcfs_policy);

    rig_set(rig.dram, "post_writes", 1);
    dram_rig_add(&rig, 0, 10, dram_at(0, 5, 0), LOOM_MEM_STORE);
    dram_rig_add(&rig, 0, 500, dram_at(0, 5, 0), LOOM_MEM_WRITEBACK);
    dram_rig_run(&rig);
    EXPECT_EQ(rig.list[0].got_count, 1);
    EXPECT_EQ(reply_at(&rig, 0) - 10, 1 + 2);
    /* They are done later, and counted then. */
    EXPECT_EQ(dram_rig_counter(&rig, "writes"), 2);
    EXPECT_EQ(dram_rig_counter(&rig, "replies"), 1);
    EXPECT_EQ(dram_rig_counter(&rig, "writebacks"), 1);
    EXPECT_EQ(dram_rig_histogram(&rig, "write_latency")->count, 2);
    EXPECT_EQ(dram_rig_histogram(&rig, "write_latency")->max, 1 + 7 + 4 + 2);
    dram_rig_destroy(&rig);
}

/* ---- DRAMsim3 ---- */

static struct dram_rig queues(void)
{
    struct dram_rig rig = dram_rig_build(1, 64, &dramsim3_queues_policy);

    rig_set(rig.dram, "queue_entries", 32);
    rig_set(rig.dram, "write_entries", 32);
    return rig;
}

/* Eight writes wait until nothing has come for long, nine do not. */
static void few_writes_wait(void)
{
    for (uint32_t count = 8; count <= 9; count++) {
        struct dram_rig rig = queues();

        for (uint32_t i = 0; i < count; i++) {
            dram_rig_add(&rig, 0, 10, dram_at(0, 5, i), LOOM_MEM_STORE);
        }
        dram_rig_run(&rig);
        if (count == 8) {
            EXPECT(reply_at(&rig, 0) > 1000);
        } else {
            EXPECT(reply_at(&rig, 0) < 60);
        }
        dram_rig_destroy(&rig);
    }
}

/* After four columns the oldest closes the row though two hits wait. */
static void a_row_has_four_columns(void)
{
    struct dram_rig rig = queues();

    dram_rig_add(&rig, 0, 10, dram_at(0, 1, 0), LOOM_MEM_LOAD);
    dram_rig_add(&rig, 0, 10, dram_at(0, 2, 0), LOOM_MEM_LOAD);
    for (uint32_t i = 1; i <= 6; i++) {
        dram_rig_add(&rig, 0, 10, dram_at(0, 1, i), LOOM_MEM_LOAD);
    }
    dram_rig_run(&rig);
    /* Hits go on until tRAS is over, then row 2 is opened, then row 1. */
    EXPECT_EQ(dram_rig_counter(&rig, "activates"), 3);
    EXPECT(reply_at(&rig, 1) < reply_at(&rig, 7));
    dram_rig_destroy(&rig);
}

/* ---- Ramulator ---- */

/* Twelve hits, a request for another row, four more hits.  Ramulator 1 closes
 * the row when tRAS is over, and opens it again for the older hits; 2 does not
 * close it while an older request wants it, but before the younger hits. */
static void rows_are_closed_by_age(void)
{
    for (uint32_t version = 1; version <= 2; version++) {
        struct dram_rig rig = dram_rig_build(1, 64, &ramulator_frfcfs_policy);
        struct loom_error err = {LOOM_ERR_NONE, ""};

        rig_set(rig.dram, "queue_entries", 32);
        rig_set(rig.dram, "write_entries", 32);
        REQUIRE(loom_machine_set_policy(
            rig.schedule, "version", (union loom_value){.u = version}, &err));
        for (uint32_t i = 0; i <= 17; i++) {
            dram_rig_add(&rig, 0, 10, dram_at(0, i == 13 ? 2 : 1, i),
                         LOOM_MEM_LOAD);
        }
        dram_rig_run(&rig);
        EXPECT_EQ(dram_rig_counter(&rig, "activates"), version == 1 ? 4 : 3);
        EXPECT(reply_at(&rig, 12) < reply_at(&rig, 13));
        if (version == 2) {
            EXPECT(reply_at(&rig, 13) < reply_at(&rig, 14));
        }
        dram_rig_destroy(&rig);
    }
}

static void writes_need_places_of_their_own(void)
{
    const struct loom_policy_type *types[] = {&dramsim3_queues_policy,
                                              &ramulator_frfcfs_policy};

    for (uint32_t i = 0; i < 2; i++) {
        struct dram_rig rig = dram_rig_build(1, 4, types[i]);
        struct loom_error err = {LOOM_ERR_NONE, ""};

        EXPECT(!loom_machine_freeze(rig.machine, rig_error, &err));
        EXPECT_TEXT(err.text, "parameter 'write_entries' is 0");
        dram_rig_destroy(&rig);
    }
}

/* Version 1 closes any row as soon as it may: that must not be before a column
 * of it may come, or two rows of a bank would take turns for ever. */
static void rows_last_until_their_first_column(void)
{
    for (uint32_t version = 1; version <= 2; version++) {
        struct dram_rig rig = dram_rig_build(1, 4, &ramulator_frfcfs_policy);
        struct loom_error err = {LOOM_ERR_NONE, ""};
        bool good;

        rig_set(rig.dram, "write_entries", 32);
        rig_set(rig.dram, "tras", 13);
        rig_set(rig.dram, "trcdwr", 14);
        REQUIRE(loom_machine_set_policy(
            rig.schedule, "version", (union loom_value){.u = version}, &err));
        good = loom_machine_freeze(rig.machine, rig_error, &err);
        EXPECT_EQ(good, version == 2);
        if (!good) {
            EXPECT_TEXT(err.text, "'tras' is 13, expected at least 14");
        }
        dram_rig_destroy(&rig);
    }
}

static const struct loom_test tests[] = {
    {"a_longer_queue_serves_the_same_requests_alike",
     a_longer_queue_serves_the_same_requests_alike},
    {"a_hit_is_found_as_far_as_the_queue_reaches",
     a_hit_is_found_as_far_as_the_queue_reaches},
    {"a_long_activate_keeps_its_bus", a_long_activate_keeps_its_bus},
    {"one_precharge_closes_all_banks", one_precharge_closes_all_banks},
    {"posted_writes_are_answered_at_once", posted_writes_are_answered_at_once},
    {"few_writes_wait", few_writes_wait},
    {"a_row_has_four_columns", a_row_has_four_columns},
    {"rows_are_closed_by_age", rows_are_closed_by_age},
    {"writes_need_places_of_their_own", writes_need_places_of_their_own},
    {"rows_last_until_their_first_column", rows_last_until_their_first_column},
};

int main(void)
{
    return loom_run_tests("dram_queue", tests, LOOM_COUNTOF(tests));
}
