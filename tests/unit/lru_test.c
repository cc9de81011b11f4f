/*
 * Replacement orders, asked directly.
 *
 * links: policy_lru policy_fifo
 */
#include "tests/unit/replacement_rig.h"

extern const struct loom_policy_type lru_policy;
extern const struct loom_policy_type fifo_policy;

static void lru_evicts_the_one_used_longest_ago(void)
{
    struct host host = host_open(&lru_policy, "replacement", 2, 4, 128);

    REQUIRE(host.good);
    for (uint32_t way = 0; way < 4; way++) {
        insert(&host, 0, way);
        insert(&host, 1, 3 - way);
    }
    EXPECT_EQ(victim(&host, 0, 15), 0);
    EXPECT_EQ(victim(&host, 1, 15), 3); /* sets are apart */
    hit(&host, 0, 0);
    EXPECT_EQ(victim(&host, 0, 15), 1);
    hit(&host, 0, 1);
    hit(&host, 0, 2);
    EXPECT_EQ(victim(&host, 0, 15), 3);
    EXPECT_EQ(victim(&host, 0, 7), 0); /* order now 3 0 1 2 */
    EXPECT_EQ(victim(&host, 0, 6), 1);
    EXPECT_EQ(victim(&host, 0, 4), 2);
    host_close(&host);
}

static void fifo_ignores_hits(void)
{
    struct host host = host_open(&fifo_policy, "replacement", 1, 4, 128);

    REQUIRE(host.good);
    for (uint32_t way = 0; way < 4; way++) {
        insert(&host, 0, (way + 2) % 4); /* 2 3 0 1 */
    }
    hit(&host, 0, 2);
    EXPECT_EQ(victim(&host, 0, 15), 2);
    insert(&host, 0, 2);
    EXPECT_EQ(victim(&host, 0, 15), 3);
    EXPECT_EQ(victim(&host, 0, 6), 1);
    host_close(&host);
}

static void lru_serves_a_thousand_ways(void)
{
    struct host host = host_open(&lru_policy, "replacement", 1, 1024, 128);
    const struct loom_replacement_ops *ops =
        loom_policy_type_ops(&lru_policy, &loom_replacement_hook);
    uint16_t way[1024];
    struct loom_ways ways = {way, 1024};

    REQUIRE(host.good);
    for (uint32_t i = 0; i < 1024; i++) {
        way[i] = (uint16_t)i;
        insert(&host, 0, 1023 - i);
    }
    EXPECT_EQ(ops->victim(host.policy, &request, 0, &ways), 1023);
    for (uint32_t i = 1023; i > 600; i--) {
        hit(&host, 0, i);
    }
    EXPECT_EQ(ops->victim(host.policy, &request, 0, &ways), 600);
    host_close(&host);
}

static const struct loom_test tests[] = {
    {"lru_evicts_the_one_used_longest_ago",
     lru_evicts_the_one_used_longest_ago},
    {"fifo_ignores_hits", fifo_ignores_hits},
    {"lru_serves_a_thousand_ways", lru_serves_a_thousand_ways},
};

int main(void)
{
    return loom_run_tests("lru", tests, LOOM_COUNTOF(tests));
}
