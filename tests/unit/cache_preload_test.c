/*
 * Copies of the host that leave their lines in a cache.
 * links: component_cache policy_lru policy_linear_index
 */
#include "tests/unit/cache_rig_run.h"

static void preload(struct rig *rig, loom_addr address, uint64_t bytes)
{
    struct loom_mem_command range = {address, bytes, NULL};

    EXPECT(loom_machine_command(rig->cache, &range, &rig->err));
    if (rig->twin != NULL) {
        preload(rig->twin, address, bytes);
    }
}

static struct rig *open_preloaded(void)
{
    struct rig *rig = rig_open_standard();

    rig_flag(rig, "preload");
    return rig;
}

/* Blocks 0 and 1 whole, the first sector of block 2. */
static void what_was_copied_hits(void)
{
    struct rig *rig = open_preloaded();

    rig_set(rig, "sector_bytes", 32);
    for (uint32_t i = 0; i < 4; i++) {
        rig_sector(rig_access(rig, 0, LOOM_MEM_LOAD, i), 0);
    }
    rig_sector(rig_access(rig, 0, LOOM_MEM_LOAD, 2), 1);
    rig_start(rig);
    preload(rig, 0, 2 * 128 + 8);
    preload(rig, 128, 0); /* nothing */
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "preloaded_lines"), 3);
    EXPECT_EQ(rig_stat(rig, "hits"), 3);
    EXPECT_EQ(rig_stat(rig, "misses"), 2);
    EXPECT_EQ(rig_stat(rig, "sector_misses"), 1);
    EXPECT_EQ(rig->memory->count, 2);
    rig_close(rig);
}

/* 4 sets of 2 ways: of blocks 0 to 15 the last 8 stay, in the order of use;
 * what is written to one of them goes when the next copy takes its way. */
static void a_copy_takes_ways_like_misses(void)
{
    struct rig *rig = open_preloaded();

    rig_text(rig, "write_policy", "write_back");
    for (uint32_t i = 0; i < 8; i++) {
        rig_access(rig, 0, LOOM_MEM_STORE, 8 + i);
    }
    rig_start(rig);
    preload(rig, 0, 16 * 128);
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "hits"), 8);
    EXPECT_EQ(rig_stat(rig, "evictions"), 8);
    preload(rig, 16 * 128, 128); /* instead of block 8, which is written */
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "evictions"), 9);
    EXPECT_EQ(rig_stat(rig, "writebacks"), 0);
    rig_close(rig);
}

/* 4 sets of 2 ways.  Copies of blocks 0 and 4 fill a set, that of 8 takes the
 * way of 0.  Once read, 8 is as young as any: 12 takes the way of 4. */
static void what_nobody_read_leaves_first(void)
{
    const uint32_t blocks[] = {8, 12, 8, 4};
    struct rig *rig = open_preloaded();

    rig_flag(rig, "preload_last");
    for (uint32_t i = 0; i < 4; i++) {
        rig_access(rig, 100 * (i + 1), LOOM_MEM_LOAD, blocks[i]);
    }
    rig_start(rig);
    preload(rig, 0, 128);
    preload(rig, 4 * 128, 128);
    preload(rig, 8 * 128, 128);
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "preloaded_lines"), 3);
    EXPECT_EQ(rig_stat(rig, "hits"), 2);
    EXPECT_EQ(rig_stat(rig, "misses"), 2);
    rig_close(rig);
}

static void other_caches_take_no_copies(void)
{
    struct rig *rig = rig_open_standard();
    struct loom_mem_command range = {0, 128, NULL};

    rig_start(rig);
    EXPECT(!loom_machine_command(rig->cache, &range, &rig->err));
    EXPECT_TEXT(rig->err.text, "'sm[0].l1d' has preload = false");
    rig_close(rig);
}

static const struct loom_test tests[] = {
    {"what_was_copied_hits", what_was_copied_hits},
    {"a_copy_takes_ways_like_misses", a_copy_takes_ways_like_misses},
    {"what_nobody_read_leaves_first", what_nobody_read_leaves_first},
    {"other_caches_take_no_copies", other_caches_take_no_copies},
};

int main(void)
{
    return loom_run_tests("cache_preload", tests, LOOM_COUNTOF(tests));
}
