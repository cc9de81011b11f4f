/*
 * ccws, asked directly: victim tags, scores and the cut-off.
 *
 * links: policy_ccws
 */
#include "tests/unit/throttle_rig.h"

extern const struct loom_policy_type ccws_policy;

static const loom_addr A = 128 * 10, B = 128 * 11, C = 128 * 12;

/* Four warps that are about to load, ten instructions issued; one set of two
 * victim tags each. */
static struct throttle_rig warps_that(bool clear_on_flush)
{
    struct throttle_rig rig = {.host = sm_host_make(&ccws_policy, 1, 8, 2)};

    sm_host_number(&rig.host, "vta_sets", 1);
    sm_host_number(&rig.host, "vta_ways", 2);
    sm_host_set(&rig.host, "clear_on_flush",
                (union loom_value){.b = clear_on_flush});
    sm_host_bind(&rig.host);
    REQUIRE(rig.host.good);
    for (uint32_t warp = 0; warp < 4; warp++) {
        throttle_start(&rig, warp);
        throttle_put(rig.loads, warp, true);
    }
    for (uint32_t i = 0; i < 10; i++) {
        throttle_issue(&rig, i % 4);
    }
    return rig;
}

static struct throttle_rig four_warps(void)
{
    return warps_that(false);
}

static void tell_cache(const struct throttle_rig *rig,
                       enum loom_event_kind kind, uint32_t warp,
                       loom_addr block, uint8_t access)
{
    const struct loom_mem_request request = {
        .block = block, .warp = (uint16_t)warp, .kind = access};
    struct loom_event event = throttle_event(rig, warp, kind);

    event.request = &request;
    event.block = block;
    sm_host_tell(&rig->host, &event);
}

static void miss(const struct throttle_rig *rig, uint32_t warp, loom_addr block)
{
    tell_cache(rig, LOOM_EVENT_MISS, warp, block, LOOM_MEM_LOAD);
}

/* A line that `warp` allocates, and that is evicted by warp 3. */
static void lose(const struct throttle_rig *rig, uint32_t warp, loom_addr block)
{
    tell_cache(rig, LOOM_EVENT_ALLOCATE, warp, block, LOOM_MEM_LOAD);
    tell_cache(rig, LOOM_EVENT_EVICT, 3, block, LOOM_MEM_LOAD);
}

/* Both schedulers' warps in one mask: bit = warp. */
static uint32_t may_load(struct throttle_rig *rig, loom_cycle now)
{
    uint64_t even, odd;

    rig->now = now;
    even = throttle_allow(rig, 0);
    odd = throttle_allow(rig, 1);
    return (uint32_t)((even & 1) | (odd & 1) << 1 | (even & 2) << 1 |
                      (odd & 2) << 2);
}

static uint64_t events(const struct throttle_rig *rig)
{
    return sm_host_stat(&rig->host, "events");
}

static void only_its_own_victims_count(void)
{
    struct throttle_rig rig = four_warps();

    lose(&rig, 0, A);
    miss(&rig, 1, A);
    miss(&rig, 3, A); /* it evicted the line, but did not own it */
    EXPECT_EQ(events(&rig), 0);
    EXPECT_EQ(sm_host_stat(&rig.host, "probes"), 2);
    miss(&rig, 0, A);
    miss(&rig, 0, A); /* a tag stays */
    EXPECT_EQ(events(&rig), 2);
    tell_cache(&rig, LOOM_EVENT_MISS, 0, A, LOOM_MEM_STORE);
    EXPECT_EQ(events(&rig), 2);
    sm_host_close(&rig.host);
}

static void tags_are_first_in_first_out(void)
{
    struct throttle_rig rig = four_warps();

    lose(&rig, 0, A);
    lose(&rig, 0, B);
    lose(&rig, 0, A); /* is there already */
    lose(&rig, 0, C); /* replaces A */
    miss(&rig, 0, A);
    EXPECT_EQ(events(&rig), 0);
    miss(&rig, 0, B);
    miss(&rig, 0, C);
    EXPECT_EQ(events(&rig), 2);
    sm_host_close(&rig.host);
}

static void stores_drop_tags(void)
{
    struct throttle_rig rig = four_warps();

    lose(&rig, 0, A);
    lose(&rig, 1, A);
    lose(&rig, 1, B);
    tell_cache(&rig, LOOM_EVENT_ACCESS, 2, A, LOOM_MEM_STORE);
    EXPECT_EQ(sm_host_stat(&rig.host, "store_drops"), 2);
    miss(&rig, 0, A);
    miss(&rig, 1, A);
    EXPECT_EQ(events(&rig), 0);
    miss(&rig, 1, B);
    EXPECT_EQ(events(&rig), 1);
    sm_host_close(&rig.host);
}

/* Cut-off: 4 warps * 100.  Score of warp 2: 1 hit / 10 instructions * 8 * 400
 * = 320; with warp 0's 100 it is over.  After 21 cycles 299 + 100 are not
 * enough, so warp 1 may load, too, and after 121 all may. */
static void the_highest_scores_load(void)
{
    struct throttle_rig rig = four_warps();

    EXPECT_EQ(may_load(&rig, 0), 15);
    lose(&rig, 2, A);
    miss(&rig, 2, A);
    EXPECT_EQ(may_load(&rig, 0), 4 | 1);
    EXPECT_EQ(may_load(&rig, 20), 4 | 1);
    EXPECT_EQ(may_load(&rig, 21), 4 | 1 | 2);
    EXPECT_EQ(may_load(&rig, 120), 4 | 1 | 2);
    EXPECT_EQ(may_load(&rig, 121), 15);
    EXPECT_EQ(sm_host_stat(&rig.host, "limited_cycles"), 121);
    EXPECT_EQ(sm_host_stat(&rig.host, "limited_warp_cycles"), 21 * 2 + 100);
    EXPECT_EQ(sm_host_stat(&rig.host, "score_sum"), 199 + 300);
    EXPECT_EQ(sm_host_stat(&rig.host, "holds"), 2); /* warps 1 and 3 */
    EXPECT_EQ(may_load(&rig, 5000), 15);
    EXPECT_EQ(sm_host_stat(&rig.host, "score_sum"), 400);
    sm_host_close(&rig.host);
}

/* The cycles in between need not be asked for. */
static void time_can_be_slept_through(void)
{
    struct throttle_rig rig = four_warps();

    lose(&rig, 2, A);
    miss(&rig, 2, A);
    EXPECT_EQ(may_load(&rig, 121), 15);
    EXPECT_EQ(sm_host_stat(&rig.host, "limited_cycles"), 121);
    EXPECT_EQ(sm_host_stat(&rig.host, "limited_warp_cycles"), 21 * 2 + 100);
    sm_host_close(&rig.host);
}

static void only_loads_are_held_back(void)
{
    struct throttle_rig rig = four_warps();

    lose(&rig, 2, A);
    miss(&rig, 2, A);
    throttle_put(rig.loads, 3, false); /* its next is an addition */
    EXPECT_EQ(may_load(&rig, 0), 4 | 1 | 8);
    sm_host_close(&rig.host);
}

/* Warp 2 lost a lot: 2 hits / 10 * 8 * 400 = 640 is more than the cut-off
 * alone.  When it ends its score and its hits go with it. */
static void a_finished_warp_takes_its_score_along(void)
{
    struct throttle_rig rig = four_warps();

    lose(&rig, 2, A);
    miss(&rig, 2, A);
    miss(&rig, 2, A);
    EXPECT_EQ(may_load(&rig, 0), 4);
    throttle_finish(&rig, 2); /* 2 of the instructions were its own */
    EXPECT_EQ(may_load(&rig, 0), 1 | 2 | 8);
    lose(&rig, 1, B);
    miss(&rig, 1, B); /* 1 / 8 * 8 * 300 = 300: enough */
    EXPECT_EQ(may_load(&rig, 0), 2);
    EXPECT_EQ(may_load(&rig, 1), 1 | 2);
    sm_host_close(&rig.host);
}

/* A line leaves in a flush, then warp 0 asks for what it had lost before. */
static uint64_t events_after_flush(bool clear)
{
    struct throttle_rig rig = warps_that(clear);
    const struct loom_mem_request request = {.block = B};
    struct loom_event flush = throttle_event(&rig, 0, LOOM_EVENT_EVICT);
    uint64_t found;

    lose(&rig, 0, A);
    tell_cache(&rig, LOOM_EVENT_ALLOCATE, 0, B, LOOM_MEM_LOAD);
    flush.request = &request;
    flush.block = B;
    flush.reason = LOOM_EVICT_FLUSH;
    sm_host_tell(&rig.host, &flush);
    miss(&rig, 0, B); /* what is flushed leaves no tag */
    miss(&rig, 0, A);
    found = events(&rig);
    lose(&rig, 0, C);
    miss(&rig, 0, C);
    EXPECT_EQ(events(&rig), found + 1);
    sm_host_close(&rig.host);
    return found;
}

static void a_flush_may_empty_the_tags(void)
{
    EXPECT_EQ(events_after_flush(false), 1);
    EXPECT_EQ(events_after_flush(true), 0);
}

static const struct loom_test tests[] = {
    {"only_its_own_victims_count", only_its_own_victims_count},
    {"tags_are_first_in_first_out", tags_are_first_in_first_out},
    {"stores_drop_tags", stores_drop_tags},
    {"the_highest_scores_load", the_highest_scores_load},
    {"time_can_be_slept_through", time_can_be_slept_through},
    {"only_loads_are_held_back", only_loads_are_held_back},
    {"a_finished_warp_takes_its_score_along",
     a_finished_warp_takes_its_score_along},
    {"a_flush_may_empty_the_tags", a_flush_may_empty_the_tags},
};

int main(void)
{
    return loom_run_tests("ccws", tests, LOOM_COUNTOF(tests));
}
