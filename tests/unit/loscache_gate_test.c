/*
 * loscache_l2 on a real cache of 4 sets of 2 ways: when lines are gated, what
 * is answered.  A request for cycle t is served at t + 2, its fill comes 12
 * cycles later.  Requests carry their prediction in the lowest policy bits.
 *
 * links: component_cache policy_lru policy_linear_index policy_loscache_l2
 */
#include "tests/unit/cache_rig_run.h"

extern const struct loom_policy_type loscache_l2_policy;

enum {
    COUNT = 63, /* reply bits */
    EARLY = 1 << 6,
    OVER = 1 << 7
};

struct bench {
    struct rig *rig;
    struct loom_policy *policy;
};

static struct bench open_gate(void)
{
    struct bench b = {.rig = rig_open()};
    struct rig *rig = b.rig;

    rig_alone(rig); /* the policy is attached to one cache */
    rig_attach(rig, "replacement", &lru_policy);
    rig_attach(rig, "set_index", &linear_index_policy);
    b.policy = loom_machine_add_policy(rig->machine, &loscache_l2_policy,
                                       "sm[0].l1d.policy.x", &rig->err);
    REQUIRE(b.policy != NULL);
    for (size_t i = 0; i < loscache_l2_policy.facets.count; i++) {
        const struct loom_hook *hook = loscache_l2_policy.facets.item[i].hook;
        const char *slot =
            hook == &loom_cache_observe_hook ? "observe" : hook->name;

        REQUIRE(loom_machine_attach(rig->cache, slot, b.policy, &rig->err));
    }
    rig_text(rig, "write_policy", "write_back");
    rig_text(rig, "write_miss", "validate");
    return b;
}

static void choose(const struct bench *b, const char *name, const char *value)
{
    REQUIRE(loom_machine_set_policy(
        b->policy, name, (union loom_value){.s = value}, &b->rig->err));
}

static void access(struct bench *b, loom_cycle when, enum loom_mem_kind kind,
                   uint64_t block, uint16_t predicted)
{
    rig_access(b->rig, when, kind, block)->policy_bits = predicted;
}

static uint64_t stat(const struct bench *b, const char *name)
{
    const struct loom_stat *s = loom_stats_find(loscache_l2_policy.stats, name);

    REQUIRE(s != NULL);
    return *(const uint64_t *)((const char *)loom_policy_stats(b->policy) +
                               s->offset);
}

static uint32_t bits(const struct bench *b, uint32_t reply)
{
    return b->rig->source->reply[reply].message.reply_bits &
           (COUNT | EARLY | OVER);
}

static void run(struct bench *b)
{
    rig_start(b->rig);
    rig_run(b->rig);
}

static void line_is_gated_after_its_last_predicted_access(void)
{
    struct bench b = open_gate();

    access(&b, 10, LOOM_MEM_LOAD, 0, 3); /* on at 12: the first access */
    access(&b, 40, LOOM_MEM_LOAD, 0, 3);
    access(&b, 50, LOOM_MEM_LOAD, 0, 3); /* gated at 52 */
    run(&b);
    EXPECT_EQ(stat(&b, "gatings"), 1);
    EXPECT_EQ(stat(&b, "counted"), 3);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), 52 - 12);
    EXPECT_EQ(stat(&b, "judged"), 1);
    EXPECT_EQ(stat(&b, "right"), 1);
    EXPECT_EQ(bits(&b, 2), 0);
    EXPECT_EQ(stat(&b, "judged_requests"), 3);
    EXPECT_EQ(stat(&b, "right_requests"), 3);
    rig_close(b.rig);
}

static void access_to_a_gated_line_is_an_early_gating(void)
{
    struct bench b = open_gate();

    access(&b, 10, LOOM_MEM_LOAD, 0, 2);
    access(&b, 40, LOOM_MEM_LOAD, 0, 2); /* gated at 42 */
    access(&b, 60, LOOM_MEM_LOAD, 0, 2); /* its tag is there: a miss at 62 */
    access(&b, 90, LOOM_MEM_LOAD, 0, 2); /* second access to the new data */
    run(&b);
    EXPECT_EQ(rig_stat(b.rig, "misses"), 2);
    EXPECT_EQ(stat(&b, "early_misses"), 1);
    EXPECT_EQ(bits(&b, 1), 0);
    EXPECT_EQ(bits(&b, 2), EARLY);
    EXPECT_EQ(bits(&b, 3), 0);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), (42 - 12) + (92 - 62));
    EXPECT_EQ(stat(&b, "retired_early"), 1);
    EXPECT_EQ(stat(&b, "judged"), 2);
    EXPECT_EQ(stat(&b, "right"), 1);
    EXPECT_EQ(stat(&b, "judged_requests"), 4);
    EXPECT_EQ(stat(&b, "right_requests"), 3);
    rig_close(b.rig);
}

static void count_may_go_on_after_an_early_gating(void)
{
    struct bench b = open_gate();

    choose(&b, "after_early", "go_on");
    access(&b, 10, LOOM_MEM_LOAD, 0, 2);
    access(&b, 40, LOOM_MEM_LOAD, 0, 2); /* gated at 42 */
    access(&b, 60, LOOM_MEM_LOAD, 0, 3); /* the third: gated by its fill, 74 */
    run(&b);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), (42 - 12) + (74 - 62));
    EXPECT_EQ(stat(&b, "right"), 1);
    rig_close(b.rig);
}

static void data_predicted_once_gets_no_line(void)
{
    struct bench b = open_gate();

    access(&b, 10, LOOM_MEM_LOAD, 0, 1);
    access(&b, 40, LOOM_MEM_LOAD, 0, 1); /* once again */
    access(&b, 70, LOOM_MEM_STORE, 1, 1);
    run(&b);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), 0);
    EXPECT_EQ(stat(&b, "unallocated"), 3);
    EXPECT_EQ(stat(&b, "once_again"), 1);
    EXPECT_EQ(bits(&b, 1), 0); /* nobody could know */
    EXPECT_EQ(stat(&b, "judged"), 3);
    EXPECT_EQ(stat(&b, "right"), 2);
    EXPECT_EQ(b.rig->memory->count, 3);
    EXPECT_EQ(b.rig->memory->seen[2].kind, LOOM_MEM_STORE);
    EXPECT_EQ(stat(&b, "judged_requests"), 3);
    EXPECT_EQ(stat(&b, "right_requests"), 2);
    rig_close(b.rig);
}

static void data_predicted_once_may_leave_its_tag(void)
{
    struct bench b = open_gate();

    choose(&b, "once", "tag");
    access(&b, 10, LOOM_MEM_LOAD, 0, 1); /* a way, but never on */
    access(&b, 40, LOOM_MEM_LOAD, 0, 2); /* too late; on from 42 */
    access(&b, 60, LOOM_MEM_LOAD, 0, 2); /* gated at 62 */
    run(&b);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), 62 - 42);
    EXPECT_EQ(stat(&b, "early_misses"), 1);
    EXPECT_EQ(bits(&b, 1), EARLY);
    EXPECT_EQ(stat(&b, "unallocated"), 0);
    EXPECT_EQ(stat(&b, "judged_requests"), 3);
    EXPECT_EQ(stat(&b, "right_requests"), 2);
    rig_close(b.rig);
}

static void last_access_may_come_before_the_data(void)
{
    struct bench b = open_gate();

    access(&b, 10, LOOM_MEM_LOAD, 0, 2);
    access(&b, 14, LOOM_MEM_LOAD, 0, 2); /* gated by the fill at 24 */
    access(&b, 17, LOOM_MEM_LOAD, 0, 2); /* one too many, but in time */
    run(&b);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), 24 - 12);
    EXPECT_EQ(stat(&b, "early_hits"), 1);
    EXPECT_EQ(stat(&b, "early_misses"), 0);
    EXPECT_EQ(bits(&b, 1), 0);
    EXPECT_EQ(bits(&b, 2), EARLY);
    EXPECT_EQ(stat(&b, "judged"), 1);
    EXPECT_EQ(stat(&b, "right"), 0);
    EXPECT_EQ(stat(&b, "judged_requests"), 3);
    EXPECT_EQ(stat(&b, "right_requests"), 2);
    rig_close(b.rig);
}

static void dirty_line_is_written_back_before_it_is_gated(void)
{
    struct bench b = open_gate();

    access(&b, 10, LOOM_MEM_STORE, 0, 2);
    access(&b, 20, LOOM_MEM_LOAD, 0, 2); /* hit at 22, then gated */
    run(&b);
    EXPECT_EQ(b.rig->memory->count, 1);
    EXPECT_EQ(b.rig->memory->seen[0].kind, LOOM_MEM_WRITEBACK);
    EXPECT_EQ(b.rig->memory->seen_at[0], 23);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), 22 - 12);
    rig_close(b.rig);
}

/* LRU alone would take block 4's way. */
static void gated_way_is_replaced_first(void)
{
    struct bench b = open_gate();

    access(&b, 10, LOOM_MEM_LOAD, 4, 0);
    access(&b, 30, LOOM_MEM_LOAD, 0, 2);
    access(&b, 60, LOOM_MEM_LOAD, 0, 2); /* gated, used last */
    access(&b, 80, LOOM_MEM_LOAD, 8, 0);
    access(&b, 110, LOOM_MEM_LOAD, 4, 0);
    run(&b);
    EXPECT_EQ(rig_stat(b.rig, "hits"), 2);
    EXPECT_EQ(rig_stat(b.rig, "evictions"), 1);
    EXPECT_EQ(stat(&b, "retired_right"), 1);
    rig_close(b.rig);
}

/* Evicted with one access, two were predicted. */
static void line_that_leaves_before_its_time_was_predicted_too_high(void)
{
    struct bench b = open_gate();

    access(&b, 10, LOOM_MEM_LOAD, 0, 2);
    access(&b, 40, LOOM_MEM_LOAD, 4, 0);
    access(&b, 70, LOOM_MEM_LOAD, 8, 0);
    run(&b);
    EXPECT_EQ(stat(&b, "retired"), 1);
    EXPECT_EQ(stat(&b, "retired_late"), 1);
    EXPECT_EQ(stat(&b, "enough"), 1);
    EXPECT_EQ(stat(&b, "judged_requests"), 1);
    EXPECT_EQ(stat(&b, "right_requests"), 0);
    rig_close(b.rig);
}

static void query_gets_the_count(void)
{
    struct bench b = open_gate();

    access(&b, 10, LOOM_MEM_LOAD, 0, 0);
    access(&b, 40, LOOM_MEM_STORE, 0, 0);
    rig_access(b.rig, 60, LOOM_MEM_QUERY, 0);
    rig_access(b.rig, 70, LOOM_MEM_QUERY, 7); /* not there */
    run(&b);
    EXPECT_EQ(bits(&b, 2), 2);
    EXPECT_EQ(bits(&b, 3), 0);
    EXPECT_EQ(stat(&b, "queries"), 2);
    EXPECT_EQ(stat(&b, "judged"), 0);
    EXPECT_EQ(stat(&b, "judged_requests"), 0);
    EXPECT_EQ(stat(&b, "right_requests"), 0);
    rig_close(b.rig);
}

static void counter_stays_at_its_limit(void)
{
    struct bench b = open_gate();

    for (uint32_t i = 0; i < 70; i++) {
        access(&b, 10 + 20 * i, LOOM_MEM_LOAD, 0, 0);
    }
    rig_access(b.rig, 2000, LOOM_MEM_QUERY, 0);
    run(&b);
    EXPECT_EQ(bits(&b, 70), COUNT);
    rig_close(b.rig);
}

static void slice_may_end_the_phase_of_a_kernel(void)
{
    struct bench b = open_gate();

    REQUIRE(loom_machine_set_policy(b.policy, "phase_accesses",
                                    (union loom_value){.u = 2}, &b.rig->err));
    for (uint32_t i = 0; i < 4; i++) {
        rig_access(b.rig, 10 + 20 * i, LOOM_MEM_LOAD, 0)->kernel = i / 3;
    }
    run(&b);
    EXPECT_EQ(bits(&b, 0), 0);
    EXPECT_EQ(bits(&b, 1), OVER);
    EXPECT_EQ(bits(&b, 2), OVER);
    EXPECT_EQ(bits(&b, 3), 0); /* the next kernel's first access */
    rig_close(b.rig);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

static const struct loom_test tests[] = {
    TEST(line_is_gated_after_its_last_predicted_access),
    TEST(access_to_a_gated_line_is_an_early_gating),
    TEST(count_may_go_on_after_an_early_gating),
    TEST(data_predicted_once_gets_no_line),
    TEST(data_predicted_once_may_leave_its_tag),
    TEST(last_access_may_come_before_the_data),
    TEST(dirty_line_is_written_back_before_it_is_gated),
    TEST(gated_way_is_replaced_first),
    TEST(line_that_leaves_before_its_time_was_predicted_too_high),
    TEST(query_gets_the_count),
    TEST(counter_stays_at_its_limit),
    TEST(slice_may_end_the_phase_of_a_kernel),
};

int main(void)
{
    return loom_run_tests("loscache_gate", tests, LOOM_COUNTOF(tests));
}
