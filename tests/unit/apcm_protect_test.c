/*
 * What apcm does with what it knows, event by event: who protects, which
 * lines, until when, and what it costs.
 *
 * links: policy_apcm
 */
#include "tests/unit/apcm_rig.h"

enum {
    OWN = 7
};

/* Load A is intra-warp and in a loop, load D streaming; direct-mapped. */
static void teach(struct bench *b)
{
    bench_start(b);
    bench_load(b, OWN, A, 0);
    bench_load(b, OWN, A, 0);
    bench_load(b, OWN, D, 1);
    bench_warp(b, LOOM_EVENT_WARP_FINISH, OWN);
    EXPECT_CAIT(b, A, APCM_PROTECT, 2, A);
    EXPECT_CAIT(b, D, APCM_BYPASS, 1, D);
}

/* Section 5.3.  Lines 4 and 8 are both in set 0 of a direct-mapped L1. */
static void figure_11(void)
{
    struct bench b = bench_open(1);

    teach(&b);
    /* (a) Warp 0 executes load A: its PSB bit is set, the line protected. */
    EXPECT_EQ(bench_load(&b, 0, A, 4), 'm');
    EXPECT(b.a->psb[0].valid && b.a->psb[0].loops);
    EXPECT(b.a->line[0].protect);
    EXPECT_EQ(b.a->line[0].warp, 0);
    /* (b) Warp 1 executes load A: the line is protected, so its request goes
     * around, and its bit in the PSB is not set. */
    EXPECT_EQ(bench_load(&b, 1, A, 8), 'n');
    EXPECT(!b.a->psb[1].valid);
    EXPECT(b.a->line[0].protect);
    EXPECT_EQ(b.a->line[0].warp, 0);
    EXPECT_EQ(b.stats->no_way, 1);
    EXPECT_EQ(b.stats->load_no_way.item[0], 1);
    /* (c) Warp 0 hits as often as its loop runs, and leaves it. */
    EXPECT_EQ(bench_load(&b, 0, A, 4), 'h');
    EXPECT_EQ(bench_load(&b, 0, A, 4), 'h');
    EXPECT_EQ(b.stats->protected_hits, 2);
    bench_leave(&b, 0, 1);
    EXPECT(!b.a->psb[0].valid);
    EXPECT(b.a->line[0].protect); /* the bit itself is still there */
    /* (d) Warp 1's next try finds it stale and takes the line. */
    EXPECT_EQ(bench_load(&b, 1, A, 8), 'm');
    EXPECT_EQ(b.stats->unprotected, 1);
    EXPECT(b.a->line[0].protect);
    EXPECT_EQ(b.a->line[0].warp, 1);
    EXPECT(b.a->psb[1].valid);
    EXPECT_EQ(b.stats->acquired, 2);
    EXPECT_EQ(b.stats->protections, 2);
    tech_close(&b.t);
}

static void methods_can_be_used_alone(void)
{
    static const struct {
        const char *manage;
        char streaming, contended;
    } row[] = {{"both", 'b', 'n'},
               {"bypass", 'b', 'm'},
               {"protect", 'm', 'n'},
               {"none", 'm', 'm'}};

    for (size_t i = 0; i < LOOM_COUNTOF(row); i++) {
        struct bench b = bench_open(1);

        TECH_S(&b.t, "manage", row[i].manage);
        teach(&b);
        EXPECT_EQ(bench_load(&b, 0, D, 5), row[i].streaming);
        bench_load(&b, 0, A, 4);
        EXPECT_EQ(bench_load(&b, 1, A, 8), row[i].contended);
        tech_close(&b.t);
    }
}

/* A streaming load goes around, or is looked up and gets no line. */
static void streaming_loads_may_be_looked_up(void)
{
    const struct loom_allocation_ops *ops =
        loom_policy_type_ops(&apcm_policy, &loom_allocation_hook);

    for (uint32_t probe = 0; probe < 2; probe++) {
        struct bench b = bench_open(1);
        struct loom_bypass how = {LOOM_SECTOR_BYTES, true};
        struct loom_mem_request d, a;

        TECH_U(&b.t, "fetch_bytes", 128);
        TECH_B(&b.t, "probe", probe != 0);
        teach(&b);
        d = tech_load(&b.t, 0, D, 5 * 128);
        a = tech_load(&b.t, 0, A, 4 * 128);
        EXPECT_EQ(tech_bypasses(&b.t, &d), probe == 0);
        EXPECT_EQ(ops->allocate(b.t.policy, &d, 1, &how),
                  probe != 0 ? LOOM_NO_ALLOCATE : LOOM_ALLOCATE_DEFAULT);
        EXPECT_EQ(how.size_bytes, probe != 0 ? 128 : 32);
        EXPECT_EQ(ops->allocate(b.t.policy, &a, 0, &how),
                  LOOM_ALLOCATE_DEFAULT);
        tech_cache(&b.t, LOOM_EVENT_HIT, &d, 1, 0);
        EXPECT_EQ(b.stats->bypasses, probe == 0);
        tech_cache(&b.t, LOOM_EVENT_MISS, &d, 1, UINT32_MAX);
        EXPECT_EQ(b.stats->bypasses, 1);
        tech_close(&b.t);
    }
}

/* A is used last by C, B by itself: while warp 0 protects lines of A, those
 * of B are ordinary. */
static void a_warp_protects_one_load_at_a_time(void)
{
    struct bench b = bench_open(2);

    bench_start(&b);
    bench_load(&b, OWN, A, 0);
    bench_load(&b, OWN, C, 0);
    bench_load(&b, OWN, B, 1);
    bench_load(&b, OWN, B, 1);
    bench_warp(&b, LOOM_EVENT_WARP_FINISH, OWN);
    EXPECT_EQ(bench_load(&b, 0, A, 4), 'm');
    EXPECT_EQ(bench_load(&b, 0, B, 5), 'm');
    EXPECT_EQ(b.stats->protections, 1);
    EXPECT_EQ(b.stats->psb_conflicts, 1);
    EXPECT_EQ(bench_load(&b, 0, A, 6), 'm'); /* more lines of A */
    EXPECT_EQ(b.stats->protections, 2);
    EXPECT_EQ(b.stats->acquired, 1);
    bench_complete(&b, 0, C);
    EXPECT_EQ(bench_load(&b, 0, B, 9), 'm');
    EXPECT_EQ(b.stats->protections, 3);
    EXPECT(b.a->psb[0].loops);
    tech_close(&b.t);
}

static void the_end_of_a_warp_ends_its_protection(void)
{
    struct bench b = bench_open(1);

    teach(&b);
    bench_load(&b, 0, A, 4);
    bench_warp(&b, LOOM_EVENT_WARP_FINISH, 0);
    EXPECT(!b.a->psb[0].valid);
    EXPECT_EQ(b.stats->released[APCM_BY_WARP], 1);
    EXPECT_EQ(bench_load(&b, 1, A, 8), 'm');
    tech_close(&b.t);
}

static void the_last_load_may_end_it_when_it_is_issued(void)
{
    struct bench b = bench_open(2);

    TECH_S(&b.t, "release_at", "issue");
    bench_start(&b);
    bench_load(&b, OWN, A, 0);
    bench_load(&b, OWN, B, 0);
    bench_warp(&b, LOOM_EVENT_WARP_FINISH, OWN);
    bench_load(&b, 0, A, 4);
    bench_complete(&b, 0, B);
    EXPECT(b.a->psb[0].valid);
    bench_mem(&b, LOOM_EVENT_MEM_ISSUE, 0, B);
    EXPECT(!b.a->psb[0].valid);
    tech_close(&b.t);
}

static void the_outermost_loop_may_be_the_one_to_leave(void)
{
    struct bench b = bench_open(1);

    TECH_S(&b.t, "loop_release", "outermost");
    teach(&b);
    bench_load(&b, 0, A, 4);
    bench_leave(&b, 0, 1);
    EXPECT(b.a->psb[0].valid);
    bench_leave(&b, 0, 0);
    EXPECT(!b.a->psb[0].valid);
    tech_close(&b.t);
}

static void a_warp_may_protect_from_its_first_access_on(void)
{
    struct bench b = bench_open(1);

    TECH_S(&b.t, "psb_set", "access");
    teach(&b);
    bench_load(&b, 0, A, 4);
    EXPECT_EQ(bench_load(&b, 1, A, 8), 'n');
    EXPECT(b.a->psb[1].valid);
    tech_close(&b.t);
}

/* Six bits per warp cannot tell this protection from the one before, so an
 * old line is protected again; an epoch bit can. */
static void old_lines_are_protected_again_unless_epochs_tell(void)
{
    for (uint32_t bits = 0; bits < 2; bits++) {
        struct bench b = bench_open(1);

        TECH_U(&b.t, "epoch_bits", bits);
        teach(&b);
        bench_load(&b, 0, A, 4); /* set 0 */
        bench_leave(&b, 0, 1);
        bench_load(&b, 0, A, 5); /* set 1 */
        EXPECT_EQ(apcm_protected(b.a, b.t.policy, 0, 0), bits == 0);
        EXPECT(apcm_protected(b.a, b.t.policy, 1, 0));
        EXPECT_EQ(bench_load(&b, 1, A, 8), bits == 0 ? 'n' : 'm');
        tech_close(&b.t);
    }
}

static void a_hit_may_protect(void)
{
    for (uint32_t on = 0; on < 2; on++) {
        struct bench b = bench_open(2);

        TECH_B(&b.t, "protect_on_hit", on != 0);
        bench_start(&b);
        bench_load(&b, 2, A, 4); /* before anything is known */
        bench_load(&b, OWN, A, 1);
        bench_load(&b, OWN, A, 1);
        bench_warp(&b, LOOM_EVENT_WARP_FINISH, OWN);
        EXPECT_EQ(bench_load(&b, 2, A, 4), 'h'); /* protects nothing yet */
        EXPECT_EQ(b.stats->protections, 0);
        bench_load(&b, 2, A, 6);
        EXPECT_EQ(bench_load(&b, 2, A, 4), 'h');
        EXPECT_EQ(b.stats->protections, 1 + on);
        tech_close(&b.t);
    }
}

/* A write-evict takes a protected line away, and its bit. */
static void a_line_that_leaves_is_not_protected(void)
{
    struct bench b = bench_open(1);
    struct loom_mem_request store;

    teach(&b);
    bench_load(&b, 0, A, 4);
    store = tech_load(&b.t, 1, STORE, 4 * 128);
    store.kind = LOOM_MEM_STORE;
    tech_cache(&b.t, LOOM_EVENT_HIT, &store, 0, 0);
    bench_drop(&b, &store, 0, 0);
    EXPECT_EQ(bench_load(&b, 1, A, 8), 'm');
    EXPECT_EQ(b.a->line[0].warp, 1);
    tech_close(&b.t);
}

/* Accesses in order: h: warp 0 hits its protected line; o: others elsewhere. */
static void run(struct bench *b, const char *accesses)
{
    for (; *accesses != '\0'; accesses++) {
        if (*accesses == 'h') {
            EXPECT_EQ(bench_load(b, 0, A, 4), 'h');
        } else {
            bench_load(b, 2, B, 1);
        }
    }
}

/* APCM-p3: protected for three more accesses, whatever the warp does. */
static void protection_by_distance(void)
{
    static const struct {
        const char *scope;
        bool reset;
        const char *within, *beyond;
    } row[] = {
        {"cache", false, "ooh", "o"},
        {"cache", true, "ohooo", "o"},
        {"set", false, "oooohohh", "h"},
        {"set", true, "hhhhoooo", ""}, /* only its own set's count */
    };

    for (size_t i = 0; i < LOOM_COUNTOF(row); i++) {
        struct bench b = bench_open(1);

        TECH_S(&b.t, "protection", "distance");
        TECH_U(&b.t, "distance", 3);
        TECH_S(&b.t, "distance_scope", row[i].scope);
        TECH_B(&b.t, "distance_reset", row[i].reset);
        teach(&b);
        EXPECT_EQ(bench_load(&b, 0, A, 4), 'm');
        bench_leave(&b, 0, 1); /* is nothing to it */
        run(&b, row[i].within);
        EXPECT_EQ(bench_load(&b, 1, A, 8), 'n');
        run(&b, row[i].beyond);
        EXPECT_EQ(bench_load(&b, 1, A, 8),
                  row[i].beyond[0] != '\0' ? 'm' : 'n');
        EXPECT_EQ(b.stats->acquired, 0);
        tech_close(&b.t);
    }
}

/* Table 3, for 128 lines and 48 warps. */
static void storage_is_that_of_table_3(void)
{
    static const struct {
        const char *name;
        uint64_t count, bits;
    } part[] = {{"lines", 128, 11},
                {"mta", 32, 36},
                {"cait", 16, 11},
                {"lat", 16, 32},
                {"psb", 48, 6}};
    struct loom_cost_shape shape;
    struct loom_cost cost = {.count = 0};
    struct apcm_config config;

    loom_params_default(loom_cost_shape_params, &shape);
    loom_params_default(apcm_policy.params, &config);
    apcm_policy.cost(&config, &shape, &cost);
    REQUIRE(cost.count == LOOM_COUNTOF(part));
    for (size_t i = 0; i < LOOM_COUNTOF(part); i++) {
        EXPECT_TEXT(cost.part[i].name, part[i].name);
        EXPECT_EQ(cost.part[i].count, part[i].count);
        EXPECT_EQ(cost.part[i].bits, part[i].bits);
    }
    EXPECT_EQ(loom_cost_bits(&cost), 1408 + 1152 + 176 + 512 + 288);
}

static void wrong_parameters_are_refused(void)
{
    struct bench b = bench_open(1);

    TECH_U(&b.t, "mta_ways", 5);
    tech_start(&b.t);
    EXPECT(!b.t.good);
    EXPECT_TEXT(b.t.err.text, "'mta_ways' is 5");
    tech_close(&b.t);
    b = bench_open(1);
    TECH_U(&b.t, "threshold", 16);
    tech_start(&b.t);
    EXPECT(!b.t.good);
    EXPECT_TEXT(b.t.err.text, "'threshold' is 16");
    tech_close(&b.t);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"figure_11", figure_11},
        {"methods_can_be_used_alone", methods_can_be_used_alone},
        {"streaming_loads_may_be_looked_up", streaming_loads_may_be_looked_up},
        {"a_warp_protects_one_load_at_a_time",
         a_warp_protects_one_load_at_a_time},
        {"the_end_of_a_warp_ends_its_protection",
         the_end_of_a_warp_ends_its_protection},
        {"the_last_load_may_end_it_when_it_is_issued",
         the_last_load_may_end_it_when_it_is_issued},
        {"the_outermost_loop_may_be_the_one_to_leave",
         the_outermost_loop_may_be_the_one_to_leave},
        {"a_warp_may_protect_from_its_first_access_on",
         a_warp_may_protect_from_its_first_access_on},
        {"old_lines_are_protected_again_unless_epochs_tell",
         old_lines_are_protected_again_unless_epochs_tell},
        {"a_hit_may_protect", a_hit_may_protect},
        {"a_line_that_leaves_is_not_protected",
         a_line_that_leaves_is_not_protected},
        {"protection_by_distance", protection_by_distance},
        {"storage_is_that_of_table_3", storage_is_that_of_table_3},
        {"wrong_parameters_are_refused", wrong_parameters_are_refused},
    };

    return loom_run_tests("apcm_protect", tests, LOOM_COUNTOF(tests));
}
