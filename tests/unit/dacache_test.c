/*
 * DaCache against sequences worked out by hand; the paper's figures 5, 6
 * and 7.
 *
 * links: policy_dacache
 */
#include "tests/unit/dacache_rig_run.h"

/* Figure 5: four warps of one scheduler loop over four lines each, in a cache
 * that holds three of the four.  LRU would find none of them again. */
static struct rig *figure5(const char *constrained)
{
    struct rig *rig = rig_make(4, 3, 1);

    rig_set(rig, "constrained", (union loom_value){.s = constrained});
    rig_set(rig, "partition", (union loom_value){.s = "static"});
    rig_set(rig, "f", (union loom_value){.f = 0.67}); /* 2 of 3 ways */
    rig_number(rig, "width", 4);
    rig_number(rig, "narrow_accesses", 2);
    rig_start(rig);
    REQUIRE(rig->good);
    return rig;
}

static void turn(struct rig *rig, uint32_t hits[4])
{
    for (uint32_t warp = 0; warp < 4; warp++) {
        hits[warp] = rig_load(rig, 0, warp, 4 * warp, 4);
    }
}

static void two_of_four_warps_are_fully_cached(void)
{
    static const char *const how[] = {"off", "bypass"};

    for (size_t i = 0; i < LOOM_COUNTOF(how); i++) {
        struct rig *rig = figure5(how[i]);
        uint32_t hits[4];

        EXPECT_EQ(rig_stat(rig, "region", 0), 2);
        for (uint32_t n = 0; n < 10; n++) {
            turn(rig, hits);
            EXPECT_EQ(hits[0], n == 0 ? 0 : 4);
            EXPECT_EQ(hits[1], n == 0 ? 0 : 4);
            EXPECT_EQ(hits[2] + hits[3], 0); /* they take turns in one way */
        }
        EXPECT_EQ(rig_stat(rig, "divergent_loads", 0), 18); /* full */
        EXPECT_EQ(rig_stat(rig, "divergent_loads", 1), 0);
        EXPECT_EQ(rig_stat(rig, "divergent_loads", 2), 22);
        EXPECT_EQ(rig_stat(rig, "insertions", 2), 80); /* last */
        loom_machine_destroy(rig->machine);
    }
}

/* The same loop under LRU, which is a list of three lines per set here. */
static void none_of_them_is_with_lru(void)
{
    loom_addr tag[4][3] = {{0}};
    uint32_t hits = 0;

    for (uint32_t n = 0; n < 10 * 16; n++) {
        loom_addr line = n % 16 + 1;
        loom_addr *set = tag[n % 4];
        uint32_t at = 0;

        while (at < 2 && set[at] != line) {
            at++;
        }
        hits += set[at] == line;
        for (; at > 0; at--) {
            set[at] = set[at - 1];
        }
        set[0] = line;
    }
    EXPECT_EQ(hits, 0);
}

/* Figure 6, with the numbers of section 4.2: two schedulers, 32 sets. */
static void warps_are_inserted_by_their_priority(void)
{
    static const uint32_t rank[] = {0, 1, 4, 5, 6, 8, 46};
    static const uint32_t position[] = {0, 0, 4, 4, 6, 7, 7};
    struct rig *rig = rig_make(32, 8, 2);

    rig_set(rig, "partition", (union loom_value){.s = "static"});
    rig_set(rig, "f", (union loom_value){.f = 1.0});
    rig_number(rig, "replaceable_ways", 0);
    rig_start(rig);
    REQUIRE(rig->good);
    for (size_t i = 0; i < LOOM_COUNTOF(rank); i++) {
        uint64_t before = rig_stat(rig, "insert_position", position[i]);

        rig_load(rig, 0, rank[i], 32 * i, 32);
        EXPECT_EQ(rig_stat(rig, "insert_position", position[i]), before + 32);
    }
    /* All ran one load; ranks from 8 on are thrashing warps. */
    EXPECT_EQ(rig_stat(rig, "load_gauged", 0), 5 * 32);
    EXPECT_EQ(rig_stat(rig, "load_lru", 0), 2 * 32);
    EXPECT_EQ(rig_stat(rig, "load_positions", 0), 32 * (4 + 4 + 6 + 7 + 7));
    loom_machine_destroy(rig->machine);
}

/* Which way would leave set 0 if all might? */
static uint32_t last(const struct rig *rig)
{
    uint16_t list[RIG_WAYS];
    struct loom_ways ways = {list, rig->ways};

    for (uint32_t i = 0; i < rig->ways; i++) {
        list[i] = (uint16_t)i;
    }
    return rig->replacement->victim(rig->policy, NULL, 0, &ways);
}

/* Positions by what leaves when lines are taken away one by one. */
static void order_of(const struct rig *rig, uint32_t order[8])
{
    uint16_t list[RIG_WAYS];
    struct loom_ways ways = {list, 8};

    for (uint32_t i = 0; i < 8; i++) {
        list[i] = (uint16_t)i;
    }
    for (uint32_t n = 8; n-- > 0;) {
        uint32_t kept = 0;

        ways.count = n + 1;
        order[n] = rig->replacement->victim(rig->policy, NULL, 0, &ways);
        for (uint32_t i = 0; i <= n; i++) {
            if (list[i] != order[n]) {
                list[kept++] = list[i];
            }
        }
    }
}

static void the_stack_after_a_hit(void)
{
    static const uint32_t granularity[] = {1, 2, 3, 4, 5, 0};
    static const uint32_t place[] = {6, 5, 4, 3, 2, 0};

    for (size_t i = 0; i < LOOM_COUNTOF(granularity); i++) {
        struct rig *rig = rig_make(1, 8, 1);
        uint32_t order[8];

        rig_number(rig, "promotion", granularity[i]);
        rig_start(rig);
        REQUIRE(rig->good);
        rig->replacement->hit(rig->policy, NULL, 0, 7);
        order_of(rig, order);
        EXPECT_EQ(order[place[i]], 7);
        for (uint32_t n = 0; n < 8; n++) {
            if (n != place[i]) { /* the others keep their order */
                EXPECT_EQ(order[n], n < place[i] ? n : n - 1);
            }
        }
        rig->replacement->invalidated(rig->policy, 0, order[0]);
        EXPECT_EQ(last(rig), order[0]);
        loom_machine_destroy(rig->machine);
    }
}

/* The ways of set 0 that a miss may replace, a bit each. */
static uint32_t replaceable(const struct rig *rig,
                            const struct loom_mem_request *r)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < rig->ways; i++) {
        uint16_t way = (uint16_t)i;
        struct loom_ways ways = {&way, 1};

        rig->candidates->restrict_ways(rig->policy, r, 0, &ways);
        set |= (uint32_t)(ways.count != 0) << i;
    }
    return set;
}

/* All of a set's ways are in the locality region, or reserved: where misses
 * stall, one is always outside of it. */
static void a_miss_without_candidates(void)
{
    static const char *const how[] = {"bypass", "stall", "off"};
    static const enum rig_outcome want[] = {RIG_AROUND, RIG_STALLED, RIG_MISS};

    for (size_t i = 0; i < LOOM_COUNTOF(how); i++) {
        struct rig *rig = rig_make(1, 4, 1);
        struct loom_bypass bypass = {128, false};
        struct loom_mem_request r = {.size_bytes = 128,
                                     .accesses = 32,
                                     .rank = 9,
                                     .kind = LOOM_MEM_LOAD};

        rig_set(rig, "constrained", (union loom_value){.s = how[i]});
        rig_set(rig, "partition", (union loom_value){.s = "static"});
        rig_set(rig, "f", (union loom_value){.f = 1.0});
        rig_number(rig, "width", 1);
        rig_number(rig, "replaceable_ways", i == 1);
        rig_start(rig);
        REQUIRE(rig->good);
        for (uint32_t n = 0; n < 4; n++) { /* empty ways may be used anywhere */
            r.block = 128 * n;
            EXPECT_EQ(rig_access(rig, &r), RIG_MISS);
        }
        rig->reserved = i == 1 ? replaceable(rig, &r) : 0;
        EXPECT_EQ(loom_popcount(rig->reserved), i == 1);
        r.block = 128 * 4;
        EXPECT_EQ(rig_access(rig, &r), want[i]);
        EXPECT_EQ(rig_stat(rig, "constrained_bypasses", 0), i == 0);
        EXPECT_EQ(rig_stat(rig, "constrained_stalls", 0), i == 1);
        /* Nor is one replaceable where all are reserved. */
        EXPECT_EQ(
            rig->allocation->fail(rig->policy, &r, LOOM_FAIL_LINE, &bypass),
            i == 0 ? LOOM_FAIL_BYPASS : LOOM_FAIL_DEFAULT);
        EXPECT_EQ(
            rig->allocation->fail(rig->policy, &r, LOOM_FAIL_MSHR, &bypass),
            LOOM_FAIL_DEFAULT);
        EXPECT_EQ(rig_stat(rig, "constrained_bypasses", 0), 2 * (i == 0));
        loom_machine_destroy(rig->machine);
    }
}

/* Its segments, whatever its size, or what the user says. */
static void what_goes_around_fetches_what_the_user_says(void)
{
    for (uint16_t fetch = 32; fetch <= 128; fetch = (uint16_t)(2 * fetch)) {
        struct rig *rig = rig_make(1, 4, 1);
        struct loom_mem_request r = {.size_bytes = 128, .kind = LOOM_MEM_LOAD};
        struct loom_bypass none = {128, false}, reserved = {128, false};

        rig_number(rig, "fetch_bytes", fetch);
        rig_set(rig, "merge", (union loom_value){.b = fetch == 64});
        rig_start(rig);
        REQUIRE(rig->good);
        EXPECT_EQ(rig->candidates->empty(rig->policy, &r, 0, &none),
                  LOOM_EMPTY_BYPASS);
        EXPECT_EQ(
            rig->allocation->fail(rig->policy, &r, LOOM_FAIL_LINE, &reserved),
            LOOM_FAIL_BYPASS);
        EXPECT_EQ(none.size_bytes, fetch);
        EXPECT_EQ(reserved.size_bytes, fetch);
        EXPECT_EQ(none.may_merge, fetch == 64);
        loom_machine_destroy(rig->machine);
    }
}

/* Figure 7: CNT from 128, FCW from 4, two schedulers. */
static void the_partition_follows_fully_cached_loads(void)
{
    struct rig *rig = rig_make(32, 8, 2);

    rig_start(rig);
    REQUIRE(rig->good);
    EXPECT_EQ(rig_stat(rig, "fcw", 0), 4);
    EXPECT_EQ(rig_stat(rig, "region", 0), 4); /* p = 3 */
    rig_load(rig, 0, 0, 0, 32);               /* misses: 4 - 0 less */
    EXPECT_EQ(rig_stat(rig, "count", 0), 124);
    for (uint32_t i = 0; i < 131; i++) {
        rig_load(rig, 0, 0, 0, 32);
    }
    EXPECT_EQ(rig_stat(rig, "count", 0), 255);
    EXPECT_EQ(rig_stat(rig, "fcw", 0), 4);
    rig_load(rig, 0, 0, 0, 32); /* saturated */
    EXPECT_EQ(rig_stat(rig, "count", 0), 128);
    EXPECT_EQ(rig_stat(rig, "fcw", 0), 5);
    EXPECT_EQ(rig_stat(rig, "region", 0), 5);
    rig_load(rig, 0, 30, 1000, 32); /* a thrashing warp: 1 less */
    EXPECT_EQ(rig_stat(rig, "count", 0), 127);
    rig_load(rig, 0, 3, 2000, 32); /* 5 - 3 less */
    EXPECT_EQ(rig_stat(rig, "count", 0), 125);
    for (uint32_t i = 0; i < 125; i++) {
        rig_load(rig, 0, 40, 10000 + 32 * i, 32);
    }
    EXPECT_EQ(rig_stat(rig, "fcw", 0), 4);
    EXPECT_EQ(rig_stat(rig, "count", 0), 128);
    for (uint32_t i = 0; i < 2000; i++) {
        rig_load(rig, 0, 40, 100000 + 32 * i, 32);
    }
    EXPECT_EQ(rig_stat(rig, "fcw", 0), 2); /* one for each scheduler */
    EXPECT_EQ(rig_stat(rig, "count", 0), 0);
    EXPECT_EQ(rig_stat(rig, "fcw_raised", 0), 1);
    EXPECT_EQ(rig_stat(rig, "fcw_lowered", 0), 3);
    loom_machine_destroy(rig->machine);
}

static void the_region_leaves_a_way_to_replace(void)
{
    struct rig *rig = rig_make(32, 8, 2);

    rig_number(rig, "fcw_initial", 48);
    rig_start(rig);
    REQUIRE(rig->good);
    EXPECT_EQ(rig_stat(rig, "fcw", 0), 48);
    EXPECT_EQ(rig_stat(rig, "region", 0), 7);
    loom_machine_destroy(rig->machine);
}

static void no_complaint(void *context, const char *path,
                         const struct loom_error *err)
{
    (void)context;
    (void)path;
    EXPECT_TEXT(err->text, "");
}

/* The least number, one for each scheduler, gives way to the largest. */
static void a_ceiling_below_the_schedulers(void)
{
    struct rig *rig = rig_make(32, 4, 2);

    rig_number(rig, "fcw_max", 1);
    rig_start(rig);
    REQUIRE(rig->good);
    EXPECT_EQ(rig_stat(rig, "fcw", 0), 1);
    for (uint32_t i = 0; i < 2000; i++) {
        rig_load(rig, 0, 40, 100000 + 32 * i, 32);
    }
    EXPECT_EQ(rig_stat(rig, "fcw", 0), 1);
    EXPECT_EQ(rig_stat(rig, "fcw_lowered", 0), 0);
    EXPECT(loom_machine_check(rig->machine, no_complaint, NULL));
    loom_machine_destroy(rig->machine);
}

/* Coherent loads: known to stream after a victim was never missed again, to
 * have locality as soon as one was. */
static void coherent_loads_are_profiled(void)
{
    struct rig *rig = rig_make(1, 2, 1);

    rig_number(rig, "victim_entries", 2);
    rig_set(rig, "constrained", (union loom_value){.s = "off"});
    rig_start(rig);
    REQUIRE(rig->good);
    for (uint32_t i = 0; i < 4; i++) { /* 4 lines, 2 ways: 2 victims */
        rig_load(rig, 0, 0, i, 1);
    }
    EXPECT_EQ(rig_stat(rig, "victims", 0), 2);
    EXPECT_EQ(rig_stat(rig, "without_locality", 0), 0);
    EXPECT_EQ(rig_stat(rig, "insertions", 2), 0);
    rig_load(rig, 0, 0, 4, 1); /* pushes the first victim out, unused */
    EXPECT_EQ(rig_stat(rig, "without_locality", 0), 1);
    rig_load(rig, 0, 0, 5, 1);
    EXPECT_EQ(rig_stat(rig, "insertions", 2), 2); /* last, from then on */
    EXPECT_EQ(rig_stat(rig, "victims", 0), 3);    /* not sampled again */

    rig_load(rig, 1, 0, 100, 1);
    rig_load(rig, 1, 0, 101, 1);
    rig_load(rig, 1, 0, 102, 1); /* 100 or 101 left */
    rig_load(rig, 1, 0, 100, 1);
    rig_load(rig, 1, 0, 101, 1);
    EXPECT_EQ(rig_stat(rig, "with_locality", 0), 1);
    EXPECT_EQ(rig_stat(rig, "load_lru", 1), 0);
    loom_machine_destroy(rig->machine);
}

/* FCW falls; is CNT half of 256 then, or nothing, so that it falls again? */
static void cnt_after_a_fall(void)
{
    static const char *const how[] = {"half", "zero"};

    for (uint32_t i = 0; i < 2; i++) {
        struct rig *rig = rig_make(32, 8, 2);

        rig_set(rig, "fall_count", (union loom_value){.s = how[i]});
        rig_start(rig);
        REQUIRE(rig->good);
        for (uint32_t n = 0; n < 128; n++) { /* thrashing: 1 less each */
            rig_load(rig, 0, 40, 1000 + 32 * n, 32);
        }
        EXPECT_EQ(rig_stat(rig, "fcw", 0), 3);
        EXPECT_EQ(rig_stat(rig, "count", 0), i == 0 ? 128 : 0);
        rig_load(rig, 0, 40, 9000, 32);
        EXPECT_EQ(rig_stat(rig, "fcw", 0), 3 - i);
        EXPECT_EQ(rig_stat(rig, "count", 0), i == 0 ? 127 : 0);
        loom_machine_destroy(rig->machine);
    }
}

/* A load that is not known yet goes first or last; it has no locality after
 * so many victims, though none has left the victim cache. */
static void when_a_coherent_load_is_known(void)
{
    for (uint32_t first = 0; first < 2; first++) {
        struct rig *rig = rig_make(1, 2, 1);

        rig_set(rig, "unknown_first", (union loom_value){.b = first != 0});
        rig_number(rig, "verdict_victims", 3);
        rig_set(rig, "constrained", (union loom_value){.s = "off"});
        rig_start(rig);
        REQUIRE(rig->good);
        rig_load(rig, 0, 0, 0, 4); /* four accesses: narrow, not coherent */
        EXPECT_EQ(rig_stat(rig, "insertions", 0), 4);
        for (uint32_t i = 0; i < 3; i++) {
            rig_load(rig, 1, 0, 10 + i, 1);
        }
        EXPECT_EQ(rig_stat(rig, "without_locality", 0), 0);
        EXPECT_EQ(rig_stat(rig, "load_mru", 1), 3 * first);
        EXPECT_EQ(rig_stat(rig, "load_lru", 1), 3 * (1 - first));
        for (uint32_t i = 3; i < 10; i++) {
            rig_load(rig, 1, 0, 10 + i, 1);
        }
        EXPECT_EQ(rig_stat(rig, "without_locality", 0), 1);
        EXPECT_EQ(rig_stat(rig, "victims", 0), 3);
        loom_machine_destroy(rig->machine);
    }
}

static void only_the_oldest_warp_is_sampled(void)
{
    struct rig *rig = rig_make(1, 2, 1);

    rig_start(rig);
    REQUIRE(rig->good);
    for (uint32_t i = 0; i < 40; i++) {
        rig_load(rig, 0, 1, i, 1);
    }
    EXPECT_EQ(rig_stat(rig, "victims", 0), 0);
    EXPECT_EQ(rig_stat(rig, "without_locality", 0), 0);
    loom_machine_destroy(rig->machine);
}

static void narrow_loads_go_first(void)
{
    struct rig *rig = rig_make(8, 8, 1);

    rig_start(rig);
    REQUIRE(rig->good);
    rig_load(rig, 0, 20, 0, 5);
    EXPECT_EQ(rig_stat(rig, "insert_position", 0), 5);
    EXPECT_EQ(rig_stat(rig, "load_class", 0), 1);
    rig_load(rig, 1, 20, 8, 6);
    EXPECT_EQ(rig_stat(rig, "insert_position", 7), 6);
    EXPECT_EQ(rig_stat(rig, "load_class", 1), 2);
    EXPECT_EQ(rig_stat(rig, "load_insts", 1), 1);
    EXPECT_EQ(rig_stat(rig, "load_mru", 0), 5);
    EXPECT_EQ(rig_stat(rig, "load_positions", 0), 0);
    EXPECT_EQ(rig_stat(rig, "load_lru", 1), 6);
    EXPECT_EQ(rig_stat(rig, "load_positions", 1), 6 * 7);
    rig_load(rig, 1, 20, 8, 6); /* the same six lines again */
    EXPECT_EQ(rig_stat(rig, "load_full", 1), 1);
    EXPECT_EQ(rig_stat(rig, "load_insts", 1), 2);
    loom_machine_destroy(rig->machine);
}

static void a_scheduler_without_ranks_is_refused(void)
{
    struct rig *rig = rig_make(4, 4, 2);
    struct rig_state *state = loom_state(rig->component);

    state->observe_sm.ranked = false;
    rig_start(rig);
    EXPECT(!rig->good);
    EXPECT_TEXT(rig->err.text, "does not rank its warps");
    loom_machine_destroy(rig->machine);
}

static const struct loom_test tests[] = {
    {"two_of_four_warps_are_fully_cached", two_of_four_warps_are_fully_cached},
    {"none_of_them_is_with_lru", none_of_them_is_with_lru},
    {"warps_are_inserted_by_their_priority",
     warps_are_inserted_by_their_priority},
    {"the_stack_after_a_hit", the_stack_after_a_hit},
    {"a_miss_without_candidates", a_miss_without_candidates},
    {"what_goes_around_fetches_what_the_user_says",
     what_goes_around_fetches_what_the_user_says},
    {"the_partition_follows_fully_cached_loads",
     the_partition_follows_fully_cached_loads},
    {"the_region_leaves_a_way_to_replace", the_region_leaves_a_way_to_replace},
    {"a_ceiling_below_the_schedulers", a_ceiling_below_the_schedulers},
    {"coherent_loads_are_profiled", coherent_loads_are_profiled},
    {"cnt_after_a_fall", cnt_after_a_fall},
    {"when_a_coherent_load_is_known", when_a_coherent_load_is_known},
    {"only_the_oldest_warp_is_sampled", only_the_oldest_warp_is_sampled},
    {"narrow_loads_go_first", narrow_loads_go_first},
    {"a_scheduler_without_ranks_is_refused",
     a_scheduler_without_ranks_is_refused},
};

int main(void)
{
    return loom_run_tests("dacache", tests, LOOM_COUNTOF(tests));
}
