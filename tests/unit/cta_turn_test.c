/*
 * CTAs that follow each other: when the place of one is free for the next,
 * and when the warps of a new one start.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "tests/unit/gpu_rig.h"

static struct source src;

/* One SM with room for one CTA, whose stores arrive after `delay` cycles. */
static struct rig one_place(uint32_t delay, bool waits)
{
    struct rig rig = rig_build(1, &lrr_policy, &round_robin_policy);

    rig_set(rig.gpu, "sm_ctas", 1);
    rig_set(rig.ldst[0], "delay", delay);
    rig_flag(rig.sm[0], "exit_waits_stores", waits);
    return rig;
}

/* CTAs of one warp: a store. */
static void one_store(uint32_t ctas)
{
    source_init(&src, ctas, 1);
    source_inst(&src, LOOM_OP_STORE, NONE, NONE);
    source_inst(&src, LOOM_OP_EXIT, NONE, NONE);
    source_run(&src, 0, 0, 1);
}

static loom_cycle start_of(const struct rig *rig, uint32_t cta)
{
    return rig_event(rig, LOOM_EVENT_CTA_START, cta)->now -
           rig_event(rig, LOOM_EVENT_CTA_START, 0)->now;
}

/* A store is issued in the cycle after the start and answered 52 later; the
 * gpu hears of it, and the SM of the next CTA, after a cycle each. */
static void a_cta_waits_for_its_stores(void)
{
    struct rig rig = one_place(50, true);

    one_store(3);
    rig_run(&rig, &src);
    EXPECT_EQ(start_of(&rig, 1), 55);
    EXPECT_EQ(start_of(&rig, 2), 110);
    rig_free(&rig, &src);
}

/* The exit follows the store; then the gpu hears, and the SM. */
static void or_its_place_is_free_before(void)
{
    struct rig rig = one_place(50, false);

    one_store(3);
    rig_run(&rig, &src);
    EXPECT_EQ(start_of(&rig, 1), 4);
    EXPECT_EQ(start_of(&rig, 2), 8);
    EXPECT_EQ(src.released, 3);
    EXPECT_EQ(rig_stat(rig.sm[0], "ctas_done", NULL), 3);
    rig_free(&rig, &src);
}

/* Three CTAs that start 4 cycles apart, and the last one's store. */
static void the_kernel_is_over_when_all_have_arrived(void)
{
    loom_time lasts[2];

    for (uint32_t i = 0; i < 2; i++) {
        struct rig rig = one_place(500, false);

        one_store(i == 0 ? 1 : 3);
        rig_run(&rig, &src);
        lasts[i] = src.launch.task.end - src.launch.task.start;
        rig_free(&rig, &src);
    }
    EXPECT_EQ(lasts[1] - lasts[0], UINT64_C(8) * 1000000);
    EXPECT(lasts[0] > UINT64_C(500) * 1000000);
}

/* 64 slots of CTAs: the 65th starts when the first is done. */
static void so_many_are_on_their_way(void)
{
    struct rig rig = one_place(5000, false);

    one_store(66);
    rig_run(&rig, &src);
    EXPECT_EQ(start_of(&rig, 63), 63 * 4);
    EXPECT_EQ(start_of(&rig, 64), 5005);
    EXPECT_EQ(start_of(&rig, 65), 5009);
    rig_free(&rig, &src);
}

/* What is left of the CTA before is not waited for in its warp slot. */
static void stores_of_another_are_not_ones_own(void)
{
    struct rig rig = one_place(50, false);

    source_init(&src, 2, 1);
    source_inst(&src, LOOM_OP_MEMBAR, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_inst(&src, LOOM_OP_STORE, NONE, NONE);
    source_run(&src, 0, 0, 2);
    rig_flag(rig.sm[0], "membar_waits_stores", true);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_count(&rig, LOOM_EVENT_ISSUE), 6);
    EXPECT_EQ(rig_issue(&rig, 4) - rig_issue(&rig, 3), 1);
    EXPECT_EQ(start_of(&rig, 1), 5);
    rig_free(&rig, &src);
}

/* Two CTAs of two warps: the second comes a cycle later, and its warps wait
 * for the others.  The first is fetched in a cycle; later ones have been. */
static void warps_start_one_after_the_other(void)
{
    const loom_cycle want[] = {0, 7, 15, 23};
    struct rig rig;

    source_init(&src, 2, 2);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 0, 0);
    source_run(&src, 1, 0, 0);
    rig = rig_build(1, &lrr_policy, &round_robin_policy);
    rig_set(rig.gpu, "warp_cycles", 8);
    rig_run(&rig, &src);
    EXPECT_EQ(start_of(&rig, 1), 1);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(rig_issue(&rig, i), want[i]);
    }
    rig_free(&rig, &src);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(a_cta_waits_for_its_stores),
        TEST(or_its_place_is_free_before),
        TEST(the_kernel_is_over_when_all_have_arrived),
        TEST(so_many_are_on_their_way),
        TEST(stores_of_another_are_not_ones_own),
        TEST(warps_start_one_after_the_other),
    };

    return loom_run_tests("cta_turn", tests, LOOM_COUNTOF(tests));
}
