/*
 * The SM: issue cycles counted by hand, what warps wait for, what is counted
 * and told.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "tests/unit/gpu_rig.h"

/* One SM, one CTA of `warps` warps, lrr. */
static struct rig one_sm(struct source *source, uint32_t warps)
{
    source_init(source, 1, warps);
    return rig_build(1, &lrr_policy, &round_robin_policy);
}

/* Adds: register n + 1 from register n. */
static void add_chain(struct source *source, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        source_inst(source, LOOM_OP_INT_ADD, i + 1, i);
    }
}

static void add_independent(struct source *source, enum loom_op op, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        source_inst(source, op, 10 + i, NONE);
    }
}

static void expect_issues(const struct rig *rig, const loom_cycle *want,
                          uint32_t count)
{
    EXPECT_EQ(rig_count(rig, LOOM_EVENT_ISSUE), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(rig_issue(rig, i), want[i]);
    }
}

static struct source src;

static void dependent_adds_issue_at_their_latency(void)
{
    const loom_cycle want[] = {0, 4, 8, 12};
    struct rig rig = one_sm(&src, 1);

    add_chain(&src, 4);
    source_run(&src, 0, 0, 3);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "issued"), 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "scoreboard"), 9);
    /* One cycle of fetch; the last result drains in 4 cycles. */
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "fetch"), 1);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "drain"), 3);
    EXPECT_EQ(rig_stat(rig.sm[0], "warp_insts", NULL), 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "thread_insts", NULL), 128);
    EXPECT_EQ(rig_stat(rig.sm[0], "insts", "int_add"), 4);
    rig_free(&rig, &src);
}

static void pipeline_cycles_add_to_latency(void)
{
    const loom_cycle want[] = {0, 10, 20};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.sm[0], "pipeline_cycles", 6);
    add_chain(&src, 3);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    rig_free(&rig, &src);
}

static void write_after_write_waits(void)
{
    const loom_cycle want[] = {0, 145, 149};
    struct rig rig = one_sm(&src, 1);

    source_inst(&src, LOOM_OP_INT_DIV, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    rig_free(&rig, &src);
}

static void buffer_of_two_is_refilled_every_other_issue(void)
{
    const loom_cycle want[] = {0, 1, 3, 4, 6};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.sm[0], "ibuffer_entries", 2);
    rig_set(rig.sm[0], "fetch_cycles", 2);
    add_independent(&src, LOOM_OP_INT_ADD, 5);
    source_run(&src, 0, 0, 4);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 5);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "fetch"), 2 + 2);
    rig_free(&rig, &src);
}

/* The branch at 0 is taken while the fall-through is buffered: 2 + 1 cycles.
 * The branch at 4 is the last one buffered: 2 cycles. */
static void taken_branch_refetches(void)
{
    const loom_cycle want[] = {0, 3, 4, 6};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.sm[0], "ibuffer_entries", 2);
    rig_set(rig.sm[0], "fetch_cycles", 2);
    rig_set(rig.sm[0], "flush_cycles", 1);
    source_inst(&src, LOOM_OP_BRANCH, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_inst(&src, LOOM_OP_BRANCH, NONE, NONE);
    source_run(&src, 0, 0, 0);
    source_run(&src, 0, 2, 3);
    source_run(&src, 0, 1, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    rig_free(&rig, &src);
}

static void second_warp_hides_latency(void)
{
    const loom_cycle want[] = {0, 1, 4, 5, 8, 9};
    struct rig rig = one_sm(&src, 2);

    add_chain(&src, 3);
    source_run(&src, 0, 0, 2);
    source_run(&src, 1, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 6);
    rig_free(&rig, &src);
}

static void two_schedulers_issue_together(void)
{
    const loom_cycle want[] = {0, 0, 1, 1};
    struct rig rig = one_sm(&src, 2);

    rig_set(rig.sm[0], "schedulers", 2);
    add_independent(&src, LOOM_OP_FP_ADD, 2);
    source_run(&src, 0, 0, 1);
    source_run(&src, 1, 0, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    rig_free(&rig, &src);
}

static void unit_is_taken_for_its_interval(void)
{
    const loom_cycle want[] = {0, 8, 16};
    struct rig rig = one_sm(&src, 1);

    add_independent(&src, LOOM_OP_SFU, 3);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "unit_busy"), 14);
    rig_free(&rig, &src);
}

/* Two SP units, interval 2: two starts in every two cycles. */
static void units_of_a_kind_overlap(void)
{
    const loom_cycle want[] = {0, 1, 2, 3};
    struct rig rig = one_sm(&src, 1);

    add_independent(&src, LOOM_OP_INT_MUL, 4);
    source_run(&src, 0, 0, 3);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    rig_free(&rig, &src);
}

static void set_real(struct rig *rig, const char *name, double value)
{
    struct loom_error err;

    REQUIRE(loom_machine_set(rig->sm[0], name, (union loom_value){.f = value},
                             &err));
}

/* Whatever is buffered. */
static void branches_cost_what_they_are_told(void)
{
    for (uint32_t entries = 1; entries <= 2; entries++) {
        const loom_cycle want[] = {0, 10, 20};
        struct rig rig = one_sm(&src, 1);

        rig_set(rig.sm[0], "ibuffer_entries", entries);
        rig_set(rig.sm[0], "branch_cycles", 10);
        source_inst(&src, LOOM_OP_BRANCH, NONE, NONE);
        for (uint32_t i = 0; i < 3; i++) {
            source_run(&src, 0, 0, 0);
        }
        rig_run(&rig, &src);
        expect_issues(&rig, want, 3);
        rig_free(&rig, &src);
    }
}

/* Two and a half cycles are two and three in turn. */
static void intervals_need_not_be_whole(void)
{
    const loom_cycle want[] = {0, 2, 5, 7};
    struct rig rig = one_sm(&src, 1);

    set_real(&rig, "tensor_interval", 2.5);
    add_independent(&src, LOOM_OP_TENSOR, 4);
    source_run(&src, 0, 0, 3);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    rig_free(&rig, &src);
}

/* A product of three parts: its result two intervals later. */
static void products_are_made_part_by_part(void)
{
    const loom_cycle want[] = {0, 12, 30};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.sm[0], "tensor_latency", 10);
    set_real(&rig, "tensor_interval", 4);
    source_inst(&src, LOOM_OP_TENSOR, 1, NONE)->parts = 3;
    source_inst(&src, LOOM_OP_TENSOR, 2, NONE)->parts = 3;
    source_inst(&src, LOOM_OP_INT_ADD, 3, 2);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    rig_free(&rig, &src);
}

/* Products on the same sums of 32 cycles each: the first one starts at once,
 * two more wait in the queue, and the fourth has a place when the second one
 * has started.  A wait for all but the last group ends when the third one's
 * sums are there, 38 cycles after its start; one for all, with the fourth. */
static void products_of_warpgroups_are_queued(void)
{
    const loom_cycle want[] = {0, 1, 2, 3, 4, 32, 33, 34, 102, 103, 134};
    static const uint8_t inst[] = {0, 0, 1, 0, 1, 0, 1, 3, 4, 2, 4};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.sm[0], "tensor_group_latency", 10);
    set_real(&rig, "tensor_group_interval", 4);
    rig_set(rig.sm[0], "tensor_queue", 2);
    source_inst(&src, LOOM_OP_TENSOR, 1, 1)->parts = 8;
    source_inst(&src, LOOM_OP_NOP, NONE, NONE)->form = LOOM_FORM_PRODUCTS;
    source_inst(&src, LOOM_OP_NOP, NONE, NONE)->form = LOOM_FORM_PRODUCTS;
    source_inst(&src, LOOM_OP_NOP, NONE, NONE)->form = LOOM_FORM_PRODUCTS;
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    src.inst[0].form = LOOM_FORM_TENSOR_GROUP;
    src.inst[2].barrier = 1; /* none left */
    src.inst[3].barrier = 2; /* one group */
    for (size_t i = 0; i < LOOM_COUNTOF(inst); i++) {
        source_run(&src, 0, inst[i], inst[i]);
    }
    rig_run(&rig, &src);
    expect_issues(&rig, want, LOOM_COUNTOF(want));
    rig_free(&rig, &src);
}

/* Logic is as any move, if it has no latency of its own. */
static void forms_are_apart_if_told(void)
{
    for (uint32_t latency = 0; latency <= 7; latency += 7) {
        struct rig rig = one_sm(&src, 1);

        rig_set(rig.sm[0], "move_latency", 3);
        rig_set(rig.sm[0], "logic_latency", latency);
        source_inst(&src, LOOM_OP_MOVE, 1, NONE)->form = LOOM_FORM_LOGIC;
        source_inst(&src, LOOM_OP_MOVE, 2, 1);
        source_inst(&src, LOOM_OP_MOVE, 3, 2);
        source_run(&src, 0, 0, 2);
        rig_run(&rig, &src);
        EXPECT_EQ(rig_issue(&rig, 1), latency != 0 ? 7 : 3);
        EXPECT_EQ(rig_issue(&rig, 2), rig_issue(&rig, 1) + 3);
        EXPECT_EQ(rig_stat(rig.sm[0], "insts", "move"), 3);
        rig_free(&rig, &src);
    }
}

static void one_unit_is_shared_in_turn(void)
{
    struct rig rig = one_sm(&src, 2);

    rig_set(rig.sm[0], "schedulers", 2);
    rig_set(rig.sm[0], "sp_units", 1);
    add_independent(&src, LOOM_OP_FP_ADD, 4);
    source_run(&src, 0, 0, 3);
    source_run(&src, 1, 0, 3);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_issue(&rig, 7), 7);
    /* The first scheduler rotates, so the warps alternate. */
    for (uint32_t i = 1; i < 8; i++) {
        EXPECT(rig_event(&rig, LOOM_EVENT_ISSUE, i)->warp !=
               rig_event(&rig, LOOM_EVENT_ISSUE, i - 1)->warp);
    }
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "unit_busy"), 7);
    rig_free(&rig, &src);
}

static void dual_issue_takes_two_of_one_warp(void)
{
    const loom_cycle want[] = {0, 0, 1, 4};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.sm[0], "issue_per_scheduler", 2);
    add_independent(&src, LOOM_OP_INT_ADD, 3);
    source_inst(&src, LOOM_OP_INT_ADD, 1, 10); /* needs the first */
    source_run(&src, 0, 0, 3);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "dual_issues", NULL), 1);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "issued"), 3);
    rig_free(&rig, &src);
}

/* Issued at 0, seen at 1, answered with delay 20: back at 22. */
static void load_blocks_its_user_only(void)
{
    const loom_cycle want[] = {0, 1, 22};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 20);
    source_inst(&src, LOOM_OP_LOAD, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 3);
    source_inst(&src, LOOM_OP_INT_ADD, 4, 1);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "memory"), 20);
    EXPECT_EQ(rig_stat(rig.sm[0], "loads", NULL), 1);
    rig_free(&rig, &src);
}

/* The store is not waited for, except by the warp's end. */
static void warp_retires_when_stores_are_acknowledged(void)
{
    const loom_cycle want[] = {0, 1};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 50);
    source_inst(&src, LOOM_OP_STORE, NONE, 1);
    source_inst(&src, LOOM_OP_EXIT, NONE, NONE);
    source_run(&src, 0, 0, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_WARP_FINISH, 0)->now -
                  rig_event(&rig, LOOM_EVENT_ISSUE, 0)->now,
              52);
    /* The exit was issued at 1, the acknowledgement comes at 52. */
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "drain"), 50);
    rig_free(&rig, &src);
}

/* Warp 0 arrives at 0, warp 1 after a chain of three adds at 12 (warp 0 of
 * the same scheduler issues first). */
static void barrier_waits_for_the_last(void)
{
    struct rig rig = one_sm(&src, 2);
    loom_cycle start, go0, go1;

    rig_set(rig.sm[0], "schedulers", 2);
    add_chain(&src, 3);
    source_inst(&src, LOOM_OP_BARRIER, NONE, 3);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 3, 4);
    source_run(&src, 1, 0, 4);
    rig_run(&rig, &src);
    start = rig_event(&rig, LOOM_EVENT_ISSUE, 0)->now;
    go0 = rig_event(&rig, LOOM_EVENT_ISSUE, 5)->now;
    go1 = rig_event(&rig, LOOM_EVENT_ISSUE, 6)->now;
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 4)->inst, 3);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 4)->now - start, 12);
    EXPECT_EQ(go0 - start, 13);
    EXPECT_EQ(go1 - start, 13);
    EXPECT_EQ(rig_stat(rig.sm[0], "barriers", NULL), 2);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "barrier"), 12);
    rig_free(&rig, &src);
}

/* Warp 1 never comes to the barrier: its end, at 8, lets warp 0 go. */
static void exit_releases_a_barrier(void)
{
    struct rig rig = one_sm(&src, 2);

    rig_set(rig.sm[0], "schedulers", 2);
    add_chain(&src, 3);
    source_inst(&src, LOOM_OP_BARRIER, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 3, 4);
    source_run(&src, 1, 0, 2);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 4)->inst, 4);
    EXPECT_EQ(rig_issue(&rig, 4), 9);
    rig_free(&rig, &src);
}

static void membar_waits_for_loads_not_stores(void)
{
    const loom_cycle want[] = {0, 1, 2, 22};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 20);
    source_inst(&src, LOOM_OP_LOAD, 1, NONE);
    source_inst(&src, LOOM_OP_STORE, NONE, NONE);
    source_inst(&src, LOOM_OP_MEMBAR, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 0, 3);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4); /* the store is back at 23 */
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "membar"), 19);
    rig_free(&rig, &src);
}

static void membar_waits_for_stores_if_told(void)
{
    const loom_cycle want[] = {0, 1, 22};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 20);
    rig_flag(rig.sm[0], "membar_waits_stores", true);
    source_inst(&src, LOOM_OP_STORE, NONE, NONE);
    source_inst(&src, LOOM_OP_MEMBAR, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    rig_free(&rig, &src);
}

/* The link holds 4; the unit takes one message a cycle only while its answers
 * have room, and 64 of them fit: 68 are on their way before issue stalls. */
static void full_link_stalls_issue(void)
{
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 500);
    source_inst(&src, LOOM_OP_STORE, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    for (uint32_t i = 0; i < 69; i++) {
        source_run(&src, 0, 0, 0);
    }
    rig_set(rig.sm[0], "flush_cycles", 0);
    rig_set(rig.sm[0], "fetch_cycles", 1);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_issue(&rig, 67), 67);
    /* The first answer is popped at 502; its place is free for the unit at
     * 503, which frees a place of the link for the SM at 504. */
    EXPECT_EQ(rig_issue(&rig, 68), 504);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "ldst_full"), 504 - 68);
    rig_free(&rig, &src);
}

static void instructions_without_lanes_pass(void)
{
    const loom_cycle want[] = {0, 1};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 100);
    source_inst(&src, LOOM_OP_LOAD, 1, NONE)->flags = LOOM_INST_ANY_MASK;
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    loom_writer_put(&src.writer[0], 0, 0);
    loom_writer_put(&src.writer[0], 1, 0xff);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    EXPECT_EQ(rig_stat(rig.sm[0], "thread_insts", NULL), 8);
    EXPECT_EQ(rig_stat(rig.sm[0], "lane_slots", NULL), 64);
    rig_free(&rig, &src);
}

static void warps_without_instructions_end_at_once(void)
{
    struct rig rig = one_sm(&src, 3);

    add_chain(&src, 2);
    source_run(&src, 1, 0, 1);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_stat(rig.sm[0], "warps_done", NULL), 3);
    EXPECT_EQ(src.released, 1);
    rig_free(&rig, &src);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(dependent_adds_issue_at_their_latency),
        TEST(pipeline_cycles_add_to_latency),
        TEST(write_after_write_waits),
        TEST(buffer_of_two_is_refilled_every_other_issue),
        TEST(taken_branch_refetches),
        TEST(second_warp_hides_latency),
        TEST(two_schedulers_issue_together),
        TEST(unit_is_taken_for_its_interval),
        TEST(units_of_a_kind_overlap),
        TEST(branches_cost_what_they_are_told),
        TEST(intervals_need_not_be_whole),
        TEST(products_are_made_part_by_part),
        TEST(products_of_warpgroups_are_queued),
        TEST(forms_are_apart_if_told),
        TEST(one_unit_is_shared_in_turn),
        TEST(dual_issue_takes_two_of_one_warp),
        TEST(load_blocks_its_user_only),
        TEST(warp_retires_when_stores_are_acknowledged),
        TEST(barrier_waits_for_the_last),
        TEST(exit_releases_a_barrier),
        TEST(membar_waits_for_loads_not_stores),
        TEST(membar_waits_for_stores_if_told),
        TEST(full_link_stalls_issue),
        TEST(instructions_without_lanes_pass),
        TEST(warps_without_instructions_end_at_once),
    };

    return loom_run_tests("sm", tests, LOOM_COUNTOF(tests));
}
