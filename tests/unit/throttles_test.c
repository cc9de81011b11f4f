/*
 * swl, cta_limit and pcal, asked directly: which of a few warps may issue.
 *
 * links: policy_swl policy_cta_limit policy_pcal
 */
#include "tests/unit/throttle_rig.h"

extern const struct loom_policy_type swl_policy;
extern const struct loom_policy_type cta_limit_policy;
extern const struct loom_policy_type pcal_policy;

/* Two schedulers.  Warps from old to young: 4 1 2 3, two CTAs of two.  As
 * masks, scheduler 0 has 4 (bit 2) and 2 (bit 1), scheduler 1 has 1 (bit 0)
 * and 3 (bit 1). */
static void four_warps(struct throttle_rig *rig)
{
    throttle_cta(rig, 0);
    throttle_start(rig, 4);
    throttle_start(rig, 1);
    throttle_cta(rig, 1);
    throttle_start(rig, 2);
    throttle_start(rig, 3);
}

static struct sm_host swl_host(const char *scope, const char *waiting,
                               bool greedy, uint32_t warps)
{
    struct sm_host host = sm_host_make(&swl_policy, 1, 8, 2);

    sm_host_set(&host, "scope", (union loom_value){.s = scope});
    sm_host_set(&host, "waiting", (union loom_value){.s = waiting});
    sm_host_set(&host, "greedy", (union loom_value){.b = greedy});
    sm_host_number(&host, "warps", warps);
    sm_host_bind(&host);
    REQUIRE(host.good);
    return host;
}

static void swl_counts_warps_of_the_sm(void)
{
    struct throttle_rig rig = {.host = swl_host("sm", "skip", false, 3)};

    four_warps(&rig);
    EXPECT_EQ(throttle_allow(&rig, 0), 6); /* 4 and 2 */
    EXPECT_EQ(throttle_allow(&rig, 1), 1); /* 1, not 3 */
    EXPECT_EQ(sm_host_stat(&rig.host, "holds"), 1);
    EXPECT_EQ(throttle_allow(&rig, 1), 1);
    EXPECT_EQ(sm_host_stat(&rig.host, "holds"), 1); /* still the same one */
    throttle_finish(&rig, 1);
    EXPECT_EQ(throttle_allow(&rig, 1), 2);
    throttle_start(&rig, 1); /* now the youngest */
    EXPECT_EQ(throttle_allow(&rig, 1), 2);
    EXPECT_EQ(sm_host_stat(&rig.host, "holds"), 2);
    EXPECT_EQ(sm_host_stat(&rig.host, "most"), 3);
    sm_host_close(&rig.host);
}

static void swl_counts_warps_of_a_scheduler(void)
{
    struct throttle_rig rig = {.host = swl_host("scheduler", "skip", false, 1)};

    four_warps(&rig);
    EXPECT_EQ(throttle_allow(&rig, 0), 4); /* 4 */
    EXPECT_EQ(throttle_allow(&rig, 1), 1); /* 1 */
    throttle_finish(&rig, 4);
    EXPECT_EQ(throttle_allow(&rig, 0), 2);
    sm_host_close(&rig.host);
}

/* Warp 4 waits: with "skip" 1 and 2 are the first two, with "lift" 4 and 1
 * are, and when the second one waits all may go on. */
static void swl_lets_waiting_warps_be_waited_for(void)
{
    struct throttle_rig skip = {.host = swl_host("sm", "skip", false, 2)};
    struct throttle_rig lift = {.host = swl_host("sm", "lift", false, 2)};

    four_warps(&skip);
    four_warps(&lift);
    throttle_wait(&skip, 4, true);
    throttle_wait(&lift, 4, true);
    EXPECT_EQ(throttle_allow(&skip, 0), 2);
    EXPECT_EQ(throttle_allow(&skip, 1), 1);
    EXPECT_EQ(throttle_allow(&lift, 0), 0); /* 4 is not ready, 2 is third */
    EXPECT_EQ(throttle_allow(&lift, 1), 1);
    throttle_wait(&lift, 1, true);
    EXPECT_EQ(throttle_allow(&lift, 0), 2);
    EXPECT_EQ(throttle_allow(&lift, 1), 2);
    EXPECT_EQ(sm_host_stat(&lift.host, "lifts"), 2); /* each scheduler's */
    throttle_wait(&lift, 4, false);
    throttle_wait(&lift, 1, false);
    EXPECT_EQ(throttle_allow(&lift, 0), 4);
    EXPECT_EQ(throttle_allow(&lift, 1), 1);
    sm_host_close(&skip.host);
    sm_host_close(&lift.host);
}

/* Warp 2 issues while 4 waits, and goes on when 4 is back. */
static void swl_lets_the_greedy_warp_go_on(void)
{
    struct throttle_rig rig = {.host = swl_host("scheduler", "skip", true, 1)};

    four_warps(&rig);
    throttle_wait(&rig, 4, true);
    EXPECT_EQ(throttle_allow(&rig, 0), 2);
    throttle_issue(&rig, 2);
    throttle_wait(&rig, 4, false);
    EXPECT_EQ(throttle_allow(&rig, 0), 6);
    throttle_issue(&rig, 4);
    EXPECT_EQ(throttle_allow(&rig, 0), 4);
    sm_host_close(&rig.host);
}

static void cta_limit_goes_by_ctas(void)
{
    struct throttle_rig rig = {.host =
                                   sm_host_make(&cta_limit_policy, 1, 8, 2)};

    sm_host_number(&rig.host, "ctas", 1);
    sm_host_bind(&rig.host);
    four_warps(&rig);
    EXPECT_EQ(throttle_allow(&rig, 0), 4); /* 4 */
    EXPECT_EQ(throttle_allow(&rig, 1), 1); /* 1 */
    throttle_exhaust(&rig, 4);
    EXPECT_EQ(throttle_allow(&rig, 0), 0); /* 1 is still there */
    throttle_exhaust(&rig, 1);
    EXPECT_EQ(throttle_allow(&rig, 0), 2);
    EXPECT_EQ(throttle_allow(&rig, 1), 2);
    throttle_cta(&rig, 0); /* the same number again: another kernel's */
    throttle_finish(&rig, 4);
    throttle_start(&rig, 4);
    EXPECT_EQ(throttle_allow(&rig, 0), 2);
    EXPECT_EQ(sm_host_stat(&rig.host, "most"), 1);
    sm_host_close(&rig.host);
}

static bool allocates(const struct throttle_rig *rig, uint32_t warp,
                      uint8_t kind)
{
    const struct loom_mem_request request = {
        .warp = (uint16_t)warp, .size_bytes = 32, .kind = kind};
    struct loom_bypass how = {request.size_bytes, true};
    bool gets = rig->host.allocation->allocate(rig->host.policy, &request, 0,
                                               &how) != LOOM_NO_ALLOCATE;

    EXPECT_EQ(how.size_bytes, gets ? 32 : 64);
    return gets;
}

static void pcal_hands_tokens_on(void)
{
    struct throttle_rig rig = {.host = sm_host_make(&pcal_policy, 1, 8, 2)};

    sm_host_number(&rig.host, "tokens", 2);
    sm_host_number(&rig.host, "warps", 3);
    sm_host_number(&rig.host, "fetch_bytes", 64);
    sm_host_bind(&rig.host);
    four_warps(&rig);
    EXPECT_EQ(throttle_allow(&rig, 0), 6);
    EXPECT_EQ(throttle_allow(&rig, 1), 1);
    EXPECT(allocates(&rig, 4, LOOM_MEM_LOAD));
    EXPECT(allocates(&rig, 1, LOOM_MEM_LOAD));
    EXPECT(!allocates(&rig, 2, LOOM_MEM_LOAD));
    EXPECT(!allocates(&rig, 3, LOOM_MEM_LOAD));
    EXPECT(allocates(&rig, 3, LOOM_MEM_STORE)); /* no opinion */
    throttle_exhaust(&rig, 4); /* its last loads are on their way */
    EXPECT(!allocates(&rig, 2, LOOM_MEM_LOAD));
    EXPECT_EQ(throttle_allow(&rig, 1), 3);
    throttle_finish(&rig, 4);
    EXPECT(allocates(&rig, 2, LOOM_MEM_LOAD));
    throttle_start(&rig, 4);
    EXPECT(!allocates(&rig, 4, LOOM_MEM_LOAD));
    EXPECT_EQ(sm_host_stat(&rig.host, "passes"), 3);
    EXPECT_EQ(sm_host_stat(&rig.host, "holders"), 2);
    sm_host_close(&rig.host);
}

static const struct loom_test tests[] = {
    {"swl_counts_warps_of_the_sm", swl_counts_warps_of_the_sm},
    {"swl_counts_warps_of_a_scheduler", swl_counts_warps_of_a_scheduler},
    {"swl_lets_waiting_warps_be_waited_for",
     swl_lets_waiting_warps_be_waited_for},
    {"swl_lets_the_greedy_warp_go_on", swl_lets_the_greedy_warp_go_on},
    {"cta_limit_goes_by_ctas", cta_limit_goes_by_ctas},
    {"pcal_hands_tokens_on", pcal_hands_tokens_on},
};

int main(void)
{
    return loom_run_tests("throttles", tests, LOOM_COUNTOF(tests));
}
