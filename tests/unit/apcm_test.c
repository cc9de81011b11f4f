/*
 * What apcm learns from the monitored warp, event by event: LAT, MTA, CAIT,
 * and the counts in the L1's lines.
 *
 * links: policy_apcm
 */
#include "tests/unit/apcm_rig.h"

enum {
    OWN = 7, /* the monitored warp */
    OTHER = 3
};

static void finish(struct bench *b)
{
    bench_warp(b, LOOM_EVENT_WARP_FINISH, OWN);
}

/* Table 2: total accesses N, of which M by the warp that allocated. */
static void loads_have_the_types_of_table_2(void)
{
    struct bench b = bench_open(8);

    bench_start(&b);
    bench_load(&b, OWN, A, 0); /* 1 access: streaming */
    bench_load(&b, OWN, B, 1); /* 3, of which 1: inter-warp */
    bench_load(&b, OTHER, B, 1);
    bench_load(&b, OTHER, B, 1);
    bench_load(&b, OWN, C, 2); /* 2 of 2: intra-warp */
    bench_load(&b, OWN, C, 2);
    bench_load(&b, OWN, D, 3); /* 2 of 3: both */
    bench_load(&b, OTHER, D, 3);
    bench_load(&b, OWN, D, 3);
    EXPECT(!bench_cait(&b, A)->valid);
    finish(&b);
    EXPECT_CAIT(&b, A, APCM_BYPASS, 1, A);
    EXPECT_CAIT(&b, B, APCM_NORMAL, 3, B);
    EXPECT_CAIT(&b, C, APCM_PROTECT, 2, C);
    EXPECT_CAIT(&b, D, APCM_NORMAL, 3, D);
    for (uint32_t i = 0; i < APCM_TYPES; i++) {
        EXPECT_EQ(b.stats->lines[i], 1);
        EXPECT_EQ(b.stats->load_type[i].item[i == APCM_STREAMING ? 0
                                             : i == APCM_INTER   ? 1
                                             : i == APCM_INTRA   ? 2
                                                                 : 3],
                  1);
    }
    bench_end(&b);
    EXPECT_EQ(b.stats->load_method[APCM_BYPASS].item[0], 1);
    EXPECT_EQ(b.stats->load_method[APCM_NORMAL].item[1], 1);
    EXPECT_EQ(b.stats->load_method[APCM_PROTECT].item[2], 1);
    tech_close(&b.t);
}

/* Figure 7, left: a load in a loop uses its line again. */
static void figure_7_a_load_in_a_loop_is_its_own_last(void)
{
    struct bench b = bench_open(8);

    bench_start(&b);
    bench_load(&b, OWN, A, 0);
    EXPECT_EQ(b.a->mta[0].first, 0);
    EXPECT_EQ(b.a->mta[0].last, 0);
    bench_load(&b, OWN, A, 0);
    bench_load(&b, OWN, A, 0);
    EXPECT_EQ(b.a->mta[0].total, 3);
    EXPECT_EQ(b.a->mta[0].intra, 3);
    finish(&b);
    EXPECT(!b.a->mta[0].valid);
    EXPECT_CAIT(&b, A, APCM_PROTECT, 3, A);
    /* It is protected until the loop is left. */
    bench_load(&b, 0, A, 8);
    EXPECT(b.a->psb[0].valid && b.a->psb[0].loops);
    bench_complete(&b, 0, A);
    EXPECT(b.a->psb[0].valid);
    bench_leave(&b, 0, 0); /* another loop */
    bench_leave(&b, 1, 1); /* another warp */
    EXPECT(b.a->psb[0].valid);
    bench_leave(&b, 0, 1);
    EXPECT(!b.a->psb[0].valid);
    tech_close(&b.t);
}

/* Figure 7, right: load B uses the line of load A. */
static void figure_7_another_load_is_the_last(void)
{
    struct bench b = bench_open(8);

    bench_start(&b);
    bench_load(&b, OWN, A, 0);
    bench_load(&b, OWN, B, 0);
    EXPECT_EQ(b.a->mta[0].first, 0);
    EXPECT_EQ(b.a->mta[0].last, 1);
    finish(&b);
    EXPECT_CAIT(&b, A, APCM_PROTECT, 2, B);
    EXPECT(!bench_cait(&b, B)->valid);
    /* Protected until B has completed. */
    EXPECT_EQ(bench_load(&b, 0, A, 8), 'm');
    EXPECT(b.a->psb[0].valid && !b.a->psb[0].loops);
    EXPECT(apcm_protected(b.a, b.t.policy, 0, 7 - 1));
    bench_complete(&b, 0, A);
    EXPECT_EQ(bench_load(&b, 0, B, 8), 'h');
    EXPECT(b.a->psb[0].valid);
    bench_leave(&b, 0, 1);
    bench_complete(&b, 1, B); /* another warp's */
    EXPECT(b.a->psb[0].valid);
    bench_complete(&b, 0, B);
    EXPECT(!b.a->psb[0].valid);
    EXPECT_EQ(b.stats->released[APCM_BY_LOAD], 1);
    EXPECT(!apcm_protected(b.a, b.t.policy, 0, 7 - 1));
    tech_close(&b.t);
}

static void only_two_accesses_of_a_load_are_tracked(void)
{
    for (uint32_t count = 0; count < 2; count++) {
        struct bench b = bench_open(8);

        TECH_B(&b.t, "count_dropped", count != 0);
        bench_start(&b);
        bench_mem(&b, LOOM_EVENT_MEM_ISSUE, OWN, A);
        for (uint8_t i = 0; i < 6; i++) {
            struct loom_mem_request r =
                tech_load(&b.t, OWN, A, (loom_addr)(i % 5) * 128);

            r.access = i;
            r.accesses = 6;
            bench_access(&b, &r);
        }
        EXPECT_EQ(b.stats->mta_allocations, 2);
        EXPECT_EQ(b.stats->dropped_accesses, 4);
        EXPECT_EQ(b.a->mta[0].total, 1 + count); /* the sixth is to line 0 */
        finish(&b);
        EXPECT_CAIT(&b, A, count != 0 ? APCM_PROTECT : APCM_BYPASS, 1 + count,
                    A);
        tech_close(&b.t);
    }
}

static void other_warps_only_count_hits_in_the_mta(void)
{
    struct bench b = bench_open(8);

    bench_start(&b);
    bench_load(&b, OTHER, A, 0);
    EXPECT_EQ(b.stats->mta_allocations, 0);
    bench_load(&b, OWN, A, 1);
    bench_load(&b, OTHER, B, 1);
    EXPECT_EQ(b.a->mta[1].total, 2);
    EXPECT_EQ(b.a->mta[1].intra, 1);
    EXPECT_EQ(b.a->mta[1].last, 0); /* of the monitored warp */
    tech_close(&b.t);
}

/* A line that others brought: its own count in the L1 begins the entry. */
static void a_hit_in_the_l1_begins_with_the_lines_count(void)
{
    struct bench b = bench_open(8);

    bench_start(&b);
    bench_load(&b, OTHER, A, 0);
    bench_load(&b, OTHER, A, 0);
    bench_load(&b, OTHER, A, 0);
    bench_load(&b, OWN, A, 0);
    EXPECT_EQ(b.a->mta[0].total, 4);
    EXPECT_EQ(b.a->mta[0].intra, 1);
    finish(&b);
    EXPECT_CAIT(&b, A, APCM_NORMAL, 4, A);
    tech_close(&b.t);
}

static void a_conflict_in_the_mta_is_a_verdict_that_more_overrules(void)
{
    for (uint32_t early = 0; early < 2; early++) {
        struct bench b = bench_open(8);

        TECH_B(&b.t, "early_streaming", early != 0);
        bench_start(&b);
        bench_load(&b, OWN, A, 0);
        bench_load(&b, OWN, A, 32); /* the same entry of 32 */
        EXPECT_EQ(bench_cait(&b, A)->valid, early);
        if (early != 0) {
            EXPECT_CAIT(&b, A, APCM_BYPASS, 1, A);
        }
        EXPECT_EQ(b.stats->mta_evictions, 1);
        /* It goes around now, and its line is looked up in the MTA still. */
        EXPECT_EQ(bench_load(&b, OWN, A, 32), early != 0 ? 'b' : 'h');
        bench_load(&b, OWN, B, 64); /* evicts a count of 2 */
        EXPECT_CAIT(&b, A, APCM_PROTECT, 2, A);
        bench_load(&b, OWN, A, 1);
        finish(&b); /* A's 1 does not overrule the 2 */
        EXPECT_CAIT(&b, A, APCM_PROTECT, 2, A);
        EXPECT_CAIT(&b, B, APCM_BYPASS, 1, B);
        tech_close(&b.t);
    }
}

static void sets_of_the_mta_evict_what_was_used_longest_ago(void)
{
    struct bench b = bench_open(8);

    TECH_U(&b.t, "mta_entries", 4);
    TECH_U(&b.t, "mta_ways", 4);
    bench_start(&b);
    for (uint32_t i = 0; i < 4; i++) {
        bench_load(&b, OWN, A, 32 * i);
    }
    EXPECT_EQ(b.stats->mta_evictions, 0);
    bench_load(&b, OWN, A, 0);
    bench_load(&b, OWN, B, 5); /* line 32 leaves, not 0 */
    EXPECT_EQ(b.stats->lines[APCM_STREAMING], 1);
    EXPECT_EQ(b.stats->lines[APCM_INTRA], 0);
    EXPECT_EQ(b.a->mta[0].total, 2);
    EXPECT_EQ(b.a->mta[1].tag, 5);
    tech_close(&b.t);
}

static void exceeding_the_threshold_is_a_verdict_at_once(void)
{
    struct bench b = bench_open(8);

    TECH_U(&b.t, "threshold", 3);
    bench_start(&b);
    for (uint32_t i = 0; i < 3; i++) {
        bench_load(&b, OWN, A, 0);
    }
    EXPECT(!bench_cait(&b, A)->valid);
    bench_load(&b, OWN, A, 0);
    EXPECT_CAIT(&b, A, APCM_PROTECT, 4, A);
    EXPECT_EQ(b.stats->threshold_updates, 1);
    EXPECT(b.a->mta[0].valid);
    tech_close(&b.t);
}

/* Others' accesses saturate the count before the warp's own come up to it:
 * the verdict of the sixteenth access, not intra-warp, stays. */
static void a_saturated_count_does_not_become_intra_warp(void)
{
    struct bench b = bench_open(8);

    bench_start(&b);
    bench_load(&b, OWN, A, 0);
    for (uint32_t i = 0; i < 30; i++) {
        bench_load(&b, OTHER, A, 0);
    }
    for (uint32_t i = 0; i < 30; i++) {
        bench_load(&b, OWN, A, 0);
    }
    EXPECT_EQ(b.a->mta[0].total, 15);
    EXPECT_EQ(b.a->mta[0].intra, 15);
    finish(&b);
    EXPECT_CAIT(&b, A, APCM_NORMAL, 15, A);
    EXPECT_EQ(b.stats->lines[APCM_INTER], 1); /* what it was until then */
    tech_close(&b.t);
}

static void loads_beyond_the_lat_are_normal(void)
{
    struct bench b = bench_open(8);

    TECH_U(&b.t, "loads", 2);
    bench_start(&b);
    bench_load(&b, OWN, A, 0);
    bench_load(&b, OWN, B, 1);
    bench_load(&b, OWN, C, 2);
    EXPECT_EQ(apcm_find(b.a, A), 0);
    EXPECT_EQ(apcm_find(b.a, B), 1);
    EXPECT_EQ(apcm_find(b.a, C), APCM_NO_ID);
    EXPECT_EQ(b.stats->mta_allocations, 2);
    EXPECT_EQ(b.stats->untracked_loads, 1);
    finish(&b);
    EXPECT_EQ(bench_load(&b, 0, A, 10), 'b');
    EXPECT_EQ(bench_load(&b, 0, C, 11), 'm');
    tech_close(&b.t);
}

/* A load that joins a fetch whose line has left again: a pending hit without
 * a way. */
static void a_pending_hit_may_have_no_line(void)
{
    struct bench b = bench_open(8);
    struct loom_mem_request r;

    bench_start(&b);
    r = tech_load(&b.t, OWN, A, 0);
    bench_mem(&b, LOOM_EVENT_MEM_ISSUE, OWN, A);
    tech_cache(&b.t, LOOM_EVENT_PENDING_HIT, &r, 0, UINT32_MAX);
    EXPECT_EQ(b.a->mta[0].total, 1);
    tech_close(&b.t);
}

static void stores_and_local_loads_are_left_alone(void)
{
    struct bench b = bench_open(8);
    struct loom_mem_request store, local;

    bench_start(&b);
    store = tech_load(&b.t, OWN, STORE, 0);
    store.kind = LOOM_MEM_STORE;
    local = tech_load(&b.t, OWN, LOCAL, 128);
    local.space = LOOM_SPACE_LOCAL;
    bench_mem(&b, LOOM_EVENT_MEM_ISSUE, OWN, STORE);
    bench_access(&b, &store);
    bench_mem(&b, LOOM_EVENT_MEM_ISSUE, OWN, LOCAL);
    bench_access(&b, &local);
    EXPECT_EQ(b.a->ids, 0);
    EXPECT_EQ(b.stats->mta_allocations, 0);
    tech_close(&b.t);
}

/* The first warp of a launch is monitored; what it taught stays. */
static void one_warp_of_a_launch_is_monitored(void)
{
    for (uint32_t always = 0; always < 2; always++) {
        struct bench b = bench_open(8);

        TECH_S(&b.t, "remonitor", always != 0 ? "always" : "launch");
        bench_start(&b);
        bench_warp(&b, LOOM_EVENT_WARP_START, 6);
        EXPECT_EQ(b.a->warp, OWN);
        bench_load(&b, OWN, A, 0);
        finish(&b);
        bench_warp(&b, LOOM_EVENT_WARP_START, 5);
        EXPECT_EQ(b.a->warp, always != 0 ? 5 : APCM_NO_WARP);
        bench_load(&b, 5, A, 1);
        bench_load(&b, 5, A, 1);
        bench_warp(&b, LOOM_EVENT_WARP_FINISH, 5);
        EXPECT_EQ(bench_cait(&b, A)->method,
                  always != 0 ? APCM_PROTECT : APCM_BYPASS);
        EXPECT_EQ(b.stats->monitored_warps, 1 + always);
        tech_close(&b.t);
    }
}

static void launches_begin_anew(void)
{
    static const struct loom_kernel again = {.name = "k",
                                             .number = 1,
                                             .inst = rig_inst,
                                             .inst_count = INSTS,
                                             .loop = rig_loop,
                                             .loop_count = 2};
    static const struct loom_kernel other = {.name = "l",
                                             .number = 2,
                                             .inst = rig_inst,
                                             .inst_count = INSTS,
                                             .loop = rig_loop,
                                             .loop_count = 2};
    static const struct {
        const char *reset;
        char same, another;
    } row[] = {{"launch", 'm', 'm'}, {"name", 'b', 'm'}, {"never", 'b', 'm'}};

    for (size_t i = 0; i < LOOM_COUNTOF(row); i++) {
        struct bench b = bench_open(8);

        TECH_S(&b.t, "reset", row[i].reset);
        bench_start(&b);
        bench_load(&b, OWN, A, 0);
        finish(&b);
        EXPECT_EQ(bench_load(&b, 0, A, 4), 'b');
        bench_end(&b);
        bench_kernel(&b, &again);
        EXPECT_EQ(bench_load(&b, 0, A, 8), row[i].same);
        bench_end(&b);
        bench_kernel(&b, &other); /* its A is another load */
        EXPECT_EQ(bench_load(&b, 0, A, 12), row[i].another);
        bench_warp(&b, LOOM_EVENT_WARP_START, 2);
        EXPECT_EQ(b.a->warp, 2);
        tech_close(&b.t);
    }
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"loads_have_the_types_of_table_2", loads_have_the_types_of_table_2},
        {"figure_7_a_load_in_a_loop_is_its_own_last",
         figure_7_a_load_in_a_loop_is_its_own_last},
        {"figure_7_another_load_is_the_last",
         figure_7_another_load_is_the_last},
        {"only_two_accesses_of_a_load_are_tracked",
         only_two_accesses_of_a_load_are_tracked},
        {"other_warps_only_count_hits_in_the_mta",
         other_warps_only_count_hits_in_the_mta},
        {"a_hit_in_the_l1_begins_with_the_lines_count",
         a_hit_in_the_l1_begins_with_the_lines_count},
        {"a_conflict_in_the_mta_is_a_verdict_that_more_overrules",
         a_conflict_in_the_mta_is_a_verdict_that_more_overrules},
        {"sets_of_the_mta_evict_what_was_used_longest_ago",
         sets_of_the_mta_evict_what_was_used_longest_ago},
        {"exceeding_the_threshold_is_a_verdict_at_once",
         exceeding_the_threshold_is_a_verdict_at_once},
        {"a_saturated_count_does_not_become_intra_warp",
         a_saturated_count_does_not_become_intra_warp},
        {"loads_beyond_the_lat_are_normal", loads_beyond_the_lat_are_normal},
        {"a_pending_hit_may_have_no_line", a_pending_hit_may_have_no_line},
        {"stores_and_local_loads_are_left_alone",
         stores_and_local_loads_are_left_alone},
        {"one_warp_of_a_launch_is_monitored",
         one_warp_of_a_launch_is_monitored},
        {"launches_begin_anew", launches_begin_anew},
    };

    return loom_run_tests("apcm", tests, LOOM_COUNTOF(tests));
}
