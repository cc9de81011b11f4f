/*
 * A tree of bits, followed by hand, and victims at random.
 *
 * links: policy_plru policy_random_replacement
 */
#include "tests/unit/replacement_rig.h"

extern const struct loom_policy_type plru_policy;
extern const struct loom_policy_type random_replacement_policy;

/* The root, then the nodes above ways 0 1 and 2 3. */
static void plru_points_away_from_uses(void)
{
    struct host host = host_open(&plru_policy, "replacement", 2, 4, 128);

    REQUIRE(host.good);
    for (uint32_t way = 0; way < 4; way++) {
        insert(&host, 1, way);
    }
    EXPECT_EQ(victim(&host, 1, 0xf), 0); /* left; left */
    hit(&host, 1, 0);                    /* root right, left node right */
    EXPECT_EQ(victim(&host, 1, 0xf), 2); /* although 1 is older */
    EXPECT_EQ(victim(&host, 1, 0xb), 3);
    EXPECT_EQ(victim(&host, 1, 0x3), 1); /* the right part is closed */
    EXPECT_EQ(victim(&host, 1, 0x1), 0);
    insert(&host, 1, 2);
    EXPECT_EQ(victim(&host, 1, 0xf), 1);
    EXPECT_EQ(victim(&host, 0, 0xf), 0); /* sets are apart */
    host_close(&host);
}

/* Leaf 3 is no way: the tree is that of four. */
static void plru_of_three_ways(void)
{
    struct host host = host_open(&plru_policy, "replacement", 1, 3, 128);

    REQUIRE(host.good);
    for (uint32_t way = 0; way < 3; way++) {
        insert(&host, 0, way);
    }
    EXPECT_EQ(victim(&host, 0, 7), 0);
    hit(&host, 0, 0);
    EXPECT_EQ(victim(&host, 0, 7), 2);
    hit(&host, 0, 2);
    EXPECT_EQ(victim(&host, 0, 7), 1);
    EXPECT_EQ(victim(&host, 0, 4), 2);
    host_close(&host);
}

/* Of a loop of as many blocks as ways nothing leaves. */
static void plru_keeps_what_fits(void)
{
    struct host host = host_open(&plru_policy, "replacement", 1, 16, 128);
    struct tags tags = {.host = &host, .ways = 16};

    REQUIRE(host.good);
    EXPECT_EQ(walk(&tags, 1, 16), 0);
    EXPECT_EQ(walk(&tags, 1, 16), 16);
    EXPECT(!load(&tags, 17));
    EXPECT(load(&tags, 17));
    host_close(&host);
}

static void plru_of_one_way(void)
{
    struct host host = host_open(&plru_policy, "replacement", 1, 1, 128);

    REQUIRE(host.good);
    insert(&host, 0, 0);
    EXPECT_EQ(victim(&host, 0, 1), 0);
    host_close(&host);
}

/* 4000 victims of four ways: a thousand each, within three standard
 * deviations (27 each). */
static void random_is_even_and_asked_twice_the_same(void)
{
    struct host host =
        host_open(&random_replacement_policy, "replacement", 1, 4, 128);
    uint32_t seen[4] = {0};

    REQUIRE(host.good);
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t way = victim(&host, 0, 0xf);

        EXPECT_EQ(victim(&host, 0, 0xf), way);
        insert(&host, 0, way);
        seen[way]++;
    }
    for (uint32_t way = 0; way < 4; way++) {
        EXPECT(seen[way] > 918 && seen[way] < 1082);
    }
    EXPECT_EQ(victim(&host, 0, 0x4), 2);
    host_close(&host);
}

static const struct loom_test tests[] = {
    {"plru_points_away_from_uses", plru_points_away_from_uses},
    {"plru_of_three_ways", plru_of_three_ways},
    {"plru_keeps_what_fits", plru_keeps_what_fits},
    {"plru_of_one_way", plru_of_one_way},
    {"random_is_even_and_asked_twice_the_same",
     random_is_even_and_asked_twice_the_same},
};

int main(void)
{
    return loom_run_tests("plru", tests, LOOM_COUNTOF(tests));
}
