/*
 * The analysis policies, step by step.
 *
 * links: policy_locality_analysis policy_load_analysis policy_warp_analysis
 * links: policy_conflict_analysis
 */
#include "tests/unit/bypass_ask.h"
#include "tests/unit/give.h"

#define SET(h, name, ...)                                                      \
    bypass_set(&(h), name, (union loom_value){__VA_ARGS__})

extern const struct loom_policy_type locality_analysis_policy;
extern const struct loom_policy_type load_analysis_policy;
extern const struct loom_policy_type warp_analysis_policy;
extern const struct loom_policy_type conflict_analysis_policy;

/* Kernels of ten loads, but that instruction 8 is a store: launches 0 and 2 are
 * of the first one, 1 and 3 of the second one. */
static void gives(const struct bypass_host *h)
{
    static struct loom_static_inst inst[10];
    static const char *const name[] = {"first", "second"};

    for (uint32_t i = 0; i < LOOM_COUNTOF(inst); i++) {
        inst[i] = (struct loom_static_inst){
            .op = i == 8 ? LOOM_OP_STORE : LOOM_OP_LOAD, .pc = 8 * i};
    }
    for (uint32_t i = 0; i < 4; i++) {
        const struct loom_kernel kernel = {.name = name[i % 2],
                                           .number = i,
                                           .inst = inst,
                                           .inst_count = LOOM_COUNTOF(inst)};

        give_kernel(h->machine, &kernel);
    }
}

/* A load of warp `warp` of instruction `inst`. */
static struct loom_mem_request by(uint16_t warp, uint32_t inst, uint64_t block)
{
    struct loom_mem_request r = bypass_load(inst, block);

    r.warp = warp;
    return r;
}

static void fills(const struct bypass_host *h, uint16_t warp, uint32_t inst,
                  uint32_t way)
{
    struct loom_mem_request r = by(warp, inst, way);

    bypass_fill(h, &r, 0, way);
}

static void hits(const struct bypass_host *h, uint16_t warp, uint32_t way)
{
    struct loom_mem_request r = by(warp, 9, way);

    bypass_access(h, LOOM_EVENT_HIT, &r, 0, way);
}

/* ---- locality_analysis ---- */

static void lines_are_classed_by_their_warps(void)
{
    struct bypass_host h = bypass_open(&locality_analysis_policy, 1, 8);

    SET(h, "load_rows", .u = 4);
    bypass_start(&h);
    REQUIRE(h.good);
    gives(&h);
    fills(&h, 1, 0, 0); /* streaming */
    fills(&h, 1, 0, 1);
    hits(&h, 1, 1); /* intra */
    fills(&h, 1, 0, 2);
    hits(&h, 2, 2); /* inter */
    hits(&h, 3, 2);
    fills(&h, 1, 2, 3);
    hits(&h, 2, 3);
    hits(&h, 1, 3);     /* mixed */
    fills(&h, 1, 7, 4); /* has no row */
    EXPECT_EQ(bypass_stat(&h, "lines", 0), 5);
    for (uint32_t i = 0; i < 4; i++) {
        static const uint64_t want[] = {2, 1, 1, 1};

        EXPECT_EQ(bypass_stat(&h, "lines_by_class", i), want[i]);
    }
    EXPECT_EQ(bypass_stat(&h, "load_streaming", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "load_intra", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "load_inter", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "load_mixed", 2), 1);
    EXPECT_EQ(bypass_stat(&h, "other_loads", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "lines_by_uses", 0), 2);
    EXPECT_EQ(bypass_stat(&h, "lines_by_uses", 1), 1);
    EXPECT_EQ(bypass_stat(&h, "lines_by_uses", 2), 2);
    EXPECT_EQ(bypass_stat(&h, "same_warp", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "other_warp", 0), 4);
    loom_machine_settle(h.machine); /* APS: (1 + 1) / (3 + 1) */
    EXPECT_EQ(bypass_stat(&h, "dominant_lines", 0), 2);
    EXPECT_EQ(bypass_stat(&h, "classified_lines", 0), 4);
    bypass_close(&h);
}

static void distances_count_the_accesses_between(void)
{
    struct bypass_host h = bypass_open(&locality_analysis_policy, 1, 8);
    const struct locality_histograms {
        struct loom_histogram same, other;
    } * found;
    const struct loom_stat *stat =
        loom_stats_find(locality_analysis_policy.stats, "same_warp_distance");

    bypass_start(&h);
    REQUIRE(h.good && stat != NULL);
    found = (const void *)((const char *)loom_policy_stats(h.policy) +
                           stat->offset);
    fills(&h, 1, 0, 0); /* access 1 */
    fills(&h, 1, 0, 1);
    hits(&h, 1, 0); /* 3 */
    hits(&h, 2, 1); /* 4: two after the second */
    EXPECT_EQ(found->same.count, 1);
    EXPECT_EQ(found->same.sum, 2);
    EXPECT_EQ(found->other.sum, 2);
    bypass_close(&h);
}

static void launches_can_be_chosen(void)
{
    struct bypass_host h = bypass_open(&locality_analysis_policy, 1, 8);
    uint64_t launch = 3;
    struct loom_mem_request r = bypass_load(0, 0);

    SET(h, "launches", .list = {&launch, 1});
    bypass_start(&h);
    REQUIRE(h.good);
    bypass_fill(&h, &r, 0, 0);
    EXPECT_EQ(bypass_stat(&h, "lines", 0), 0);
    r.kernel = 3;
    bypass_access(&h, LOOM_EVENT_HIT, &r, 0, 0); /* of a line of another */
    bypass_event(&h, LOOM_EVENT_EVICT, &r, 0, 0);
    bypass_fill(&h, &r, 0, 0);
    EXPECT_EQ(bypass_stat(&h, "lines", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "lines_by_class", 0), 1);
    bypass_close(&h);
}

/* Loads of two kernels have rows of their own, also of other launches. */
static void kernels_are_kept_apart(void)
{
    struct bypass_host h = bypass_open(&locality_analysis_policy, 1, 8);

    SET(h, "load_rows", .u = 18);
    bypass_start(&h);
    REQUIRE(h.good);
    gives(&h);
    for (uint32_t launch = 0; launch < 4; launch++) {
        struct loom_mem_request r = bypass_load(launch < 2 ? 3 : 9, launch);

        r.kernel = launch;
        bypass_fill(&h, &r, 0, launch);
    }
    for (uint32_t i = 0; i < 18; i++) { /* nine loads each */
        EXPECT_EQ(bypass_stat(&h, "load_kernel", i), i / 9);
        EXPECT_EQ(bypass_stat(&h, "load_pc", i), 8 * (i % 9 + i % 9 / 8));
        EXPECT_EQ(bypass_stat(&h, "load_streaming", i),
                  i % 9 == 3 || i % 9 == 8);
    }
    bypass_close(&h);
}

/* Of a trace, whose loads were not known: as they come. */
static void loads_of_traces_get_rows_as_they_come(void)
{
    static const struct loom_kernel kernel = {.name = "trace"};
    struct bypass_host h = bypass_open(&locality_analysis_policy, 1, 8);

    SET(h, "load_rows", .u = 2);
    bypass_start(&h);
    REQUIRE(h.good);
    fills(&h, 1, 7, 0); /* nobody knows its kernel */
    EXPECT_EQ(bypass_stat(&h, "other_loads", 0), 1);
    give_kernel(h.machine, &kernel);
    fills(&h, 1, 7, 1);
    fills(&h, 1, 2, 2);
    fills(&h, 1, 7, 3);
    fills(&h, 1, 3, 4); /* there is no further row */
    EXPECT_EQ(bypass_stat(&h, "load_inst", 0), 7);
    EXPECT_EQ(bypass_stat(&h, "load_streaming", 0), 2);
    EXPECT_EQ(bypass_stat(&h, "load_inst", 1), 2);
    EXPECT_EQ(bypass_stat(&h, "load_streaming", 1), 1);
    EXPECT_EQ(bypass_stat(&h, "other_loads", 0), 2);
    bypass_close(&h);
}

/* ---- load_analysis ---- */

static void completes(const struct bypass_host *h, uint32_t inst,
                      uint32_t accesses, uint32_t hits_, uint32_t bypasses)
{
    static const struct loom_static_inst insts[] = {
        {.op = LOOM_OP_LOAD}, {.op = LOOM_OP_STORE}, {.op = LOOM_OP_LOAD}};
    static const struct loom_kernel kernel = {
        .name = "kernel", .inst = insts, .inst_count = 3};
    struct loom_event event = {
        .kind = LOOM_EVENT_MEM_COMPLETE,
        .kernel = &kernel,
        .inst = inst,
        .count = accesses,
        .hits = hits_,
        .bypasses = bypasses,
    };

    give_kernel(h->machine, &kernel);
    bypass_tell(h, &loom_ldst_observe_hook, &event);
}

static void loads_are_cached_fully_partially_or_not(void)
{
    struct bypass_host h = bypass_open(&load_analysis_policy, 1, 8);

    SET(h, "load_rows", .u = 1);
    bypass_start(&h);
    REQUIRE(h.good);
    completes(&h, 0, 1, 1, 0);   /* coherent, fully */
    completes(&h, 0, 2, 1, 0);   /* coherent, partially */
    completes(&h, 0, 32, 0, 32); /* divergent, all sent around */
    completes(&h, 0, 8, 4, 1);   /* divergent, partially: 4 misses */
    completes(&h, 1, 4, 0, 0);   /* a store */
    completes(&h, 2, 3, 3, 0);   /* has no row; fully */
    EXPECT_EQ(bypass_stat(&h, "loads", 0), 5);
    EXPECT_EQ(bypass_stat(&h, "coherent", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "coherent", 1), 1);
    EXPECT_EQ(bypass_stat(&h, "divergent", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "divergent", 1), 1);
    EXPECT_EQ(bypass_stat(&h, "divergent", 2), 1);
    EXPECT_EQ(bypass_stat(&h, "coherent_misses", 1), 1);
    EXPECT_EQ(bypass_stat(&h, "divergent_misses", 3), 1);
    EXPECT_EQ(bypass_stat(&h, "divergent_misses", 4), 1);
    EXPECT_EQ(bypass_stat(&h, "load_count", 0), 4);
    EXPECT_EQ(bypass_stat(&h, "load_accesses", 0), 43);
    EXPECT_EQ(bypass_stat(&h, "load_hits", 0), 6);
    EXPECT_EQ(bypass_stat(&h, "load_fully", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "load_partially", 0), 2);
    EXPECT_EQ(bypass_stat(&h, "other_loads", 0), 1);
    bypass_close(&h);
}

/* ---- conflict_analysis ---- */

static void misses(const struct bypass_host *h, uint16_t warp, uint64_t block)
{
    struct loom_mem_request r = by(warp, 0, block);

    bypass_access(h, LOOM_EVENT_MISS, &r, 0, UINT32_MAX);
}

/* Warp `warp` brings `block` into way 0; `old` leaves if it is not 0. */
static void replaces(const struct bypass_host *h, uint16_t warp, uint64_t block,
                     uint64_t old)
{
    struct loom_mem_request r = by(warp, 0, block);

    misses(h, warp, block);
    if (old != 0) {
        struct loom_event event = {
            .kind = LOOM_EVENT_EVICT,
            .request = &r,
            .block = old * LOOM_BLOCK_BYTES,
            .reason = LOOM_EVICT_CAPACITY,
        };

        bypass_tell(h, &loom_cache_observe_hook, &event);
    }
    bypass_event(h, LOOM_EVENT_ALLOCATE, &r, 0, 0);
}

static void misses_are_cold_or_of_a_conflict(void)
{
    struct bypass_host h = bypass_open(&conflict_analysis_policy, 1, 8);

    bypass_start(&h);
    REQUIRE(h.good);
    gives(&h);
    replaces(&h, 1, 10, 0);  /* cold */
    replaces(&h, 1, 11, 10); /* cold; its own warp takes 10's way */
    replaces(&h, 2, 12, 11); /* cold; another warp takes 11's */
    misses(&h, 1, 10);       /* intra-warp */
    misses(&h, 1, 11);       /* inter-warp */
    misses(&h, 1, 11);       /* still without a line */
    EXPECT_EQ(bypass_stat(&h, "misses", 0), 3);
    EXPECT_EQ(bypass_stat(&h, "misses", 1), 1);
    EXPECT_EQ(bypass_stat(&h, "misses", 2), 1);
    EXPECT_EQ(bypass_stat(&h, "misses", 5), 1);
    EXPECT_EQ(bypass_stat(&h, "intra_evictions", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "inter_evictions", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "remembered", 0), 3);
    EXPECT_EQ(bypass_stat(&h, "load_intra", 0), 1);
    bypass_close(&h);
}

/* 64 places: of 1000 blocks most are unknown, and none is lost. */
static void a_full_table_is_told(void)
{
    struct bypass_host h = bypass_open(&conflict_analysis_policy, 1, 8);

    SET(h, "blocks", .u = 64);
    bypass_start(&h);
    REQUIRE(h.good);
    for (uint64_t i = 1; i <= 1000; i++) {
        misses(&h, 1, i);
    }
    EXPECT(bypass_stat(&h, "remembered", 0) <= 64);
    EXPECT_EQ(bypass_stat(&h, "misses", 0), bypass_stat(&h, "remembered", 0));
    EXPECT_EQ(bypass_stat(&h, "misses", 0) + bypass_stat(&h, "misses", 6),
              1000);
    bypass_close(&h);
}

/* ---- warp_analysis ---- */

static void tell_sm(const struct bypass_host *h, struct loom_event event)
{
    bypass_tell(h, &loom_sm_observe_hook, &event);
}

static void issues_are_counted_by_rank(void)
{
    struct bypass_host h = bypass_open(&warp_analysis_policy, 1, 8);

    bypass_start(&h); /* 48 warps, 2 schedulers */
    REQUIRE(h.good);
    tell_sm(&h, (struct loom_event){.kind = LOOM_EVENT_WARP_START, .now = 10});
    tell_sm(&h, (struct loom_event){.kind = LOOM_EVENT_WARP_START, .now = 10});
    for (uint16_t rank = 0; rank < 4; rank++) {
        tell_sm(&h, (struct loom_event){.kind = LOOM_EVENT_ISSUE,
                                        .rank = rank,
                                        .scheduler = rank % 2});
    }
    tell_sm(&h, (struct loom_event){
                    .kind = LOOM_EVENT_IBUFFER, .duration = 7, .count = 2});
    tell_sm(&h, (struct loom_event){.kind = LOOM_EVENT_WARP_FINISH, .now = 25});
    tell_sm(&h, (struct loom_event){.kind = LOOM_EVENT_WARP_FINISH, .now = 30});
    EXPECT_EQ(bypass_stat(&h, "issues_by_rank", 0), 2);
    EXPECT_EQ(bypass_stat(&h, "issues_by_rank", 1), 2);
    EXPECT_EQ(bypass_stat(&h, "issues_by_scheduler", 1), 2);
    EXPECT_EQ(bypass_stat(&h, "cycles_by_resident", 0), 10);
    EXPECT_EQ(bypass_stat(&h, "cycles_by_resident", 1), 5);
    EXPECT_EQ(bypass_stat(&h, "cycles_by_resident", 2), 15);
    EXPECT_EQ(bypass_stat(&h, "cycles_by_buffered", 2), 7);
    EXPECT_EQ(bypass_stat(&h, "resident_warp_cycles", 0), 35);
    bypass_close(&h);
}

static const struct loom_test tests[] = {
    {"kernels_are_kept_apart", kernels_are_kept_apart},
    {"loads_of_traces_get_rows_as_they_come",
     loads_of_traces_get_rows_as_they_come},
    {"lines_are_classed_by_their_warps", lines_are_classed_by_their_warps},
    {"distances_count_the_accesses_between",
     distances_count_the_accesses_between},
    {"launches_can_be_chosen", launches_can_be_chosen},
    {"loads_are_cached_fully_partially_or_not",
     loads_are_cached_fully_partially_or_not},
    {"misses_are_cold_or_of_a_conflict", misses_are_cold_or_of_a_conflict},
    {"a_full_table_is_told", a_full_table_is_told},
    {"issues_are_counted_by_rank", issues_are_counted_by_rank},
};

int main(void)
{
    return loom_run_tests("analysis", tests, LOOM_COUNTOF(tests));
}
