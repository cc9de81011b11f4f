/*
 * Leaves of a cache, each by itself: MSHRs, banks, the upper and the lower
 * side. None of them is part of a cache here. links: component_cache
 */
#include "tests/unit/cache_leaves_rig.h"

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

/* The queue is full, but a sector of the newest request's line goes with it. */
static void company_needs_no_place(void)
{
    struct bench bench = build(make_down);
    struct cache_down *d = &bench.leaves->down;
    struct loom_mem_request r = request(128, 1);

    d->count = 1;
    d->sent_at = 0; /* so that it is not sent at once */
    *cache_push(d, 0) = r;
    d->queue[1].token = CACHE_TOKEN_PASSING;
    cache_await_company(d, &d->queue[1], 0);
    r.sectors = 2;
    EXPECT(!cache_can_pass(d, &r, 0));
    d->joins = true;
    EXPECT(cache_can_pass(d, &r, 0));
    r.block = 256;
    EXPECT(!cache_can_pass(d, &r, 0));
    done(&bench);
}

static const struct loom_test tests[] = {
    {"entries_are_found_until_they_are_released",
     entries_are_found_until_they_are_released},
    {"accesses_wait_in_order", accesses_wait_in_order},
    {"banks_take_accesses_in_order", banks_take_accesses_in_order},
    {"a_request_is_done_with_its_last_sector",
     a_request_is_done_with_its_last_sector},
    {"requests_queue_where_the_channel_is_full",
     requests_queue_where_the_channel_is_full},
    {"what_goes_by_is_remembered", what_goes_by_is_remembered},
    {"company_needs_no_place", company_needs_no_place},
};

int main(void)
{
    return loom_run_tests("cache_queues", tests, LOOM_COUNTOF(tests));
}
