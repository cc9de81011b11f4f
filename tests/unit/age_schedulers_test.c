/*
 * oldest, youngest and random_scheduler, asked directly.
 *
 * links: policy_oldest policy_youngest policy_random_scheduler
 */
#include "tests/unit/sm_policy_host.h"

extern const struct loom_policy_type oldest_policy;
extern const struct loom_policy_type youngest_policy;
extern const struct loom_policy_type random_scheduler_policy;

/* Warps 5, 2, 9 are started in this order, then 5 finishes and comes again:
 * from old to young 2 9 5. */
static void three_warps(const struct sm_host *host)
{
    const struct loom_scheduler_ops *ops = host->scheduler;

    REQUIRE(host->good);
    ops->started(host->policy, 0, 5, 0);
    ops->started(host->policy, 0, 2, 1);
    ops->started(host->policy, 0, 9, 2);
    ops->finished(host->policy, 0, 5);
    ops->started(host->policy, 0, 5, 3);
}

static uint32_t pick(const struct sm_host *host, uint64_t ready)
{
    return host->scheduler->pick(host->policy, 0, ready, 0);
}

static uint32_t rank(const struct sm_host *host, uint32_t local)
{
    return host->scheduler->rank(host->policy, 0, local);
}

static void oldest_goes_by_age(void)
{
    struct sm_host host = sm_host_open(&oldest_policy, 1, 48, 2);

    three_warps(&host);
    EXPECT_EQ(pick(&host, 1 << 2 | 1 << 5 | 1 << 9), 2);
    EXPECT_EQ(pick(&host, 1 << 5 | 1 << 9), 9);
    EXPECT_EQ(pick(&host, 1 << 5), 5);
    EXPECT_EQ(rank(&host, 2), 0);
    EXPECT_EQ(rank(&host, 9), 1);
    EXPECT_EQ(rank(&host, 5), 2);
    host.scheduler->started(host.policy, 1, 5, 4); /* another scheduler */
    EXPECT_EQ(host.scheduler->rank(host.policy, 1, 5), 0);
    sm_host_close(&host);
}

static void youngest_goes_by_age(void)
{
    struct sm_host host = sm_host_open(&youngest_policy, 1, 48, 2);

    three_warps(&host);
    EXPECT_EQ(pick(&host, 1 << 2 | 1 << 5 | 1 << 9), 5);
    EXPECT_EQ(pick(&host, 1 << 2 | 1 << 9), 9);
    EXPECT_EQ(pick(&host, 1 << 2), 2);
    EXPECT_EQ(rank(&host, 5), 0);
    EXPECT_EQ(rank(&host, 9), 1);
    EXPECT_EQ(rank(&host, 2), 2);
    host.scheduler->finished(host.policy, 0, 5);
    EXPECT_EQ(pick(&host, 1 << 2 | 1 << 9), 9);
    EXPECT_EQ(rank(&host, 9), 0);
    sm_host_close(&host);
}

/* 6000 picks of 3: each between 1900 and 2100, which is five standard
 * deviations (36.5) either way.  Another seed gives another sequence. */
static uint64_t draws(uint64_t seed, uint32_t *count)
{
    struct sm_host host = sm_host_open(&random_scheduler_policy, seed, 48, 2);
    uint64_t digest = 0;

    three_warps(&host);
    for (uint32_t i = 0; i < 6000; i++) {
        uint32_t local = pick(&host, 1 << 2 | 1 << 5 | 1 << 9);

        EXPECT_EQ(rank(&host, local), 0);
        EXPECT_EQ(pick(&host, 1 << 2 | 1 << 5 | 1 << 9), local);
        host.scheduler->issued(host.policy, 0, local, i);
        count[local]++;
        digest = digest * 31 + local;
    }
    sm_host_close(&host);
    return digest;
}

static void random_picks_all_alike(void)
{
    uint32_t count[10] = {0}, other[10] = {0}, again[10] = {0};
    uint64_t digest = draws(1, count);

    EXPECT(count[2] > 1900 && count[2] < 2100);
    EXPECT(count[5] > 1900 && count[5] < 2100);
    EXPECT(count[9] > 1900 && count[9] < 2100);
    EXPECT_EQ(draws(1, again), digest);
    EXPECT(draws(2, other) != digest);
}

/* The rank is a circle: number k of the started ones is first. */
static void random_ranks_are_a_circle(void)
{
    struct sm_host host = sm_host_open(&random_scheduler_policy, 1, 48, 2);
    uint32_t first;

    three_warps(&host);
    first = pick(&host, 1 << 2 | 1 << 5 | 1 << 9);
    EXPECT_EQ(rank(&host, first), 0);
    EXPECT_EQ(rank(&host, first == 2 ? 5 : first == 5 ? 9 : 2), 1);
    EXPECT_EQ(rank(&host, first == 2 ? 9 : first == 5 ? 2 : 5), 2);
    sm_host_close(&host);
}

static const struct loom_test tests[] = {
    {"oldest_goes_by_age", oldest_goes_by_age},
    {"youngest_goes_by_age", youngest_goes_by_age},
    {"random_picks_all_alike", random_picks_all_alike},
    {"random_ranks_are_a_circle", random_ranks_are_a_circle},
};

int main(void)
{
    return loom_run_tests("age_schedulers", tests, LOOM_COUNTOF(tests));
}
