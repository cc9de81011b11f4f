/*
 * The leaves of a cache, each by itself: sectors, tags, MSHRs, banks, the upper
 * and the lower side.  None of them is part of a cache here.
 * links: component_cache
 */
#include <string.h>

#include "engine/machine.h"

#include "components/cache/down.h"
#include "components/cache/mshr.h"
#include "components/cache/pipe.h"
#include "components/cache/sectors.h"
#include "components/cache/tags.h"
#include "components/cache/up.h"
#include "tests/unit/test.h"

/* ---- a component that has leaves ---- */

struct leaves {
    struct cache_sectors sectors;
    struct cache_tags tags;
    struct cache_mshrs mshrs;
    struct cache_pipe pipe;
    struct cache_up up;
    struct cache_down down;
};

static void (*make)(struct leaves *leaves, struct loom_component *self);
static void (*step)(struct leaves *leaves, loom_cycle now);

static bool leaves_init(struct loom_component *self, struct loom_error *err)
{
    struct leaves *leaves = loom_state(self);

    (void)err;
    leaves->down.channel = loom_port_out(self, "down", 0);
    make(leaves, self);
    return true;
}

static loom_cycle leaves_tick(struct loom_component *self, loom_cycle now)
{
    if (step != NULL && now < 8) {
        step(loom_state(self), now);
        return now + 1;
    }
    return LOOM_NEVER;
}

static bool leaves_command(struct loom_component *self, const void *command,
                           struct loom_error *err)
{
    (void)self;
    (void)command;
    (void)err;
    return true;
}

static const struct loom_port_decl leaves_ports[] = {
    {"down", "The way down", LOOM_CLIENT, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops leaves_ops = {
    .init = leaves_init, .tick = leaves_tick, .command = leaves_command};
static const struct loom_component_type leaves_type = {
    .name = "leaves",
    .doc = "Has the leaves of a cache",
    .state_size = sizeof(struct leaves),
    .ports = LOOM_SLICE(leaves_ports),
    .ops = &leaves_ops,
};

/* Takes a request in every third cycle. */
static bool slow_init(struct loom_component *self, struct loom_error *err)
{
    (void)self;
    (void)err;
    return true;
}

static loom_cycle slow_tick(struct loom_component *self, loom_cycle now)
{
    struct loom_channel *in = loom_port_in(self, "up", 0);

    if (now % 3 == 0 && loom_peek(in, now) != NULL) {
        loom_pop(in, now);
    }
    return now < 40 ? now + 1 : LOOM_NEVER;
}

static const struct loom_port_decl slow_ports[] = {
    {"up", "Requests", LOOM_SERVER, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops slow_ops = {
    .init = slow_init, .tick = slow_tick, .command = leaves_command};
static const struct loom_component_type slow_type = {
    .name = "slow",
    .doc = "Takes requests now and then",
    .ports = LOOM_SLICE(slow_ports),
    .ops = &slow_ops,
};

static void no_error(void *context, const char *path,
                     const struct loom_error *err)
{
    (void)context;
    (void)path;
    EXPECT_TEXT(err->text, "no error");
}

struct bench {
    struct loom_machine *machine;
    struct leaves *leaves;
};

static struct bench build(void (*maker)(struct leaves *,
                                        struct loom_component *))
{
    const struct loom_wire wire = {1, 1, 2};
    struct bench bench = {.machine = loom_machine_create(1)};
    struct loom_component *a, *b;
    struct loom_error err;
    uint32_t clock = loom_machine_clock(bench.machine, 1000000000);

    make = maker;
    a = loom_machine_add(bench.machine, &leaves_type, "m.a", clock, &err);
    b = loom_machine_add(bench.machine, &slow_type, "m.b", clock, &err);
    REQUIRE(a != NULL && b != NULL);
    REQUIRE(loom_machine_link(bench.machine, (struct loom_end){a, "down", 0},
                              (struct loom_end){b, "up", 0}, wire, wire, &err));
    REQUIRE(loom_machine_freeze(bench.machine, no_error, NULL));
    bench.leaves = loom_state(a);
    REQUIRE(loom_machine_command(a, "go", &err));
    REQUIRE(loom_machine_command(b, "go", &err));
    return bench;
}

static void done(struct bench *bench)
{
    loom_machine_destroy(bench->machine);
}

static struct loom_mem_request request(loom_addr block, uint32_t sectors)
{
    return (struct loom_mem_request){
        .block = block, .sectors = (uint8_t)sectors, .accesses = 1};
}

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

/* ---- MSHRs ---- */

static void make_mshrs(struct leaves *l, struct loom_component *self)
{
    REQUIRE(cache_make_mshrs(&l->mshrs, self, 2, 2, 3));
}

static uint32_t take(struct cache_mshrs *m, loom_addr key, loom_cycle now)
{
    const struct cache_mshr model = {.line = key,
                                     .key = key,
                                     .first = CACHE_NONE,
                                     .last = CACHE_NONE,
                                     .parent = CACHE_NONE,
                                     .sectors = 3};

    return cache_mshr_take(m, &model, now);
}

static void entries_are_found_until_they_are_released(void)
{
    struct bench bench = build(make_mshrs);
    struct cache_mshrs *m = &bench.leaves->mshrs;
    uint32_t a = take(m, 128, 10), b = take(m, 256, 20);

    EXPECT_EQ(m->entry_cycles, 10);
    EXPECT(cache_no_mshr(m));
    EXPECT_EQ(cache_mshr_find(m, 128), a);
    EXPECT_EQ(cache_mshr_find(m, 256), b);
    EXPECT_EQ(cache_mshr_find(m, 384), CACHE_NONE);
    cache_mshr_line_up(m, b);
    cache_mshr_line_up(m, a);
    EXPECT_EQ(m->ready_first, b);
    EXPECT_EQ(m->entry[b].ready_next, a);
    EXPECT_EQ(m->entry[a].ready_next, CACHE_NONE);
    cache_mshr_release(m, a, 30);
    EXPECT_EQ(m->entry_cycles, 30);
    EXPECT_EQ(cache_mshr_find(m, 128), CACHE_NONE);
    EXPECT_EQ(cache_mshr_find(m, 256), b);
    EXPECT_EQ(take(m, 512, 31), a);
    done(&bench);
}

static void accesses_wait_in_order(void)
{
    struct bench bench = build(make_mshrs);
    struct cache_mshrs *m = &bench.leaves->mshrs;
    struct cache_item item = {.request = request(128, 1), .port = 5};
    uint32_t a = take(m, 128, 0), b = take(m, 256, 0);

    EXPECT(cache_joins(m, a, 1) && !cache_joins(m, a, 4));
    cache_mshr_append(m, a, &item, 1);
    item.port = 6;
    cache_mshr_append(m, a, &item, 2);
    EXPECT_EQ(m->merged, 1);
    EXPECT(!cache_joins(m, a, 1)); /* two wait */
    cache_mshr_append(m, b, &item, 0);
    EXPECT(!cache_joins(m, b, 1)); /* no place for a fourth */
    cache_tell_first(m, a, 4);
    EXPECT_EQ(m->waiting[m->entry[a].first].request.reply_bits, 5);
    EXPECT_EQ(m->waiting[m->entry[a].first].port, 5);
    cache_mshr_drop_first(m, a);
    EXPECT_EQ(m->waiting[m->entry[a].first].request.reply_bits, 2);
    EXPECT_EQ(m->waiting[m->entry[a].first].port, 6);
    EXPECT_EQ(m->entry[a].count, 1);
    EXPECT(cache_joins(m, b, 1));
    m->entry[b].parent = 0; /* a sector waits first, without an item */
    cache_tell_first(m, b, 8);
    EXPECT_EQ(m->entry[b].reply_bits, 8);
    done(&bench);
}

/* ---- banks ---- */

static void make_pipe(struct leaves *l, struct loom_component *self)
{
    l->pipe.banks = 4;
    l->pipe.bank_shift = 5;
    l->pipe.bank_fold = 2;
    l->pipe.capacity = 3;
    l->pipe.hit_latency = 7;
    l->pipe.data_shift = 5;
    REQUIRE(cache_make_pipe(&l->pipe, self));
}

static void banks_take_accesses_in_order(void)
{
    struct bench bench = build(make_pipe);
    struct cache_pipe *p = &bench.leaves->pipe;
    struct loom_mem_request r = request(128, 15), flush = request(128, 0);
    struct cache_bank *bank = cache_bank_of(p, &r, 2);

    EXPECT(bank == &p->bank[(5 ^ 1) & 3]);
    EXPECT(cache_bank_of(p, &r, 0) == &p->bank[(4 ^ 1) & 3]);
    flush.kind = LOOM_MEM_FLUSH;
    EXPECT(cache_bank_of(p, &flush, 0) == p->bank);
    EXPECT_EQ(bank->due, LOOM_NEVER);
    EXPECT(!cache_has_taken(p, bank, 10));
    EXPECT(cache_take_slot(p, bank, CACHE_NONE, 0, 10) == &bank->item[0]);
    EXPECT(cache_has_taken(p, bank, 10) && !cache_has_taken(p, bank, 11));
    EXPECT_EQ(bank->due, 17);
    EXPECT(cache_take_slot(p, bank, 3, 1, 11) == &bank->item[1]);
    EXPECT_EQ(bank->due, 17);
    EXPECT_EQ(p->held, 2);
    EXPECT_EQ(cache_next_place(p, 1), 2);
    EXPECT_EQ(cache_next_place(p, 2), 0);
    bank->head = 2;
    bank->count = 1;
    EXPECT(cache_take_slot(p, bank, CACHE_NONE, 0, 12) == &bank->item[0]);
    cache_occupy(p, bank, 32, 20);
    EXPECT_EQ(bank->data_free, 0); /* one cycle is its own */
    cache_occupy(p, bank, 128, 20);
    EXPECT_EQ(bank->data_free, 24);
    done(&bench);
}

/* ---- the upper side ---- */

static void make_parents(struct leaves *l, struct loom_component *self)
{
    REQUIRE(cache_make_parents(&l->up, self, 2));
}

static void a_request_is_done_with_its_last_sector(void)
{
    struct bench bench = build(make_parents);
    struct cache_up *u = &bench.leaves->up;
    struct loom_mem_request r = request(128, 5), part;
    struct cache_item *p;

    r.kind = LOOM_MEM_STORE;
    r.size_bytes = 64;
    cache_sector_bytes(5, r.bytes);
    cache_split(u, &r, 3);
    p = &u->parent[u->split_parent];
    EXPECT_EQ(u->split_left, 5);
    EXPECT_EQ(u->split_requests, 1);
    EXPECT_EQ(p->port, 3);
    part = r;
    cache_cut(p, &part, 2);
    EXPECT_EQ(part.sectors, 4);
    EXPECT_EQ(part.size_bytes, 32);
    EXPECT_EQ(part.bytes[0], 0);
    EXPECT_EQ(part.bytes[1], UINT32_MAX);
    EXPECT(!cache_part_done(u, p));
    EXPECT_EQ(u->parents_used, 1);
    EXPECT(cache_part_done(u, p));
    EXPECT_EQ(u->parents_used, 0);
    done(&bench);
}

/* ---- the lower side ---- */

static void make_down(struct leaves *l, struct loom_component *self)
{
    REQUIRE(cache_make_down(&l->down, self, 2, 3, 1));
}

static uint32_t sent[8], full;

/* The channel has two places and gets one back each third cycle. */
static void push_and_send(struct leaves *l, loom_cycle now)
{
    struct cache_down *d = &l->down;

    if (cache_has_to_send(d)) {
        sent[now] = cache_send_down(d, now);
    }
    if (cache_room(d, 1, now)) {
        *cache_push(d, now) = request(128 * now, 1);
    } else {
        full++;
    }
    LOOM_CHECK(d->count <= d->miss_queue);
}

static void requests_queue_where_the_channel_is_full(void)
{
    struct bench bench = build(make_down);
    struct cache_down *d = &bench.leaves->down;
    struct loom_error err;

    memset(sent, 0, sizeof(sent));
    full = 0;
    step = push_and_send;
    loom_machine_run(bench.machine, LOOM_NEVER, LOOM_NEVER, &err);
    step = NULL;
    EXPECT(full > 0);
    EXPECT_EQ(sent[0], 0);
    EXPECT_EQ(d->count, 2);
    EXPECT(d->queue[d->head].block < 128 * 8);
    done(&bench);
}

static void what_goes_by_is_remembered(void)
{
    struct bench bench = build(make_down);
    struct cache_down *d = &bench.leaves->down;
    struct loom_mem_request r = request(128, 1);
    const struct cache_passing passing = {.token = 9, .port = 2};

    d->count = 1; /* one place is left */
    EXPECT(cache_can_pass(d, &r, 0));
    EXPECT_EQ(cache_remember(d, &passing), CACHE_TOKEN_PASSING | 0u);
    EXPECT(!cache_can_pass(d, &r, 0)); /* the only entry is in use */
    r.kind = LOOM_MEM_WRITEBACK;       /* has no reply */
    EXPECT(cache_can_pass(d, &r, 0));
    cache_forget(d, 0);
    EXPECT_EQ(d->passing_used, 0);
    for (uint32_t i = 0; i < CACHE_QUERIES; i++) {
        EXPECT(cache_query(d, &r, 4));
    }
    EXPECT(!cache_query(d, &r, 4));
    EXPECT_EQ(d->queries_out, CACHE_QUERIES);
    EXPECT_EQ(d->query[7].kind, LOOM_MEM_QUERY);
    EXPECT_EQ(d->query[7].src, 4);
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
    {"entries_are_found_until_they_are_released",
     entries_are_found_until_they_are_released},
    {"accesses_wait_in_order", accesses_wait_in_order},
    {"banks_take_accesses_in_order", banks_take_accesses_in_order},
    {"a_request_is_done_with_its_last_sector",
     a_request_is_done_with_its_last_sector},
    {"requests_queue_where_the_channel_is_full",
     requests_queue_where_the_channel_is_full},
    {"what_goes_by_is_remembered", what_goes_by_is_remembered},
};

int main(void)
{
    return loom_run_tests("cache_leaves", tests, LOOM_COUNTOF(tests));
}
