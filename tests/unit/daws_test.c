/*
 * daws, asked directly: footprints of loops and who may load.
 *
 * links: policy_daws
 */
#include "tests/unit/throttle_rig.h"

extern const struct loom_policy_type daws_policy;

enum {
    ADD,
    FIRST,  /* load in the loop */
    SECOND, /* another one there */
    INSTS
};

static const struct loom_static_inst insts[INSTS] = {
    [ADD] = {.op = LOOM_OP_INT_ADD, .loop = LOOM_NO_LOOP},
    [FIRST] = {.op = LOOM_OP_LOAD, .loop = 0, .space = LOOM_SPACE_GLOBAL},
    [SECOND] = {.op = LOOM_OP_LOAD, .loop = 0, .space = LOOM_SPACE_GLOBAL},
};
static const struct loom_loop loops[] = {{.parent = LOOM_NO_LOOP}};
static const struct loom_kernel kernel = {
    .inst = insts, .inst_count = INSTS, .loop = loops, .loop_count = 1};

/* Three warps about to load, in an L1 of 128 lines of which half may be
 * filled. */
static struct throttle_rig three_warps(uint32_t history)
{
    struct throttle_rig rig = {.host = sm_host_make(&daws_policy, 1, 8, 2)};

    sm_host_number(&rig.host, "percent", 50);
    sm_host_number(&rig.host, "history", history);
    sm_host_bind(&rig.host);
    REQUIRE(rig.host.good);
    rig.kernel = &kernel;
    for (uint32_t warp = 0; warp < 3; warp++) {
        throttle_start(&rig, warp);
        throttle_put(rig.loads, warp, true);
    }
    return rig;
}

static void issue(struct throttle_rig *rig, uint32_t warp, uint32_t inst)
{
    rig->inst = inst;
    throttle_issue(rig, warp);
}

/* The load is issued, coalesced into `count` accesses, and accesses `block`
 * first. */
static void load(struct throttle_rig *rig, uint32_t warp, uint32_t inst,
                 uint32_t count, loom_addr block)
{
    const struct loom_mem_request request = {
        .block = block, .inst = inst, .warp = (uint16_t)warp};
    struct loom_event event;

    issue(rig, warp, inst);
    event = throttle_event(rig, warp, LOOM_EVENT_MEM_ISSUE);
    event.count = count;
    sm_host_tell(&rig->host, &event);
    event.kind = LOOM_EVENT_ACCESS;
    event.request = &request;
    sm_host_tell(&rig->host, &event);
}

/* bit = warp */
static uint32_t may_load(struct throttle_rig *rig)
{
    uint64_t even = throttle_allow(rig, 0), odd = throttle_allow(rig, 1);

    return (uint32_t)((even & 1) | (odd & 1) << 1 | (even & 2) << 1);
}

/* 32 lines each: two warps fit into 64, once it is seen that the lines are
 * used again. */
static void footprints_fit_the_cache(void)
{
    struct throttle_rig rig = three_warps(4);

    for (uint32_t warp = 0; warp < 3; warp++) {
        load(&rig, warp, FIRST, 32, 128 * warp);
    }
    EXPECT_EQ(may_load(&rig), 7);
    load(&rig, 1, FIRST, 32, 128 * 2); /* warp 2's block is no reuse */
    EXPECT_EQ(may_load(&rig), 7);
    load(&rig, 1, FIRST, 32, 128 * 1);
    EXPECT_EQ(sm_host_stat(&rig.host, "reuses"), 1);
    EXPECT_EQ(may_load(&rig), 3);
    EXPECT_EQ(sm_host_stat(&rig.host, "footprint"), 64);
    EXPECT_EQ(sm_host_stat(&rig.host, "holds"), 1);
    issue(&rig, 0, ADD); /* warp 0 leaves the loop */
    EXPECT_EQ(may_load(&rig), 7);
    sm_host_close(&rig.host);
}

/* The block comes back after the history has forgotten it. */
static void reuse_is_seen_in_the_history_only(void)
{
    struct throttle_rig rig = three_warps(2);

    load(&rig, 0, FIRST, 32, 128 * 1);
    load(&rig, 0, FIRST, 32, 128 * 2);
    load(&rig, 0, FIRST, 32, 128 * 3);
    load(&rig, 0, FIRST, 32, 128 * 1);
    EXPECT_EQ(sm_host_stat(&rig.host, "reuses"), 0);
    load(&rig, 0, FIRST, 32, 128 * 3);
    EXPECT_EQ(sm_host_stat(&rig.host, "reuses"), 1);
    sm_host_close(&rig.host);
}

/* Without a history every load counts: 31 + 1 lines, two warps fill 64.  With
 * 31 + 3 lines one fits; the most counts, not the last. */
static void loads_of_a_loop_add_up(void)
{
    struct throttle_rig rig = three_warps(0);

    load(&rig, 0, FIRST, 31, 0);
    load(&rig, 0, SECOND, 1, 0);
    issue(&rig, 1, FIRST);
    EXPECT_EQ(may_load(&rig), 7);
    EXPECT_EQ(sm_host_stat(&rig.host, "footprint"), 64);
    load(&rig, 1, SECOND, 3, 0);
    EXPECT_EQ(may_load(&rig), 1 | 4); /* warp 2 is in no loop */
    load(&rig, 1, SECOND, 1, 0);
    EXPECT_EQ(may_load(&rig), 1 | 4);
    EXPECT_EQ(sm_host_stat(&rig.host, "footprint"), 34);
    EXPECT_EQ(sm_host_stat(&rig.host, "most_footprint"), 64);
    sm_host_close(&rig.host);
}

/* One that is larger than all of the cache may load alone; and who waits at a
 * barrier does not keep others from loading. */
static void the_oldest_always_may(void)
{
    struct throttle_rig rig = three_warps(0);

    load(&rig, 0, FIRST, 100, 0);
    issue(&rig, 1, FIRST);
    EXPECT_EQ(may_load(&rig), 1 | 4);
    throttle_wait(&rig, 0, true);
    EXPECT_EQ(may_load(&rig), 2 | 4);
    throttle_wait(&rig, 0, false);
    throttle_finish(&rig, 0);
    EXPECT_EQ(may_load(&rig), 2 | 4);
    throttle_finish(&rig, 1);
    EXPECT_EQ(sm_host_stat(&rig.host, "entries"), 2);
    EXPECT_EQ(sm_host_stat(&rig.host, "exits"), 2);
    sm_host_close(&rig.host);
}

static const struct loom_test tests[] = {
    {"footprints_fit_the_cache", footprints_fit_the_cache},
    {"reuse_is_seen_in_the_history_only", reuse_is_seen_in_the_history_only},
    {"loads_of_a_loop_add_up", loads_of_a_loop_add_up},
    {"the_oldest_always_may", the_oldest_always_may},
};

int main(void)
{
    return loom_run_tests("daws", tests, LOOM_COUNTOF(tests));
}
