/*
 * Sectors that go down in one request (join_sectors); see cache_rig.h for the
 * bench and its cycle count.
 *
 * links: component_cache policy_lru policy_linear_index
 */
#include "tests/unit/cache_sector_rig.h"

enum {
    CROWD = 16
};

static struct rig *open_join(void)
{
    struct rig *rig = open_split("each");

    rig_flag(rig, "join_sectors");
    rig_set(rig, "banks", 4);
    rig_set(rig, "bank_bytes", 32);
    rig_set(rig, "accesses_per_cycle", 4);
    return rig;
}

/* One request below for four misses; the reply passes the fill port whole, and
 * all are answered when it is there. */
static void sectors_are_fetched_together(void)
{
    for (uint32_t parts = 0; parts < 2; parts++) {
        struct rig *rig = open_join();
        const struct rig_reply *reply = rig->source->reply;

        rig->memory->in_parts = parts != 0;
        rig_access(rig, 1, LOOM_MEM_LOAD, 0);
        rig_access(rig, 1, LOOM_MEM_LOAD, 4);
        rig_start(rig);
        rig_run(rig);
        EXPECT_EQ(rig_stat(rig, "misses"), 8);
        EXPECT_EQ(rig_stat(rig, "fetches"), 8);
        EXPECT_EQ(rig_stat(rig, "fills"), 8);
        EXPECT_EQ(rig_stat(rig, "part_fills"), 0);
        EXPECT_EQ(rig_stat(rig, "fetched_bytes"), 256);
        EXPECT_EQ(rig_stat(rig, "joined_sectors"), 6);
        EXPECT_EQ(rig->memory->count, 2);
        EXPECT_EQ(rig->memory->seen[0].sectors, 15);
        EXPECT_EQ(rig->memory->seen[0].size_bytes, 128);
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t late = parts * i;

            EXPECT_EQ(rig->memory->seen_at[i / 2], 4 + i / 2);
            EXPECT_EQ(reply[i].at, 16 + late);
            EXPECT_EQ(reply[i].message.sectors, 1u << i);
            /* 128 bytes take the port of 32 four cycles */
            EXPECT_EQ(reply[4 + i].at, 20 + late);
        }
        rig_close(rig);
    }
}

/* Memory takes nothing until 50, and requests wait for it, so that those
 * that follow wait, too. */
static struct rig *open_crowded(void)
{
    struct rig *rig = open_join();

    rig_set(rig, "miss_queue", 32);
    rig->memory->not_before = 50;
    for (uint32_t i = 0; i < CROWD; i++) {
        struct loom_mem_request *r = rig_access(rig, 1, LOOM_MEM_LOAD, 8 + i);

        rig_sector(r, 0);
        r->origin = 8 + i;
        r->bypassed = LOOM_LEVEL_L2;
    }
    return rig;
}

/* Only what an instruction asks for: `origin` is its name. */
static void sectors_of_others_go_apart(void)
{
    struct rig *rig = open_crowded();

    for (uint32_t i = 0; i < 4; i++) {
        struct loom_mem_request *r = rig_access(rig, 20, LOOM_MEM_LOAD, 0);

        rig_sector(r, i);
        r->origin = i / 2;
    }
    rig_sector(rig_access(rig, 100, LOOM_MEM_LOAD, 4), 0);
    rig_sector(rig_access(rig, 110, LOOM_MEM_LOAD, 4), 1); /* it has left */
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "joined_sectors"), 2);
    EXPECT_EQ(rig->memory->count, CROWD + 4);
    EXPECT_EQ(rig->memory->seen[CROWD].sectors, 3);
    EXPECT_EQ(rig->memory->seen[CROWD + 1].sectors, 12);
    rig_close(rig);
}

/* Each of them is answered by a reply of its own, as without. */
static void sectors_go_by_together(enum loom_mem_kind kind, bool parts)
{
    struct rig *rig = open_crowded();
    const struct rig_reply *reply = &rig->source->reply[CROWD];
    const struct loom_mem_request *seen = &rig->memory->seen[CROWD];

    rig->memory->in_parts = parts;
    for (uint32_t i = 0; i < 4; i++) {
        struct loom_mem_request *r = rig_access(rig, 20, kind, 0);

        bytes_of(r, 32 * i, 32 * i + i);
        r->bypassed = LOOM_LEVEL_L2;
        r->origin = 3;
    }
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "bypasses"), CROWD + 4);
    EXPECT_EQ(rig_stat(rig, "joined_sectors"), 3);
    EXPECT_EQ(rig->memory->count, CROWD + 1);
    EXPECT_EQ(seen->sectors, 15);
    EXPECT_EQ(seen->size_bytes, 128);
    EXPECT_EQ(rig->source->replies, CROWD + 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct loom_mem_request *r = &reply[i].message;

        EXPECT_EQ(r->flags & (LOOM_MEM_PART | LOOM_MEM_MORE), 0);
        EXPECT_EQ(r->size_bytes, 32);
        EXPECT_EQ(r->sectors, 1u << (r->token - CROWD));
        EXPECT_EQ(reply[i].at, reply[0].at + (parts ? i : 0));
    }
    if (kind != LOOM_MEM_LOAD) {
        EXPECT_EQ(seen->bytes[0], UINT64_C(0x300000001));
        EXPECT_EQ(seen->bytes[1], UINT64_C(0xF00000007));
    }
    rig_close(rig);
}

static void loads_go_by_together(void)
{
    sectors_go_by_together(LOOM_MEM_LOAD, false);
    sectors_go_by_together(LOOM_MEM_LOAD, true);
}

static void stores_go_by_together(void)
{
    sectors_go_by_together(LOOM_MEM_STORE, false);
}

static void atomics_go_by_together(void)
{
    sectors_go_by_together(LOOM_MEM_ATOMIC, false);
}

static const struct loom_test tests[] = {
    {"sectors_are_fetched_together", sectors_are_fetched_together},
    {"sectors_of_others_go_apart", sectors_of_others_go_apart},
    {"loads_go_by_together", loads_go_by_together},
    {"stores_go_by_together", stores_go_by_together},
    {"atomics_go_by_together", atomics_go_by_together},
};

int main(void)
{
    return loom_run_tests("cache_join", tests, LOOM_COUNTOF(tests));
}
