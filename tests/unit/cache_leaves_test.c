/*
 * Leaves of a cache, each by itself: sectors and tags.  Neither is part of a
 * cache here.
 * links: component_cache
 */
#include "tests/unit/cache_leaves_rig.h"

/* ---- sectors ---- */

static void sectors_of_a_block_are_those_of_a_line(void)
{
    struct cache_sectors whole = {0}, four = {0}, halves = {0};
    struct loom_mem_request r = request(1280, 8);

    cache_make_sectors(&whole, 128, 128);
    cache_make_sectors(&four, 128, 32);
    cache_make_sectors(&halves, 64, 32);
    EXPECT_EQ(whole.whole, 1);
    EXPECT_EQ(whole.of[6].mask, 1);
    EXPECT_EQ(cache_wanted(&whole, &r, 1), 15);
    EXPECT_EQ(four.of[6].mask, 6);
    EXPECT_EQ(cache_key(&four, &r), 1280);
    four.by_sector = true;
    EXPECT_EQ(cache_key(&four, &r), 1280 + 96);
    EXPECT_EQ(halves.of[12].mask, 3);
    EXPECT_EQ(halves.of[8].first, 2);
    EXPECT(halves.of[6].spans && !halves.of[12].spans);
    EXPECT_EQ(cache_offset(&halves, 8), 64);
    EXPECT_EQ(cache_key(&halves, &r), 1280 + 64);
    EXPECT_EQ(cache_line_sectors(&halves, 4), 12);
    EXPECT_EQ(cache_wanted(&halves, &r, 2), 8);
}

static void sizes_are_widened_to_their_line(void)
{
    struct cache_sectors four = {0}, halves = {0};

    cache_make_sectors(&four, 128, 32);
    cache_make_sectors(&halves, 64, 32);
    EXPECT_EQ(cache_widen(&four, 2, 32), 2);
    EXPECT_EQ(cache_widen(&four, 2, 64), 3);
    EXPECT_EQ(cache_widen(&four, 8, 64), 12);
    EXPECT_EQ(cache_widen(&four, 6, 64), 6);
    EXPECT_EQ(cache_widen(&four, 1, 128), 15);
    EXPECT_EQ(cache_widen(&halves, 4, 128), 12);
}

static void a_write_covers_sectors_all_of_whose_bytes_it_brings(void)
{
    struct cache_sectors four = {0};
    struct loom_mem_request r = request(0, 5);

    cache_make_sectors(&four, 128, 32);
    cache_sector_bytes(5, r.bytes);
    EXPECT_EQ(r.bytes[0], UINT32_MAX);
    EXPECT_EQ(r.bytes[1], UINT32_MAX);
    EXPECT(cache_covers(&four, &r, 5));
    r.bytes[1] &= ~UINT64_C(1);
    EXPECT(!cache_covers(&four, &r, 5));
    EXPECT(cache_covers(&four, &r, 1));
}

/* ---- tags ---- */

static uint32_t by_line(struct loom_policy *self, loom_addr line)
{
    (void)self;
    return (uint32_t)(line / 128 % 2);
}

static const struct loom_set_index_ops index_ops = {.index = by_line};

/* Two sets of two ways, of which a resize may make four. */
static void make_tags(struct leaves *l, struct loom_component *self)
{
    l->tags.sets = 2;
    l->tags.active = 2;
    l->tags.ways = 4;
    l->tags.lines = 8;
    l->tags.line_bytes = 128;
    l->tags.index = &index_ops;
    cache_make_sectors(&l->sectors, 128, 32);
    REQUIRE(cache_make_tags(&l->tags, self, true));
}

static void put(struct cache_tags *t, uint32_t set, uint32_t way,
                loom_addr line)
{
    t->line[cache_at(t, set, way)].tag = line | 1;
}

static void lines_are_found_in_their_set(void)
{
    struct bench bench = build(make_tags);
    struct cache_tags *t = &bench.leaves->tags;
    uint16_t room[4];
    uint32_t way;

    put(t, 1, 1, 384);
    EXPECT_EQ(cache_look(t, 384, &way), 1);
    EXPECT_EQ(way, 1);
    EXPECT_EQ(cache_look(t, 384, &way), 1); /* where it was last */
    EXPECT_EQ(way, 1);
    EXPECT_EQ(cache_look(t, 256, &way), 0);
    EXPECT_EQ(way, CACHE_NONE);
    EXPECT_EQ(cache_free_ways(t, 1), 3);
    t->line[cache_at(t, 1, 1)].pending = 2;
    EXPECT_EQ(cache_free_ways(t, 1), 1);
    EXPECT_EQ(cache_unreserved(t, 1, room).count, 1);
    EXPECT(!cache_all_reserved(t, 1));
    t->line[cache_at(t, 1, 0)].pending = 1;
    EXPECT(cache_all_reserved(t, 1));
    cache_resize(t, 6 * 128);
    EXPECT_EQ(t->active, 3);
    EXPECT_EQ(cache_free_ways(t, 1), 4);
    cache_resize(t, 1 << 20);
    EXPECT_EQ(t->active, 4);
    cache_resize(t, 0);
    EXPECT_EQ(t->active, 1);
    done(&bench);
}

static void a_line_knows_what_is_written(void)
{
    struct bench bench = build(make_tags);
    struct cache_tags *t = &bench.leaves->tags;
    const struct cache_sectors *s = &bench.leaves->sectors;
    struct loom_mem_request r = request(256, 1);
    struct cache_access a = {
        .request = &r, .line = 256, .set = 0, .way = 1, .need = 1};
    struct cache_victim victim;

    put(t, 0, 1, 256);
    r.kind = LOOM_MEM_STORE;
    r.bytes[0] = 0xffff;
    EXPECT(!cache_holds(t, &a));
    cache_modify(t, s, &a, true);
    EXPECT(cache_holds(t, &a) && cache_occupied(t, 1));
    EXPECT_EQ(t->modified, 1);
    EXPECT_EQ(cache_complete(t, s, 1, 256), 0);
    r.bytes[0] = UINT32_MAX;
    cache_modify(t, s, &a, true);
    EXPECT_EQ(t->modified, 1);
    EXPECT_EQ(cache_complete(t, s, 1, 256), 1);
    cache_write_line(t, s, &a, 8);
    EXPECT_EQ(cache_complete(t, s, 1, 256), 9);
    victim = cache_victim_of(t, 1);
    EXPECT_EQ(victim.line, 256);
    EXPECT_EQ(victim.dirty, 9);
    EXPECT_EQ(victim.bytes[1] >> 32, UINT32_MAX);
    cache_empty_line(t, 1);
    EXPECT_EQ(t->modified, 0);
    EXPECT(!cache_holds(t, &a));
    done(&bench);
}

static void broken_tags_are_found(void)
{
    struct bench bench = build(make_tags);
    struct cache_tags *t = &bench.leaves->tags;
    struct loom_error err = {LOOM_ERR_NONE, ""};

    put(t, 1, 0, 384);
    EXPECT(cache_check_line(t, 4, &err) && cache_check_set(t, 1, &err));
    put(t, 1, 1, 384);
    EXPECT(!cache_check_set(t, 1, &err));
    EXPECT_TEXT(err.text, "line 0x180 is in ways 0 and 1 of set 1");
    t->line[5].pending = 4;
    EXPECT(!cache_check_line(t, 5, &err));
    EXPECT_TEXT(err.text, "set 1 way 1: sectors valid 0, pending 4");
    t->line[5] = (struct cache_line){.tag = 385, .valid = 2, .dirty = 2};
    EXPECT(!cache_check_line(t, 5, &err));
    t->line[6] = (struct cache_line){.tag = 641}; /* a way that is not used */
    EXPECT(!cache_check_line(t, 6, &err));
    EXPECT_EQ(err.kind, LOOM_ERR_LAW);
    done(&bench);
}

static void make_infinite(struct leaves *l, struct loom_component *self)
{
    l->tags.infinite = true;
    l->tags.sets = 1;
    l->tags.ways = l->tags.active = l->tags.lines = 8;
    l->tags.probe_shift = 61;
    REQUIRE(cache_make_tags(&l->tags, self, false));
}

static void an_infinite_cache_probes(void)
{
    struct bench bench = build(make_infinite);
    struct cache_tags *t = &bench.leaves->tags;
    uint32_t way;

    for (uint32_t i = 0; i < 8; i++) {
        way = cache_probe(t, 128 * i);
        EXPECT_EQ(t->line[way].tag, 0);
        put(t, 0, way, 128 * i);
        EXPECT_EQ(cache_infinite_full(t), i >= 7);
    }
    for (uint32_t i = 0; i < 8; i++) {
        EXPECT_EQ(cache_look(t, 128 * i, &way), 0);
        EXPECT_EQ(t->line[way].tag, 128 * i | 1);
    }
    EXPECT(!cache_all_reserved(t, 0));
    EXPECT(!cache_occupied(t, 3)); /* a tag that outlived its line */
    cache_forget_tags(t);
    EXPECT_EQ(cache_find(t, 0, 128), CACHE_NONE);
    EXPECT_EQ(t->used, 0);
    done(&bench);
}

static const struct loom_test tests[] = {
    {"sectors_of_a_block_are_those_of_a_line",
     sectors_of_a_block_are_those_of_a_line},
    {"sizes_are_widened_to_their_line", sizes_are_widened_to_their_line},
    {"a_write_covers_sectors_all_of_whose_bytes_it_brings",
     a_write_covers_sectors_all_of_whose_bytes_it_brings},
    {"lines_are_found_in_their_set", lines_are_found_in_their_set},
    {"a_line_knows_what_is_written", a_line_knows_what_is_written},
    {"broken_tags_are_found", broken_tags_are_found},
    {"an_infinite_cache_probes", an_infinite_cache_probes},
};

int main(void)
{
    return loom_run_tests("cache_leaves", tests, LOOM_COUNTOF(tests));
}
