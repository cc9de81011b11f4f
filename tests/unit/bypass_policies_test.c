/*
 * no_l1, load_bypass, miss_rate_bypass, pemp and carb, step by step.
 *
 * links: policy_no_l1 policy_load_bypass policy_miss_rate_bypass policy_pemp
 * links: policy_carb
 */
#include "tests/unit/bypass_ask.h"

#define SET(h, name, ...)                                                      \
    bypass_set(&(h), name, (union loom_value){__VA_ARGS__})

extern const struct loom_policy_type no_l1_policy, load_bypass_policy;
extern const struct loom_policy_type miss_rate_bypass_policy, pemp_policy;
extern const struct loom_policy_type carb_policy;

/* ---- no_l1 ---- */

static void all_loads_go_around(void)
{
    struct bypass_host h = bypass_open(&no_l1_policy, 4, 2);
    struct loom_mem_request load = bypass_load(0, 1), store = load;
    struct loom_bypass how = {32, true};
    const struct loom_admit_ops *ops = bypass_ops(&h, &loom_admit_hook);

    SET(h, "fetch_bytes", .u = 128);
    bypass_start(&h);
    REQUIRE(h.good);
    store.kind = LOOM_MEM_STORE;
    EXPECT_EQ(ops->admit(h.policy, &load, &how), LOOM_ADMIT_BYPASS);
    EXPECT_EQ(how.size_bytes, 128);
    EXPECT(!how.may_merge);
    load.space = LOOM_SPACE_LOCAL;
    EXPECT(bypass_asked(&h, &load));
    EXPECT(!bypass_asked(&h, &store));
    EXPECT_EQ(bypass_stat(&h, "bypasses", 0), 2);
    bypass_close(&h);
}

static void local_memory_and_stores_are_switches(void)
{
    struct bypass_host h = bypass_open(&no_l1_policy, 4, 2);
    struct loom_mem_request load = bypass_load(0, 1);

    SET(h, "spaces", .s = "global");
    SET(h, "stores", .b = true);
    bypass_start(&h);
    REQUIRE(h.good);
    load.space = LOOM_SPACE_LOCAL;
    EXPECT(!bypass_asked(&h, &load));
    load.space = LOOM_SPACE_GLOBAL;
    EXPECT(bypass_asked(&h, &load));
    load.kind = LOOM_MEM_STORE;
    EXPECT(bypass_asked(&h, &load));
    load.kind = LOOM_MEM_ATOMIC;
    EXPECT(!bypass_asked(&h, &load));
    EXPECT_EQ(bypass_stat(&h, "bypasses", 1), 1);
    bypass_close(&h);
}

/* ---- load_bypass ---- */

/* Loads 0, 1, 2 are instructions 1, 3 and 5. */
static const struct loom_static_inst insts[] = {
    {.op = LOOM_OP_MOVE, .line = 10, .param = LOOM_NO_PARAM},
    {.op = LOOM_OP_LOAD, .line = 11, .param = 0},
    {.op = LOOM_OP_LOAD,
     .line = 12,
     .space = LOOM_SPACE_SHARED,
     .param = LOOM_NO_PARAM},
    {.op = LOOM_OP_LOAD, .line = 13, .param = 1},
    {.op = LOOM_OP_STORE, .line = 13, .param = 1},
    {.op = LOOM_OP_LOAD, .line = 14, .param = LOOM_MIXED_PARAM},
};
static const struct loom_kernel kernel = {
    .name = "main", .number = 4, .inst = insts, .inst_count = 6};
static const struct loom_kernel other = {
    .name = "other", .number = 5, .inst = insts, .inst_count = 6};

static void tell_kernel(const struct bypass_host *h, enum loom_event_kind kind,
                        const struct loom_kernel *of)
{
    struct loom_event event = {.kind = kind, .kernel = of};

    bypass_tell(h, &loom_sm_observe_hook, &event);
}

/* Bit i: the load that is instruction i of the kernel goes around. */
static uint32_t around(const struct bypass_host *h,
                       const struct loom_kernel *of)
{
    static const uint32_t loads[] = {1, 3, 5};
    uint32_t found = 0;

    for (uint32_t i = 0; i < LOOM_COUNTOF(loads); i++) {
        struct loom_mem_request r = bypass_load(loads[i], 7);

        r.kernel = of->number;
        found |= bypass_asked(h, &r) ? 1u << loads[i] : 0;
        bypass_event(h, LOOM_EVENT_ACCESS, &r, 0, 0);
    }
    return found;
}

static uint32_t listed(const char *list, uint64_t item, const char *name)
{
    struct bypass_host h = bypass_open(&load_bypass_policy, 4, 2);
    uint32_t found;

    SET(h, list, .list = {&item, 1});
    SET(h, "kernel", .s = name);
    bypass_start(&h);
    REQUIRE(h.good);
    EXPECT_EQ(around(&h, &kernel), 0); /* it has not started */
    tell_kernel(&h, LOOM_EVENT_KERNEL_START, &kernel);
    found = around(&h, &kernel);
    EXPECT_EQ(bypass_stat(&h, "bypasses", 0), loom_popcount(found));
    EXPECT_EQ(bypass_stat(&h, "bypasses_by_item", 0), loom_popcount(found));
    tell_kernel(&h, LOOM_EVENT_KERNEL_END, &kernel);
    EXPECT_EQ(around(&h, &kernel), 0);
    bypass_close(&h);
    return found;
}

static void loads_are_named_in_four_ways(void)
{
    EXPECT_EQ(listed("lines", 13, ""), 1u << 3);
    EXPECT_EQ(listed("lines", 12, ""), 0);
    EXPECT_EQ(listed("insts", 5, "main"), 1u << 5);
    EXPECT_EQ(listed("loads", 0, ""), 1u << 1);
    EXPECT_EQ(listed("loads", 1, ""), 1u << 3); /* shared ones do not count */
    EXPECT_EQ(listed("loads", 2, ""), 1u << 5);
    EXPECT_EQ(listed("loads", 3, ""), 0);
    EXPECT_EQ(listed("params", 0, ""), 1u << 1);
    EXPECT_EQ(listed("params", 2, ""), 0);
    EXPECT_EQ(listed("insts", 5, "else"), 0);
}

static void kernels_are_told_apart(void)
{
    struct bypass_host h = bypass_open(&load_bypass_policy, 4, 2);
    uint64_t loads[] = {2, 0};

    SET(h, "loads", .list = {loads, 2});
    SET(h, "kernel", .s = "other");
    bypass_start(&h);
    REQUIRE(h.good);
    tell_kernel(&h, LOOM_EVENT_KERNEL_START, &kernel);
    tell_kernel(&h, LOOM_EVENT_KERNEL_START, &other);
    EXPECT_EQ(around(&h, &kernel), 0);
    EXPECT_EQ(around(&h, &other), 1u << 1 | 1u << 5);
    EXPECT_EQ(bypass_stat(&h, "bypasses_by_item", 0), 1); /* load 2 */
    EXPECT_EQ(bypass_stat(&h, "bypasses_by_rule", 2), 2);
    EXPECT_EQ(bypass_stat(&h, "loads", 0), 6);
    bypass_close(&h);
}

/* ---- miss_rate_bypass ---- */

/* `count` loads, of which `misses` miss. */
static void loads_of(const struct bypass_host *h, uint32_t count,
                     uint32_t misses)
{
    for (uint32_t i = 0; i < count; i++) {
        struct loom_mem_request r = bypass_load(1, i);

        bypass_access(h, i < misses ? LOOM_EVENT_MISS : LOOM_EVENT_HIT, &r, 0,
                      0);
    }
}

static bool goes_around(const struct bypass_host *h)
{
    struct loom_mem_request r = bypass_load(1, 3);

    return bypass_asked(h, &r);
}

static struct bypass_host open_miss_rate(uint64_t hold, const char *restart)
{
    struct bypass_host h = bypass_open(&miss_rate_bypass_policy, 4, 2);

    SET(h, "threshold", .f = 0.5);
    SET(h, "window_cycles", .u = 100);
    SET(h, "hold_cycles", .u = hold);
    SET(h, "restart", .s = restart);
    bypass_start(&h);
    REQUIRE(h.good);
    return h;
}

static void start_kernel(const struct bypass_host *h)
{
    tell_kernel(h, LOOM_EVENT_KERNEL_START, &kernel);
    tell_kernel(h, LOOM_EVENT_CTA_START, &kernel);
}

static void one_decision_per_kernel(void)
{
    struct bypass_host h = open_miss_rate(0, "launch");

    bypass_to(&h, 50);
    EXPECT(!goes_around(&h)); /* no kernel yet */
    start_kernel(&h);         /* the sample is [50, 150) */
    loads_of(&h, 10, 6);
    tell_kernel(&h, LOOM_EVENT_CTA_START, &kernel); /* not a new sample */
    bypass_to(&h, 149);
    EXPECT(!goes_around(&h));
    bypass_to(&h, 150);
    loads_of(&h, 50, 0); /* too late to count */
    EXPECT(goes_around(&h));
    bypass_to(&h, 5000);
    EXPECT(goes_around(&h)); /* until the next kernel */
    start_kernel(&h);
    EXPECT(!goes_around(&h));
    loads_of(&h, 10, 5); /* exactly k is not above it */
    bypass_to(&h, 5100);
    EXPECT(!goes_around(&h));
    loom_machine_settle(h.machine);
    EXPECT_EQ(bypass_stat(&h, "windows", 0), 2);
    EXPECT_EQ(bypass_stat(&h, "bypass_decisions", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "sampled_accesses", 0), 20);
    EXPECT_EQ(bypass_stat(&h, "sampled_misses", 0), 11);
    EXPECT_EQ(bypass_stat(&h, "mode_cycles", 1), 200);
    EXPECT_EQ(bypass_stat(&h, "mode_cycles", 2), 4850);
    EXPECT_EQ(bypass_stat(&h, "bypasses", 0), 2);
    bypass_close(&h);
}

static void decisions_may_be_for_a_time(void)
{
    struct bypass_host h = open_miss_rate(1000, "never");

    bypass_to(&h, 10);
    start_kernel(&h); /* sample [10, 110), decision [110, 1110) */
    loads_of(&h, 3, 3);
    bypass_to(&h, 1109);
    EXPECT(goes_around(&h));
    bypass_to(&h, 1110);
    EXPECT(!goes_around(&h));
    bypass_to(&h, 1210); /* a sample of nothing: around, by `few` */
    EXPECT(goes_around(&h));
    EXPECT_EQ(bypass_stat(&h, "few_decisions", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "mode", 0), 2);
    bypass_close(&h);
}

/* The clock goes on while nothing runs: sample [10, 110), decision until
 * 1110, whatever starts in between. */
static void launches_may_leave_the_clock_alone(void)
{
    static const char *const restart[2] = {"never", "launch"};

    for (uint32_t i = 0; i < 2; i++) {
        struct bypass_host h = open_miss_rate(1000, restart[i]);

        bypass_to(&h, 10);
        start_kernel(&h);
        loads_of(&h, 3, 3);
        bypass_to(&h, 600);
        EXPECT(goes_around(&h));
        start_kernel(&h);
        EXPECT_EQ(goes_around(&h), i == 0);
        loads_of(&h, 4, 4);
        bypass_to(&h, 1115);
        EXPECT_EQ(goes_around(&h), i == 1); /* the second sample is over */
        EXPECT_EQ(bypass_stat(&h, "sampled_accesses", 0), i == 0 ? 3 : 7);
        EXPECT_EQ(bypass_stat(&h, "windows", 0), 1 + i);
        bypass_close(&h);
    }
}

/* ---- pemp ---- */

static bool load_goes(const struct bypass_host *h, uint32_t inst)
{
    struct loom_mem_request r = bypass_load(inst, 3);

    return bypass_asked(h, &r);
}

static void outcomes(const struct bypass_host *h, uint32_t inst,
                     enum loom_event_kind outcome, uint32_t count)
{
    struct loom_mem_request r = bypass_load(inst, 3);

    for (uint32_t i = 0; i < count; i++) {
        bypass_access(h, outcome, &r, 0, 0);
    }
}

static void loads_that_missed_go_around_for_a_while(void)
{
    struct bypass_host h = bypass_open(&pemp_policy, 4, 2);

    SET(h, "window_cycles", .u = 100);
    SET(h, "bypass_windows", .u = 2);
    SET(h, "min_accesses", .u = 4);
    bypass_start(&h);
    REQUIRE(h.good);
    bypass_to(&h, 5);
    outcomes(&h, 1, LOOM_EVENT_MISS, 4);
    outcomes(&h, 2, LOOM_EVENT_HIT, 4);
    outcomes(&h, 3, LOOM_EVENT_MISS, 3); /* too few */
    EXPECT(!load_goes(&h, 1));
    bypass_to(&h, 100);
    EXPECT(load_goes(&h, 1));
    EXPECT(!load_goes(&h, 2));
    EXPECT(!load_goes(&h, 3));
    bypass_to(&h, 299);
    EXPECT(load_goes(&h, 1));
    bypass_to(&h, 300); /* monitored again, until 400 */
    EXPECT(!load_goes(&h, 1));
    outcomes(&h, 1, LOOM_EVENT_HIT, 4);
    outcomes(&h, 2, LOOM_EVENT_HIT, 1);
    bypass_to(&h, 400);
    EXPECT(!load_goes(&h, 1));
    EXPECT_EQ(bypass_stat(&h, "bypasses", 0), 2);
    EXPECT_EQ(bypass_stat(&h, "bypasses_by_entry", 1), 2);
    EXPECT_EQ(bypass_stat(&h, "predictions", 0), 5);
    EXPECT_EQ(bypass_stat(&h, "right_predictions", 0), 1);
    outcomes(&h, 1, LOOM_EVENT_BYPASS, 2); /* what went around arrived */
    bypass_close(&h);
}

static void blocks_without_a_tag_go_around(void)
{
    struct bypass_host h = bypass_open(&pemp_policy, 4, 2);
    struct loom_mem_request there = bypass_load(1, 3), store = there;

    SET(h, "predictor", .s = "tags");
    SET(h, "window_cycles", .u = 100);
    SET(h, "bypass_windows", .u = 2);
    bypass_start(&h);
    REQUIRE(h.good);
    store.kind = LOOM_MEM_STORE;
    store.block += LOOM_BLOCK_BYTES;
    bypass_fill(&h, &there, 3, 1);
    EXPECT(!bypass_asked(&h, &store));
    bypass_to(&h, 100);
    EXPECT(!load_goes(&h, 1)); /* block 3, whoever loads it */
    EXPECT(!load_goes(&h, 2));
    bypass_event(&h, LOOM_EVENT_EVICT, &store, 3, 1);
    EXPECT(load_goes(&h, 2));
    bypass_event(&h, LOOM_EVENT_ALLOCATE, &store, 3, 1);
    EXPECT(load_goes(&h, 1));
    EXPECT(!bypass_asked(&h, &store));
    bypass_to(&h, 300);
    EXPECT(!load_goes(&h, 1));
    EXPECT_EQ(bypass_stat(&h, "bypasses", 0), 2);
    outcomes(&h, 1, LOOM_EVENT_BYPASS, 2); /* what went around arrived */
    bypass_close(&h);
}

/* ---- carb ---- */

/* Of 4096 instructions. */
static uint32_t share(const struct bypass_host *h)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < 4096; i++) {
        struct loom_mem_request r = bypass_load(i % 7, i);

        r.born = UINT64_C(1428571) * i;
        r.warp = (uint16_t)(i % 48);
        if (bypass_asked(h, &r)) {
            count++;
            bypass_access(h, LOOM_EVENT_BYPASS, &r, 0, 0);
        }
    }
    return count;
}

static void the_class_sets_the_share(void)
{
    struct bypass_host h = bypass_open(&carb_policy, 4, 2);

    SET(h, "window_cycles", .u = 100);
    SET(h, "min_accesses", .u = 10);
    bypass_start(&h);
    REQUIRE(h.good);
    EXPECT_EQ(share(&h), 0);
    bypass_to(&h, 50);
    outcomes(&h, 1, LOOM_EVENT_MISS, 9);
    bypass_to(&h, 100); /* one too few: goes on */
    EXPECT_EQ(share(&h), 0);
    outcomes(&h, 1, LOOM_EVENT_MISS, 1);
    bypass_to(&h, 200);
    EXPECT_EQ(bypass_stat(&h, "class", 0), 0); /* nobody has looked */
    EXPECT(share(&h) > 4096 * 70 / 100 && share(&h) < 4096 * 80 / 100);
    EXPECT_EQ(bypass_stat(&h, "class", 0), 2);
    outcomes(&h, 1, LOOM_EVENT_MISS, 5);
    outcomes(&h, 1, LOOM_EVENT_HIT, 5);
    bypass_to(&h, 300);
    EXPECT(share(&h) > 4096 * 20 / 100 && share(&h) < 4096 * 30 / 100);
    outcomes(&h, 1, LOOM_EVENT_HIT, 50);
    bypass_to(&h, 400);
    EXPECT_EQ(share(&h), 0);
    EXPECT_EQ(bypass_stat(&h, "kept_windows", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "windows", 1), 1);
    bypass_close(&h);
}

static void impossible_classes_are_refused(void)
{
    struct bypass_host h = bypass_open(&carb_policy, 4, 2);

    SET(h, "low", .f = 0.9);
    SET(h, "high", .f = 0.1);
    bypass_start(&h);
    EXPECT(!h.good);
    EXPECT_TEXT(h.err.text, "low 0.9 is above high 0.1");
    bypass_close(&h);
}

static const struct loom_test tests[] = {
    {"all_loads_go_around", all_loads_go_around},
    {"local_memory_and_stores_are_switches",
     local_memory_and_stores_are_switches},
    {"loads_are_named_in_four_ways", loads_are_named_in_four_ways},
    {"kernels_are_told_apart", kernels_are_told_apart},
    {"one_decision_per_kernel", one_decision_per_kernel},
    {"decisions_may_be_for_a_time", decisions_may_be_for_a_time},
    {"launches_may_leave_the_clock_alone", launches_may_leave_the_clock_alone},
    {"loads_that_missed_go_around_for_a_while",
     loads_that_missed_go_around_for_a_while},
    {"blocks_without_a_tag_go_around", blocks_without_a_tag_go_around},
    {"the_class_sets_the_share", the_class_sets_the_share},
    {"impossible_classes_are_refused", impossible_classes_are_refused},
};

int main(void)
{
    return loom_run_tests("bypass_policies", tests, LOOM_COUNTOF(tests));
}
