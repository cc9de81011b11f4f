/*
 * lrr and gto: in which order warps issue, and what rank they have.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "tests/unit/gpu_rig.h"

static struct source src;

static struct rig one_sm(const struct loom_policy_type *scheduler,
                         uint32_t ctas, uint32_t warps)
{
    source_init(&src, ctas, warps);
    return rig_build(1, scheduler, &round_robin_policy);
}

/* Every warp runs static instructions [0, last]. */
static void run_all(struct source *source, uint32_t last)
{
    for (uint32_t w = 0; w < loom_kernel_warps(&source->kernel); w++) {
        source_run(source, w, 0, last);
    }
}

static void expect_warps(const struct rig *rig, const uint32_t *want,
                         uint32_t count)
{
    EXPECT_EQ(rig_count(rig, LOOM_EVENT_ISSUE), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(rig_event(rig, LOOM_EVENT_ISSUE, i)->warp, want[i]);
    }
}

static void lrr_takes_turns(void)
{
    static const uint32_t want[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    struct rig rig = one_sm(&lrr_policy, 1, 3);

    for (uint32_t i = 0; i < 3; i++) {
        source_inst(&src, LOOM_OP_INT_ADD, i, NONE);
    }
    run_all(&src, 2);
    rig_run(&rig, &src);
    expect_warps(&rig, want, 9);
    rig_free(&rig, &src);
}

/* Warp 1 waits 4 cycles for its own add and loses its turns meanwhile. */
static void lrr_skips_who_is_not_ready(void)
{
    static const uint32_t want[] = {0, 1, 2, 0, 2, 0, 1};
    struct rig rig = one_sm(&lrr_policy, 1, 3);

    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    source_run(&src, 0, 0, 0);
    source_run(&src, 0, 0, 0);
    source_run(&src, 0, 1, 1);
    source_run(&src, 1, 1, 2);
    source_run(&src, 2, 0, 0);
    source_run(&src, 2, 0, 0);
    rig_run(&rig, &src);
    /* Cycles 0 1 2 3 4 5: warp 1's second is ready at 5, after warp 0 in
     * the circle that starts behind warp 2. */
    expect_warps(&rig, want, 7);
    EXPECT_EQ(rig_issue(&rig, 6), 6);
    rig_free(&rig, &src);
}

/* The rank is the distance from the place where the search starts. */
static void lrr_rank_is_relative_to_the_last(void)
{
    static const uint32_t want[] = {0, 0, 0, 0, 0, 0};
    struct rig rig = one_sm(&lrr_policy, 1, 3);
    const struct loom_scheduler_ops *ops =
        loom_policy_type_ops(&lrr_policy, &loom_scheduler_hook);
    struct loom_policy *policy;

    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    run_all(&src, 1);
    rig_run(&rig, &src);
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, i)->rank, want[i]);
    }
    policy = rig.scheduler[0];
    ops->started(policy, 0, 2, 100);
    ops->started(policy, 0, 5, 101);
    ops->started(policy, 0, 9, 102);
    ops->issued(policy, 0, 5, 0);
    EXPECT_EQ(ops->rank(policy, 0, 9), 0);
    EXPECT_EQ(ops->rank(policy, 0, 2), 1);
    EXPECT_EQ(ops->rank(policy, 0, 5), 2);
    EXPECT_EQ(ops->pick(policy, 0, 0x24, 0), 2);
    ops->issued(policy, 0, 63, 0); /* wraps around */
    EXPECT_EQ(ops->rank(policy, 0, 2), 0);
    rig_free(&rig, &src);
}

static void gto_stays_with_a_warp(void)
{
    static const uint32_t want[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    struct rig rig = one_sm(&gto_policy, 1, 3);

    for (uint32_t i = 0; i < 3; i++) {
        source_inst(&src, LOOM_OP_INT_ADD, i, NONE);
    }
    run_all(&src, 2);
    rig_run(&rig, &src);
    expect_warps(&rig, want, 9);
    rig_free(&rig, &src);
}

/* Each warp: two independent adds, then one that needs them, ready 4 cycles
 * after the second.  Warp 0 at 0 1, warp 1 at 2 3; at 4 warp 2, which is
 * greedy at 5 although warp 0 is ready and older; at 6 warp 0, then warp 1
 * at 7, and warp 2, ready at 9. */
static void gto_is_greedy_then_oldest(void)
{
    static const uint32_t want[] = {0, 0, 1, 1, 2, 2, 0, 1, 2};
    struct rig rig = one_sm(&gto_policy, 1, 3);

    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 3, 2);
    run_all(&src, 2);
    rig_run(&rig, &src);
    expect_warps(&rig, want, 9);
    EXPECT_EQ(rig_issue(&rig, 6), 6);
    EXPECT_EQ(rig_issue(&rig, 7), 7);
    EXPECT_EQ(rig_issue(&rig, 8), 9);
    rig_free(&rig, &src);
}

/* CTA 2 comes into the slot of CTA 0 and is younger than CTA 1: when all are
 * ready, CTA 1's warp goes first although its slot number is higher. */
static void gto_age_is_not_the_slot(void)
{
    struct rig rig = one_sm(&gto_policy, 3, 1);
    const struct loom_event *second, *third;

    rig_set(rig.gpu, "sm_ctas", 2);
    source_inst(&src, LOOM_OP_INT_DIV, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    run_all(&src, 1);
    rig_run(&rig, &src);
    second = rig_event(&rig, LOOM_EVENT_WARP_START, 1);
    third = rig_event(&rig, LOOM_EVENT_WARP_START, 2);
    EXPECT_EQ(second->warp, 1);
    EXPECT_EQ(third->warp, 0);
    EXPECT_EQ(second->rank, 1); /* CTA 0 is older */
    EXPECT_EQ(third->age, 2);
    rig_free(&rig, &src);
}

static void gto_ranks_by_age(void)
{
    struct rig rig = one_sm(&gto_policy, 1, 1);
    const struct loom_scheduler_ops *ops =
        loom_policy_type_ops(&gto_policy, &loom_scheduler_hook);
    struct loom_policy *policy = rig.scheduler[0];

    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    run_all(&src, 0);
    rig_run(&rig, &src);
    ops->started(policy, 0, 7, 10);
    ops->started(policy, 0, 63, 11);
    ops->started(policy, 0, 0, 12);
    EXPECT_EQ(ops->rank(policy, 0, 7), 0);
    EXPECT_EQ(ops->rank(policy, 0, 63), 1);
    EXPECT_EQ(ops->rank(policy, 0, 0), 2);
    EXPECT_EQ(ops->pick(policy, 0, UINT64_C(1) << 63 | 1, 0), 63);
    ops->issued(policy, 0, 0, 0); /* greedy, but not older */
    EXPECT_EQ(ops->rank(policy, 0, 0), 2);
    EXPECT_EQ(ops->pick(policy, 0, UINT64_C(1) << 63 | 1, 0), 0);
    ops->finished(policy, 0, 7);
    ops->started(policy, 0, 7, 13); /* the same slot, now the youngest */
    EXPECT_EQ(ops->rank(policy, 0, 63), 0);
    EXPECT_EQ(ops->rank(policy, 0, 7), 2);
    EXPECT_EQ(ops->pick(policy, 0, UINT64_C(1) << 63 | 1 << 7, 0), 63);
    rig_free(&rig, &src);
}

/* The rank that a memory instruction carries is of the SM: that of its
 * scheduler times the number of schedulers plus the scheduler. */
static void accesses_carry_the_rank_of_the_sm(void)
{
    struct rig rig = one_sm(&gto_policy, 1, 6);
    const struct fake_stats *stats = loom_stats_of(rig.ldst[0]);

    rig_set(rig.sm[0], "schedulers", 2);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_inst(&src, LOOM_OP_LOAD, 1, NONE);
    source_inst(&src, LOOM_OP_INT_DIV, 2, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, 2);
    for (uint32_t w = 0; w < 6; w++) {
        source_run(&src, w, 2, 3);
    }
    source_run(&src, 5, 1, 1); /* warp 5: scheduler 1, third */
    for (uint32_t w = 0; w < 5; w++) {
        source_run(&src, w, 2, 3); /* the others are still there */
    }
    rig_run(&rig, &src);
    EXPECT_EQ(stats->accesses, 1);
    EXPECT_EQ(stats->last_rank, 2 * 2 + 1);
    rig_free(&rig, &src);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(lrr_takes_turns),
        TEST(lrr_skips_who_is_not_ready),
        TEST(lrr_rank_is_relative_to_the_last),
        TEST(gto_stays_with_a_warp),
        TEST(gto_is_greedy_then_oldest),
        TEST(gto_age_is_not_the_slot),
        TEST(gto_ranks_by_age),
        TEST(accesses_carry_the_rank_of_the_sm),
    };

    return loom_run_tests("scheduler", tests, LOOM_COUNTOF(tests));
}
