/*
 * Behaviours of the cache, one at a time, with expectations worked out by
 * hand.  See cache_rig.h for the bench and its cycle count; the letters of
 * the log are a access, h hit, p pending hit, m miss, b bypass, A allocate,
 * f fill, E evict, r reply, R reservation fail, q query, Q answer.
 *
 * links: component_cache policy_lru policy_linear_index
 */
#include "tests/unit/cache_rig_run.h"

static void hit_and_miss_take_their_cycles(void)
{
    struct rig *rig = rig_open_standard();

    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    /* 10 sent, 11 seen, 12 served, 13 memory, 23 answered, 24 fill, 25 */
    EXPECT_EQ(rig->source->replied_at[0], 25);
    EXPECT_EQ(rig->source->replied_at[1], 43);
    EXPECT_EQ(rig->source->reply[0].message.flags, LOOM_MEM_REPLY);
    EXPECT_EQ(rig->source->reply[1].message.flags,
              LOOM_MEM_REPLY | LOOM_MEM_HIT);
    EXPECT_EQ(rig->source->reply[1].message.size_bytes, 128);
    EXPECT_EQ(rig_stat(rig, "mshr_entry_cycles"), 24 - 12);
    rig_close(rig);
}

static void hit_latency_is_end_to_end(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "hit_latency", 5);
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_access(rig, 41, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[0], 29);
    EXPECT_EQ(rig->source->replied_at[1], 47);
    EXPECT_EQ(rig->source->replied_at[2], 48); /* pipelined */
    rig_close(rig);

    rig = rig_open_standard();
    rig_set(rig, "hit_latency", 0);
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[1], 42);
    rig_close(rig);
}

static void second_access_to_a_block_is_a_pending_hit(void)
{
    struct rig *rig = rig_open_standard();

    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amAapfrr");
    EXPECT_EQ(rig->source->replied_at[0], 25);
    EXPECT_EQ(rig->source->replied_at[1], 26); /* one per cycle */
    EXPECT_EQ(rig->memory->count, 1);
    EXPECT_EQ(rig_stat(rig, "misses"), 1);
    EXPECT_EQ(rig_stat(rig, "pending_hits"), 1);
    EXPECT_EQ(rig_stat(rig, "mshr_merges"), 1);
    /* what the level below says in its reply reaches the one who asked */
    EXPECT_EQ(rig->source->reply[0].message.reply_bits, 0x100);
    EXPECT_EQ(rig->source->reply[1].message.reply_bits, 0);
    rig_close(rig);
}

static void lru_line_leaves(void)
{
    static const uint64_t blocks[] = {0, 4, 0, 8, 0, 4};
    struct rig *rig = rig_open_standard();

    for (size_t i = 0; i < LOOM_COUNTOF(blocks); i++) {
        rig_access(rig, 10, LOOM_MEM_LOAD, blocks[i]);
    }
    rig_run_serial(rig);
    EXPECT_LOG(rig, "amAframAfrahramEAfrahramEAfr");
    EXPECT_EQ(rig_stat(rig, "hits"), 2);
    EXPECT_EQ(rig_stat(rig, "misses"), 4);
    EXPECT_EQ(rig_stat(rig, "evictions"), 2);
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_EVICT].block, 8 * 128);
    EXPECT(!rig->watch->last[LOOM_EVENT_EVICT].dirty);
    rig_close(rig);
}

static void full_mshr_list_fails_until_it_drains(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "mshr_merges", 2);
    for (loom_cycle at = 10; at < 13; at++) {
        rig_access(rig, at, LOOM_MEM_LOAD, 0);
    }
    rig_start(rig);
    rig_run(rig);
    /* tried first at 14, accepted (as a hit) in the cycle of the fill, 24 */
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_MERGE), 10);
    EXPECT_EQ(rig_item(rig, "fail_accesses", LOOM_FAIL_MERGE), 1);
    EXPECT_EQ(rig_stat(rig, "accesses"), 3);
    EXPECT_EQ(rig_stat(rig, "hits"), 1);
    EXPECT_EQ(rig_stat(rig, "pending_hits"), 1);
    EXPECT_EQ(rig->source->replied_at[2], 25);
    rig_close(rig);
}

static void no_free_mshr_fails_until_one_is_free(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "mshr_entries", 1);
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_LOAD, 1);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_MSHR), 11);
    EXPECT_EQ(rig_item(rig, "fail_accesses", LOOM_FAIL_MSHR), 1);
    EXPECT_EQ(rig->source->replied_at[1], 37); /* accepted at 24 */
    EXPECT_EQ(rig_stat(rig, "misses"), 2);
    rig_close(rig);
}

static void reserved_set_fails_until_a_fill(void)
{
    struct rig *rig = rig_open_standard();

    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_LOAD, 4);
    rig_access(rig, 12, LOOM_MEM_LOAD, 8);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_LINE), 10);
    EXPECT_EQ(rig_item(rig, "fail_accesses", LOOM_FAIL_LINE), 1);
    EXPECT_EQ(rig_stat(rig, "evictions"), 1);
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_EVICT].block, 0);
    rig_close(rig);
}

static void draining_entry_leaks_no_way(void)
{
    struct rig *rig = rig_open_standard();

    for (loom_cycle at = 10; at < 13; at++) {
        rig_access(rig, at, LOOM_MEM_LOAD, 0);
    }
    rig_access(rig, 13, LOOM_MEM_LOAD, 4);
    rig_access(rig, 14, LOOM_MEM_LOAD, 8); /* takes the way of block 0 at 24 */
    rig_access(rig, 15, LOOM_MEM_LOAD, 0); /* at 25 its entry still drains */
    rig_start(rig);
    rig_run(rig); /* also checks that no way stays reserved */
    EXPECT_EQ(rig_stat(rig, "misses"), 3);
    EXPECT_EQ(rig_stat(rig, "pending_hits"), 3);
    EXPECT_EQ(rig_stat(rig, "fetches"), 3);
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_PENDING_HIT].way, UINT32_MAX);
    EXPECT_EQ(rig->source->replies, 6);
    rig_close(rig);
}

/* Six misses, of which the memory takes none before cycle 60. */
static void miss_six_times(struct rig *rig)
{
    rig_attach(rig, "replacement", &lru_policy);
    rig_attach(rig, "set_index", &linear_index_policy);
    rig_set(rig, "miss_queue", 2);
    rig->memory->not_before = 60;
    for (uint32_t i = 0; i < 6; i++) {
        rig_access(rig, 10 + i, LOOM_MEM_LOAD, i);
    }
    rig_start(rig);
    rig_run(rig);
}

static void all_places_of_the_miss_queue_are_used(void)
{
    struct rig *rig = rig_open_with(2);

    miss_six_times(rig);
    /* two in the channel, two queued; the fifth waits from 16 to 60 */
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_MISS_QUEUE), 45);
    EXPECT_EQ(rig_item(rig, "fail_accesses", LOOM_FAIL_MISS_QUEUE), 1);
    EXPECT_EQ(rig->source->replies, 6);
    rig_close(rig);
}

/* Notes requests that leave the miss queue. */
static struct {
    loom_cycle at[RIG_MAX];
    loom_addr block[RIG_MAX];
    uint32_t count;
} sent;

static void note_sent(struct loom_policy *self, const struct loom_event *event)
{
    (void)self;
    sent.at[sent.count] = event->now;
    sent.block[sent.count++] = event->request->block;
}

static const struct loom_observe_ops sent_ops = {.events = LOOM_EVENT(SEND),
                                                 .observe = note_sent};
static const struct loom_facet sent_facets[] = {
    {&loom_cache_observe_hook, &sent_ops},
};
static const struct loom_policy_type sent_policy = {
    .name = "sent",
    .doc = "Notes requests that leave the miss queue",
    .facets = LOOM_SLICE(sent_facets),
};

static void what_leaves_the_miss_queue_is_told(void)
{
    struct rig *rig = rig_open_with(2);

    rig_alone(rig);
    rig_attach(rig, "observe", &sent_policy);
    sent.count = 0;
    miss_six_times(rig);
    /* Of those that wait each leaves when one before it has been taken. */
    EXPECT_EQ(sent.count, 4);
    for (uint32_t i = 0; i < sent.count; i++) {
        EXPECT_EQ(sent.block[i], rig->memory->seen[2 + i].block);
        EXPECT_EQ(sent.at[i], 61 + i);
    }
    rig_close(rig);
}

static void flush_drops_everything(void)
{
    struct rig *rig = rig_open_write_back("validate");

    rig_access(rig, 10, LOOM_MEM_STORE, 0);
    rig_access(rig, 10, LOOM_MEM_LOAD, 1);
    rig_access(rig, 10, LOOM_MEM_FLUSH, 0);
    rig_access(rig, 10, LOOM_MEM_LOAD, 1);
    rig_run_serial(rig);
    EXPECT_LOG(rig, "amAramAfrEEramAfr");
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_EVICT].reason, LOOM_EVICT_FLUSH);
    EXPECT_EQ(rig_stat(rig, "flushed_lines"), 2);
    EXPECT_EQ(rig_stat(rig, "writebacks"), 1);
    EXPECT_EQ(rig_stat(rig, "accesses"), 3);
    EXPECT_EQ(rig->source->reply[2].message.kind, LOOM_MEM_FLUSH);
    rig_close(rig);
}

static void on_fill_cache_misses_until_the_data_is_there(void)
{
    struct rig *rig = rig_open_standard();

    rig_text(rig, "allocate", "on_fill");
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_LOAD, 0);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amamAfrrahr");
    EXPECT_EQ(rig_stat(rig, "misses"), 2);
    EXPECT_EQ(rig_stat(rig, "fetches"), 1);
    EXPECT_EQ(rig_stat(rig, "mshr_merges"), 1);
    rig_close(rig);
}

static void sectors_are_fetched_one_by_one(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "sector_bytes", 32);
    rig_sector(rig_access(rig, 10, LOOM_MEM_LOAD, 0), 0);
    rig_sector(rig_access(rig, 10, LOOM_MEM_LOAD, 0), 2);
    rig_access(rig, 10, LOOM_MEM_LOAD, 0); /* the other two */
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_run_serial(rig);
    EXPECT_LOG(rig, "amAframframfrahr");
    EXPECT_EQ(rig->memory->seen[0].sectors, 1);
    EXPECT_EQ(rig->memory->seen[1].sectors, 4);
    EXPECT_EQ(rig->memory->seen[2].sectors, 10);
    EXPECT_EQ(rig->memory->seen[2].size_bytes, 64);
    rig_close(rig);
}

static void draining_entry_takes_no_other_sector(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "sector_bytes", 32);
    for (loom_cycle at = 10; at < 13; at++) {
        rig_sector(rig_access(rig, at, LOOM_MEM_LOAD, 0), 0);
    }
    rig_access(rig, 13, LOOM_MEM_LOAD, 4);
    rig_access(rig, 14, LOOM_MEM_LOAD, 8); /* evicts block 0 at 24 */
    rig_sector(rig_access(rig, 15, LOOM_MEM_LOAD, 0), 1);
    rig_start(rig);
    rig_run(rig);
    /* tried at 25; the entry is free at 26 */
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_MERGE), 1);
    EXPECT_EQ(rig_stat(rig, "fetches"), 4);
    EXPECT_EQ(rig_stat(rig, "pending_hits"), 2);
    rig_close(rig);
}

static void way_taken_on_fill_waits_for_all_its_sectors(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "sector_bytes", 32);
    rig_text(rig, "allocate", "on_fill");
    rig_sector(rig_access(rig, 10, LOOM_MEM_LOAD, 0), 0);
    rig_sector(rig_access(rig, 11, LOOM_MEM_LOAD, 4), 0);
    rig_sector(rig_access(rig, 12, LOOM_MEM_LOAD, 8), 0);
    rig_sector(rig_access(rig, 13, LOOM_MEM_LOAD, 0), 1);
    rig_sector(rig_access(rig, 60, LOOM_MEM_LOAD, 0), 0);
    rig_sector(rig_access(rig, 61, LOOM_MEM_LOAD, 0), 1);
    rig_start(rig);
    rig_run(rig);
    /* block 8 replaces 4, although 0 is older: its sector 1 is on its way */
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_EVICT].block, 4 * 128);
    EXPECT_EQ(rig_stat(rig, "hits"), 2);
    rig_close(rig);
}

static void infinite_cache_never_evicts(void)
{
    struct rig *rig = rig_open_standard();

    rig_flag(rig, "infinite");
    rig_set(rig, "infinite_lines", 256);
    for (uint32_t i = 0; i < 400; i++) {
        rig_access(rig, 10, LOOM_MEM_LOAD, (i % 200) * 4);
    }
    rig_run_serial(rig);
    EXPECT_EQ(rig_stat(rig, "misses"), 200);
    EXPECT_EQ(rig_stat(rig, "hits"), 200);
    EXPECT_EQ(rig_stat(rig, "evictions"), 0);
    rig_close(rig);
}

static void full_infinite_cache_ends_the_run(void)
{
    struct rig *rig = rig_open_standard();

    rig_flag(rig, "infinite");
    rig_set(rig, "infinite_lines", 64);
    for (uint32_t i = 0; i < 60; i++) {
        rig_access(rig, 10, LOOM_MEM_LOAD, i);
    }
    rig_start(rig);
    EXPECT_EQ(loom_machine_run(rig->machine, LOOM_NEVER, LOOM_NEVER, &rig->err),
              LOOM_STOP_ERROR);
    EXPECT_TEXT(rig->err.text, "infinite_lines");
    rig_close(rig);
}

static void hit_occupies_the_data_port(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "data_port_bytes", 32);
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_access(rig, 41, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[1], 43);
    EXPECT_EQ(rig->source->replied_at[2], 47); /* 42 + 4 served */
    EXPECT_EQ(rig_item(rig, "other_stalls", 0), 3);
    rig_close(rig);
}

static void fill_occupies_the_fill_port(void)
{
    struct rig *rig = rig_open_standard();

    rig_set(rig, "fill_port_bytes", 32);
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_LOAD, 1);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[0], 25);
    EXPECT_EQ(rig->source->replied_at[1], 29); /* filled at 28 */
    rig_close(rig);
}

static const struct loom_test tests[] = {
    {"hit_and_miss_take_their_cycles", hit_and_miss_take_their_cycles},
    {"hit_latency_is_end_to_end", hit_latency_is_end_to_end},
    {"second_access_to_a_block_is_a_pending_hit",
     second_access_to_a_block_is_a_pending_hit},
    {"lru_line_leaves", lru_line_leaves},
    {"full_mshr_list_fails_until_it_drains",
     full_mshr_list_fails_until_it_drains},
    {"no_free_mshr_fails_until_one_is_free",
     no_free_mshr_fails_until_one_is_free},
    {"reserved_set_fails_until_a_fill", reserved_set_fails_until_a_fill},
    {"draining_entry_leaks_no_way", draining_entry_leaks_no_way},
    {"all_places_of_the_miss_queue_are_used",
     all_places_of_the_miss_queue_are_used},
    {"what_leaves_the_miss_queue_is_told", what_leaves_the_miss_queue_is_told},
    {"flush_drops_everything", flush_drops_everything},
    {"on_fill_cache_misses_until_the_data_is_there",
     on_fill_cache_misses_until_the_data_is_there},
    {"sectors_are_fetched_one_by_one", sectors_are_fetched_one_by_one},
    {"draining_entry_takes_no_other_sector",
     draining_entry_takes_no_other_sector},
    {"way_taken_on_fill_waits_for_all_its_sectors",
     way_taken_on_fill_waits_for_all_its_sectors},
    {"infinite_cache_never_evicts", infinite_cache_never_evicts},
    {"full_infinite_cache_ends_the_run", full_infinite_cache_ends_the_run},
    {"hit_occupies_the_data_port", hit_occupies_the_data_port},
    {"fill_occupies_the_fill_port", fill_occupies_the_fill_port},
};

int main(void)
{
    return loom_run_tests("cache", tests, LOOM_COUNTOF(tests));
}
