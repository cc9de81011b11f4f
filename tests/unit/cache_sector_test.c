/*
 * Sectors, parts, lazy writes, banks and the other features of a cache that
 * GPGPU-Sim 4 has, one behaviour at a time; see cache_rig.h for the bench and
 * its cycle count.
 *
 * links: component_cache policy_lru policy_linear_index
 */
#include "tests/unit/cache_sector_rig.h"

/* ---- splitting ---- */

static void whole_line_is_four_accesses_and_four_replies(void)
{
    struct rig *rig = open_split("each");
    const struct rig_reply *reply = rig->source->reply;

    rig_access(rig, 1, LOOM_MEM_LOAD, 0);
    rig_access(rig, 100, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "accesses"), 8);
    EXPECT_EQ(rig_stat(rig, "misses"), 4);
    EXPECT_EQ(rig_stat(rig, "sector_misses"), 3);
    EXPECT_EQ(rig_stat(rig, "hits"), 4);
    EXPECT_EQ(rig_stat(rig, "split_requests"), 2);
    EXPECT_EQ(rig_stat(rig, "split_accesses"), 8);
    EXPECT_EQ(rig->memory->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        /* sent at 1, seen at 2, looked up and sent on at 3; then one
         * per cycle */
        EXPECT_EQ(rig->memory->seen_at[i], 4 + i);
        EXPECT_EQ(rig->memory->seen[i].sectors, 1u << i);
        EXPECT_EQ(rig->memory->seen[i].size_bytes, 32);
        EXPECT_EQ(reply[i].at, 16 + i);
        EXPECT_EQ(reply[i].message.sectors, 1u << i);
        EXPECT_EQ(reply[i].message.size_bytes, 32);
        EXPECT_EQ(reply[i].message.flags & LOOM_MEM_HIT, 0);
        /* hits: the data port takes 32 bytes per cycle */
        EXPECT_EQ(reply[4 + i].at, 103 + i);
        EXPECT_EQ(reply[4 + i].message.flags & (LOOM_MEM_HIT | LOOM_MEM_PART),
                  LOOM_MEM_HIT | LOOM_MEM_PART);
        EXPECT_EQ(reply[4 + i].message.flags & LOOM_MEM_MORE,
                  i == 3 ? 0 : LOOM_MEM_MORE);
    }
    rig_close(rig);
}

static void split_request_may_have_one_reply(void)
{
    struct rig *rig = open_split("one");
    const struct rig_reply *reply = rig->source->reply;

    rig_sector(rig_access(rig, 1, LOOM_MEM_LOAD, 0), 2);
    rig_access(rig, 50, LOOM_MEM_LOAD, 0);  /* one sector hits */
    rig_access(rig, 100, LOOM_MEM_LOAD, 0); /* all do */
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replies, 3);
    EXPECT_EQ(rig_stat(rig, "hits"), 1 + 4);
    EXPECT_EQ(rig_stat(rig, "misses"), 1 + 3);
    EXPECT_EQ(reply[1].message.flags & (LOOM_MEM_HIT | LOOM_MEM_PART), 0);
    EXPECT_EQ(reply[1].message.sectors, 15);
    EXPECT_EQ(reply[1].message.size_bytes, 128);
    EXPECT_EQ(reply[2].message.flags & (LOOM_MEM_HIT | LOOM_MEM_PART),
              LOOM_MEM_HIT);
    EXPECT_EQ(reply[2].at, 106); /* the last of four at 105 */
    rig_close(rig);
}

static void each_sector_has_an_mshr(void)
{
    struct rig *rig = open_split("each");

    rig_set(rig, "mshr_entries", 2);
    rig_access(rig, 1, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    /* served at 3 and 4; the third at 5 waits for the first fill, seen at
     * 15, which drains then, so it goes out in the same cycle */
    EXPECT_EQ(rig->memory->seen_at[1], 5);
    EXPECT_EQ(rig->memory->seen_at[2], 16);
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_MSHR), 10);
    EXPECT_EQ(rig_item(rig, "fail_accesses", LOOM_FAIL_MSHR), 1);
    rig_close(rig);
}

/* Two sectors in a cycle, of one request if only one may begin. */
static void sectors_of_one_request_are_served_together(void)
{
    for (uint32_t bound = 0; bound < 2; bound++) {
        struct rig *rig = open_split("one");
        const struct rig_reply *reply = rig->source->reply;

        rig_set(rig, "accesses_per_cycle", 2);
        rig_set(rig, "requests_per_cycle", bound);
        rig_access(rig, 1, LOOM_MEM_LOAD, 0);
        rig_access(rig, 50, LOOM_MEM_LOAD, 0); /* hits, two cycles */
        for (uint32_t i = 0; i < 3; i++) {     /* wait for these two */
            rig_sector(rig_access(rig, 50, LOOM_MEM_LOAD, 0), i);
        }
        rig_start(rig);
        rig_run(rig);
        EXPECT_EQ(rig_stat(rig, "hits"), 4 + 3);
        EXPECT_EQ(reply[1].at, 54);
        EXPECT_EQ(reply[2].at, 55);
        EXPECT_EQ(reply[3].at, 55 + bound);
        EXPECT_EQ(reply[4].at, 56 + bound);
        rig_close(rig);
    }
}

/* ---- lazy writes ---- */

static void lazy_write_fetches_on_read(void)
{
    struct rig *rig = open_split("each");

    rig_text(rig, "write_miss", "lazy");
    bytes_of(rig_access(rig, 1, LOOM_MEM_STORE, 0), 0, 3);
    bytes_of(rig_access(rig, 10, LOOM_MEM_STORE, 0), 4, 7);   /* a hit */
    bytes_of(rig_access(rig, 20, LOOM_MEM_STORE, 0), 32, 63); /* all of it */
    bytes_of(rig_access(rig, 30, LOOM_MEM_LOAD, 0), 32, 35);  /* a hit */
    bytes_of(rig_access(rig, 40, LOOM_MEM_LOAD, 0), 0, 3);    /* fetches */
    bytes_of(rig_access(rig, 60, LOOM_MEM_LOAD, 0), 0, 31);   /* a hit */
    rig_access(rig, 80, LOOM_MEM_FLUSH, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_item(rig, "misses_by_kind", LOOM_MEM_STORE), 2);
    EXPECT_EQ(rig_item(rig, "hits_by_kind", LOOM_MEM_STORE), 1);
    EXPECT_EQ(rig_item(rig, "misses_by_kind", LOOM_MEM_LOAD), 1);
    EXPECT_EQ(rig_item(rig, "hits_by_kind", LOOM_MEM_LOAD), 2);
    EXPECT_EQ(rig_stat(rig, "sector_misses"), 2);
    EXPECT_EQ(rig_stat(rig, "partial_fetches"), 1);
    EXPECT_EQ(rig->source->replied_at[0], 4); /* at once */
    EXPECT_EQ(rig->memory->count, 2);
    EXPECT_EQ(rig->memory->seen[0].kind, LOOM_MEM_LOAD);
    EXPECT_EQ(rig->memory->seen[0].sectors, 1);
    EXPECT_EQ(rig->memory->seen[1].kind, LOOM_MEM_WRITEBACK);
    EXPECT_EQ(rig->memory->seen[1].sectors, 3);
    EXPECT_EQ(rig->memory->seen[1].size_bytes, 64);
    EXPECT_EQ(rig->memory->seen[1].bytes[0], UINT64_C(0xFFFFFFFF000000FF));
    EXPECT_EQ(rig->memory->seen[1].bytes[1], 0);
    rig_close(rig);
}

static void lazy_write_through_allocates_clean(void)
{
    struct rig *rig = rig_open_standard();

    rig_text(rig, "write_policy", "write_through");
    rig_text(rig, "write_miss", "lazy");
    rig_set(rig, "sector_bytes", 32);
    rig_sector(rig_access(rig, 1, LOOM_MEM_STORE, 0), 1);
    rig_sector(rig_access(rig, 50, LOOM_MEM_LOAD, 0), 1); /* a hit */
    rig_sector(rig_access(rig, 60, LOOM_MEM_LOAD, 0), 0); /* a sector miss */
    rig_access(rig, 100, LOOM_MEM_FLUSH, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[0], 16); /* acknowledged below */
    EXPECT_EQ(rig_stat(rig, "hits"), 1);
    EXPECT_EQ(rig_stat(rig, "misses"), 2);
    EXPECT_EQ(rig_stat(rig, "sector_misses"), 1);
    EXPECT_EQ(rig_stat(rig, "writebacks"), 0);
    EXPECT_EQ(rig->memory->count, 2);
    rig_close(rig);
}

static void write_allocate_sends_write_and_read(void)
{
    struct rig *rig = open_l2();

    rig_text(rig, "write_miss", "write_allocate");
    rig_access(rig, 1, LOOM_MEM_STORE, 0);
    rig_access(rig, 50, LOOM_MEM_LOAD, 0);
    rig_access(rig, 60, LOOM_MEM_STORE, 0); /* stays, dirty */
    rig_access(rig, 70, LOOM_MEM_FLUSH, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->memory->seen[0].kind, LOOM_MEM_STORE);
    EXPECT_EQ(rig->memory->seen_at[0], 4);
    EXPECT_EQ(rig->memory->seen[1].kind, LOOM_MEM_LOAD);
    EXPECT_EQ(rig->memory->seen_at[1], 5);
    EXPECT_EQ(rig->memory->seen[2].kind, LOOM_MEM_WRITEBACK);
    EXPECT_EQ(rig->memory->count, 3);
    EXPECT_EQ(rig->source->replied_at[0], 16);
    EXPECT_EQ(rig_stat(rig, "hits"), 2);
    rig_close(rig);
}

static void write_back_need_not_allocate(void)
{
    struct rig *rig = open_l2();

    rig_text(rig, "write_miss", "no_allocate");
    rig_access(rig, 1, LOOM_MEM_STORE, 0);
    rig_access(rig, 50, LOOM_MEM_LOAD, 0);
    rig_access(rig, 100, LOOM_MEM_STORE, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "misses"), 2);
    EXPECT_EQ(rig_stat(rig, "hits"), 1);
    EXPECT_EQ(rig->memory->count, 2);
    rig_close(rig);
}

/* Two ways: A is written, B read; C takes B's way though A is older.  When
 * both are written there is no other: an exception. */
static void modified_lines_stay_until_the_ratio(void)
{
    struct rig *rig = open_l2();

    rig_text(rig, "write_miss", "lazy");
    rig_set(rig, "write_ratio", 50);
    rig_access(rig, 1, LOOM_MEM_STORE, 0);
    rig_access(rig, 20, LOOM_MEM_LOAD, 4);
    rig_access(rig, 40, LOOM_MEM_LOAD, 8);
    rig_access(rig, 60, LOOM_MEM_LOAD, 0); /* still there */
    rig_access(rig, 80, LOOM_MEM_STORE, 8);
    rig_access(rig, 100, LOOM_MEM_LOAD, 12); /* two of eight are modified */
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_item(rig, "hits_by_kind", LOOM_MEM_LOAD), 1);
    EXPECT_EQ(rig_item(rig, "hits_by_kind", LOOM_MEM_STORE), 1);
    EXPECT_EQ(rig_stat(rig, "ratio_exceptions"), 1);
    EXPECT_EQ(rig_stat(rig, "evictions"), 2);
    EXPECT_EQ(rig_stat(rig, "writebacks"), 1);
    rig_close(rig);
}

/* ---- banks ---- */

static void banks_take_one_access_each(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "banks", 2);
    rig_set(rig, "bank_bytes", 128);
    rig_set(rig, "accesses_per_cycle", 2);
    rig_set(rig, "mshr_entries", 1);
    rig_access(rig, 1, LOOM_MEM_LOAD, 1); /* bank 1 */
    rig_access(rig, 1, LOOM_MEM_LOAD, 0); /* waits for the MSHR in bank 0 */
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[0], 16);
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_MSHR), 11);
    EXPECT_EQ(rig_stat(rig, "hits"), 1);
    rig_close(rig);
}

/* Bank 0 is blocked by an access without an MSHR; bank 1 hits meanwhile. */
static void failed_access_blocks_its_bank_only(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "banks", 2);
    rig_set(rig, "bank_bytes", 128);
    rig_set(rig, "mshr_entries", 1);
    rig_access(rig, 1, LOOM_MEM_LOAD, 1);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_access(rig, 41, LOOM_MEM_LOAD, 2); /* bank 0: no MSHR */
    rig_access(rig, 42, LOOM_MEM_LOAD, 1); /* bank 1 */
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[3], 45);
    EXPECT(rig->source->replied_at[2] > 60);
    rig_close(rig);
}

static void banks_serve_in_one_cycle(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "banks", 4);
    rig_set(rig, "bank_bytes", 32);
    rig_set(rig, "sector_bytes", 32);
    rig_flag(rig, "split_sectors");
    rig_set(rig, "accesses_per_cycle", 4);
    rig_access(rig, 1, LOOM_MEM_LOAD, 0);  /* four sectors, four banks */
    rig_access(rig, 40, LOOM_MEM_LOAD, 0); /* hits, all in one cycle */
    rig_sector(rig_access(rig, 41, LOOM_MEM_LOAD, 0), 1);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->reply[4].at, 43);
    EXPECT_EQ(rig->source->reply[7].at, 43);
    EXPECT_EQ(rig->source->reply[8].at, 44);
    EXPECT_EQ(rig_item(rig, "other_stalls", 3), 0);
    rig_close(rig);
}

/* One sector twice in the cycle: the second waits for the next. */
static void second_access_to_a_bank_waits(void)
{
    struct rig *rig = rig_open_standard();
    struct loom_mem_request *r;

    rig_set(rig, "banks", 2);
    rig_set(rig, "bank_bytes", 32);
    rig_set(rig, "sector_bytes", 32);
    rig_flag(rig, "split_sectors");
    rig_set(rig, "accesses_per_cycle", 4);
    rig_access(rig, 1, LOOM_MEM_LOAD, 0); /* sectors 0 1, then 2 3 */
    r = rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    r->sectors = 7; /* 0 1, then 2 */
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_item(rig, "other_stalls", 3), 2);
    EXPECT_EQ(rig->source->reply[4].at, 43);
    EXPECT_EQ(rig->source->reply[5].at, 43);
    EXPECT_EQ(rig->source->reply[6].at, 44);
    rig_close(rig);
}

/* ---- size ---- */

static void a_line_may_have_an_mshr_each(void)
{
    struct rig *rig = rig_open_standard();

    rig_text(rig, "allocate", "on_fill");
    rig_flag(rig, "line_mshrs");
    rig_set(rig, "mshr_entries", 1);
    for (uint32_t i = 0; i < 9; i++) {
        rig_access(rig, 1, LOOM_MEM_LOAD, i);
    }
    rig->memory->latency = 50;
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->memory->seen_at[7], 4 + 7); /* eight lines */
    EXPECT_EQ(rig_item(rig, "fail_accesses", LOOM_FAIL_MSHR), 1);
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_LINE), 0);
    rig_close(rig);
}

static void resize_changes_the_ways(void)
{
    struct rig *rig = rig_open_standard();
    struct loom_mem_request *r;

    rig_set(rig, "max_ways", 4);
    for (uint32_t i = 0; i < 4; i++) { /* one set; two ways */
        rig_access(rig, 20 * i, LOOM_MEM_LOAD, 4 * i);
    }
    r = rig_access(rig, 100, LOOM_MEM_FLUSH, 0);
    r->flags = LOOM_MEM_RESIZE;
    r->block = 4 * 4 * 128; /* four ways of four sets */
    for (uint32_t i = 0; i < 8; i++) {
        rig_access(rig, 120 + 20 * i, LOOM_MEM_LOAD, 4 * (i % 4));
    }
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_stat(rig, "evictions"), 2);
    EXPECT_EQ(rig_stat(rig, "hits"), 4);
    EXPECT_EQ(rig_stat(rig, "resizes"), 1);
    EXPECT_EQ(rig_stat(rig, "ways_used"), 4);
    rig_close(rig);
}

/* A reply in four parts: a sector of the line is there when all of it is. */
static void replies_may_come_in_parts(void)
{
    static const struct {
        uint32_t sector_bytes, fills;
    } of[] = {{0, 1}, {32, 4}, {64, 2}};

    for (uint32_t i = 0; i < LOOM_COUNTOF(of); i++) {
        struct rig *rig = rig_open();

        rig_attach(rig, "set_index", &linear_index_policy);
        rig_attach(rig, "replacement", &lru_policy);
        rig_set(rig, "sector_bytes", of[i].sector_bytes);
        rig_set(rig, "mshr_entries", 1); /* so that others wait meanwhile */
        rig->memory->in_parts = true;
        rig_access(rig, 0, LOOM_MEM_LOAD, 0);
        rig_access(rig, 0, LOOM_MEM_LOAD, 1);
        rig_access(rig, 0, LOOM_MEM_LOAD, 0);
        rig_access(rig, 0, LOOM_MEM_STORE, 2);
        rig_start(rig);
        rig_run(rig);
        EXPECT_EQ(rig_stat(rig, "misses"), 3);
        EXPECT_EQ(rig_stat(rig, "fills"), 2);
        EXPECT_EQ(rig_stat(rig, "part_fills"), 6);
        EXPECT_EQ(rig->watch->count[LOOM_EVENT_FILL], 2 * of[i].fills);
        EXPECT_EQ(rig->source->replies, 4);
        rig_close(rig);
    }
}

static const struct loom_test tests[] = {
    {"whole_line_is_four_accesses_and_four_replies",
     whole_line_is_four_accesses_and_four_replies},
    {"split_request_may_have_one_reply", split_request_may_have_one_reply},
    {"each_sector_has_an_mshr", each_sector_has_an_mshr},
    {"sectors_of_one_request_are_served_together",
     sectors_of_one_request_are_served_together},
    {"lazy_write_fetches_on_read", lazy_write_fetches_on_read},
    {"lazy_write_through_allocates_clean", lazy_write_through_allocates_clean},
    {"write_allocate_sends_write_and_read",
     write_allocate_sends_write_and_read},
    {"write_back_need_not_allocate", write_back_need_not_allocate},
    {"modified_lines_stay_until_the_ratio",
     modified_lines_stay_until_the_ratio},
    {"banks_take_one_access_each", banks_take_one_access_each},
    {"failed_access_blocks_its_bank_only", failed_access_blocks_its_bank_only},
    {"banks_serve_in_one_cycle", banks_serve_in_one_cycle},
    {"second_access_to_a_bank_waits", second_access_to_a_bank_waits},
    {"a_line_may_have_an_mshr_each", a_line_may_have_an_mshr_each},
    {"resize_changes_the_ways", resize_changes_the_ways},
    {"replies_may_come_in_parts", replies_may_come_in_parts},
};

int main(void)
{
    return loom_run_tests("cache_sector", tests, LOOM_COUNTOF(tests));
}
