/*
 * partition_route: which of a slice's links requests go by.
 *
 * Two slices of 256 bytes in turn, with two links each; servers 0 and 1 are at
 * the ends of the near ones, 2 and 3 of the far ones.  Of 4 KiB in a row those
 * at 0 and 3 are attached to partition 0, those at 1 and 2 to partition 1.  A
 * client is an SM's; SMs 0 to 7 are next to partition 0, 8 to 15 to 1.
 * links: component_crossbar policy_round_robin_arbiter policy_direct_route
 * links: policy_partition_route
 */
#include "tests/unit/crossbar_rig.h"

extern const struct loom_policy_type partition_route_policy;

enum {
    PAGE = 4096,
    OTHER_SM = 8
};

static struct xbar_rig partitions(uint32_t clients)
{
    struct xbar_rig rig =
        build_routed((struct shape){clients, 4, 64, 64 * clients, 0, 0},
                     &partition_route_policy);

    rig_set(rig.xbar, "slice_links", 2);
    return rig;
}

static void set_routing(struct xbar_rig *rig, const char *name, uint64_t value)
{
    struct loom_error err;

    REQUIRE(loom_machine_set_policy(rig->routing, name,
                                    (union loom_value){.u = value}, &err));
}

static void request(struct xbar_rig *rig, uint32_t client, loom_cycle at,
                    loom_addr address, enum loom_mem_kind kind, uint16_t sm)
{
    rig_add(&rig->up[client], at, address, kind, 32)->sm = sm;
}

/* Requests that came by the far links. */
static uint32_t far(const struct xbar_rig *rig)
{
    return rig->down[2].got_count + rig->down[3].got_count;
}

static uint32_t near(const struct xbar_rig *rig)
{
    return rig->down[0].got_count + rig->down[1].got_count;
}

/* How many of the requests that one client makes, 1000 cycles apart, go far. */
struct step {
    loom_addr address;
    enum loom_mem_kind kind;
    uint16_t sm;
    bool far;
};

static void check_steps(const struct step *step, uint32_t count, uint64_t bytes,
                        uint64_t ways)
{
    for (uint32_t n = 1; n <= count; n++) {
        struct xbar_rig rig = partitions(1);
        uint32_t want = 0;

        set_routing(&rig, "bytes", bytes);
        set_routing(&rig, "ways", ways);
        for (uint32_t i = 0; i < n; i++) {
            request(&rig, 0, 1000 * (i + 1), step[i].address, step[i].kind,
                    step[i].sm);
            want += step[i].far;
        }
        run(&rig);
        EXPECT_EQ(far(&rig), want);
        EXPECT_EQ(near(&rig), n - want);
        destroy(&rig);
    }
}

static void what_was_read_is_near(void)
{
    static const struct step steps[] = {
        {0, LOOM_MEM_LOAD, 0, false},
        {3 * PAGE, LOOM_MEM_LOAD, 7, false},
        {PAGE, LOOM_MEM_LOAD, 0, true},
        {PAGE, LOOM_MEM_LOAD, 7, false},      /* its partition has it */
        {PAGE + 32, LOOM_MEM_LOAD, 0, true},  /* not this sector */
        {PAGE + 256, LOOM_MEM_LOAD, 0, true}, /* of another slice */
        {PAGE + 256, LOOM_MEM_LOAD, 0, false},
        {PAGE, LOOM_MEM_LOAD, OTHER_SM, false},
        {0, LOOM_MEM_LOAD, OTHER_SM, true},
        {0, LOOM_MEM_LOAD, 0, false},        /* where it is attached */
        {2 * PAGE, LOOM_MEM_LOAD, 16, true}, /* the ninth eight: side 0 */
    };

    check_steps(steps, LOOM_COUNTOF(steps), 1 << 20, 16);
}

static void writes_go_to_the_memory_and_drop_copies(void)
{
    static const struct step steps[] = {
        {PAGE, LOOM_MEM_LOAD, 0, true},
        {PAGE, LOOM_MEM_STORE, OTHER_SM, false},
        {PAGE, LOOM_MEM_LOAD, 0, true},
        {PAGE, LOOM_MEM_STORE, 0, true},
        {PAGE, LOOM_MEM_LOAD, 0, true},
        {PAGE + 32, LOOM_MEM_ATOMIC, 0, true}, /* another sector */
        {PAGE, LOOM_MEM_LOAD, 0, false},
        {PAGE, LOOM_MEM_ATOMIC, 0, true},
        {PAGE, LOOM_MEM_LOAD, 0, true},
        {0, LOOM_MEM_WRITEBACK, 0, false},
    };

    check_steps(steps, LOOM_COUNTOF(steps), 1 << 20, 16);
}

/* A set of two. */
static void the_block_that_was_not_used_longest_leaves(void)
{
    static const struct step steps[] = {
        {PAGE, LOOM_MEM_LOAD, 0, true},  {PAGE + 128, LOOM_MEM_LOAD, 0, true},
        {PAGE, LOOM_MEM_LOAD, 0, false}, {PAGE + 256, LOOM_MEM_LOAD, 0, true},
        {PAGE, LOOM_MEM_LOAD, 0, false}, {PAGE + 128, LOOM_MEM_LOAD, 0, true},
    };

    check_steps(steps, LOOM_COUNTOF(steps), 256, 2);
}

/* A fetch takes 200 cycles. */
static void copies_take_their_time(void)
{
    static const struct {
        loom_cycle after;
        uint32_t far;
    } cases[] = {{1, 2}, {199, 2}, {200, 1}};

    for (uint32_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        struct xbar_rig rig = partitions(1);

        request(&rig, 0, 1000, PAGE, LOOM_MEM_LOAD, 0);
        request(&rig, 0, 1000 + cases[i].after, PAGE, LOOM_MEM_LOAD, 0);
        run(&rig);
        EXPECT_EQ(far(&rig), cases[i].far);
        destroy(&rig);
    }
}

/* With four links those who come later wait for one, two or three thirds of
 * 200 cycles: no less than what is left. */
static void who_comes_later_waits_for_the_rest(void)
{
    static const struct {
        loom_cycle after;
        uint32_t link;
    } cases[] = {{1, 3},   {66, 3},  {67, 2},  {133, 2},
                 {134, 1}, {199, 1}, {200, 0}, {250, 0}};

    for (uint32_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        struct xbar_rig rig = build_routed((struct shape){1, 8, 64, 64, 0, 0},
                                           &partition_route_policy);
        uint32_t slice = PAGE / 256 % 2;

        rig_set(rig.xbar, "slice_links", 4);
        request(&rig, 0, 1000, PAGE, LOOM_MEM_LOAD, 0);
        request(&rig, 0, 1000 + cases[i].after, PAGE, LOOM_MEM_LOAD, 0);
        run(&rig);
        for (uint32_t k = 0; k < 4; k++) {
            EXPECT_EQ(rig.down[2 * k + slice].got_count,
                      (k == 3) + (k == cases[i].link));
        }
        destroy(&rig);
    }
}

static void tick_order_does_not_matter(void)
{
    uint64_t sum[3] = {0};

    for (uint32_t k = 0; k < 3; k++) {
        struct xbar_rig rig = partitions(7);
        uint64_t x = 5;

        for (uint32_t i = 0; i < 7 * 60; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            request(&rig, i % 7, 10 + 3 * (i / 7), (x >> 40) % 64 * 256,
                    (x >> 33) % 4 != 0 ? LOOM_MEM_LOAD : LOOM_MEM_STORE,
                    (uint16_t)(i % 7 * 5));
        }
        if (k != 0) {
            loom_machine_shuffle(rig.machine, k);
        }
        run(&rig);
        EXPECT(far(&rig) > 100 && near(&rig) > 100);
        for (uint32_t s = 0; s < rig.servers; s++) {
            for (uint32_t i = 0; i < rig.down[s].got_count; i++) {
                sum[k] = sum[k] * 31 + rig.down[s].got[i].at + s;
            }
        }
        destroy(&rig);
    }
    EXPECT_EQ(sum[1], sum[0]);
    EXPECT_EQ(sum[2], sum[0]);
}

static void one_link_is_refused(void)
{
    struct xbar_rig rig = partitions(1);
    struct loom_error err = {LOOM_ERR_NONE, ""};

    rig_set(rig.xbar, "slice_links", 1);
    EXPECT(!loom_machine_freeze(rig.machine, rig_error, &err));
    EXPECT_TEXT(err.text, "expected a crossbar with slice_links = 2 or more");
    destroy(&rig);
}

static const struct loom_test tests[] = {
    {"what_was_read_is_near", what_was_read_is_near},
    {"writes_go_to_the_memory_and_drop_copies",
     writes_go_to_the_memory_and_drop_copies},
    {"the_block_that_was_not_used_longest_leaves",
     the_block_that_was_not_used_longest_leaves},
    {"copies_take_their_time", copies_take_their_time},
    {"who_comes_later_waits_for_the_rest", who_comes_later_waits_for_the_rest},
    {"tick_order_does_not_matter", tick_order_does_not_matter},
    {"one_link_is_refused", one_link_is_refused},
};

int main(void)
{
    return loom_run_tests("partition_route", tests, LOOM_COUNTOF(tests));
}
