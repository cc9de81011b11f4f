/*
 * pdp, abyp with its part at the L2, and mrpb, step by step.
 *
 * links: policy_pdp policy_abyp policy_abyp_l2 policy_mrpb
 */
#include "tests/unit/bypass_ask.h"
#include "tests/unit/give.h"

#define SET(h, name, ...)                                                      \
    bypass_set(&(h), name, (union loom_value){__VA_ARGS__})

extern const struct loom_policy_type pdp_policy, abyp_policy, abyp_l2_policy;
extern const struct loom_policy_type mrpb_policy;

/* ---- pdp ---- */

/* Bit i: way i of the set may be replaced now.  Asking changes nothing. */
static uint32_t left(const struct bypass_host *h, uint32_t set)
{
    const struct loom_candidates_ops *ops =
        bypass_ops(h, &loom_candidates_hook);
    struct loom_mem_request r = bypass_load(1, 9);
    uint32_t mask = 0;

    for (uint32_t turn = 0; turn < 2; turn++) {
        uint16_t way[] = {0, 1};
        struct loom_ways ways = {way, 2};

        ops->restrict_ways(h->policy, &r, set, &ways);
        mask = 0;
        for (uint32_t i = 0; i < ways.count; i++) {
            mask |= 1u << ways.way[i];
        }
    }
    return mask;
}

static enum loom_no_candidate none_left(const struct bypass_host *h,
                                        uint32_t set)
{
    const struct loom_candidates_ops *ops =
        bypass_ops(h, &loom_candidates_hook);
    struct loom_mem_request r = bypass_load(1, 9);
    struct loom_bypass how = {32, false};

    return ops->empty(h->policy, &r, set, &how);
}

static struct bypass_host open_pdp(uint64_t distance, const char *scope,
                                   bool reset)
{
    struct bypass_host h = bypass_open(&pdp_policy, 2, 2);

    SET(h, "distance", .u = distance);
    SET(h, "scope", .s = scope);
    SET(h, "reset_on_hit", .b = reset);
    bypass_start(&h);
    REQUIRE(h.good);
    return h;
}

/* Distance 3: of the accesses after it the third may take the way. */
static void a_line_is_free_at_its_distance(void)
{
    struct bypass_host h = open_pdp(3, "set", true);
    struct loom_mem_request r = bypass_load(1, 0);

    EXPECT_EQ(left(&h, 0), 3);
    bypass_fill(&h, &r, 0, 0); /* way 0: distance 3 */
    EXPECT_EQ(left(&h, 0), 2);
    bypass_fill(&h, &r, 0, 1); /* 2 and 3 */
    EXPECT_EQ(left(&h, 0), 0);
    EXPECT_EQ(left(&h, 1), 3); /* another set */
    bypass_access(&h, LOOM_EVENT_MISS, &r, 1, UINT32_MAX);
    EXPECT_EQ(left(&h, 0), 0);
    EXPECT_EQ(none_left(&h, 0), LOOM_EMPTY_BYPASS); /* counts: 1 and 2 */
    EXPECT_EQ(left(&h, 0), 1); /* the third access after way 0's */
    bypass_access(&h, LOOM_EVENT_HIT, &r, 0, 1); /* 0 and 3 again */
    EXPECT_EQ(left(&h, 0), 1);
    bypass_event(&h, LOOM_EVENT_EVICT, &r, 0, 1);
    EXPECT_EQ(left(&h, 0), 3);
    EXPECT_EQ(bypass_stat(&h, "bypasses", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "protections", 0), 3);
    EXPECT_EQ(bypass_stat(&h, "hits_protected", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "early_evictions", 0), 1);
    bypass_close(&h);
}

static void hits_may_leave_the_distance_alone(void)
{
    struct bypass_host h = open_pdp(3, "set", false);
    struct loom_mem_request r = bypass_load(1, 0);

    bypass_fill(&h, &r, 0, 0);
    bypass_access(&h, LOOM_EVENT_HIT, &r, 0, 0);
    EXPECT_EQ(left(&h, 0), 2);
    bypass_access(&h, LOOM_EVENT_PENDING_HIT, &r, 0, 0);
    EXPECT_EQ(left(&h, 0), 3);
    bypass_access(&h, LOOM_EVENT_HIT, &r, 0, 0);
    EXPECT_EQ(bypass_stat(&h, "hits_protected", 0), 2);
    EXPECT_EQ(bypass_stat(&h, "hits_after", 0), 1);
    bypass_close(&h);
}

/* The whole cache's accesses count, those that went around, too. */
static void a_cache_has_one_clock(void)
{
    struct bypass_host h = open_pdp(3, "cache", true);
    struct loom_mem_request r = bypass_load(1, 0);

    bypass_fill(&h, &r, 0, 0); /* 3 */
    bypass_access(&h, LOOM_EVENT_MISS, &r, 1, UINT32_MAX);
    EXPECT_EQ(left(&h, 0), 2);
    EXPECT_EQ(none_left(&h, 0), LOOM_EMPTY_BYPASS); /* its event counts */
    EXPECT_EQ(left(&h, 0), 2);
    bypass_access(&h, LOOM_EVENT_BYPASS, &r, UINT32_MAX, UINT32_MAX);
    EXPECT_EQ(left(&h, 0), 3);
    loom_machine_settle(h.machine);
    EXPECT_EQ(bypass_stat(&h, "protected_lines", 0), 1);
    bypass_access(&h, LOOM_EVENT_MISS, &r, 1, UINT32_MAX);
    loom_machine_settle(h.machine);
    EXPECT_EQ(bypass_stat(&h, "protected_lines", 0), 0);
    bypass_close(&h);
}

static void without_bypass_any_way_goes(void)
{
    struct bypass_host h = bypass_open(&pdp_policy, 2, 2);
    struct loom_mem_request r = bypass_load(1, 0);

    SET(h, "none", .s = "any");
    bypass_start(&h);
    REQUIRE(h.good);
    EXPECT_EQ(none_left(&h, 0), LOOM_EMPTY_ANY);
    EXPECT_EQ(none_left(&h, 0), LOOM_EMPTY_ANY); /* asked again */
    bypass_fill(&h, &r, 0, 0);
    EXPECT_EQ(bypass_stat(&h, "any", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "searches", 0), 1);
    bypass_close(&h);
}

static void distance_0_protects_nothing(void)
{
    struct bypass_host h = open_pdp(0, "set", true);
    struct loom_mem_request r = bypass_load(1, 0);

    bypass_fill(&h, &r, 0, 0);
    EXPECT_EQ(left(&h, 0), 3);
    bypass_close(&h);
}

/* ---- abyp ---- */

static struct bypass_host open_abyp(const char *when, const char *how)
{
    struct bypass_host h = bypass_open(&abyp_policy, 2, 2);

    SET(h, "entries", .u = 4);
    SET(h, "counter_bits", .u = 2);
    SET(h, "threshold", .u = 2);
    SET(h, "when", .s = when);
    SET(h, "false_bypass", .s = how);
    bypass_start(&h);
    REQUIRE(h.good);
    return h;
}

/* Load `inst` brings a line that leaves unused. */
static void dies(const struct bypass_host *h, uint32_t inst)
{
    struct loom_mem_request r = bypass_load(inst, 0);

    bypass_fill(h, &r, 0, 0);
    bypass_event(h, LOOM_EVENT_EVICT, &r, 0, 0);
}

static bool load_goes(const struct bypass_host *h, uint32_t inst)
{
    struct loom_mem_request r = bypass_load(inst, 3);

    if (!bypass_asked(h, &r)) {
        return false;
    }
    bypass_access(h, LOOM_EVENT_BYPASS, &r, UINT32_MAX, UINT32_MAX);
    return true;
}

static void dead_lines_count_up_and_uses_down(void)
{
    struct bypass_host h = open_abyp("access", "decrement");
    struct loom_mem_request r = bypass_load(1, 0), by = bypass_load(2, 0);

    dies(&h, 1); /* 1 */
    EXPECT(!load_goes(&h, 1));
    bypass_fill(&h, &r, 0, 0);
    bypass_access(&h, LOOM_EVENT_HIT, &by, 0, 0); /* whoever uses it: 0 */
    bypass_event(&h, LOOM_EVENT_EVICT, &by, 0, 0);
    dies(&h, 1); /* 1 */
    EXPECT(!load_goes(&h, 1));
    dies(&h, 1); /* 2 */
    EXPECT(load_goes(&h, 1));
    EXPECT(load_goes(&h, 5)); /* the same entry of four */
    EXPECT(!load_goes(&h, 2));
    EXPECT_EQ(bypass_stat(&h, "dead_lines", 0), 3);
    EXPECT_EQ(bypass_stat(&h, "used_lines", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "dead_by_entry", 1), 3);
    EXPECT_EQ(bypass_stat(&h, "bypasses_by_entry", 1), 2);
    loom_machine_settle(h.machine);
    EXPECT_EQ(bypass_stat(&h, "bypassing_entries", 0), 1);
    bypass_close(&h);
}

static void kernel_starts(const struct bypass_host *h,
                          const struct loom_kernel *kernel)
{
    struct loom_event event = {.kind = LOOM_EVENT_KERNEL_START,
                               .kernel = kernel};

    give_kernel(h->machine, kernel);
    bypass_tell(h, &loom_sm_observe_hook, &event);
}

/* Does load 1 of this launch go around?  Not told: it was asked only. */
static bool launch_goes(const struct bypass_host *h, uint32_t launch)
{
    struct loom_mem_request r = bypass_load(1, 3);

    r.kernel = launch;
    return bypass_asked(h, &r);
}

/* Loads of two kernels at the same place of their programs have counters of
 * their own, which a kernel that is launched again finds as it left them. */
static void kernels_share_no_counters(const char *forget)
{
    static const struct loom_static_inst insts[] = {{.op = LOOM_OP_MOVE},
                                                    {.op = LOOM_OP_LOAD}};
    struct loom_kernel kernel = {
        .name = "one", .number = 0, .inst = insts, .inst_count = 2};
    bool keeps = strcmp(forget, "never") == 0;
    struct bypass_host h = bypass_open(&abyp_policy, 2, 2);
    struct loom_mem_request r = bypass_load(1, 0);

    SET(h, "entries", .u = 4);
    SET(h, "threshold", .u = 2);
    SET(h, "forget", .s = forget);
    bypass_start(&h);
    REQUIRE(h.good);
    kernel_starts(&h, &kernel);
    for (uint32_t i = 0; i < 2; i++) {
        bypass_fill(&h, &r, 0, 0);
        bypass_event(&h, LOOM_EVENT_EVICT, &r, 0, 0);
    }
    EXPECT_EQ(bypass_stat(&h, "dead_by_entry", 0), 2);
    EXPECT(launch_goes(&h, 0));
    kernel.name = "two";
    kernel.number = 1;
    kernel_starts(&h, &kernel);
    EXPECT(!launch_goes(&h, 1));
    EXPECT_EQ(launch_goes(&h, 0), keeps); /* it may run at the same time */
    r.kernel = 1;
    bypass_fill(&h, &r, 0, 0);
    bypass_event(&h, LOOM_EVENT_EVICT, &r, 0, 0);
    EXPECT_EQ(bypass_stat(&h, "dead_by_entry", 1), 1);
    kernel.name = "one";
    kernel.number = 2;
    kernel_starts(&h, &kernel);
    EXPECT_EQ(launch_goes(&h, 2), keeps);
    EXPECT_EQ(bypass_stat(&h, "forgotten", 0), keeps ? 0 : 3);
    /* What launch_goes() asked went nowhere: the policy's laws want it told. */
    for (uint32_t i = 0; i < 4; i++) {
        bypass_event(&h, LOOM_EVENT_ACCESS, &r, 0, 0);
    }
    bypass_close(&h);
}

static void loads_of_two_kernels_are_told_apart(void)
{
    kernels_share_no_counters("never");
    kernels_share_no_counters("kernel");
}

static void the_l2_corrects_false_bypasses(void)
{
    struct bypass_host h = open_abyp("access", "decrement");
    struct loom_mem_request r = bypass_load(1, 0);

    dies(&h, 1);
    dies(&h, 1);
    dies(&h, 1);
    dies(&h, 1);      /* saturates at 3 */
    r.reply_bits = 1; /* the only bit that was allotted */
    bypass_event(&h, LOOM_EVENT_REPLY, &r, UINT32_MAX, UINT32_MAX); /* 2 */
    EXPECT(load_goes(&h, 1));
    bypass_event(&h, LOOM_EVENT_REPLY, &r, UINT32_MAX, UINT32_MAX); /* 1 */
    EXPECT(!load_goes(&h, 1));
    EXPECT_EQ(bypass_stat(&h, "false_bypasses", 0), 2);
    bypass_close(&h);

    h = open_abyp("access", "reset");
    dies(&h, 1);
    dies(&h, 1);
    dies(&h, 1);
    bypass_event(&h, LOOM_EVENT_REPLY, &r, UINT32_MAX, UINT32_MAX);
    EXPECT(!load_goes(&h, 1));
    bypass_close(&h);
}

/* A miss that is refused is asked about again, and counts when accepted. */
static void misses_may_go_without_a_line(void)
{
    struct bypass_host h = open_abyp("miss", "decrement");
    const struct loom_allocation_ops *ops =
        bypass_ops(&h, &loom_allocation_hook);
    struct loom_mem_request r = bypass_load(1, 0);
    struct loom_bypass how = {32, true};

    EXPECT_EQ(ops->allocate(h.policy, &r, 0, &how), LOOM_ALLOCATE_DEFAULT);
    dies(&h, 1);
    dies(&h, 1);
    EXPECT(!load_goes(&h, 1));
    EXPECT_EQ(ops->allocate(h.policy, &r, 0, &how), LOOM_NO_ALLOCATE);
    bypass_event(&h, LOOM_EVENT_RESERVATION_FAIL, &r, 0, UINT32_MAX);
    bypass_access(&h, LOOM_EVENT_MISS, &r, 0, UINT32_MAX); /* it merged */
    EXPECT_EQ(bypass_stat(&h, "unallocated", 0), 0);
    EXPECT_EQ(ops->allocate(h.policy, &r, 0, &how), LOOM_NO_ALLOCATE);
    bypass_access(&h, LOOM_EVENT_MISS, &r, 0, UINT32_MAX);
    EXPECT_EQ(bypass_stat(&h, "unallocated", 0), 1);
    EXPECT_EQ(bypass_stat(&h, "bypasses", 0), 0);
    bypass_close(&h);
}

static void a_threshold_that_no_counter_reaches_is_refused(void)
{
    struct bypass_host h = bypass_open(&abyp_policy, 2, 2);

    SET(h, "counter_bits", .u = 2);
    SET(h, "threshold", .u = 4);
    bypass_start(&h);
    EXPECT(!h.good);
    EXPECT_TEXT(h.err.text, "threshold 4 is more than a counter of 2 bits");
    bypass_close(&h);
}

static uint16_t answer(const struct bypass_host *h,
                       enum loom_event_kind outcome, uint16_t sm,
                       uint8_t bypassed)
{
    const struct loom_allocation_ops *ops =
        bypass_ops(h, &loom_allocation_hook);
    struct loom_mem_request r = bypass_load(1, 0);
    uint16_t bits;

    r.sm = sm;
    r.bypassed = bypassed;
    bypass_access(h, outcome, &r, 0, 0);
    bits = ops->answer(h->policy, &r);
    if (outcome == LOOM_EVENT_MISS) {
        bypass_event(h, LOOM_EVENT_ALLOCATE, &r, 0, 0);
    }
    return bits;
}

static void the_second_request_of_an_sm_is_told(void)
{
    struct bypass_host h = bypass_open(&abyp_l2_policy, 2, 2);
    struct loom_mem_request r = bypass_load(1, 0);

    bypass_start(&h);
    REQUIRE(h.good);
    EXPECT_EQ(answer(&h, LOOM_EVENT_MISS, 1, 0), 0);
    EXPECT_EQ(answer(&h, LOOM_EVENT_HIT, 1, LOOM_LEVEL_L1), 0); /* first */
    EXPECT_EQ(answer(&h, LOOM_EVENT_HIT, 1, 0), 0); /* it was looked up */
    EXPECT_EQ(answer(&h, LOOM_EVENT_HIT, 1, LOOM_LEVEL_L1), 1);
    EXPECT_EQ(answer(&h, LOOM_EVENT_HIT, 2, LOOM_LEVEL_L1), 0);
    EXPECT_EQ(answer(&h, LOOM_EVENT_PENDING_HIT, 2, LOOM_LEVEL_L1), 1);
    bypass_event(&h, LOOM_EVENT_EVICT, &r, 0, 0);
    EXPECT_EQ(answer(&h, LOOM_EVENT_MISS, 2, LOOM_LEVEL_L1), 0);
    EXPECT_EQ(answer(&h, LOOM_EVENT_HIT, 2, LOOM_LEVEL_L1), 1);
    EXPECT_EQ(bypass_stat(&h, "false_bypasses", 0), 3);
    EXPECT_EQ(bypass_stat(&h, "repeats", 0), 4);
    bypass_close(&h);
}

/* ---- mrpb ---- */

enum {
    QUEUES = 4
};

/* Sends from queues of these lengths; the head of queue i is from cycle i. */
static uint32_t sends(const struct bypass_host *h, const uint32_t *length,
                      loom_cycle now)
{
    const struct loom_order_ops *ops = bypass_ops(h, &loom_order_hook);
    struct loom_mem_request head[QUEUES];
    struct loom_queue_view view[QUEUES];
    uint32_t chosen;

    for (uint32_t i = 0; i < QUEUES; i++) {
        head[i] = bypass_load(1, i);
        head[i].born = i;
        view[i] = (struct loom_queue_view){length[i] != 0 ? &head[i] : NULL,
                                           length[i]};
    }
    chosen = ops->next(h->policy, view, QUEUES, now);
    ops->sent(h->policy, chosen, &head[chosen]);
    return chosen;
}

static struct bypass_host open_mrpb(const char *turn, uint64_t patience)
{
    struct bypass_host h = bypass_open(&mrpb_policy, 2, 2);

    SET(h, "queues", .u = QUEUES);
    SET(h, "turn", .s = turn);
    SET(h, "patience", .u = patience);
    bypass_start(&h);
    REQUIRE(h.good);
    return h;
}

static void a_queue_is_drained_before_the_next(void)
{
    struct bypass_host h = open_mrpb("fixed", 0);
    const struct loom_order_ops *ops = bypass_ops(&h, &loom_order_hook);
    struct loom_mem_request r = bypass_load(1, 0);

    r.warp = 6;
    EXPECT_EQ(ops->queue_of(h.policy, &r), 2);
    EXPECT_EQ(sends(&h, (uint32_t[]){0, 0, 2, 1}, 1), 2);
    EXPECT_EQ(sends(&h, (uint32_t[]){1, 0, 1, 1}, 2), 2); /* stays */
    EXPECT_EQ(sends(&h, (uint32_t[]){1, 1, 0, 1}, 3), 0); /* the lowest */
    EXPECT_EQ(sends(&h, (uint32_t[]){0, 1, 0, 1}, 4), 1);
    EXPECT_EQ(sends(&h, (uint32_t[]){0, 0, 0, 1}, 5), 3);
    EXPECT_EQ(bypass_stat(&h, "sent", 0), 5);
    EXPECT_EQ(bypass_stat(&h, "turns", 0), 4);
    EXPECT_EQ(bypass_stat(&h, "overtakes", 0), 1); /* at cycle 2 */
    bypass_close(&h);
}

static void turns_can_go_round_or_to_the_longest(void)
{
    struct bypass_host h = open_mrpb("round", 0);

    EXPECT_EQ(sends(&h, (uint32_t[]){0, 1, 0, 0}, 1), 1);
    EXPECT_EQ(sends(&h, (uint32_t[]){1, 0, 0, 1}, 2), 3);
    EXPECT_EQ(sends(&h, (uint32_t[]){1, 1, 0, 0}, 3), 0);
    bypass_close(&h);

    h = open_mrpb("longest", 0);
    EXPECT_EQ(sends(&h, (uint32_t[]){1, 3, 2, 3}, 1), 1);
    EXPECT_EQ(sends(&h, (uint32_t[]){1, 2, 2, 3}, 2), 1);
    EXPECT_EQ(sends(&h, (uint32_t[]){1, 0, 2, 3}, 3), 3);
    bypass_close(&h);
}

static void heads_lose_their_patience(void)
{
    struct bypass_host h = open_mrpb("fixed", 10);

    EXPECT_EQ(sends(&h, (uint32_t[]){9, 0, 1, 1}, 1), 0);
    EXPECT_EQ(sends(&h, (uint32_t[]){9, 0, 1, 1}, 10), 0);
    EXPECT_EQ(sends(&h, (uint32_t[]){9, 0, 1, 1}, 11), 2); /* since 1 */
    EXPECT_EQ(sends(&h, (uint32_t[]){9, 0, 0, 1}, 12), 3);
    EXPECT_EQ(sends(&h, (uint32_t[]){9, 0, 0, 0}, 13), 0);
    EXPECT_EQ(bypass_stat(&h, "urgent_turns", 0), 2);
    bypass_close(&h);
}

static void switched_off_it_is_one_queue(void)
{
    struct bypass_host h = bypass_open(&mrpb_policy, 2, 2);
    const struct bypass_host_state *s = loom_state(h.component);

    SET(h, "reorder", .b = false);
    bypass_start(&h);
    REQUIRE(h.good);
    EXPECT_EQ(s->queues, 1);
    EXPECT_EQ(s->depth, 1);
    bypass_close(&h);
}

static void refused_loads_go_around(void)
{
    struct bypass_host h = bypass_open(&mrpb_policy, 2, 2);
    const struct loom_allocation_ops *ops =
        bypass_ops(&h, &loom_allocation_hook);
    struct loom_mem_request r = bypass_load(1, 0);
    struct loom_bypass how = {32, false};

    SET(h, "bypass_on_mshr", .b = true);
    bypass_start(&h);
    REQUIRE(h.good);
    EXPECT_EQ(ops->fail(h.policy, &r, LOOM_FAIL_LINE, &how), LOOM_FAIL_BYPASS);
    EXPECT_EQ(ops->fail(h.policy, &r, LOOM_FAIL_MSHR, &how), LOOM_FAIL_BYPASS);
    EXPECT_EQ(ops->fail(h.policy, &r, LOOM_FAIL_MERGE, &how),
              LOOM_FAIL_DEFAULT);
    EXPECT_EQ(ops->fail(h.policy, &r, LOOM_FAIL_MISS_QUEUE, &how),
              LOOM_FAIL_DEFAULT);
    r.kind = LOOM_MEM_STORE;
    EXPECT_EQ(ops->fail(h.policy, &r, LOOM_FAIL_LINE, &how), LOOM_FAIL_DEFAULT);
    EXPECT_EQ(bypass_stat(&h, "bypasses_by_reason", LOOM_FAIL_LINE), 1);
    EXPECT_EQ(bypass_stat(&h, "bypasses", 0), 2);
    bypass_close(&h);
}

static const struct loom_test tests[] = {
    {"a_line_is_free_at_its_distance", a_line_is_free_at_its_distance},
    {"hits_may_leave_the_distance_alone", hits_may_leave_the_distance_alone},
    {"a_cache_has_one_clock", a_cache_has_one_clock},
    {"without_bypass_any_way_goes", without_bypass_any_way_goes},
    {"distance_0_protects_nothing", distance_0_protects_nothing},
    {"dead_lines_count_up_and_uses_down", dead_lines_count_up_and_uses_down},
    {"loads_of_two_kernels_are_told_apart",
     loads_of_two_kernels_are_told_apart},
    {"the_l2_corrects_false_bypasses", the_l2_corrects_false_bypasses},
    {"misses_may_go_without_a_line", misses_may_go_without_a_line},
    {"a_threshold_that_no_counter_reaches_is_refused",
     a_threshold_that_no_counter_reaches_is_refused},
    {"the_second_request_of_an_sm_is_told",
     the_second_request_of_an_sm_is_told},
    {"a_queue_is_drained_before_the_next", a_queue_is_drained_before_the_next},
    {"turns_can_go_round_or_to_the_longest",
     turns_can_go_round_or_to_the_longest},
    {"heads_lose_their_patience", heads_lose_their_patience},
    {"switched_off_it_is_one_queue", switched_off_it_is_one_queue},
    {"refused_loads_go_around", refused_loads_go_around},
};

int main(void)
{
    return loom_run_tests("protection", tests, LOOM_COUNTOF(tests));
}
