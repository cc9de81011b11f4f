/*
 * Predictions of re-reference intervals, worked out by hand, and the sequence
 * of the figure in the publication.
 *
 * links: policy_srrip policy_brrip policy_drrip policy_nru
 */
#include "engine/rng.h"

#include "tests/unit/replacement_rig.h"

extern const struct loom_policy_type srrip_policy;
extern const struct loom_policy_type brrip_policy;
extern const struct loom_policy_type drrip_policy;
extern const struct loom_policy_type nru_policy;

static struct host rrip_of(const struct loom_policy_type *type, uint32_t sets,
                           uint32_t bits, const char *promotion)
{
    struct loom_cache_shape shape = host_shape(sets, 4, 128);
    struct host host = host_make(type, "replacement", &shape);

    host_set(&host, "bits", (union loom_value){.u = bits});
    host_set(&host, "promotion", (union loom_value){.s = promotion});
    if (type != &srrip_policy) {
        host_set(&host, "bimodal_one_in", (union loom_value){.u = 4});
        host_set(&host, "bimodal_draw", (union loom_value){.s = "counter"});
    }
    host_freeze(&host);
    return host;
}

/* Jaleel et al. 2010, figure 4: a1 a2 a2 a1 b1 b2 b3 b4 a1 a2 in four ways;
 * the scan b does not evict a. */
static void srrip_keeps_what_was_reused(void)
{
    struct host host = rrip_of(&srrip_policy, 1, 2, "hit");
    struct tags tags = {.host = &host, .ways = 4};

    REQUIRE(host.good);
    EXPECT(!load(&tags, 1));
    EXPECT(!load(&tags, 2));
    EXPECT(load(&tags, 2));
    EXPECT(load(&tags, 1));
    EXPECT_EQ(walk(&tags, 11, 4), 0); /* b3 ages: a 1 1, b 3 3 */
    EXPECT(load(&tags, 1));
    EXPECT(load(&tags, 2));
    EXPECT_EQ(counted(&host, "insertions", 2), 6);
    EXPECT_EQ(counted(&host, "agings", 0), 1);
    EXPECT_EQ(counted(&host, "promotions", 0), 4);
    EXPECT(laws_hold(&host));
    host_close(&host);
}

/* Three bits: 6 at first, one less by each hit.  Ways 0 to 3 are hit 0 to 3
 * times: 6 5 4 3. */
static void frequency_priority_counts_hits(void)
{
    struct host host = rrip_of(&srrip_policy, 1, 3, "frequency");

    REQUIRE(host.good);
    for (uint32_t way = 0; way < 4; way++) {
        insert(&host, 0, way);
        for (uint32_t i = 0; i < way; i++) {
            hit(&host, 0, way);
        }
    }
    EXPECT_EQ(victim(&host, 0, 0xf), 0); /* aged by 1: 7 6 5 4 */
    EXPECT_EQ(victim(&host, 0, 0xf), 0);
    EXPECT_EQ(counted(&host, "agings", 0), 1);
    insert(&host, 0, 0);                 /* 6 6 5 4 */
    EXPECT_EQ(victim(&host, 0, 0xe), 1); /* aged by 1, 0 too: 7 7 6 5 */
    EXPECT_EQ(victim(&host, 0, 0xf), 0);
    EXPECT_EQ(victim(&host, 0, 0xc), 2); /* 7 7 7 6 */
    for (uint32_t i = 0; i < 10; i++) {
        hit(&host, 0, 3);
    }
    EXPECT_EQ(counted(&host, "promotions", 0), 6 + 6);
    host_close(&host);
}

static void hit_priority_forgets_the_past(void)
{
    struct host host = rrip_of(&srrip_policy, 1, 3, "hit");

    REQUIRE(host.good);
    for (uint32_t way = 0; way < 4; way++) {
        insert(&host, 0, way);
    }
    hit(&host, 0, 0);                    /* 0 6 6 6 */
    EXPECT_EQ(victim(&host, 0, 0x1), 0); /* aged by 7, the others saturate */
    EXPECT_EQ(victim(&host, 0, 0xe), 1);
    EXPECT_EQ(counted(&host, "agings", 0), 1);
    host_close(&host);
}

static void scan_and_age_are_choices(void)
{
    struct loom_cache_shape shape = host_shape(1, 4, 128);
    struct host host = host_make(&srrip_policy, "replacement", &shape);

    host_set(&host, "scan", (union loom_value){.s = "highest"});
    host_set(&host, "age", (union loom_value){.s = "candidates"});
    host_freeze(&host);
    REQUIRE(host.good);
    for (uint32_t way = 0; way < 4; way++) {
        insert(&host, 0, way);
    }
    EXPECT_EQ(victim(&host, 0, 0x7), 2); /* 7 7 7 6 */
    EXPECT_EQ(victim(&host, 0, 0xf), 2);
    EXPECT_EQ(victim(&host, 0, 0x8), 3);
    EXPECT_EQ(counted(&host, "agings", 0), 2);
    host_close(&host);
}

/* Distant, but every fourth one less. */
static void brrip_inserts_far_away(void)
{
    struct host host = rrip_of(&brrip_policy, 1, 3, "hit");
    struct tags tags = {.host = &host, .ways = 4};

    REQUIRE(host.good);
    walk(&tags, 1, 4); /* in ways 3 2 1 0: 7 7 7 6 */
    EXPECT_EQ(counted(&host, "insertions", 7), 3);
    EXPECT_EQ(counted(&host, "insertions", 6), 1);
    EXPECT(!load(&tags, 5)); /* takes way 1, of 3 */
    EXPECT(load(&tags, 4));
    EXPECT(load(&tags, 1));
    EXPECT(load(&tags, 2));
    EXPECT(!load(&tags, 3));
    host_close(&host);
}

/* Sets 0, 8 .. are srrip's leaders, 4, 12 .. brrip's; 512 is brrip's. */
static void drrip_duels(void)
{
    struct host host = rrip_of(&drrip_policy, 32, 3, "frequency");

    REQUIRE(host.good);
    insert(&host, 0, 0);
    EXPECT_EQ(counted(&host, "psel", 0), 513);
    EXPECT_EQ(counted(&host, "insertions", 6), 1);
    insert(&host, 1, 0);
    EXPECT_EQ(counted(&host, "insertions", 7), 1);
    insert(&host, 4, 0);
    insert(&host, 4, 1);
    EXPECT_EQ(counted(&host, "psel", 0), 511);
    EXPECT_EQ(counted(&host, "insertions", 7), 3);
    insert(&host, 1, 1);
    EXPECT_EQ(counted(&host, "insertions", 6), 2);
    EXPECT_EQ(counted(&host, "follower_misses", 0), 1);
    EXPECT_EQ(counted(&host, "follower_misses", 1), 1);
    EXPECT(laws_hold(&host));
    host_close(&host);
}

/* One bit a way: 0 is used recently. */
static void nru_evicts_what_was_not_used(void)
{
    struct host host = host_open(&nru_policy, "replacement", 1, 4, 128);

    REQUIRE(host.good);
    for (uint32_t way = 0; way < 4; way++) {
        insert(&host, 0, way);
    }
    EXPECT_EQ(victim(&host, 0, 0xf), 0); /* all are forgotten: 1 1 1 1 */
    insert(&host, 0, 0);
    hit(&host, 0, 1);
    EXPECT_EQ(victim(&host, 0, 0xf), 2);
    EXPECT_EQ(victim(&host, 0, 0xb), 3);
    insert(&host, 0, 2);
    EXPECT_EQ(victim(&host, 0, 0xf), 3);
    EXPECT_EQ(victim(&host, 0, 0x7), 0); /* forgotten again */
    EXPECT_EQ(counted(&host, "agings", 0), 2);
    host_close(&host);
}

/* nru is srrip with one bit: the same victims through a random life. */
static void nru_is_srrip_of_one_bit(void)
{
    struct host a = host_open(&nru_policy, "replacement", 1, 4, 128);
    struct host b = rrip_of(&srrip_policy, 1, 1, "hit");
    struct tags first = {.host = &a, .ways = 4};
    struct tags second = {.host = &b, .ways = 4};
    struct loom_rng rng;

    REQUIRE(a.good && b.good);
    loom_rng_init(&rng, 3, "life");
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t block = 1 + (uint32_t)loom_rng_below(&rng, 9);

        EXPECT_EQ(load(&first, block), load(&second, block));
    }
    host_close(&a);
    host_close(&b);
}

static const struct loom_test tests[] = {
    {"srrip_keeps_what_was_reused", srrip_keeps_what_was_reused},
    {"frequency_priority_counts_hits", frequency_priority_counts_hits},
    {"hit_priority_forgets_the_past", hit_priority_forgets_the_past},
    {"scan_and_age_are_choices", scan_and_age_are_choices},
    {"brrip_inserts_far_away", brrip_inserts_far_away},
    {"drrip_duels", drrip_duels},
    {"nru_evicts_what_was_not_used", nru_evicts_what_was_not_used},
    {"nru_is_srrip_of_one_bit", nru_is_srrip_of_one_bit},
};

int main(void)
{
    return loom_run_tests("rrip", tests, LOOM_COUNTOF(tests));
}
