/*
 * Policies that keep a recency stack: where lines enter, how they move, and
 * whom the leader sets make the winner, worked out by hand.
 *
 * links: policy_lip policy_bip policy_dip policy_pipp
 */
#include "tests/unit/replacement_rig.h"

extern const struct loom_policy_type lip_policy;
extern const struct loom_policy_type bip_policy;
extern const struct loom_policy_type dip_policy;
extern const struct loom_policy_type pipp_policy;

/* Of a loop of 6 blocks through 4 ways the 3 that came first stay. */
static void lip_keeps_all_but_one_way_of_a_loop(void)
{
    struct host host = host_open(&lip_policy, "replacement", 1, 4, 128);
    struct tags tags = {.host = &host, .ways = 4};

    REQUIRE(host.good);
    EXPECT_EQ(walk(&tags, 1, 6), 0);
    for (uint32_t pass = 0; pass < 9; pass++) {
        EXPECT_EQ(walk(&tags, 1, 6), 3);
    }
    EXPECT_EQ(counted(&host, "insertions", 3), 6 + 9 * 3);
    EXPECT_EQ(counted(&host, "insertions", 0), 0);
    EXPECT(laws_hold(&host));
    host_close(&host);
}

/* The stack from the most recently used: first filled 1 2 3 4. */
static void lip_promotes_what_is_used_again(void)
{
    struct host host = host_open(&lip_policy, "replacement", 1, 4, 128);
    struct tags tags = {.host = &host, .ways = 4};

    REQUIRE(host.good);
    walk(&tags, 1, 4);
    EXPECT(!load(&tags, 5)); /* evicts 4: 1 2 3 5 */
    EXPECT(load(&tags, 5));  /* 5 1 2 3 */
    EXPECT(!load(&tags, 6)); /* evicts 3: 5 1 2 6 */
    EXPECT(load(&tags, 5));
    EXPECT(load(&tags, 1));
    EXPECT(load(&tags, 2));  /* 2 1 5 6 */
    EXPECT(!load(&tags, 3)); /* evicts 6 */
    EXPECT(load(&tags, 2));
    EXPECT(!load(&tags, 6));
    EXPECT_EQ(counted(&host, "promotions", 0), 3);
    host_close(&host);
}

/* A dropped line is at the end, so the next line enters behind the others;
 * ways that may not leave are skipped but keep their places. */
static void dropped_and_reserved_lines(void)
{
    struct host host = host_open(&lip_policy, "replacement", 2, 4, 128);

    REQUIRE(host.good);
    for (uint32_t way = 0; way < 4; way++) {
        insert(&host, 1, way);
        hit(&host, 1, way); /* 3 2 1 0 */
    }
    EXPECT_EQ(victim(&host, 1, 0xf), 0);
    EXPECT_EQ(victim(&host, 1, 0xe), 1);
    EXPECT_EQ(victim(&host, 1, 0xc), 2);
    drop(&host, 1, 2); /* 3 1 0 2 */
    EXPECT_EQ(victim(&host, 1, 0xf), 2);
    insert(&host, 1, 2);
    hit(&host, 1, 2); /* 2 3 1 0 */
    EXPECT_EQ(victim(&host, 1, 0xf), 0);
    EXPECT_EQ(victim(&host, 1, 0xc), 3);
    EXPECT_EQ(victim(&host, 0, 0x8), 3);
    EXPECT(laws_hold(&host));
    host_close(&host);
}

/* With a counter of 4 the 4th, 8th .. new line is the most recent one. */
static void bip_lets_one_in_four_to_the_front(void)
{
    struct loom_cache_shape shape = host_shape(1, 4, 128);
    struct host host = host_make(&bip_policy, "replacement", &shape);
    struct tags tags = {.host = &host, .ways = 4};

    host_set(&host, "bimodal_one_in", (union loom_value){.u = 4});
    host_set(&host, "bimodal_draw", (union loom_value){.s = "counter"});
    host_freeze(&host);
    REQUIRE(host.good);
    walk(&tags, 1, 4); /* 4 1 2 3 */
    walk(&tags, 5, 4); /* 5, 6, 7 evict 3, 5, 6; 8 evicts 7: 8 4 1 2 */
    EXPECT(load(&tags, 8));
    EXPECT(load(&tags, 2)); /* 2 8 4 1 */
    EXPECT(load(&tags, 4));
    EXPECT(load(&tags, 1));  /* 1 4 2 8 */
    EXPECT(!load(&tags, 9)); /* evicts 8 */
    EXPECT(!load(&tags, 8)); /* evicts 9 */
    EXPECT(load(&tags, 2));
    EXPECT_EQ(counted(&host, "insertions", 0), 2);
    EXPECT_EQ(counted(&host, "insertions", 3), 8);
    host_close(&host);
}

/* About one in 32 of 32000, with the run's seed. */
static void bip_draws_at_random(void)
{
    struct host host = host_open(&bip_policy, "replacement", 1, 2, 128);

    REQUIRE(host.good);
    for (uint32_t i = 0; i < 32000; i++) {
        insert(&host, 0, i % 2);
    }
    EXPECT(counted(&host, "insertions", 0) > 900);
    EXPECT(counted(&host, "insertions", 0) < 1100);
    EXPECT_EQ(counted(&host, "insertions", 0) + counted(&host, "insertions", 1),
              32000);
    host_close(&host);
}

static struct host dip_of(uint32_t sets, const char *leader_sets,
                          uint32_t leaders, uint32_t psel_bits)
{
    struct loom_cache_shape shape = host_shape(sets, 4, 128);
    struct host host = host_make(&dip_policy, "replacement", &shape);

    host_set(&host, "bimodal_one_in", (union loom_value){.u = 1000});
    host_set(&host, "bimodal_draw", (union loom_value){.s = "counter"});
    host_set(&host, "leader_sets", (union loom_value){.s = leader_sets});
    host_set(&host, "leaders", (union loom_value){.u = leaders});
    host_set(&host, "psel_bits", (union loom_value){.u = psel_bits});
    host_freeze(&host);
    return host;
}

/* Misses of LRU's leaders (0, 8, 16, 24) count up, those of bip's (4, 12 ..)
 * down; from 512 on the others follow bip, which inserts at the end. */
static void dip_follows_whom_the_leaders_make_win(void)
{
    struct host host = dip_of(32, "stride", 0, 10);

    REQUIRE(host.good);
    EXPECT_EQ(counted(&host, "psel", 0), 512);
    insert(&host, 1, 0);
    EXPECT_EQ(counted(&host, "follower_misses", 1), 1);
    EXPECT_EQ(counted(&host, "insertions", 3), 1);
    insert(&host, 4, 0);
    EXPECT_EQ(counted(&host, "psel", 0), 511);
    EXPECT_EQ(counted(&host, "psel_switches", 0), 1);
    insert(&host, 1, 1);
    EXPECT_EQ(counted(&host, "follower_misses", 0), 1);
    EXPECT_EQ(counted(&host, "insertions", 0), 1);
    for (uint32_t set = 0; set < 32; set++) {
        insert(&host, set, 2);
    }
    EXPECT_EQ(counted(&host, "psel", 0), 511);
    EXPECT_EQ(counted(&host, "leader_misses", 0), 4);
    EXPECT_EQ(counted(&host, "leader_misses", 1), 5);
    EXPECT_EQ(counted(&host, "follower_misses", 0) +
                  counted(&host, "follower_misses", 1),
              26);
    EXPECT(laws_hold(&host));
    host_close(&host);
}

static void psel_saturates(void)
{
    struct host host = dip_of(32, "stride", 0, 2);

    REQUIRE(host.good);
    EXPECT_EQ(counted(&host, "psel", 0), 2);
    for (uint32_t i = 0; i < 5; i++) {
        insert(&host, 8, i % 4);
    }
    EXPECT_EQ(counted(&host, "psel", 0), 3);
    for (uint32_t i = 0; i < 5; i++) {
        insert(&host, 12, i % 4);
    }
    EXPECT_EQ(counted(&host, "psel", 0), 0);
    EXPECT_EQ(counted(&host, "psel_switches", 0), 1);
    host_close(&host);
}

/* Four constituencies of four sets: 0 5 10 15 against 3 6 9 12. */
static void leaders_by_complement(void)
{
    struct host host = dip_of(16, "complement", 4, 10);
    uint32_t first = 0, second = 0;

    REQUIRE(host.good);
    for (uint32_t set = 0; set < 16; set++) {
        uint64_t before = counted(&host, "leader_misses", 0);
        uint64_t other = counted(&host, "leader_misses", 1);

        insert(&host, set, 0);
        first |= (counted(&host, "leader_misses", 0) > before) ? 1u << set : 0;
        second |= (counted(&host, "leader_misses", 1) > other) ? 1u << set : 0;
    }
    EXPECT_EQ(first, 1u << 0 | 1u << 5 | 1u << 10 | 1u << 15);
    EXPECT_EQ(second, 1u << 3 | 1u << 6 | 1u << 9 | 1u << 12);
    host_close(&host);
}

static void leaders_at_random(void)
{
    struct host host = dip_of(48, "random", 24, 10);

    REQUIRE(host.good);
    for (uint32_t set = 0; set < 48; set++) {
        insert(&host, set, 0);
    }
    EXPECT_EQ(counted(&host, "leader_misses", 0), 24);
    EXPECT_EQ(counted(&host, "leader_misses", 1), 24);
    host_close(&host);
}

static void dip_refuses_what_cannot_duel(void)
{
    struct host one = dip_of(1, "stride", 0, 10);
    struct host many = dip_of(32, "stride", 17, 10);
    struct host three = dip_of(24, "complement", 4, 10);

    EXPECT(!one.good);
    EXPECT_TEXT(one.err.text, "do not fit into 1 sets");
    EXPECT(!many.good);
    EXPECT_TEXT(many.err.text, "17 leader sets of each policy");
    EXPECT(!three.good);
    EXPECT_TEXT(three.err.text, "expected powers of 2");
    host_close(&one);
    host_close(&many);
    host_close(&three);
}

static void psel_starts_in_its_range(void)
{
    struct loom_cache_shape shape = host_shape(32, 4, 128);
    struct host host = host_make(&dip_policy, "replacement", &shape);

    host_set(&host, "psel_start", (union loom_value){.u = 1024});
    host_freeze(&host);
    EXPECT(!host.good);
    EXPECT_TEXT(host.err.text, "'psel_start' is 1024, expected less than");
    host_close(&host);
}

/* Four ways: a new line is second from the end, and climbs one place a hit. */
static void pipp_climbs(void)
{
    struct loom_cache_shape shape = host_shape(1, 4, 128);
    struct host host = host_make(&pipp_policy, "replacement", &shape);

    host_set(&host, "promote_percent", (union loom_value){.u = 100});
    host_freeze(&host);
    REQUIRE(host.good); /* 0 1 2 3 */
    for (uint32_t i = 0; i < 4; i++) {
        insert(&host, 0, 3 - i); /* 0 1 3 2, 0 1 2 3, 0 2 1 3, 2 1 0 3 */
    }
    EXPECT_EQ(victim(&host, 0, 0xf), 3);
    EXPECT_EQ(victim(&host, 0, 0x7), 0);
    hit(&host, 0, 3); /* 2 1 3 0 */
    EXPECT_EQ(victim(&host, 0, 0xf), 0);
    insert(&host, 0, 0); /* 2 1 0 3 */
    EXPECT_EQ(victim(&host, 0, 0xf), 3);
    hit(&host, 0, 3);
    hit(&host, 0, 3); /* 2 3 1 0 */
    EXPECT_EQ(victim(&host, 0, 0xb), 0);
    EXPECT_EQ(victim(&host, 0, 0xe), 1);
    hit(&host, 0, 2); /* first already */
    EXPECT_EQ(counted(&host, "promotions", 0), 3);
    EXPECT_EQ(counted(&host, "insertions", 2), 5);
    EXPECT(laws_hold(&host));
    host_close(&host);
}

/* Positions are counted from the end; more than there are: the front. */
static void pipp_takes_positions_from_the_end(void)
{
    static const struct {
        uint32_t insertion, position;
    } cases[] = {{1, 2}, {2, 1}, {3, 0}, {9, 0}, {0, 1}};

    for (size_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        struct loom_cache_shape shape = host_shape(1, 3, 128);
        struct host host = host_make(&pipp_policy, "replacement", &shape);

        host_set(&host, "insertion",
                 (union loom_value){.u = cases[i].insertion});
        host_freeze(&host);
        REQUIRE(host.good);
        insert(&host, 0, 2);
        EXPECT_EQ(counted(&host, "insertions", cases[i].position), 1);
        host_close(&host);
    }
}

/* Three of four hits move a line, so about 7500 of 10000. */
static void pipp_promotes_at_random(void)
{
    struct host host = host_open(&pipp_policy, "replacement", 1, 2, 128);

    REQUIRE(host.good);
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t last = victim(&host, 0, 3);

        hit(&host, 0, last);
    }
    EXPECT(counted(&host, "promotions", 0) > 7300);
    EXPECT(counted(&host, "promotions", 0) < 7700);
    host_close(&host);
}

static const struct loom_test tests[] = {
    {"lip_keeps_all_but_one_way_of_a_loop",
     lip_keeps_all_but_one_way_of_a_loop},
    {"lip_promotes_what_is_used_again", lip_promotes_what_is_used_again},
    {"dropped_and_reserved_lines", dropped_and_reserved_lines},
    {"bip_lets_one_in_four_to_the_front", bip_lets_one_in_four_to_the_front},
    {"bip_draws_at_random", bip_draws_at_random},
    {"dip_follows_whom_the_leaders_make_win",
     dip_follows_whom_the_leaders_make_win},
    {"psel_saturates", psel_saturates},
    {"leaders_by_complement", leaders_by_complement},
    {"leaders_at_random", leaders_at_random},
    {"dip_refuses_what_cannot_duel", dip_refuses_what_cannot_duel},
    {"psel_starts_in_its_range", psel_starts_in_its_range},
    {"pipp_climbs", pipp_climbs},
    {"pipp_takes_positions_from_the_end", pipp_takes_positions_from_the_end},
    {"pipp_promotes_at_random", pipp_promotes_at_random},
};

int main(void)
{
    return loom_run_tests("recency", tests, LOOM_COUNTOF(tests));
}
