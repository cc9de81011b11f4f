/*
 * Two-level bypassing, event by event: when it samples, what it counts, and
 * what the two stages decide.
 *
 * links: policy_two_level
 */
#include "tests/unit/give.h"
#include "tests/unit/technique_host.h"

extern const struct loom_policy_type two_level_policy;

enum {
    WARPS = 32,
    WINDOW = 5000
};

static const struct loom_static_inst insts[] = {
    {.op = LOOM_OP_LOAD, .space = LOOM_SPACE_GLOBAL, .pc = 8, .line = 3},
    {.op = LOOM_OP_STORE, .space = LOOM_SPACE_GLOBAL, .pc = 16, .line = 4},
    {.op = LOOM_OP_LOAD, .space = LOOM_SPACE_LOCAL, .pc = 24, .line = 5},
    {.op = LOOM_OP_LOAD, .space = LOOM_SPACE_SHARED, .pc = 32, .line = 6},
};
static const struct loom_kernel first = {
    .name = "first", .number = 0, .inst = insts, .inst_count = 4};
static const struct loom_kernel second = {
    .name = "second", .number = 1, .inst = insts, .inst_count = 4};

static struct tech open(void)
{
    struct tech t =
        tech_open(&two_level_policy, (struct tech_shape){4, 48, WARPS});

    t.kernel = &first;
    return t;
}

static void launch(struct tech *t, const struct loom_kernel *kernel,
                   loom_cycle now)
{
    t->kernel = kernel;
    t->now = now;
    give_kernel(t->machine, kernel);
    tech_tell(t, t->sm, (struct loom_event){.kind = LOOM_EVENT_KERNEL_START});
}

static void cta(struct tech *t, loom_cycle now)
{
    t->now = now;
    tech_tell(t, t->sm, (struct loom_event){.kind = LOOM_EVENT_CTA_START});
}

/* From now on so many warps have a valid entry. */
static void buffered(struct tech *t, loom_cycle now, uint32_t before,
                     uint32_t after)
{
    t->now = now;
    tech_tell(t, t->sm,
              (struct loom_event){
                  .kind = LOOM_EVENT_IBUFFER, .count = before, .after = after});
}

static void access(struct tech *t, loom_cycle now, enum loom_event_kind kind,
                   uint32_t count)
{
    struct loom_mem_request r = tech_load(t, 0, 0, 0);

    t->now = now;
    for (uint32_t i = 0; i < count; i++) {
        tech_cache(t, kind, &r, 0, 0);
    }
}

static uint64_t stat(const struct tech *t, const char *name)
{
    const struct loom_stat *s = loom_stats_find(two_level_policy.stats, name);

    REQUIRE(s != NULL);
    return (uint64_t)loom_stat_read(s, loom_policy_stats(t->policy), 1);
}

static bool bypassing(struct tech *t)
{
    struct loom_mem_request r = tech_load(t, 0, 0, 0);
    bool load = tech_bypasses(t, &r);

    EXPECT_EQ(stat(t, "bypassing"), load);
    r.kind = LOOM_MEM_STORE;
    EXPECT(!tech_bypasses(t, &r)); /* stores go to the L1 in either mode */
    return load;
}

/* One window with so many accesses and misses and a steady occupancy;
 * whether it ended in mode B. */
static bool decides(uint32_t accesses, uint32_t misses, uint32_t warps)
{
    struct tech t = open();
    bool bypass;

    tech_start(&t);
    REQUIRE(t.good);
    launch(&t, &first, 90);
    buffered(&t, 95, 0, warps);
    cta(&t, 100);
    EXPECT_EQ(stat(&t, "sampling"), 1);
    access(&t, 200, LOOM_EVENT_MISS, misses);
    access(&t, 5099, LOOM_EVENT_HIT, accesses - misses);
    EXPECT(!bypassing(&t)); /* the window is not over */
    buffered(&t, 5100, warps, warps);
    EXPECT_EQ(stat(&t, "windows"), 1);
    EXPECT_EQ(stat(&t, "sampling"), 0);
    EXPECT_EQ(stat(&t, "sampled_accesses"), accesses);
    EXPECT_EQ(stat(&t, "sampled_misses"), misses);
    EXPECT_EQ(stat(&t, "sampled_warp_cycles"), (uint64_t)warps * WINDOW);
    bypass = bypassing(&t);
    tech_close(&t);
    return bypass;
}

/* What the paper says of its benchmarks (figure 1 and section 4). */
static void benchmarks_of_the_paper_are_decided_as_it_says(void)
{
    EXPECT(!decides(1000, 46, 6));   /* CF: 4.6 %, whatever the occupancy */
    EXPECT(decides(1000, 990, 32));  /* PF */
    EXPECT(decides(1000, 950, 32));  /* MS */
    EXPECT(!decides(1000, 730, 30)); /* STC: 73 %, 93 % of the warps */
    EXPECT(decides(1000, 720, 6));   /* LUD: 72 %, 18 % */
    EXPECT(decides(1000, 680, 14));  /* SHFL: 68 %, below 46 % */
}

static void limits_belong_to_the_second_stage(void)
{
    EXPECT(!decides(1000, 900, 16)); /* not above TH, not below TW */
    EXPECT(decides(1000, 900, 15));
    EXPECT(!decides(1000, 100, 16)); /* not below TL */
    EXPECT(decides(1000, 100, 15));
    EXPECT(!decides(1000, 99, 0));
    EXPECT(decides(1000, 901, 32));
}

static void a_window_without_accesses_bypasses(void)
{
    struct tech t = open();

    EXPECT(decides(0, 0, 32));
    EXPECT(!decides(1, 0, 0)); /* one is enough by default */
    TECH_U(&t, "min_accesses", 10);
    TECH_S(&t, "few", "cache");
    tech_start(&t);
    launch(&t, &first, 0);
    cta(&t, 0);
    access(&t, 1, LOOM_EVENT_MISS, 9);
    buffered(&t, WINDOW, 0, 0);
    EXPECT(!bypassing(&t));
    tech_close(&t);
}

static void the_occupancy_is_averaged_over_the_window_only(void)
{
    static const struct {
        uint32_t low, high;
        const char *at;
        bool bypass;
    } row[] = {
        {8, 24, "average", false}, /* 16 on average */
        {8, 23, "average", true},  /* 15.5 */
        {8, 23, "end", false},     {24, 8, "end", true},
        {24, 8, "average", false},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(row); i++) {
        struct tech t = open();

        TECH_S(&t, "occupancy_at", row[i].at);
        tech_start(&t);
        launch(&t, &first, 0);
        buffered(&t, 50, 0, row[i].low); /* before the window: not counted */
        cta(&t, 1000);
        access(&t, 1001, LOOM_EVENT_MISS, 1);
        access(&t, 1001, LOOM_EVENT_HIT, 1);
        buffered(&t, 3500, row[i].low, row[i].high);
        access(&t, 9000, LOOM_EVENT_HIT, 1); /* long after it */
        EXPECT_EQ(stat(&t, "sampled_warp_cycles"),
                  2500 * (uint64_t)(row[i].low + row[i].high));
        EXPECT_EQ(stat(&t, "sampled_accesses"), 2);
        EXPECT_EQ(bypassing(&t), row[i].bypass);
        tech_close(&t);
    }
}

static void a_launch_may_sample_from_its_first_cta(void)
{
    struct tech t = open();

    TECH_S(&t, "restart", "launch");
    TECH_U(&t, "hold_cycles", 0);
    tech_start(&t);
    launch(&t, &first, 0);
    access(&t, 10, LOOM_EVENT_MISS, 5); /* nothing samples yet */
    EXPECT_EQ(stat(&t, "sampled_accesses"), 0);
    cta(&t, 20);
    access(&t, 30, LOOM_EVENT_MISS, 5);
    cta(&t, 4000); /* no new window */
    access(&t, 5021, LOOM_EVENT_MISS, 1);
    EXPECT_EQ(stat(&t, "windows"), 1);
    EXPECT(bypassing(&t));
    /* The next kernel: mode B until its first CTA, then a window with the
     * L1 on, which is shorter than the sampling period. */
    launch(&t, &second, 9000);
    EXPECT(bypassing(&t));
    cta(&t, 9100);
    EXPECT(!bypassing(&t));
    EXPECT_EQ(stat(&t, "to_cache"), 1);
    access(&t, 9200, LOOM_EVENT_MISS, 5);
    launch(&t, &first, 10000);
    EXPECT(!bypassing(&t));
    EXPECT_EQ(stat(&t, "windows"), 1);
    cta(&t, 10001); /* and again from the beginning */
    access(&t, 15001, LOOM_EVENT_HIT, 1);
    EXPECT_EQ(stat(&t, "windows"), 2);
    tech_close(&t);
}

/* 5,000 cycles sampled of every 100,000 from the first CTA on; launches
 * change nothing, and cycles without work pass as others do. */
static void the_clock_goes_on_over_launches(void)
{
    struct tech t = open();

    tech_start(&t);
    launch(&t, &first, 0);
    buffered(&t, 5, 0, 10);
    cta(&t, 20);
    access(&t, 30, LOOM_EVENT_MISS, 5);
    launch(&t, &second, 1000); /* in the same window */
    cta(&t, 1100);
    access(&t, 1200, LOOM_EVENT_MISS, 7);
    EXPECT_EQ(stat(&t, "sampled_accesses"), 12);
    buffered(&t, 5019, 10, 10);
    EXPECT_EQ(stat(&t, "windows"), 0);
    buffered(&t, 5020, 10, 10);
    EXPECT_EQ(stat(&t, "windows"), 1);
    EXPECT(bypassing(&t));
    EXPECT_EQ(stat(&t, "sampled_warp_cycles"), 10 * WINDOW);
    launch(&t, &first, 50000);
    cta(&t, 50010);
    EXPECT(bypassing(&t));
    buffered(&t, 100019, 10, 10);
    EXPECT(bypassing(&t));
    buffered(&t, 100020, 10, 10);
    EXPECT(!bypassing(&t)); /* the second window */
    EXPECT_EQ(stat(&t, "sampling"), 1);
    access(&t, 100030, LOOM_EVENT_HIT, 50);
    /* An access after the third window, in which there was none: mode B. */
    access(&t, 205021, LOOM_EVENT_HIT, 1);
    EXPECT_EQ(stat(&t, "windows"), 3);
    EXPECT_EQ(stat(&t, "sampled_accesses"), 62);
    EXPECT_EQ(stat(&t, "to_cache"), 1);
    EXPECT(bypassing(&t));
    tech_close(&t);
}

static void a_decision_holds_as_long_as_it_should(void)
{
    struct tech t = open();

    TECH_U(&t, "hold_cycles", 1000);
    tech_start(&t);
    launch(&t, &first, 0);
    cta(&t, 0);
    access(&t, 10, LOOM_EVENT_MISS, 5);
    buffered(&t, 5999, 0, 0);
    EXPECT(bypassing(&t));
    buffered(&t, 6000, 0, 0);
    EXPECT(!bypassing(&t)); /* samples again */
    access(&t, 6001, LOOM_EVENT_HIT, 5);
    buffered(&t, 11000, 0, 0);
    EXPECT(!bypassing(&t));
    EXPECT_EQ(stat(&t, "sampling"), 0);
    EXPECT_EQ(stat(&t, "windows"), 2);
    EXPECT_EQ(stat(&t, "to_bypass"), 1);
    EXPECT_EQ(stat(&t, "to_cache"), 1);
    tech_close(&t);
}

static void what_counts_as_an_access_and_as_a_miss(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct tech t = open();
        struct loom_mem_request store = tech_load(&t, 0, 1, 0);

        store.kind = LOOM_MEM_STORE;
        TECH_B(&t, "pending_hits_miss", (i & 1) != 0);
        TECH_B(&t, "count_stores", (i & 2) != 0);
        tech_start(&t);
        launch(&t, &first, 0);
        cta(&t, 0);
        access(&t, 1, LOOM_EVENT_HIT, 3);
        access(&t, 1, LOOM_EVENT_PENDING_HIT, 2);
        access(&t, 1, LOOM_EVENT_MISS, 4);
        access(&t, 1, LOOM_EVENT_BYPASS, 7); /* by others: not looked up */
        tech_cache(&t, LOOM_EVENT_MISS, &store, 0, 0);
        EXPECT_EQ(stat(&t, "sampled_accesses"), 9 + i / 2);
        EXPECT_EQ(stat(&t, "sampled_misses"), 4 + 2 * (i & 1) + i / 2);
        tech_close(&t);
    }
}

/* Equal thresholds leave the second stage a single value: the rival that
 * goes by the miss rate alone, with threshold k. */
static void one_threshold_is_the_miss_rate_alone(void)
{
    for (uint32_t misses = 0; misses <= 100; misses++) {
        for (uint32_t warps = 0; warps <= WARPS; warps += WARPS) {
            struct tech t = open();

            TECH_F(&t, "miss_low", 0.6);
            TECH_F(&t, "miss_high", 0.6);
            TECH_F(&t, "occupancy", 0.0);
            tech_start(&t);
            launch(&t, &first, 0);
            buffered(&t, 1, 0, warps);
            cta(&t, 2);
            access(&t, 3, LOOM_EVENT_MISS, misses);
            access(&t, 3, LOOM_EVENT_HIT, 100 - misses);
            buffered(&t, 6000, warps, warps);
            EXPECT_EQ(bypassing(&t), misses > 60);
            tech_close(&t);
        }
    }
}

static void every_load_of_a_kernel_has_a_row(void)
{
    struct tech t = open();
    const struct loom_stat *pc =
        loom_stats_find(two_level_policy.stats, "load_pc");
    const struct loom_stat *cached =
        loom_stats_find(two_level_policy.stats, "load_cached");
    const struct loom_array *pcs, *counts;

    tech_start(&t);
    launch(&t, &first, 0);
    launch(&t, &second, 1);
    launch(&t, &first, 2);
    pcs = (const void *)((char *)loom_policy_stats(t.policy) + pc->offset);
    counts =
        (const void *)((char *)loom_policy_stats(t.policy) + cached->offset);
    REQUIRE(pcs->count == 64);
    EXPECT_EQ(pcs->item[0], 8);  /* first: global */
    EXPECT_EQ(pcs->item[1], 24); /* first: local */
    EXPECT_EQ(pcs->item[2], 8);  /* second */
    EXPECT_EQ(pcs->item[4], 0);  /* the third launch has the first's rows */
    access(&t, 5, LOOM_EVENT_HIT, 3);
    t.kernel = &second;
    access(&t, 5, LOOM_EVENT_MISS, 2);
    EXPECT_EQ(counts->item[0], 3);
    EXPECT_EQ(counts->item[2], 2);
    tech_close(&t);
}

static void thresholds_in_the_wrong_order_are_refused(void)
{
    struct tech t = open();

    TECH_F(&t, "miss_low", 0.8);
    TECH_F(&t, "miss_high", 0.5);
    tech_start(&t);
    EXPECT(!t.good);
    EXPECT_TEXT(t.err.text, "'miss_low' is 0.8");
    tech_close(&t);
}

/* Section 3.2: 2 x 13 bits and 5 bits per SM of 32 warps. */
static void storage_is_that_of_the_paper(void)
{
    struct loom_cost_shape shape;
    struct loom_cost cost = {.count = 0};
    _Alignas(8) char config[512] = {0};

    REQUIRE(two_level_policy.config_size <= sizeof(config));
    loom_params_default(loom_cost_shape_params, &shape);
    loom_params_default(two_level_policy.params, config);
    shape.warps = WARPS;
    two_level_policy.cost(config, &shape, &cost);
    EXPECT_TEXT(cost.part[0].name, "accesses");
    EXPECT_EQ(cost.part[0].bits, 13);
    EXPECT_EQ(cost.part[1].bits, 13);
    EXPECT_TEXT(cost.part[2].name, "occupancy");
    EXPECT_EQ(cost.part[2].bits, 5);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"benchmarks_of_the_paper_are_decided_as_it_says",
         benchmarks_of_the_paper_are_decided_as_it_says},
        {"limits_belong_to_the_second_stage",
         limits_belong_to_the_second_stage},
        {"a_window_without_accesses_bypasses",
         a_window_without_accesses_bypasses},
        {"the_occupancy_is_averaged_over_the_window_only",
         the_occupancy_is_averaged_over_the_window_only},
        {"a_launch_may_sample_from_its_first_cta",
         a_launch_may_sample_from_its_first_cta},
        {"the_clock_goes_on_over_launches", the_clock_goes_on_over_launches},
        {"a_decision_holds_as_long_as_it_should",
         a_decision_holds_as_long_as_it_should},
        {"what_counts_as_an_access_and_as_a_miss",
         what_counts_as_an_access_and_as_a_miss},
        {"one_threshold_is_the_miss_rate_alone",
         one_threshold_is_the_miss_rate_alone},
        {"every_load_of_a_kernel_has_a_row", every_load_of_a_kernel_has_a_row},
        {"thresholds_in_the_wrong_order_are_refused",
         thresholds_in_the_wrong_order_are_refused},
        {"storage_is_that_of_the_paper", storage_is_that_of_the_paper},
    };

    return loom_run_tests("two_level", tests, LOOM_COUNTOF(tests));
}
