/*
 * Units of the SM that do several kinds of instructions, as since Volta,
 * against cycles counted by hand.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "tests/unit/gpu_rig.h"

static struct source src;

static void expect_issues(const struct rig *rig, const loom_cycle *want,
                          uint32_t count)
{
    EXPECT_EQ(rig_count(rig, LOOM_EVENT_ISSUE), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(rig_issue(rig, i), want[i]);
    }
}

static struct rig multiplying(struct source *source, uint32_t warps)
{
    struct rig rig;

    source_init(source, 1, warps);
    rig = rig_build(1, &lrr_policy, &round_robin_policy);
    rig_flag(rig.sm[0], "sub_core", true);
    rig_flag(rig.sm[0], "sp_multiplies", true);
    rig_set(rig.sm[0], "int_units", 1);
    rig_set(rig.sm[0], "int_add_interval", 2);
    rig_set(rig.sm[0], "fp_mad_interval", 2);
    return rig;
}

/* Of two SP units multiplications take the first, sums of products the last
 * one, additions the integer unit or the first. */
static void additions_go_to_what_is_free(void)
{
    const loom_cycle want[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct rig rig = multiplying(&src, 1);

    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 3, NONE);
    source_inst(&src, LOOM_OP_INT_MUL, 4, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 5, NONE);
    source_inst(&src, LOOM_OP_INT_MUL, 6, NONE);
    source_inst(&src, LOOM_OP_FP_MAD, 7, NONE);
    source_inst(&src, LOOM_OP_INT_MUL, 8, NONE);
    source_run(&src, 0, 0, 7);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 8);
    rig_free(&rig, &src);
}

static void products_wait_for_the_first_unit(void)
{
    const loom_cycle want[] = {0, 1, 3};
    struct rig rig = multiplying(&src, 1);

    source_inst(&src, LOOM_OP_FP_MAD, 1, NONE);
    source_inst(&src, LOOM_OP_FP_MAD, 2, NONE);
    source_inst(&src, LOOM_OP_INT_MUL, 3, NONE);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    rig_free(&rig, &src);
}

/* The addition of warp 1 would go in cycle 1 where the maximum of warp 2 can
 * go, and does so when the multiplier is free. */
static void additions_leave_units_to_others(void)
{
    const loom_cycle want[] = {0, 1, 2};
    struct rig rig = multiplying(&src, 3);

    source_inst(&src, LOOM_OP_INT_MUL, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, NONE);
    source_inst(&src, LOOM_OP_INT_MAX, 3, NONE);
    source_run(&src, 0, 0, 0);
    source_run(&src, 1, 1, 1);
    source_run(&src, 2, 2, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 1)->warp, 2);
    rig_free(&rig, &src);
}

/* An addition's result is there in 4 cycles, more for some readers. */
static void readers_decide_how_long_it_takes(void)
{
    const loom_cycle cycles[LOOM_USES] = {4, 5, 6, 13};

    for (uint32_t use = 0; use < LOOM_USES; use++) {
        const loom_cycle want[] = {0, cycles[use]};
        struct rig rig;

        source_init(&src, 1, 1);
        rig = rig_build(1, &lrr_policy, &round_robin_policy);
        rig_set(rig.sm[0], "cross_cycles", 1);
        rig_set(rig.sm[0], "far_cycles", 2);
        rig_set(rig.sm[0], "guard_cycles", 9);
        source_inst(&src, LOOM_OP_INT_ADD, 1, NONE)->first_use = (uint8_t)use;
        source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
        source_run(&src, 0, 0, 1);
        rig_run(&rig, &src);
        expect_issues(&rig, want, 2);
        rig_free(&rig, &src);
    }
}

/* A branch of `before` lanes, and an addition of `after`. */
static void expect_branch(uint8_t way, uint8_t there, uint32_t before,
                          uint32_t after, loom_cycle cycles)
{
    const loom_cycle want[] = {0, cycles};
    struct loom_static_inst *branch;
    struct rig rig;

    source_init(&src, 1, 1);
    rig = rig_build(1, &lrr_policy, &round_robin_policy);
    rig_set(rig.sm[0], "branch_cycles", 10);
    rig_set(rig.sm[0], "pass_cycles", 5);
    rig_set(rig.sm[0], "meet_cycles", 3);
    branch = source_inst(&src, LOOM_OP_BRANCH, NONE, NONE);
    branch->flags = LOOM_INST_PREDICATED;
    branch->way = way;
    source_inst(&src, LOOM_OP_INT_ADD, 2, NONE)->way = there;
    loom_writer_put(&src.writer[0], 0, before);
    loom_writer_put(&src.writer[0], 1, after);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    rig_free(&rig, &src);
}

/* Of what follows: lanes that went straight on to where all meet have taken a
 * branch and waited. */
static void branches_that_are_not_taken(void)
{
    expect_branch(0, 0, 0xff, 0xff, 5);
    expect_branch(LOOM_WAY_SHORT, 0, 0xff, 0xff, 1);
    expect_branch(0, LOOM_WAY_MEET, 0xff, 0xff, 5 + 3);
    expect_branch(LOOM_WAY_STRAIGHT, 0, 0xff, 0xff, 5);
    expect_branch(LOOM_WAY_STRAIGHT, 0, 0xff, 0x0f, 5 + 10 + 3);
    expect_branch(0, 0, 0xff, 0x0f, 5);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(additions_go_to_what_is_free),
        TEST(products_wait_for_the_first_unit),
        TEST(additions_leave_units_to_others),
        TEST(readers_decide_how_long_it_takes),
        TEST(branches_that_are_not_taken),
    };

    return loom_run_tests("sm_units", tests, LOOM_COUNTOF(tests));
}
