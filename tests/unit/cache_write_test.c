/*
 * Writes and atomics at a cache, one at a time, with expectations worked out by
 * hand; see cache_test.c.
 * links: component_cache policy_lru policy_linear_index
 */
#include "tests/unit/cache_rig_run.h"

static void write_evict_sends_on_and_drops(void)
{
    struct rig *rig = rig_open_standard();

    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 10, LOOM_MEM_STORE, 0);
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 10, LOOM_MEM_STORE, 1);
    rig_access(rig, 10, LOOM_MEM_LOAD, 1);
    rig_run_serial(rig);
    EXPECT_LOG(rig, "amAfrahEramAframramAfr");
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_EVICT].reason, LOOM_EVICT_WRITE);
    EXPECT_EQ(rig->memory->seen[1].kind, LOOM_MEM_STORE);
    EXPECT_EQ(rig_item(rig, "hits_by_kind", LOOM_MEM_STORE), 1);
    EXPECT_EQ(rig_item(rig, "misses_by_kind", LOOM_MEM_STORE), 1);
    EXPECT_EQ(rig_item(rig, "misses_by_kind", LOOM_MEM_LOAD), 3);
    EXPECT_EQ(rig_stat(rig, "write_evictions"), 1);
    EXPECT_EQ(rig_stat(rig, "evictions"), 0);
    EXPECT_EQ(rig->source->reply[1].message.flags, LOOM_MEM_REPLY);
    rig_close(rig);
}

static void write_through_keeps_the_line(void)
{
    struct rig *rig = rig_open_standard();

    rig_text(rig, "write_policy", "write_through");
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 10, LOOM_MEM_STORE, 0);
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_run_serial(rig);
    EXPECT_LOG(rig, "amAfrahrahr");
    EXPECT_EQ(rig->memory->count, 2);
    EXPECT_EQ(rig_stat(rig, "written_bytes"), 128);
    rig_close(rig);
}

static void write_to_a_reserved_line_passes(void)
{
    struct rig *rig = rig_open_standard();

    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_STORE, 0);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amAapfrrahr");
    EXPECT_EQ(rig_item(rig, "pending_hits_by_kind", LOOM_MEM_STORE), 1);
    rig_close(rig);
}

static void written_line_is_written_back_after_the_read(void)
{
    struct rig *rig = rig_open_write_back("fetch_on_write");
    struct rig_memory *m = rig->memory;

    rig_access(rig, 10, LOOM_MEM_STORE, 0);
    rig_access(rig, 10, LOOM_MEM_LOAD, 4);
    rig_access(rig, 10, LOOM_MEM_LOAD, 8);
    rig_run_serial(rig);
    EXPECT_LOG(rig, "amAframAframEAfr");
    EXPECT(rig->watch->last[LOOM_EVENT_EVICT].dirty);
    EXPECT_EQ(m->count, 4);
    EXPECT_EQ(m->seen[0].kind, LOOM_MEM_LOAD); /* fetch on write */
    EXPECT_EQ(m->seen[2].kind, LOOM_MEM_LOAD);
    EXPECT_EQ(m->seen[3].kind, LOOM_MEM_WRITEBACK);
    EXPECT_EQ(m->seen[3].block, 0);
    EXPECT_EQ(m->seen[3].size_bytes, 128);
    EXPECT_EQ(m->seen[3].bytes[1], UINT64_MAX);
    EXPECT_EQ(m->seen_at[3], m->seen_at[2] + 1);
    EXPECT_EQ(rig->source->reply[0].message.kind, LOOM_MEM_STORE);
    EXPECT_EQ(rig_stat(rig, "writebacks"), 1);
    rig_close(rig);
}

static void full_write_needs_no_fetch(void)
{
    struct rig *rig = rig_open_write_back("validate");

    rig_access(rig, 10, LOOM_MEM_STORE, 0);
    rig_sector(rig_access(rig, 20, LOOM_MEM_STORE, 1), 2);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->memory->count, 1); /* the partial write's */
    EXPECT_EQ(rig->memory->seen[0].block, 128);
    EXPECT_EQ(rig->source->replied_at[0], 13);
    EXPECT_EQ(rig->source->replied_at[1], 35);
    EXPECT_EQ(rig_stat(rig, "hits"), 1);
    rig_close(rig);
}

static void writeback_from_above_gets_no_reply(void)
{
    struct rig *rig = rig_open_write_back("validate");

    rig_access(rig, 10, LOOM_MEM_WRITEBACK, 0);
    rig_access(rig, 11, LOOM_MEM_WRITEBACK, 0);
    rig_access(rig, 12, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replies, 1);
    EXPECT_EQ(rig->memory->count, 0);
    EXPECT_EQ(rig_item(rig, "misses_by_kind", LOOM_MEM_WRITEBACK), 1);
    EXPECT_EQ(rig_item(rig, "hits_by_kind", LOOM_MEM_WRITEBACK), 1);
    EXPECT_EQ(rig_item(rig, "hits_by_kind", LOOM_MEM_LOAD), 1);
    rig_close(rig);
}

static void local_writes_stay_in_a_fermi_l1(void)
{
    struct rig *rig = rig_open_standard();

    rig_flag(rig, "local_write_back");
    rig_access(rig, 10, LOOM_MEM_STORE, 0)->space = LOOM_SPACE_LOCAL;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0)->space = LOOM_SPACE_LOCAL;
    rig_access(rig, 10, LOOM_MEM_STORE, 0)->space = LOOM_SPACE_LOCAL;
    rig_access(rig, 10, LOOM_MEM_LOAD, 4);
    rig_access(rig, 10, LOOM_MEM_LOAD, 8);
    rig_run_serial(rig);
    /* a miss is not allocated; a hit stays; the line is written back */
    EXPECT_LOG(rig, "amramAfrahramAframEAfr");
    EXPECT_EQ(rig->memory->count, 5);
    EXPECT_EQ(rig->memory->seen[4].kind, LOOM_MEM_WRITEBACK);
    EXPECT_EQ(rig_stat(rig, "write_evictions"), 0);
    rig_close(rig);
}

static void atomic_makes_the_line_dirty(void)
{
    struct rig *rig = rig_open_write_back("validate");

    rig_sector(rig_access(rig, 10, LOOM_MEM_ATOMIC, 0), 0);
    rig_sector(rig_access(rig, 10, LOOM_MEM_ATOMIC, 0), 0);
    rig_access(rig, 10, LOOM_MEM_LOAD, 4);
    rig_access(rig, 10, LOOM_MEM_LOAD, 8);
    rig_run_serial(rig);
    EXPECT_LOG(rig, "amAfrahramAframEAfr");
    EXPECT_EQ(rig->memory->seen[0].kind, LOOM_MEM_LOAD);
    EXPECT_EQ(rig->memory->seen[3].kind, LOOM_MEM_WRITEBACK);
    EXPECT_EQ(rig->source->reply[0].message.kind, LOOM_MEM_ATOMIC);
    rig_close(rig);
}

/* A part of a sector every 1.5 cycles; of floating point, every 3.25 if it is
 * the same sector; whole sectors as any access. */
static void atomics_take_their_time(void)
{
    static const struct {
        bool real, same, whole;
        uint32_t cycles; /* of eight */
    } cases[] = {{false, true, false, 10},
                 {true, true, false, 22},
                 {true, false, false, 10},
                 {false, true, true, 7},
                 {true, true, true, 22}};

    for (size_t k = 0; k < LOOM_COUNTOF(cases); k++) {
        struct rig *rig = rig_open_write_back("validate");

        rig_put(rig, "atomic_interval", (union loom_value){.f = 1.5});
        rig_put(rig, "atomic_real_latency", (union loom_value){.f = 3.25});
        rig_access(rig, 1, LOOM_MEM_LOAD, 0);
        rig_access(rig, 1, LOOM_MEM_LOAD, 1);
        for (uint32_t i = 0; i < 8; i++) {
            struct loom_mem_request *r = rig_access(rig, 100, LOOM_MEM_ATOMIC,
                                                    cases[k].same ? 0 : i % 2);

            rig_sector(r, 0);
            r->flags = cases[k].real ? LOOM_MEM_REAL : 0;
            r->bytes[0] = cases[k].whole ? UINT64_C(0xffffffff) : 0xff;
        }
        rig_start(rig);
        rig_run(rig);
        EXPECT_EQ(rig_item(rig, "hits_by_kind", LOOM_MEM_ATOMIC), 8);
        EXPECT_EQ(rig->source->replied_at[9] - rig->source->replied_at[2],
                  cases[k].cycles);
        rig_close(rig);
    }
}

static void atomic_goes_around_an_l1(void)
{
    struct rig *rig = rig_open_standard();

    rig_sector(rig_access(rig, 10, LOOM_MEM_ATOMIC, 0), 0);
    rig_run_serial(rig);
    EXPECT_LOG(rig, "abr");
    EXPECT_EQ(rig->memory->seen[0].kind, LOOM_MEM_ATOMIC);
    EXPECT_EQ(rig->memory->seen[0].bypassed, LOOM_LEVEL_L1);
    EXPECT_EQ(rig_item(rig, "bypasses_by_kind", LOOM_MEM_ATOMIC), 1);
    rig_close(rig);
}

static void marked_request_goes_around(void)
{
    struct rig *rig = rig_open_standard();
    struct loom_mem_request *r = rig_access(rig, 10, LOOM_MEM_LOAD, 0);

    rig_sector(r, 3);
    r->bypassed = LOOM_LEVEL_L1;
    rig_access(rig, 11, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "abamArfr");
    /* no pipeline: 11 seen and sent on, 12 memory, 22, 23, 24 */
    EXPECT_EQ(rig->source->replied_at[0], 24);
    EXPECT_EQ(rig->source->reply[0].message.bypassed, LOOM_LEVEL_L1);
    EXPECT_EQ(rig->source->reply[0].message.flags,
              LOOM_MEM_REPLY | LOOM_MEM_HIT); /* the memory's word */
    EXPECT_EQ(rig->source->reply[0].message.token, 0);
    EXPECT_EQ(rig->memory->seen[0].size_bytes, 32);
    EXPECT_EQ(rig->memory->seen[1].size_bytes, 128);
    EXPECT_EQ(rig_stat(rig, "bypasses"), 1);
    EXPECT_EQ(rig_stat(rig, "lookups"), 1);
    rig_close(rig);
}

/* It goes around as it is, and stores do not wait. */
static void marked_load_waits_if_told(void)
{
    struct rig *rig = rig_open_standard();
    struct loom_mem_request *r;

    rig_flag(rig, "around_waits");
    rig_flag(rig, "split_sectors");
    rig_set(rig, "sector_bytes", 32);
    rig_set(rig, "hit_latency", 5);
    r = rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    r->sectors = 3;
    r->size_bytes = 64;
    r->bypassed = LOOM_LEVEL_L1;
    r = rig_access(rig, 40, LOOM_MEM_STORE, 0);
    rig_sector(r, 3);
    r->bypassed = LOOM_LEVEL_L1;
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[0], 24 + 5);
    EXPECT_EQ(rig->source->replied_at[1], 54);
    EXPECT_EQ(rig->memory->seen[0].size_bytes, 64);
    EXPECT_EQ(rig_stat(rig, "bypasses"), 2);
    EXPECT_EQ(rig_stat(rig, "lookups"), 0);
    rig_close(rig);
}

static const struct loom_test tests[] = {
    {"write_evict_sends_on_and_drops", write_evict_sends_on_and_drops},
    {"write_through_keeps_the_line", write_through_keeps_the_line},
    {"write_to_a_reserved_line_passes", write_to_a_reserved_line_passes},
    {"written_line_is_written_back_after_the_read",
     written_line_is_written_back_after_the_read},
    {"full_write_needs_no_fetch", full_write_needs_no_fetch},
    {"writeback_from_above_gets_no_reply", writeback_from_above_gets_no_reply},
    {"local_writes_stay_in_a_fermi_l1", local_writes_stay_in_a_fermi_l1},
    {"atomic_makes_the_line_dirty", atomic_makes_the_line_dirty},
    {"atomics_take_their_time", atomics_take_their_time},
    {"atomic_goes_around_an_l1", atomic_goes_around_an_l1},
    {"marked_request_goes_around", marked_request_goes_around},
    {"marked_load_waits_if_told", marked_load_waits_if_told},
};

int main(void)
{
    return loom_run_tests("cache_write", tests, LOOM_COUNTOF(tests));
}
