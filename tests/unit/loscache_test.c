/*
 * loscache asked directly: who the predictor is, what is entered into the
 * table, when the phase ends, what requests then carry, and how replies raise
 * it.  Policy bits: the count is the lowest 6 of requests and replies, then
 * "early" and "over".
 *
 * links: policy_loscache
 */
#include "policies/mark_hook.h"
#include "tests/unit/sm_policy_host.h"

extern const struct loom_policy_type loscache_policy;

enum {
    EARLY = 1 << 6,
    OVER = 1 << 7,
    SCHEDULERS = 2,
    PLACES = 3 /* queries that the cache takes at once */
};

struct bench {
    struct sm_host host; /* first: made from it */
    struct loom_cache_host cache;
    struct loom_mem_request asked[64];
    uint32_t count, room;
    struct loom_kernel kernel;
};

static bool take_query(void *cache, const struct loom_mem_request *request)
{
    struct bench *b = cache;

    if (b->room == 0) {
        return false;
    }
    b->room--;
    b->asked[b->count++] = *request;
    return true;
}

static struct bench *open_bench(uint64_t seed)
{
    static struct bench bench;
    struct bench *b = &bench;
    struct sm_host_state *state;

    *b = (struct bench){
        .host = sm_host_make(&loscache_policy, seed, 16, SCHEDULERS),
        .room = PLACES,
        .kernel.name = "kernel",
    };
    b->cache = (struct loom_cache_host){.cache = b, .query = take_query};
    state = loom_state(b->host.component);
    state->cache.host = &b->cache;
    return b;
}

static uint64_t stat(const struct bench *b, const char *name)
{
    const struct loom_stat *s = loom_stats_find(loscache_policy.stats, name);

    REQUIRE(s != NULL);
    return *(const uint64_t *)((const char *)loom_policy_stats(b->host.policy) +
                               s->offset);
}

static void tell(struct bench *b, enum loom_event_kind kind, uint32_t cta,
                 uint16_t warp)
{
    struct loom_event event = {
        .kernel = &b->kernel,
        .kind = (uint32_t)kind,
        .cta = cta,
        .warp = warp,
        .scheduler = (uint8_t)(warp % SCHEDULERS),
    };

    b->host.sm->observe(b->host.policy, &event);
}

static void start_kernel(struct bench *b, uint32_t number)
{
    b->kernel.number = number;
    tell(b, LOOM_EVENT_KERNEL_START, 0, 0);
}

static void start_named(struct bench *b, uint32_t number, const char *name)
{
    b->kernel.name = name;
    start_kernel(b, number);
}

/* A CTA of two warps, one for each scheduler. */
static void start_cta(struct bench *b, uint32_t cta, uint16_t warp)
{
    tell(b, LOOM_EVENT_CTA_START, cta, 0);
    tell(b, LOOM_EVENT_WARP_START, cta, warp);
    tell(b, LOOM_EVENT_WARP_START, cta, warp + 1);
}

static uint32_t request(struct bench *b, uint32_t cta, uint32_t inst,
                        uint64_t block)
{
    const struct loom_mark_ops *ops =
        loom_policy_type_ops(&loscache_policy, &loom_cache_mark_hook);
    const struct loom_mem_request r = {
        .block = block * 128,
        .cta = cta,
        .inst = inst,
        .kernel = b->kernel.number,
        .kind = LOOM_MEM_LOAD,
    };

    return ops->mark(b->host.policy, &r);
}

/* An answer is to the last question about the instruction. */
static void reply(struct bench *b, enum loom_event_kind kind, uint32_t inst,
                  uint32_t bits)
{
    struct loom_mem_request r = {.inst = inst};

    for (uint32_t i = 0; i < b->count && kind == LOOM_EVENT_ANSWER; i++) {
        r = b->asked[i].inst == inst ? b->asked[i] : r;
    }
    r.kernel = b->kernel.number;
    r.reply_bits = (uint16_t)bits;
    struct loom_event event = {
        .kind = (uint32_t)kind, .request = &r, .inst = inst};

    b->room = kind == LOOM_EVENT_ANSWER ? b->room + 1 : b->room;
    b->host.cache->observe(b->host.policy, &event);
}

static uint64_t prefer(struct bench *b, uint32_t scheduler)
{
    struct loom_throttle_view view = {.ready = 255, .scheduler = scheduler};

    return b->host.throttle->prefer(b->host.policy, &view);
}

static void close_bench(struct bench *b)
{
    struct loom_error err = {0};

    EXPECT(loscache_policy.check(b->host.policy, &err));
    sm_host_close(&b->host);
}

static void predictor_issues_first_until_the_phase_ends(void)
{
    struct bench *b = open_bench(1);

    sm_host_set(&b->host, "random", (union loom_value){.b = false});
    sm_host_set(&b->host, "counted", (union loom_value){.s = "sm"});
    sm_host_number(&b->host, "phase_accesses", 3);
    sm_host_bind(&b->host);
    start_kernel(b, 0);
    start_cta(b, 5, 4); /* the first one; warps 4 and 5 */
    start_cta(b, 6, 8);
    EXPECT_EQ(prefer(b, 0), 4); /* warp 4 is number 2 of its scheduler */
    EXPECT_EQ(prefer(b, 1), 4);
    EXPECT_EQ(stat(b, "preferred"), 2);
    tell(b, LOOM_EVENT_WARP_FINISH, 5, 4);
    EXPECT_EQ(prefer(b, 0), 0);
    EXPECT_EQ(prefer(b, 1), 4);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(request(b, 6, 10 + i, i), 0);
    }
    EXPECT_EQ(stat(b, "ended_by_accesses"), 1);
    EXPECT_EQ(prefer(b, 1), 0);
    EXPECT_EQ(b->count, 0); /* only other CTAs have had a request */
    close_bench(b);
}

static void phase_ends_with_the_predictor(void)
{
    struct bench *b = open_bench(1);

    sm_host_set(&b->host, "random", (union loom_value){.b = false});
    sm_host_bind(&b->host);
    start_kernel(b, 0);
    start_cta(b, 5, 4);
    start_cta(b, 6, 8);
    request(b, 5, 10, 70);
    tell(b, LOOM_EVENT_CTA_FINISH, 6, 0);
    EXPECT_EQ(stat(b, "ended_by_predictor"), 0);
    tell(b, LOOM_EVENT_CTA_FINISH, 5, 0);
    EXPECT_EQ(stat(b, "ended_by_predictor"), 1);
    EXPECT_EQ(b->count, 0); /* the L1 asks when it is at work */
    reply(b, LOOM_EVENT_REPLY, 10, 0);
    EXPECT_EQ(b->count, 1);
    EXPECT_EQ(b->asked[0].block, 70 * 128);
    reply(b, LOOM_EVENT_ANSWER, 10, 4);
    close_bench(b);
}

/* One block per instruction of the predictor, as many as the table holds,
 * asked for as there is room. */
static void table_is_filled_and_asked_for(void)
{
    struct bench *b = open_bench(1);

    sm_host_set(&b->host, "random", (union loom_value){.b = false});
    sm_host_number(&b->host, "entries", 4);
    sm_host_number(&b->host, "phase_accesses", 8);
    sm_host_bind(&b->host);
    start_kernel(b, 0);
    start_cta(b, 5, 4);
    start_cta(b, 6, 8);
    request(b, 5, 10, 1);
    request(b, 5, 10, 2); /* has an entry */
    request(b, 6, 11, 3); /* not the predictor's */
    for (uint32_t i = 0; i < 6; i++) {
        request(b, 5, 20 + i, 20 + i); /* three of these fit */
    }
    EXPECT_EQ(stat(b, "entries_made"), 4);
    EXPECT_EQ(stat(b, "entries_refused"), 3);
    EXPECT_EQ(b->count, PLACES);
    EXPECT_EQ(b->asked[0].block, 128);
    EXPECT_EQ(b->asked[2].inst, 21);
    reply(b, LOOM_EVENT_ANSWER, 10, 2);
    EXPECT_EQ(b->count, 4);
    reply(b, LOOM_EVENT_ANSWER, 20, 0);  /* the L2 did not have it */
    reply(b, LOOM_EVENT_ANSWER, 21, 63); /* at its limit */
    EXPECT_EQ(request(b, 6, 10, 9), 2);  /* whoever's it is */
    EXPECT_EQ(request(b, 6, 20, 9), 0);
    EXPECT_EQ(request(b, 6, 21, 9), 0);
    EXPECT_EQ(request(b, 6, 22, 9), 0); /* not answered */
    EXPECT_EQ(request(b, 6, 99, 9), 0); /* not in the table */
    reply(b, LOOM_EVENT_ANSWER, 22, 7);
    EXPECT_EQ(request(b, 6, 22, 9), 7);
    EXPECT_EQ(stat(b, "query_bytes"), 4 * 16);
    EXPECT_EQ(stat(b, "predicted"), 2);
    /* 9 requests in the phase, 4 answers, 6 requests afterwards. */
    EXPECT_EQ(stat(b, "searches"), 19);
    close_bench(b);
}

static void block_that_is_gone_may_predict_one_access(void)
{
    static const char *const says[2] = {"none", "once"};

    for (uint32_t once = 0; once < 2; once++) {
        struct bench *b = open_bench(1);

        sm_host_number(&b->host, "phase_accesses", 1);
        sm_host_set(&b->host, "gone", (union loom_value){.s = says[once]});
        sm_host_bind(&b->host);
        start_kernel(b, 0);
        start_cta(b, 5, 4);
        request(b, 5, 10, 1);
        reply(b, LOOM_EVENT_ANSWER, 10, 0);
        EXPECT_EQ(request(b, 6, 10, 2), once);
        reply(b, LOOM_EVENT_REPLY, 10, EARLY);
        EXPECT_EQ(request(b, 6, 10, 3), 2 * once);
        EXPECT_EQ(stat(b, "empty_answers"), 1);
        close_bench(b);
    }
}

static void early_gatings_raise_a_prediction(void)
{
    static const uint32_t want[2][5] = {{2, 3, 4, 5, 5}, {2, 2, 2, 2, 2}};

    for (uint32_t naive = 0; naive < 2; naive++) {
        struct bench *b = open_bench(1);

        sm_host_number(&b->host, "phase_accesses", 1);
        sm_host_number(&b->host, "max_threshold", naive != 0 ? 0 : 3);
        sm_host_bind(&b->host);
        start_kernel(b, 0);
        start_cta(b, 5, 4);
        request(b, 5, 10, 1);
        reply(b, LOOM_EVENT_ANSWER, 10, 2);
        for (uint32_t i = 0; i < 5; i++) {
            EXPECT_EQ(request(b, 6, 10, 9), want[naive][i]);
            reply(b, LOOM_EVENT_REPLY, 10, EARLY);
        }
        reply(b, LOOM_EVENT_REPLY, 11, EARLY); /* has no entry */
        EXPECT_EQ(stat(b, "early_replies"), 6);
        EXPECT_EQ(stat(b, "raises"), naive != 0 ? 0 : 3);
        close_bench(b);
    }
}

static void raised_prediction_stays_within_its_bits(void)
{
    struct bench *b = open_bench(1);

    sm_host_number(&b->host, "phase_accesses", 1);
    sm_host_bind(&b->host);
    start_kernel(b, 0);
    start_cta(b, 5, 4);
    request(b, 5, 10, 1);
    reply(b, LOOM_EVENT_ANSWER, 10, 62);
    for (uint32_t i = 0; i < 3; i++) {
        reply(b, LOOM_EVENT_REPLY, 10, EARLY);
    }
    EXPECT_EQ(request(b, 6, 10, 9), 63);
    close_bench(b);
}

static void launch_may_begin_anew(void)
{
    struct bench *b = open_bench(1);

    sm_host_set(&b->host, "reset", (union loom_value){.s = "launch"});
    sm_host_number(&b->host, "phase_accesses", 1);
    sm_host_bind(&b->host);
    start_kernel(b, 0);
    start_cta(b, 5, 4);
    request(b, 5, 10, 1);
    start_kernel(b, 1);
    start_cta(b, 5, 4);
    b->kernel.number = 0;
    reply(b, LOOM_EVENT_ANSWER, 10, 2); /* comes late */
    EXPECT_EQ(request(b, 5, 10, 9), 0); /* so does this request */
    b->kernel.number = 1;
    EXPECT_EQ(request(b, 5, 10, 9), 0);
    EXPECT_EQ(request(b, 5, 10, 9), 0); /* not answered yet */
    reply(b, LOOM_EVENT_ANSWER, 10, 3);
    EXPECT_EQ(request(b, 5, 10, 9), 3);
    EXPECT_EQ(stat(b, "phases"), 2);
    EXPECT_EQ(stat(b, "kept"), 0);
    close_bench(b);
}

/* Kernels are told apart by name, as their instructions' addresses tell. */
static void table_outlives_launches(void)
{
    struct bench *b = open_bench(1);

    sm_host_number(&b->host, "phase_accesses", 1);
    sm_host_bind(&b->host);
    start_named(b, 0, "first");
    start_cta(b, 5, 4);
    request(b, 5, 10, 1);
    reply(b, LOOM_EVENT_ANSWER, 10, 2);
    start_named(b, 1, "second"); /* its instruction 10 is another one */
    start_cta(b, 5, 4);
    EXPECT_EQ(request(b, 5, 10, 9), 0);
    reply(b, LOOM_EVENT_ANSWER, 10, 7);
    EXPECT_EQ(request(b, 5, 10, 9), 7);
    start_named(b, 2, "first");
    start_cta(b, 5, 4);
    EXPECT_EQ(prefer(b, 0), 4);         /* a phase, */
    EXPECT_EQ(request(b, 6, 10, 9), 2); /* and what is known already */
    EXPECT_EQ(request(b, 5, 11, 8), 0); /* is new */
    reply(b, LOOM_EVENT_ANSWER, 11, 5);
    EXPECT_EQ(request(b, 6, 11, 9), 5);
    reply(b, LOOM_EVENT_REPLY, 10, EARLY);
    start_named(b, 3, "first");
    EXPECT_EQ(request(b, 5, 10, 9), 3);
    EXPECT_EQ(request(b, 5, 11, 9), 5);
    start_named(b, 4, "second");
    EXPECT_EQ(request(b, 5, 10, 9), 7);
    EXPECT_EQ(stat(b, "phases"), 5);
    EXPECT_EQ(stat(b, "kept"), 4);
    EXPECT_EQ(stat(b, "entries_made"), 3);
    EXPECT_EQ(b->count, 3); /* what is in the table is not asked for again */
    close_bench(b);
}

/* One table for all kernels. */
static void table_is_shared_by_kernels(void)
{
    struct bench *b = open_bench(1);

    sm_host_number(&b->host, "entries", 2);
    sm_host_number(&b->host, "phase_accesses", 2);
    sm_host_bind(&b->host);
    start_named(b, 0, "first");
    start_cta(b, 5, 4);
    request(b, 5, 10, 1);
    request(b, 5, 11, 2);
    reply(b, LOOM_EVENT_ANSWER, 10, 4);
    reply(b, LOOM_EVENT_ANSWER, 11, 5);
    for (uint32_t launch = 1; launch < 3; launch++) {
        start_named(b, launch, "second");
        start_cta(b, 5, 4);
        request(b, 5, 10, 3);
        request(b, 5, 10, 3);
        EXPECT_EQ(stat(b, "entries_refused"), 2 * launch);
        EXPECT_EQ(request(b, 5, 10, 3), 0);
    }
    EXPECT_EQ(stat(b, "entries_made"), 2);
    EXPECT_EQ(b->count, 2);
    close_bench(b);
}

/* The predictor ends with the launch, so that the L2 is asked in the next. */
static void answer_may_come_in_a_later_launch(void)
{
    struct bench *b = open_bench(1);

    sm_host_bind(&b->host);
    start_named(b, 0, "first");
    start_cta(b, 5, 4);
    request(b, 5, 10, 1);
    tell(b, LOOM_EVENT_CTA_FINISH, 5, 0);
    tell(b, LOOM_EVENT_KERNEL_END, 0, 0);
    start_named(b, 1, "first");
    start_cta(b, 5, 4);
    reply(b, LOOM_EVENT_REPLY, 12, 0);
    EXPECT_EQ(b->count, 1);
    start_named(b, 2, "second");
    reply(b, LOOM_EVENT_ANSWER, 10, 6);
    start_named(b, 3, "first");
    EXPECT_EQ(request(b, 5, 10, 9), 6);
    close_bench(b);
}

/* What a phase entered that was cut short is entered again. */
static void cut_phase_leaves_nothing(void)
{
    struct bench *b = open_bench(1);

    sm_host_number(&b->host, "phase_accesses", 2);
    sm_host_bind(&b->host);
    start_named(b, 0, "first");
    start_cta(b, 5, 4);
    request(b, 5, 10, 1);
    start_named(b, 1, "second");
    start_named(b, 2, "first");
    start_cta(b, 6, 4);
    request(b, 6, 10, 8);
    request(b, 6, 10, 9);
    EXPECT_EQ(stat(b, "cut"), 2);
    EXPECT_EQ(stat(b, "entries_made"), 1);
    EXPECT_EQ(b->count, 1);
    EXPECT_EQ(b->asked[0].block, 8 * 128);
    reply(b, LOOM_EVENT_ANSWER, 10, 2);
    close_bench(b);
}

static void phase_may_end_with_the_predictor_only(void)
{
    struct bench *b = open_bench(1);

    sm_host_set(&b->host, "random", (union loom_value){.b = false});
    sm_host_number(&b->host, "phase_accesses", 0);
    sm_host_bind(&b->host);
    start_kernel(b, 0);
    start_cta(b, 5, 4);
    for (uint32_t i = 0; i < 1000; i++) {
        request(b, 5, 10, i);
    }
    EXPECT_EQ(stat(b, "ended_by_accesses"), 0);
    tell(b, LOOM_EVENT_CTA_FINISH, 5, 0);
    EXPECT_EQ(stat(b, "ended_by_predictor"), 1);
    EXPECT_EQ(stat(b, "phase_accesses"), 1000);
    close_bench(b);
}

static void slice_may_end_the_phase(void)
{
    struct bench *b = open_bench(1);

    sm_host_bind(&b->host);
    start_kernel(b, 0);
    start_cta(b, 5, 4);
    request(b, 5, 10, 1);
    reply(b, LOOM_EVENT_REPLY, 10, OVER);
    EXPECT_EQ(stat(b, "ended_by_l2"), 1);
    EXPECT_EQ(b->count, 1);
    reply(b, LOOM_EVENT_ANSWER, 10, 2);
    close_bench(b);
}

static void accesses_of_the_predictor_or_of_all_count(void)
{
    static const char *const counted[2] = {"predictor", "sm"};

    for (uint32_t all = 0; all < 2; all++) {
        struct bench *b = open_bench(1);

        sm_host_set(&b->host, "random", (union loom_value){.b = false});
        sm_host_set(&b->host, "counted", (union loom_value){.s = counted[all]});
        sm_host_number(&b->host, "phase_accesses", 2);
        sm_host_bind(&b->host);
        start_kernel(b, 0);
        start_cta(b, 5, 4);
        request(b, 5, 10, 3);
        request(b, 6, 10, 1);
        EXPECT_EQ(stat(b, "ended_by_accesses"), all);
        request(b, 5, 10, 4);
        EXPECT_EQ(stat(b, "ended_by_accesses"), 1);
        reply(b, LOOM_EVENT_ANSWER, 10, 2);
        close_bench(b);
    }
}

/* Each of four CTAs is drawn about as often, and the seed says when. */
static void predictor_is_drawn_at_random(void)
{
    uint32_t drawn[4] = {0}, again = 0;

    for (uint64_t seed = 0; seed < 400; seed++) {
        uint32_t first[2] = {0};

        for (uint32_t twice = 0; twice < 2; twice++) {
            struct bench *b = open_bench(seed);

            sm_host_bind(&b->host);
            start_kernel(b, 0);
            for (uint32_t i = 0; i < 4; i++) {
                start_cta(b, i, (uint16_t)(2 * i));
            }
            first[twice] = loom_lowest(prefer(b, 0));
            request(b, 0, 1, 1); /* too late for the next one */
            start_cta(b, 9, 8);
            EXPECT_EQ(prefer(b, 0), loom_bit(first[twice]));
            EXPECT_EQ(stat(b, "resident_ctas"), 4);
            close_bench(b);
        }
        again += first[0] == first[1];
        drawn[first[0]]++;
    }
    EXPECT_EQ(again, 400);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT(drawn[i] > 70 && drawn[i] < 130); /* 3.5 deviations */
    }
}

/* Section IV.D of the paper: 165 bytes per load/store unit, and 6 bits per
 * line of the L2, which is the other part's. */
static void table_is_as_large_as_the_papers(void)
{
    struct bench *b = open_bench(1);
    struct loom_cost_shape shape = {
        .line_bytes = 128, .address_bits = 32, .pc_bits = 32};
    struct loom_cost cost = {0};

    sm_host_bind(&b->host);
    loscache_policy.cost(loom_policy_config(b->host.policy), &shape, &cost);
    EXPECT_EQ(cost.part[0].count, 21);
    EXPECT_EQ(cost.part[0].bits, 25 + 32 + 6);
    EXPECT_EQ(cost.part[0].count * cost.part[0].bits / 8, 165);
    close_bench(b);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

static const struct loom_test tests[] = {
    TEST(predictor_issues_first_until_the_phase_ends),
    TEST(phase_ends_with_the_predictor),
    TEST(table_is_filled_and_asked_for),
    TEST(block_that_is_gone_may_predict_one_access),
    TEST(early_gatings_raise_a_prediction),
    TEST(raised_prediction_stays_within_its_bits),
    TEST(launch_may_begin_anew),
    TEST(table_outlives_launches),
    TEST(table_is_shared_by_kernels),
    TEST(answer_may_come_in_a_later_launch),
    TEST(cut_phase_leaves_nothing),
    TEST(phase_may_end_with_the_predictor_only),
    TEST(slice_may_end_the_phase),
    TEST(accesses_of_the_predictor_or_of_all_count),
    TEST(predictor_is_drawn_at_random),
    TEST(table_is_as_large_as_the_papers),
};

int main(void)
{
    return loom_run_tests("loscache", tests, LOOM_COUNTOF(tests));
}
