/*
 * Operand collectors, result bus, sub-cores, dual issue, write ports and
 * atomics of the SM, against cycles counted by hand.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "tests/unit/gpu_rig.h"

static struct source src;

static struct rig one_sm(struct source *source, uint32_t warps)
{
    source_init(source, 1, warps);
    return rig_build(1, &lrr_policy, &round_robin_policy);
}

static void expect_issues(const struct rig *rig, const loom_cycle *want,
                          uint32_t count)
{
    EXPECT_EQ(rig_count(rig, LOOM_EVENT_ISSUE), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(rig_issue(rig, i), want[i]);
    }
}

static uint64_t slots(const struct rig *rig, const char *reason)
{
    return rig_stat(rig->sm[0], "issue_slots", reason);
}

/* An instruction that reads several registers. */
static void reader(struct source *source, enum loom_op op, uint32_t dest,
                   const uint32_t *regs, uint32_t count)
{
    struct loom_static_inst *inst = source_inst(source, op, dest, NONE);

    for (uint32_t i = 0; i < count; i++) {
        inst->use[regs[i] / 64] |= loom_bit(regs[i] % 64);
    }
    inst->sources = (uint8_t)count;
}

/* ---- result bus ---- */

/* Both additions would be written in cycle 4. */
static void bus_takes_one_result_a_cycle(void)
{
    const loom_cycle want[] = {0, 1};
    struct rig rig = one_sm(&src, 2);

    rig_set(rig.sm[0], "schedulers", 2);
    rig_set(rig.sm[0], "result_bus_width", 1);
    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_run(&src, 0, 0, 0);
    source_run(&src, 1, 0, 0);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    EXPECT_EQ(slots(&rig, "result_bus"), 1);
    rig_free(&rig, &src);
}

/* The maximum of cycle 0 is written in 13, as an addition of 9 would be. */
static void unlike_latencies_meet_on_the_bus(void)
{
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.sm[0], "result_bus_width", 1);
    source_inst(&src, LOOM_OP_INT_MAX, 1, NONE);
    for (uint32_t i = 0; i < 8; i++) {
        source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    }
    source_inst(&src, LOOM_OP_INT_ADD, 2, NONE);
    source_run(&src, 0, 0, 9);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_issue(&rig, 8), 8);
    EXPECT_EQ(rig_issue(&rig, 9), 10);
    EXPECT_EQ(slots(&rig, "result_bus"), 1);
    rig_free(&rig, &src);
}

/* ---- issue ---- */

static void dual_issue_needs_different_units_if_told(void)
{
    const loom_cycle want[] = {0, 1, 1};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.sm[0], "issue_per_scheduler", 2);
    rig_flag(rig.sm[0], "dual_issue_different_units", true);
    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, NONE);
    source_inst(&src, LOOM_OP_SFU, 3, NONE);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    EXPECT_EQ(rig_stat(rig.sm[0], "dual_issues", NULL), 1);
    rig_free(&rig, &src);
}

/* Warps 0 and 2 are scheduler 0's.  Of two units with an interval of 2 it has
 * one to itself; shared, it could start one each cycle. */
static void units_of_sub_cores(bool sub_core, const loom_cycle *want)
{
    struct rig rig = one_sm(&src, 3);

    rig_set(rig.sm[0], "schedulers", 2);
    rig_flag(rig.sm[0], "sub_core", sub_core);
    rig_set(rig.sm[0], "sfu_units", 2);
    source_inst(&src, LOOM_OP_INT_MUL, 1, NONE);
    source_inst(&src, LOOM_OP_INT_MUL, 2, NONE);
    source_run(&src, 0, 0, 1);
    source_run(&src, 2, 0, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    rig_free(&rig, &src);
}

static void sub_cores_have_their_own_units(void)
{
    units_of_sub_cores(true, (const loom_cycle[]){0, 2, 4, 6});
    units_of_sub_cores(false, (const loom_cycle[]){0, 1, 2, 3});
}

static void eight_schedulers_issue_together(void)
{
    struct rig rig = one_sm(&src, 16);

    rig_set(rig.sm[0], "schedulers", 8);
    rig_set(rig.sm[0], "sp_units", 8);
    source_inst(&src, LOOM_OP_FP_ADD, 1, NONE);
    for (uint32_t w = 0; w < 16; w++) {
        source_run(&src, w, 0, 0);
    }
    rig_run(&rig, &src);
    EXPECT_EQ(rig_issue(&rig, 7), 0);
    EXPECT_EQ(rig_issue(&rig, 8), 1);
    EXPECT_EQ(rig_issue(&rig, 15), 1);
    rig_free(&rig, &src);
}

/* ---- scoreboard and write ports ---- */

/* A load of four registers: each of them is waited for. */
static void vector_load_reserves_all_registers(void)
{
    for (uint32_t reg = 4; reg < 8; reg++) {
        const loom_cycle want[] = {0, 1, 22};
        struct rig rig = one_sm(&src, 1);
        struct loom_static_inst *load;

        rig_set(rig.ldst[0], "delay", 20);
        load = source_inst(&src, LOOM_OP_LOAD, NONE, NONE);
        load->def[0] = load->use[0] = 0xf0;
        load->vector = 4;
        source_inst(&src, LOOM_OP_INT_ADD, 9, 8);
        source_inst(&src, LOOM_OP_INT_ADD, 10, reg);
        source_run(&src, 0, 0, 2);
        rig_run(&rig, &src);
        expect_issues(&rig, want, 3);
        rig_free(&rig, &src);
    }
}

/* Two loads come back in cycle 22. */
static void loads_share_the_write_port(void)
{
    for (uint32_t ports = 0; ports < 3; ports++) {
        const loom_cycle want[] = {0, 0, 22, ports == 1 ? 23 : 22};
        struct rig rig = one_sm(&src, 2);

        rig_set(rig.sm[0], "schedulers", 2);
        rig_set(rig.sm[0], "ldst_units", 2);
        rig_set(rig.sm[0], "load_writebacks", ports);
        rig_set(rig.ldst[0], "delay", 20);
        source_inst(&src, LOOM_OP_LOAD, 1, NONE);
        source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
        source_run(&src, 0, 0, 1);
        source_run(&src, 1, 0, 1);
        rig_run(&rig, &src);
        expect_issues(&rig, want, 4);
        rig_free(&rig, &src);
    }
}

/* ---- operand collectors ---- */

static struct rig collectors(struct source *source, uint32_t warps)
{
    struct rig rig = one_sm(source, warps);

    rig_set(rig.sm[0], "register_banks", 16);
    return rig;
}

/* Issue 0, collector 1, read 2, dispatch 3, unit 4; 4 of latency and 2 to
 * write: 10.  The pipeline's constant does not count. */
static void collected_instruction_takes_its_steps(void)
{
    const loom_cycle want[] = {0, 10, 20};
    struct rig rig = collectors(&src, 1);

    rig_set(rig.sm[0], "pipeline_cycles", 100);
    source_inst(&src, LOOM_OP_INT_ADD, 1, 0);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    source_inst(&src, LOOM_OP_INT_ADD, 3, 2);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    EXPECT_EQ(rig_stat(rig.sm[0], "register_reads", NULL), 3);
    /* The last one is written at 30. */
    EXPECT_EQ(slots(&rig, "drain"), 30 - 21);
    rig_free(&rig, &src);
}

static void nothing_to_read_saves_a_cycle(void)
{
    const loom_cycle want[] = {0, 9};
    struct rig rig = collectors(&src, 1);

    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    source_run(&src, 0, 0, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    rig_free(&rig, &src);
}

/* A source that is the destination too is known by its number only. */
static void source_in_the_destination_is_read(void)
{
    const loom_cycle want[] = {0, 10};
    struct rig rig = collectors(&src, 1);

    source_inst(&src, LOOM_OP_INT_ADD, 1, 1)->sources = 1;
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1)->sources = 1;
    source_run(&src, 0, 0, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    EXPECT_EQ(rig_stat(rig.sm[0], "register_reads", NULL), 2);
    rig_free(&rig, &src);
}

static void registers_of_a_bank_are_read_in_turn(void)
{
    static const uint32_t same[] = {0, 16, 32}, other[] = {0, 17, 34};

    for (uint32_t conflict = 0; conflict < 2; conflict++) {
        struct rig rig = collectors(&src, 1);

        reader(&src, LOOM_OP_INT_ADD, 50, conflict != 0 ? same : other, 3);
        source_inst(&src, LOOM_OP_INT_ADD, 51, 50);
        source_run(&src, 0, 0, 1);
        rig_run(&rig, &src);
        EXPECT_EQ(rig_issue(&rig, 1), conflict != 0 ? 12 : 10);
        EXPECT_EQ(rig_stat(rig.sm[0], "bank_conflicts", NULL),
                  conflict != 0 ? 2 + 1 : 0);
        rig_free(&rig, &src);
    }
}

/* Register 0 of warp 1 is in bank 1, or in bank 0 with warp 0's. */
static void banks_depend_on_the_warp_if_told(void)
{
    for (uint32_t by_warp = 0; by_warp < 2; by_warp++) {
        struct rig rig = collectors(&src, 2);

        rig_set(rig.sm[0], "schedulers", 2);
        rig_flag(rig.sm[0], "bank_by_warp", by_warp != 0);
        source_inst(&src, LOOM_OP_INT_ADD, 1, 0);
        source_run(&src, 0, 0, 0);
        source_run(&src, 1, 0, 0);
        rig_run(&rig, &src);
        EXPECT_EQ(rig_stat(rig.sm[0], "bank_conflicts", NULL),
                  by_warp != 0 ? 0 : 1);
        rig_free(&rig, &src);
    }
}

/* One collector: the first instruction holds it until it has read three times
 * (2, 3, 4) and leaves at 5, when the second, in the latch since 1, enters.
 * The third issues into the latch at 5. */
static void full_collector_stops_issue(void)
{
    static const uint32_t same[] = {0, 16, 32};
    const loom_cycle want[] = {0, 1, 5};
    struct rig rig = collectors(&src, 1);

    rig_set(rig.sm[0], "sp_collectors", 1);
    rig_set(rig.sm[0], "sp_ports", 1);
    rig_set(rig.sm[0], "sp_units", 1);
    for (uint32_t i = 0; i < 3; i++) {
        reader(&src, LOOM_OP_INT_ADD, 50 + i, same, 3);
    }
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    EXPECT_EQ(slots(&rig, "collector"), 3);
    rig_free(&rig, &src);
}

/* One SFU with an interval of 8, started at 3 and 11: latch, collector and
 * latch are full from 4 to 10. */
static void busy_unit_fills_the_collectors(void)
{
    const loom_cycle want[] = {0, 1, 2, 3, 11};
    struct rig rig = collectors(&src, 1);

    rig_set(rig.sm[0], "sfu_collectors", 1);
    for (uint32_t i = 0; i < 5; i++) {
        source_inst(&src, LOOM_OP_SFU, 10 + i, NONE);
    }
    source_run(&src, 0, 0, 4);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 5);
    EXPECT_EQ(slots(&rig, "unit_busy"), 7);
    rig_free(&rig, &src);
}

/* The load has read at 2.  Collectors leave in turn, beginning with the
 * second: that of the membar at 3, the load at 4, so that it is in its unit at
 * 5, at the load/store unit at 6, and its answer comes 21 cycles later. */
static void memory_goes_through_collectors(void)
{
    const loom_cycle want[] = {0, 1, 27};
    struct rig rig = collectors(&src, 1);

    rig_set(rig.ldst[0], "delay", 20);
    source_inst(&src, LOOM_OP_LOAD, 1, 0);
    source_inst(&src, LOOM_OP_MEMBAR, NONE, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    source_run(&src, 0, 0, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 3);
    rig_free(&rig, &src);
}

/* Its guard is false: its end does not make ready what the second load brings
 * into the same register. */
static void load_without_lanes_frees_only_its_own(void)
{
    struct rig rig = collectors(&src, 1);

    rig_set(rig.ldst[0], "delay", 200);
    source_inst(&src, LOOM_OP_LOAD, 1, 0)->flags = LOOM_INST_ANY_MASK;
    source_inst(&src, LOOM_OP_LOAD, 1, 0);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    loom_writer_put(&src.writer[0], 0, 0);
    source_run(&src, 0, 1, 2);
    rig_run(&rig, &src);
    EXPECT(rig_issue(&rig, 1) < 20);
    EXPECT(rig_issue(&rig, 2) > rig_issue(&rig, 1) + 200);
    rig_free(&rig, &src);
}

/* The load's register 17 comes at 26 into bank 1; an addition writes register
 * 1 of that bank then, having been issued at 26 - 9 = 17. */
static void load_waits_for_its_bank(void)
{
    for (uint32_t reg = 1; reg < 3; reg++) {
        struct rig rig = collectors(&src, 1);

        rig_set(rig.ldst[0], "delay", 20);
        source_inst(&src, LOOM_OP_LOAD, 17, 0);
        source_inst(&src, LOOM_OP_NOP, NONE, NONE);
        source_inst(&src, LOOM_OP_INT_ADD, reg, NONE);
        source_inst(&src, LOOM_OP_INT_ADD, 40, 17);
        source_run(&src, 0, 0, 0);
        for (uint32_t i = 1; i < 17; i++) {
            source_run(&src, 0, 1, 1);
        }
        source_run(&src, 0, 2, 3);
        rig_run(&rig, &src);
        EXPECT_EQ(rig_issue(&rig, 17), 17);
        EXPECT_EQ(rig_issue(&rig, 18), reg == 1 ? 27 : 26);
        rig_free(&rig, &src);
    }
}

static void generic_collectors_serve_all(void)
{
    const loom_cycle want[] = {0, 10};
    struct rig rig = collectors(&src, 1);

    rig_set(rig.sm[0], "sp_collectors", 0);
    rig_set(rig.sm[0], "sfu_collectors", 0);
    rig_set(rig.sm[0], "ldst_collectors", 0);
    rig_set(rig.sm[0], "generic_collectors", 2);
    rig_set(rig.sm[0], "generic_ports", 1);
    source_inst(&src, LOOM_OP_INT_ADD, 1, 0);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    source_run(&src, 0, 0, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    rig_free(&rig, &src);
}

/* Banks 0 and 1 belong to scheduler 0, 2 and 3 to scheduler 1: registers 0 and
 * 2 of warp 0 share one. */
static void sub_cores_have_their_own_banks(void)
{
    static const uint32_t regs[] = {0, 2};
    struct rig rig = collectors(&src, 2);

    rig_set(rig.sm[0], "register_banks", 4);
    rig_set(rig.sm[0], "schedulers", 2);
    rig_set(rig.sm[0], "sfu_units", 2);
    rig_flag(rig.sm[0], "sub_core", true);
    reader(&src, LOOM_OP_INT_ADD, 5, regs, 2);
    source_inst(&src, LOOM_OP_INT_ADD, 6, 5);
    source_run(&src, 0, 0, 1);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_issue(&rig, 1), 11);
    EXPECT_EQ(rig_stat(rig.sm[0], "bank_conflicts", NULL), 1);
    rig_free(&rig, &src);
}

static void refuse(const char *name, uint64_t value, bool sub_core)
{
    struct rig rig = collectors(&src, 1);

    rig_set(rig.sm[0], "schedulers", 2);
    rig_set(rig.sm[0], "sfu_units", 2);
    rig_flag(rig.sm[0], "sub_core", sub_core);
    if (strcmp(name, "sp_multiplies") == 0) {
        rig_flag(rig.sm[0], name, value != 0);
    } else {
        rig_set(rig.sm[0], name, value);
    }
    EXPECT(!loom_machine_freeze(rig.machine, rig_error, &rig));
    EXPECT_TEXT(rig.last.text, name);
    loom_machine_destroy(rig.machine);
}

static void impossible_shapes_are_refused(void)
{
    refuse("sp_collectors", 0, false);
    refuse("ldst_ports", 0, false);
    refuse("sp_units", 3, true);
    refuse("register_banks", 15, true);
    refuse("l0i_sets", 3, false);
    refuse("sp_multiplies", 1, true);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

/* ---- atomics ---- */

static void atomic_blocks_only_if_it_returns(void)
{
    const loom_cycle want[] = {0, 1, 2, 24, 25};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 20);
    source_inst(&src, LOOM_OP_ATOMIC, NONE, NONE);
    source_inst(&src, LOOM_OP_ATOMIC, 1, NONE)->flags = LOOM_INST_RETURNS;
    source_inst(&src, LOOM_OP_INT_ADD, 2, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 0, 0);
    source_run(&src, 0, 3, 3); /* passes at 1 */
    source_run(&src, 0, 1, 2); /* the add waits from 3 on */
    source_run(&src, 0, 3, 3);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 5);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "atomic"), 21);
    EXPECT_EQ(rig_stat(rig.sm[0], "atomics", NULL), 2);
    rig_free(&rig, &src);
}

/* With its own: what does not read the old value goes on, what reads it
 * waits, and so does a membar. */
static void atomic_that_returns_is_a_load_if_told(void)
{
    const loom_cycle want[] = {0, 1, 22, 23, 24, 45};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 20);
    rig_flag(rig.sm[0], "atomic_results_wait", false);
    source_inst(&src, LOOM_OP_ATOMIC, 1, NONE)->flags = LOOM_INST_RETURNS;
    source_inst(&src, LOOM_OP_INT_ADD, 2, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 2, 1);
    source_inst(&src, LOOM_OP_MEMBAR, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 0, 2);
    source_run(&src, 0, 0, 0);
    source_run(&src, 0, 3, 4);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 6);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "atomic"), 0);
    rig_free(&rig, &src);
}

/* Sent at 0, back at 22, as a membar after a store is. */
static void atomic_blocks_always_if_told(void)
{
    const loom_cycle want[] = {0, 22};
    struct rig rig = one_sm(&src, 1);

    rig_set(rig.ldst[0], "delay", 20);
    rig_flag(rig.sm[0], "every_atomic_waits", true);
    source_inst(&src, LOOM_OP_ATOMIC, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 0, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "atomic"), 21);
    rig_free(&rig, &src);
}

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(bus_takes_one_result_a_cycle),
        TEST(atomic_blocks_only_if_it_returns),
        TEST(atomic_that_returns_is_a_load_if_told),
        TEST(atomic_blocks_always_if_told),
        TEST(unlike_latencies_meet_on_the_bus),
        TEST(dual_issue_needs_different_units_if_told),
        TEST(sub_cores_have_their_own_units),
        TEST(eight_schedulers_issue_together),
        TEST(vector_load_reserves_all_registers),
        TEST(loads_share_the_write_port),
        TEST(collected_instruction_takes_its_steps),
        TEST(nothing_to_read_saves_a_cycle),
        TEST(source_in_the_destination_is_read),
        TEST(registers_of_a_bank_are_read_in_turn),
        TEST(banks_depend_on_the_warp_if_told),
        TEST(full_collector_stops_issue),
        TEST(busy_unit_fills_the_collectors),
        TEST(memory_goes_through_collectors),
        TEST(load_without_lanes_frees_only_its_own),
        TEST(load_waits_for_its_bank),
        TEST(generic_collectors_serve_all),
        TEST(sub_cores_have_their_own_banks),
        TEST(impossible_shapes_are_refused),
    };

    return loom_run_tests("sm_pipeline", tests, LOOM_COUNTOF(tests));
}
