/*
 * Barriers and copies in the SM's time: arriving without waiting, barriers
 * of some warps, numbers that the program computes, groups of copies, fences.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "tests/unit/gpu_rig.h"

static struct source src;

/* One SM, one CTA of `warps` warps, a scheduler for each. */
static struct rig one_sm(uint32_t warps)
{
    struct rig rig;

    source_init(&src, 1, warps);
    rig = rig_build(1, &lrr_policy, &round_robin_policy);
    rig_set(rig.sm[0], "schedulers", warps == 3 ? 4 : warps);
    rig_set(rig.sm[0], "sp_units", 4); /* nobody waits for a unit */
    return rig;
}

/* Adds 0, 1, 2 ..: register n + 1 from register n; 4 cycles each. */
static void add_chain(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        source_inst(&src, LOOM_OP_INT_ADD, i + 1, i);
    }
}

static struct loom_static_inst *barrier(uint32_t number, uint32_t warps,
                                        uint32_t after)
{
    struct loom_static_inst *inst =
        source_inst(&src, LOOM_OP_BARRIER, NONE, after);

    inst->barrier = (uint8_t)number;
    inst->bytes = (uint8_t)warps;
    return inst;
}

/* Cycle in which an instruction was issued, from the first issue on. */
static loom_cycle issued(const struct rig *rig, uint32_t inst)
{
    uint32_t count = rig_count(rig, LOOM_EVENT_ISSUE);

    for (uint32_t i = 0; i < count; i++) {
        if (rig_event(rig, LOOM_EVENT_ISSUE, i)->inst == inst) {
            return rig_event(rig, LOOM_EVENT_ISSUE, i)->now -
                   rig_event(rig, LOOM_EVENT_ISSUE, 0)->now;
        }
    }
    return LOOM_NEVER;
}

/* Warp 0 arrives at 0 and goes on; warp 1 waits at 12 for nobody any more. */
static void arriving_does_not_wait(void)
{
    struct rig rig = one_sm(2);

    add_chain(3);
    barrier(1, 2, NONE)->flags = LOOM_INST_ARRIVE; /* 3 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    barrier(1, 2, 3); /* 5 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 3, 4);
    source_run(&src, 1, 0, 2);
    source_run(&src, 1, 5, 6);
    rig_run(&rig, &src);
    EXPECT_EQ(issued(&rig, 4), 1);
    EXPECT_EQ(issued(&rig, 5), 12);
    EXPECT_EQ(issued(&rig, 6), 13);
    EXPECT_EQ(rig_stat(rig.sm[0], "barriers", NULL), 2);
    rig_free(&rig, &src);
}

/* The other way round: warp 0 waits from 0 on for what arrives at 12. */
static void an_arrival_releases_who_waits(void)
{
    struct rig rig = one_sm(2);

    add_chain(3);
    barrier(1, 2, NONE); /* 3 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    barrier(1, 2, 3)->flags = LOOM_INST_ARRIVE; /* 5 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_run(&src, 0, 3, 4);
    source_run(&src, 1, 0, 2);
    source_run(&src, 1, 5, 6);
    rig_run(&rig, &src);
    EXPECT_EQ(issued(&rig, 5), 12);
    EXPECT_EQ(issued(&rig, 4), 13);
    EXPECT_EQ(issued(&rig, 6), 13);
    rig_free(&rig, &src);
}

/* Warps 0 and 1 meet at 12; warp 2, of six adds, has nothing to do with it. */
static void a_barrier_of_some_warps(void)
{
    struct rig rig = one_sm(3);

    add_chain(6);
    barrier(2, 2, NONE); /* 6 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    barrier(2, 2, 3); /* 8 */
    source_run(&src, 0, 6, 7);
    source_run(&src, 1, 0, 2);
    source_run(&src, 1, 8, 8);
    source_run(&src, 2, 0, 5);
    rig_run(&rig, &src);
    EXPECT_EQ(issued(&rig, 8), 12);
    EXPECT_EQ(issued(&rig, 7), 13);
    EXPECT_EQ(issued(&rig, 5), 20);
    rig_free(&rig, &src);
}

/* Its guard is false: warp 0 goes on, and the barrier still needs two. */
static void a_barrier_without_lanes(void)
{
    struct rig rig = one_sm(3);

    add_chain(6);
    barrier(2, 2, NONE)->flags = LOOM_INST_ANY_MASK; /* 6 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    barrier(2, 2, 3); /* 8 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    loom_writer_put(&src.writer[0], 6, 0);
    source_run(&src, 0, 7, 7);
    for (uint32_t warp = 1; warp < 3; warp++) {
        source_run(&src, warp, 0, 2);
        source_run(&src, warp, 8, 9);
    }
    rig_run(&rig, &src);
    EXPECT_EQ(issued(&rig, 7), 1);
    EXPECT_EQ(issued(&rig, 9), 13);
    EXPECT_EQ(rig_stat(rig.sm[0], "barriers", NULL), 2);
    rig_free(&rig, &src);
}

/* The record says barrier 5 of 64 threads, the static table barrier 0. */
static void a_computed_barrier(void)
{
    struct rig rig = one_sm(3);
    loom_addr what[LOOM_WARP_LANES];

    for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
        what[i] = UINT64_C(64) << 32 | 5;
    }
    add_chain(6);
    barrier(0, 0, NONE); /* 6 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    barrier(5, 2, 3); /* 8 */
    loom_writer_memory(&src.writer[0], 6, UINT32_MAX, what);
    source_run(&src, 0, 7, 7);
    source_run(&src, 1, 0, 2);
    source_run(&src, 1, 8, 8);
    source_run(&src, 2, 0, 5);
    rig_run(&rig, &src);
    EXPECT_EQ(issued(&rig, 7), 13);
    rig_free(&rig, &src);
}

static void copy(void)
{
    source_inst(&src, LOOM_OP_LOAD, NONE, NONE)->flags = LOOM_INST_ASYNC;
    source_inst(&src, LOOM_OP_NOP, NONE, NONE)->flags = LOOM_INST_ASYNC;
}

static void wait_for(uint32_t groups)
{
    struct loom_static_inst *inst =
        source_inst(&src, LOOM_OP_MEMBAR, NONE, NONE);

    inst->flags = LOOM_INST_ASYNC;
    inst->barrier = (uint8_t)groups;
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
}

/* Copies issued at 0 and 2 are back at 22 and 24, as loads are. */
static void groups_of_copies(void)
{
    const loom_cycle want[] = {0, 1, 2, 3, 4, 22, 23, 24};
    struct rig rig = one_sm(1);

    rig_set(rig.ldst[0], "delay", 20);
    copy();
    copy();
    wait_for(1);
    wait_for(0);
    source_run(&src, 0, 0, 7);
    rig_run(&rig, &src);
    for (uint32_t i = 0; i < LOOM_COUNTOF(want); i++) {
        EXPECT_EQ(issued(&rig, i), want[i]);
    }
    rig_free(&rig, &src);
}

/* wait_all waits for copies that are in no group yet, wait_group 0 does not. */
static void copies_without_a_group(void)
{
    struct rig rig = one_sm(1);

    rig_set(rig.ldst[0], "delay", 20);
    copy(); /* 0, 1 */
    source_inst(&src, LOOM_OP_LOAD, NONE, NONE)->flags =
        LOOM_INST_ASYNC;       /* 2 */
    wait_for(0);               /* 3, 4 */
    wait_for(LOOM_ALL_COPIES); /* 5, 6 */
    source_run(&src, 0, 0, 6);
    rig_run(&rig, &src);
    EXPECT_EQ(issued(&rig, 4), 22);
    EXPECT_EQ(issued(&rig, 6), 24);
    rig_free(&rig, &src);
}

static struct loom_static_inst *fence(enum loom_form form, uint32_t after)
{
    struct loom_static_inst *inst =
        source_inst(&src, LOOM_OP_MEMBAR, NONE, after);

    inst->form = (uint8_t)form;
    return inst;
}

static struct rig fences(uint32_t warps)
{
    struct rig rig = one_sm(warps);

    rig_set(rig.sm[0], "fence_latency", 50);
    rig_set(rig.sm[0], "fence_proxy_latency", 40);
    rig_set(rig.sm[0], "fence_interval", 30);
    return rig;
}

/* What leaves the SM takes its time, what does not takes none. */
static void fences_that_leave_take_time(void)
{
    static const struct {
        enum loom_form form;
        loom_cycle next;
    } want[] = {
        {LOOM_FORM_PLAIN, 50},
        {LOOM_FORM_FENCE_CTA, 1},
        {LOOM_FORM_FENCE_PROXY, 40},
        {LOOM_FORM_FENCE_SHARED, 1},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(want); i++) {
        struct rig rig = fences(1);

        fence(want[i].form, NONE);
        source_inst(&src, LOOM_OP_NOP, NONE, NONE);
        source_run(&src, 0, 0, 1);
        rig_run(&rig, &src);
        EXPECT_EQ(issued(&rig, 1), want[i].next);
        rig_free(&rig, &src);
    }
}

/* Gathered until 20, on its way until 50.  Warp 1 comes at 12 and goes with
 * it, warp 2 at 24 and waits for the next one. */
static void fences_gather_and_wait(void)
{
    struct rig rig = fences(3);

    add_chain(6);                               /* 0 to 5 */
    fence(LOOM_FORM_PLAIN, NONE);               /* 6 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE); /* 7 */
    fence(LOOM_FORM_PLAIN, 3);                  /* 8 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE); /* 9 */
    fence(LOOM_FORM_PLAIN, 6);                  /* 10 */
    source_inst(&src, LOOM_OP_NOP, NONE, NONE); /* 11 */
    source_run(&src, 0, 6, 7);
    source_run(&src, 1, 0, 2);
    source_run(&src, 1, 8, 9);
    source_run(&src, 2, 0, 5);
    source_run(&src, 2, 10, 11);
    rig_run(&rig, &src);
    EXPECT_EQ(issued(&rig, 8), 12);
    EXPECT_EQ(issued(&rig, 10), 24);
    EXPECT_EQ(issued(&rig, 7), 50);
    EXPECT_EQ(issued(&rig, 9), 50);
    EXPECT_EQ(issued(&rig, 11), 80);
    rig_free(&rig, &src);
}

/* A fence among threads waits for copies, one between proxies does not. */
static void fences_and_copies(void)
{
    static const struct {
        enum loom_form form;
        loom_cycle next;
    } want[] = {
        {LOOM_FORM_PLAIN, 22},
        {LOOM_FORM_FENCE_CTA, 22},
        {LOOM_FORM_FENCE_PROXY, 2},
        {LOOM_FORM_FENCE_SHARED, 2},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(want); i++) {
        struct rig rig = one_sm(1);

        rig_set(rig.ldst[0], "delay", 20);
        source_inst(&src, LOOM_OP_LOAD, NONE, NONE)->flags = LOOM_INST_ASYNC;
        fence(want[i].form, NONE);
        source_inst(&src, LOOM_OP_NOP, NONE, NONE);
        source_run(&src, 0, 0, 2);
        rig_run(&rig, &src);
        EXPECT_EQ(issued(&rig, 2), want[i].next);
        rig_free(&rig, &src);
    }
}

#define CASE(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

static const struct loom_test tests[] = {
    CASE(arriving_does_not_wait),  CASE(an_arrival_releases_who_waits),
    CASE(a_barrier_of_some_warps), CASE(a_barrier_without_lanes),
    CASE(a_computed_barrier),      CASE(groups_of_copies),
    CASE(copies_without_a_group),  CASE(fences_that_leave_take_time),
    CASE(fences_gather_and_wait),  CASE(fences_and_copies),
};

int main(void)
{
    return loom_run_tests("sm_barrier", tests, LOOM_COUNTOF(tests));
}
