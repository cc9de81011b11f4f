/*
 * Policies that turn lines off, on a real cache of 4 sets of 2 ways: dead
 * time, cache decay, drowsy lines.  A request for cycle t is served at t + 2,
 * its fill comes 12 cycles later.
 *
 * links: component_cache policy_lru policy_linear_index policy_ideal_gating
 * links: policy_cache_decay policy_drowsy
 */
#include "tests/unit/cache_rig_run.h"

extern const struct loom_policy_type ideal_gating_policy;
extern const struct loom_policy_type cache_decay_policy;
extern const struct loom_policy_type drowsy_policy;

/* A bench with the policy in the slots that it answers. */
struct bench {
    struct rig *rig;
    struct loom_policy *policy;
    const struct loom_policy_type *type;
};

static struct bench open_with(const struct loom_policy_type *type)
{
    struct bench b = {.rig = rig_open(), .type = type};
    struct rig *rig = b.rig;

    rig_alone(rig); /* the policy is attached to one cache */
    rig_attach(rig, "replacement", &lru_policy);
    rig_attach(rig, "set_index", &linear_index_policy);
    b.policy = loom_machine_add_policy(rig->machine, type, "sm[0].l1d.policy.x",
                                       &rig->err);
    REQUIRE(b.policy != NULL);
    for (size_t i = 0; i < type->facets.count; i++) {
        const struct loom_hook *hook = type->facets.item[i].hook;
        const char *slot =
            hook == &loom_cache_observe_hook ? "observe" : hook->name;

        REQUIRE(loom_machine_attach(rig->cache, slot, b.policy, &rig->err));
    }
    rig_text(rig, "write_policy", "write_back");
    rig_text(rig, "write_miss", "validate");
    return b;
}

static void set(const struct bench *b, const char *name, uint64_t value)
{
    REQUIRE(loom_machine_set_policy(
        b->policy, name, (union loom_value){.u = value}, &b->rig->err));
}

static uint64_t stat(const struct bench *b, const char *name)
{
    const struct loom_stat *s = loom_stats_find(b->type->stats, name);

    REQUIRE(s != NULL);
    return *(const uint64_t *)((const char *)loom_policy_stats(b->policy) +
                               s->offset);
}

static uint64_t sum(const struct bench *b, const char *name)
{
    const struct loom_stat *s = loom_stats_find(b->type->stats, name);
    const struct loom_array *array;
    uint64_t total = 0;

    REQUIRE(s != NULL);
    array =
        (const void *)((const char *)loom_policy_stats(b->policy) + s->offset);
    EXPECT_EQ(array->count, 8);
    for (uint32_t i = 0; i < array->count; i++) {
        total += array->item[i];
    }
    return total;
}

static void finish(struct bench *b)
{
    rig_start(b->rig);
    rig_run(b->rig);
}

static void block_lives_from_its_fill_to_its_last_access(void)
{
    struct bench b = open_with(&ideal_gating_policy);

    rig_access(b.rig, 10, LOOM_MEM_LOAD, 0); /* filled at 24 */
    rig_access(b.rig, 40, LOOM_MEM_LOAD, 0); /* last access at 42 */
    rig_access(b.rig, 50, LOOM_MEM_LOAD, 4); /* filled at 64 */
    rig_access(b.rig, 55, LOOM_MEM_LOAD, 4); /* while it is on its way */
    rig_access(b.rig, 80, LOOM_MEM_LOAD, 8); /* takes block 0's way at 82 */
    finish(&b);
    EXPECT_EQ(stat(&b, "live_cycles"), 42 - 24);
    EXPECT_EQ(stat(&b, "reserved_cycles"), 3 * 12);
    EXPECT_EQ(stat(&b, "dead_cycles"),
              stat(&b, "line_cycles") - (42 - 24) - 3 * 12);
    EXPECT_EQ(stat(&b, "line_cycles"), rig_stat(b.rig, "line_on_cycles"));
    EXPECT_EQ(sum(&b, "dead_by_line"), stat(&b, "dead_cycles"));
    EXPECT_EQ(stat(&b, "on_cycles"), 42 - 24);
    EXPECT_EQ(stat(&b, "lives"), 1);
    EXPECT_EQ(stat(&b, "single_lives"), 0);
    EXPECT_EQ(stat(&b, "unused_lines"), 6);
    rig_close(b.rig);
}

static void written_block_lives_from_its_write(void)
{
    struct bench b = open_with(&ideal_gating_policy);

    rig_access(b.rig, 10, LOOM_MEM_STORE, 0); /* at 12, nothing is fetched */
    rig_access(b.rig, 30, LOOM_MEM_LOAD, 0);  /* at 32 */
    rig_access(b.rig, 40, LOOM_MEM_STORE, 1); /* never read */
    finish(&b);
    EXPECT_EQ(stat(&b, "live_cycles"), 32 - 12);
    EXPECT_EQ(stat(&b, "reserved_cycles"), 0);
    rig_close(b.rig);
}

static void line_decays_four_ticks_after_its_last_access(void)
{
    struct bench b = open_with(&cache_decay_policy);

    set(&b, "interval", 16);                 /* a tick every 4 cycles */
    rig_access(b.rig, 10, LOOM_MEM_LOAD, 0); /* on at 12, filled at 24 */
    rig_access(b.rig, 50, LOOM_MEM_LOAD, 0); /* on at 52, filled at 64 */
    rig_access(b.rig, 67, LOOM_MEM_LOAD, 0); /* at 69: the 4th tick is 84 */
    finish(&b);
    /* Ticks 28, 32 and 36 are counted, 40 gates. */
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), (40 - 12) + (84 - 52));
    EXPECT_EQ(sum(&b, "on_cycles"), rig_stat(b.rig, "line_on_cycles"));
    EXPECT_EQ(stat(&b, "gatings"), 2);
    EXPECT_EQ(stat(&b, "induced_misses"), 1);
    EXPECT_EQ(rig_stat(b.rig, "hits"), 1);
    rig_close(b.rig);
}

static void decayed_line_is_written_back(void)
{
    struct bench b = open_with(&cache_decay_policy);

    set(&b, "interval", 16);
    rig_access(b.rig, 10, LOOM_MEM_STORE, 0); /* ticks 16, 20, 24, 28 */
    rig_access(b.rig, 11, LOOM_MEM_STORE, 1);
    finish(&b);
    EXPECT_EQ(b.rig->memory->count, 2);
    EXPECT_EQ(b.rig->memory->seen[0].kind, LOOM_MEM_WRITEBACK);
    EXPECT_EQ(b.rig->memory->seen_at[0], 29);
    EXPECT_EQ(b.rig->memory->seen_at[1], 30);
    EXPECT_EQ(rig_stat(b.rig, "writebacks"), 2);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), (28 - 12) + (28 - 13));
    rig_close(b.rig);
}

/* Eight dirty lines, room for three at once: the tick takes longer. */
static void full_queue_holds_up_a_tick(void)
{
    struct bench b = open_with(&cache_decay_policy);

    set(&b, "interval", 64);
    rig_set(b.rig, "miss_queue", 2);
    for (uint32_t i = 0; i < 8; i++) {
        rig_access(b.rig, 16, LOOM_MEM_STORE, i);
    }
    finish(&b);
    EXPECT_EQ(stat(&b, "gatings"), 8);
    EXPECT_EQ(b.rig->memory->count, 8);
    EXPECT(stat(&b, "delayed_ticks") > 0);
    EXPECT_EQ(sum(&b, "on_cycles"), rig_stat(b.rig, "line_on_cycles"));
    rig_close(b.rig);
}

static void idle_cache_sleeps_and_wakes_with_a_request(void)
{
    struct bench b = open_with(&drowsy_policy);

    set(&b, "idle", 8);
    rig_set(b.rig, "wake_cycles", 3);
    rig_access(b.rig, 10, LOOM_MEM_LOAD, 0); /* miss at 12, fill at 24 */
    rig_access(b.rig, 40, LOOM_MEM_LOAD, 0); /* hit at 42 */
    rig_access(b.rig, 44, LOOM_MEM_LOAD, 0); /* hit at 46, awake */
    finish(&b);
    EXPECT_EQ(b.rig->source->replied_at[1], 43 + 3);
    EXPECT_EQ(b.rig->source->replied_at[2], 47);
    EXPECT_EQ(stat(&b, "wakes"), 3);
    EXPECT_EQ(stat(&b, "sleeps"), 3);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"),
              8 * ((20 - 12) + (32 - 24) + (54 - 42)));
    EXPECT_EQ(8 * stat(&b, "sleep_cycles"),
              rig_stat(b.rig, "line_drowsy_cycles"));
    EXPECT(stat(&b, "sleep_cycles") >= 12 + (24 - 20) + (42 - 32));
    rig_close(b.rig);
}

static void drowsy_lines_wake_one_by_one(void)
{
    struct bench b = open_with(&drowsy_policy);

    REQUIRE(loom_machine_set_policy(
        b.policy, "scope", (union loom_value){.s = "line"}, &b.rig->err));
    set(&b, "window", 16);
    rig_set(b.rig, "wake_cycles", 3);
    rig_access(b.rig, 10, LOOM_MEM_LOAD, 0); /* on 12, sleeps at 32, not 16 */
    rig_access(b.rig, 40, LOOM_MEM_LOAD, 0); /* hit at 42, sleeps at 48 */
    finish(&b);
    EXPECT_EQ(b.rig->source->replied_at[1], 43 + 3);
    EXPECT_EQ(stat(&b, "sleeps"), 2);
    EXPECT_EQ(stat(&b, "wakes"), 2);
    EXPECT_EQ(rig_stat(b.rig, "line_on_cycles"), (32 - 12) + (48 - 42));
    EXPECT_EQ(sum(&b, "on_cycles"), (32 - 12) + (48 - 42));
    EXPECT_EQ(rig_stat(b.rig, "line_gated_cycles"), 0);
    rig_close(b.rig);
}

static const struct loom_test tests[] = {
    {"block_lives_from_its_fill_to_its_last_access",
     block_lives_from_its_fill_to_its_last_access},
    {"written_block_lives_from_its_write", written_block_lives_from_its_write},
    {"line_decays_four_ticks_after_its_last_access",
     line_decays_four_ticks_after_its_last_access},
    {"decayed_line_is_written_back", decayed_line_is_written_back},
    {"full_queue_holds_up_a_tick", full_queue_holds_up_a_tick},
    {"idle_cache_sleeps_and_wakes_with_a_request",
     idle_cache_sleeps_and_wakes_with_a_request},
    {"drowsy_lines_wake_one_by_one", drowsy_lines_wake_one_by_one},
};

int main(void)
{
    return loom_run_tests("gating", tests, LOOM_COUNTOF(tests));
}
