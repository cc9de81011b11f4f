/*
 * The SM's fetch stage and instruction cache, against cycles counted by hand.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "components/mem_protocol.h"
#include "tests/unit/gpu_rig.h"

/* ---- a memory of instructions that answers after a delay ---- */

struct memory_config {
    uint32_t delay;
};
struct memory_stats {
    uint64_t requests, block, bytes, size;
};
struct memory {
    struct loom_channel *in, *out;
};

static bool memory_init(struct loom_component *self, struct loom_error *err)
{
    struct memory *memory = loom_state(self);

    (void)err;
    memory->in = loom_port_in(self, "up", 0);
    memory->out = loom_port_out(self, "up", 0);
    return true;
}

static loom_cycle memory_tick(struct loom_component *self, loom_cycle now)
{
    const struct memory_config *config = loom_config(self);
    struct memory_stats *stats = loom_stats_of(self);
    struct memory *memory = loom_state(self);
    const struct loom_mem_request *request;

    while ((request = loom_peek(memory->in, now)) != NULL) {
        struct loom_mem_request *reply;

        EXPECT_EQ(request->kind, LOOM_MEM_LOAD);
        EXPECT_EQ(request->space, LOOM_SPACE_INST);
        REQUIRE(loom_ready(memory->out, now));
        reply = loom_send(memory->out, now, config->delay);
        *reply = *request;
        reply->flags |= LOOM_MEM_REPLY;
        stats->requests++;
        stats->block = request->block;
        stats->bytes = request->bytes[0];
        stats->size = request->size_bytes;
        loom_pop(memory->in, now);
    }
    return LOOM_NEVER;
}

static const struct loom_param memory_params[] = {
    LOOM_PARAM(struct memory_config, delay, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .doc = "Cycles until the answer"),
};
static const struct loom_stat memory_stat_table[] = {
    LOOM_COUNTER(struct memory_stats, requests, LOOM_UNIT_REQUEST, "Requests"),
};
static const struct loom_port_decl memory_ports[] = {
    {"up", "The SM", LOOM_SERVER, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops memory_ops = {.init = memory_init,
                                                     .tick = memory_tick};
static const struct loom_component_type memory_type = {
    .name = "code_memory",
    .doc = "Answers after a delay",
    .state_size = sizeof(struct memory),
    .config_size = sizeof(struct memory_config),
    .stats_size = sizeof(struct memory_stats),
    .params = LOOM_SLICE(memory_params),
    .stats = LOOM_SLICE(memory_stat_table),
    .ports = LOOM_SLICE(memory_ports),
    .ops = &memory_ops,
};

static struct source src, second;

/* Buffers of 2 instructions, 2 cycles from a fetch to issue. */
static struct rig front(struct source *source, uint32_t warps)
{
    struct rig rig;

    source_init(source, 1, warps);
    rig = rig_build(1, &lrr_policy, &round_robin_policy);
    rig_set(rig.sm[0], "ibuffer_entries", 2);
    rig_set(rig.sm[0], "fetch_cycles", 2);
    rig_set(rig.sm[0], "flush_cycles", 1);
    return rig;
}

static struct loom_component *with_memory(struct rig *rig, uint32_t delay)
{
    struct loom_error err;
    struct loom_component *memory =
        loom_machine_add(rig->machine, &memory_type, "gpu[0].code",
                         loom_machine_clock(rig->machine, 1000000000), &err);

    REQUIRE(memory != NULL);
    rig_set(memory, "delay", delay);
    rig_link(rig, rig->sm[0], "l1i", 0, (struct loom_end){memory, "up", 0});
    return memory;
}

static void adds(struct source *source, uint32_t warps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        source_inst(source, LOOM_OP_INT_ADD, 10 + i, NONE);
    }
    for (uint32_t w = 0; w < warps; w++) {
        source_run(source, w, 0, count - 1);
    }
}

static void expect_issues(const struct rig *rig, const loom_cycle *want,
                          uint32_t count)
{
    EXPECT_EQ(rig_count(rig, LOOM_EVENT_ISSUE), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(rig_issue(rig, i), want[i]);
    }
}

/* Warp 1 has the slot first (the search starts behind warp 0) and issues at
 * 0 and 1, warp 0 at 1 and 2; each is fetched again with its last issue. */
static void warps_share_the_slot(void)
{
    const loom_cycle want[] = {0, 1, 1, 2, 3, 4, 4, 5};
    struct rig rig = front(&src, 2);

    rig_set(rig.sm[0], "schedulers", 2);
    rig_set(rig.sm[0], "fetch_width", 1);
    adds(&src, 2, 4);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 8);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 0)->warp, 1);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetches", NULL), 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_hits", NULL), 4);
    rig_free(&rig, &src);
}

static void two_slots_serve_two_warps(void)
{
    const loom_cycle want[] = {0, 0, 1, 1, 3, 3, 4, 4};
    struct rig rig = front(&src, 2);

    rig_set(rig.sm[0], "schedulers", 2);
    rig_set(rig.sm[0], "fetch_width", 2);
    adds(&src, 2, 4);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 8);
    rig_free(&rig, &src);
}

/* The branch at 0 is noticed at 1: fetched then, issued at 3.  That at 4 was
 * the last one buffered: its fall-through is fetched at 4 and could issue at
 * 6, when the right one is fetched instead. */
static void fall_through_is_fetched_first(void)
{
    const loom_cycle want[] = {0, 3, 4, 8};
    struct rig rig = front(&src, 1);

    rig_flag(rig.sm[0], "fetch_fall_through", true);
    source_inst(&src, LOOM_OP_BRANCH, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_inst(&src, LOOM_OP_BRANCH, NONE, NONE);
    source_run(&src, 0, 0, 0);
    source_run(&src, 0, 2, 3);
    source_run(&src, 0, 1, 1);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetches", NULL), 4);
    rig_free(&rig, &src);
}

static void taken_branch(uint32_t issues, bool seen, loom_cycle then)
{
    const loom_cycle want[] = {0, then};
    struct rig rig = front(&src, 1);

    rig_set(rig.sm[0], "issue_per_scheduler", issues);
    rig_flag(rig.sm[0], "branch_seen_at_issue", seen);
    source_inst(&src, LOOM_OP_BRANCH, NONE, NONE);
    source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    source_inst(&src, LOOM_OP_INT_ADD, 1, NONE);
    source_run(&src, 0, 0, 0);
    source_run(&src, 0, 2, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 2);
    rig_free(&rig, &src);
}

/* What is buffered behind the branch at 0 is found wrong at 1, or at 0 if the
 * scheduler wants to issue it then; what was taken is fetched, and issues two
 * cycles later. */
static void second_issue_sees_the_branch(void)
{
    taken_branch(2, false, 3);
    taken_branch(2, true, 2);
    taken_branch(1, true, 3);
}

/* A line of 32 bytes has 4 instructions.  A request sent at t is answered at
 * t + 2 + 10; two cycles later the warp issues.  The second line is missed at
 * 4 and comes at 16. */
static void miss_blocks_the_warp(void)
{
    const loom_cycle want[] = {0, 1, 3, 4, 18, 19, 21, 22};
    struct rig rig = front(&src, 1);
    struct loom_component *memory = with_memory(&rig, 10);
    const struct memory_stats *seen = loom_stats_of(memory);

    rig_set(rig.sm[0], "l0i_sets", 1);
    rig_set(rig.sm[0], "l0i_ways", 1);
    rig_set(rig.sm[0], "l0i_line_bytes", 32);
    adds(&src, 1, 8);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 8);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_misses", NULL), 2);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_hits", NULL), 2);
    /* Of 12 cycles the first is spent asking: 11, twice. */
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "fetch_miss"), 22);
    EXPECT_EQ(seen->block, 0xf0000000);
    EXPECT_EQ(seen->bytes, UINT64_C(0xffffffff00000000));
    EXPECT_EQ(seen->size, 32);
    rig_free(&rig, &src);
}

/* Warp 1 misses, warp 0 joins a cycle later; then they take turns. */
static void misses_of_a_line_merge(void)
{
    const loom_cycle want[] = {0, 1, 1, 2};
    struct rig rig = front(&src, 2);

    with_memory(&rig, 10);
    rig_set(rig.sm[0], "schedulers", 2);
    rig_set(rig.sm[0], "fetch_width", 1);
    rig_set(rig.sm[0], "l0i_sets", 1);
    adds(&src, 2, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_misses", NULL), 1);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_merges", NULL), 1);
    rig_free(&rig, &src);
}

/* Warps 1 and 2 have the one MSHR at 0 and 1.  The reply is there at 12, and
 * they have their slots in this order.  From 2 to 11 warps 3 and 0 use up the
 * slots in turn, or join and wait. */
static void four_of_a_line(uint32_t merges, uint64_t refusals)
{
    const loom_cycle want[] = {0, 1, 1, 2, 2, 3, 3, 4};
    struct rig rig = front(&src, 4);

    with_memory(&rig, 10);
    rig_set(rig.sm[0], "schedulers", 4);
    rig_set(rig.sm[0], "fetch_width", 1);
    rig_set(rig.sm[0], "l0i_sets", 1);
    rig_set(rig.sm[0], "l0i_mshrs", 1);
    rig_set(rig.sm[0], "l0i_merges", merges);
    adds(&src, 4, 2);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 8);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 0)->warp, 1);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 7)->warp, 0);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetches", NULL), 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_refusals", NULL), refusals);
    rig_free(&rig, &src);
}

static void mshr_holds_so_many(void)
{
    four_of_a_line(0, 0);
    four_of_a_line(4, 0);
    four_of_a_line(2, 10);
}

/* As many slots as anybody wants: in each of the cycles 0 to 11 warps 3 and 0
 * are refused, once each. */
static void refused_without_a_limit_of_slots(void)
{
    struct rig rig = front(&src, 4);

    with_memory(&rig, 10);
    rig_set(rig.sm[0], "schedulers", 4);
    rig_set(rig.sm[0], "fetch_width", 0);
    rig_set(rig.sm[0], "l0i_sets", 1);
    rig_set(rig.sm[0], "l0i_mshrs", 1);
    rig_set(rig.sm[0], "l0i_merges", 2);
    adds(&src, 4, 2);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetches", NULL), 4);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_refusals", NULL), 24);
    rig_free(&rig, &src);
}

/* One way, two lines in turn: the loop's lines replace each other. */
static void line_that_left_misses_again(void)
{
    struct rig rig = front(&src, 1);

    with_memory(&rig, 0);
    rig_set(rig.sm[0], "l0i_sets", 1);
    rig_set(rig.sm[0], "l0i_ways", 1);
    rig_set(rig.sm[0], "l0i_line_bytes", 32);
    for (uint32_t i = 0; i < 8; i++) {
        source_inst(&src, i == 7 ? LOOM_OP_BRANCH : LOOM_OP_NOP, NONE, NONE);
    }
    source_run(&src, 0, 0, 7);
    source_run(&src, 0, 0, 7);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetches", NULL), 8);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_misses", NULL), 4);
    rig_free(&rig, &src);
}

/* A loop of 48 instructions twice, of which a line holds 4: the cycles from the
 * first of each line to that of the next. */
static void stream_of_lines(uint32_t sets, loom_cycle *first, loom_cycle *again)
{
    struct rig rig = front(&src, 1);

    rig_set(rig.sm[0], "l0i_sets", sets);
    rig_set(rig.sm[0], "l0i_ways", 1);
    rig_set(rig.sm[0], "l0i_line_bytes", 32);
    rig_set(rig.sm[0], "l0i_fill_cycles", 18);
    for (uint32_t i = 0; i < 48; i++) {
        source_inst(&src, i == 47 ? LOOM_OP_BRANCH : LOOM_OP_NOP, NONE, NONE);
    }
    source_run(&src, 0, 0, 47);
    source_run(&src, 0, 0, 47);
    rig_run(&rig, &src);
    for (uint32_t i = 0; i < 11; i++) {
        first[i] = rig_issue(&rig, 4 * i + 4) - rig_issue(&rig, 4 * i);
        again[i] = rig_issue(&rig, 4 * i + 52) - rig_issue(&rig, 4 * i + 48);
    }
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_misses", NULL), sets == 16 ? 0 : 2);
    rig_free(&rig, &src);
}

/* Eight lines are there.  The first use of each one after these, and of the
 * eighth, asks for the next, which takes 18 cycles; a line of 4 takes 6. */
static void lines_come_at_a_rate(void)
{
    loom_cycle first[11], again[11];

    stream_of_lines(16, first, again);
    for (uint32_t i = 0; i < 11; i++) {
        EXPECT_EQ(first[i], i < 7 ? 6 : 18);
        EXPECT_EQ(again[i], 6);
    }
}

/* Of 12 lines the last four, and one behind them, replace the first five; so
 * the second turn misses the first line, and the ninth. */
static void lines_that_do_not_fit_come_again(void)
{
    loom_cycle first[11], again[11];

    stream_of_lines(8, first, again);
    for (uint32_t i = 0; i < 11; i++) {
        EXPECT_EQ(first[i], i < 7 ? 6 : 18);
    }
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(again[i], 18);
        EXPECT_EQ(again[i + 7], i == 0 ? 24 : 18);
    }
    EXPECT_EQ(again[4], 6);
    EXPECT_EQ(again[6], 6);
}

/* Of three warps with three instructions each the oldest goes first; loads go
 * in turn if told. */
static void memory_goes_in_turn_if_told(void)
{
    static const uint16_t by_age[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    static const uint16_t in_turn[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};

    for (uint32_t i = 0; i < 3; i++) {
        const uint16_t *want = i == 2 ? in_turn : by_age;
        struct rig rig;

        source_init(&src, 1, 3);
        for (uint32_t k = 0; k < 3; k++) {
            source_inst(&src, i == 0 ? LOOM_OP_MOVE : LOOM_OP_LOAD, k, NONE);
        }
        for (uint32_t w = 0; w < 3; w++) {
            source_run(&src, w, 0, 2);
        }
        rig = rig_build(1, &gto_policy, &round_robin_policy);
        rig_set(rig.sm[0], "ibuffer_entries", 3);
        rig_flag(rig.sm[0], "memory_in_turn", i != 1);
        rig_run(&rig, &src);
        for (uint32_t k = 0; k < 9; k++) {
            EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, k)->warp, want[k]);
        }
        rig_free(&rig, &src);
    }
}

/* Without the cache in the stage every fetch goes out, 16 bytes each: sent at
 * t, answered at t + 2, issued at t + 4. */
static void fetches_go_to_the_port(void)
{
    const loom_cycle want[] = {0, 1, 5, 6};
    struct rig rig = front(&src, 1);
    struct loom_component *memory = with_memory(&rig, 0);
    const struct memory_stats *seen = loom_stats_of(memory);

    adds(&src, 1, 4);
    rig_run(&rig, &src);
    expect_issues(&rig, want, 4);
    EXPECT_EQ(seen->requests, 2);
    EXPECT_EQ(seen->block, 0xf0000000);
    EXPECT_EQ(seen->bytes, 0xffff0000);
    EXPECT_EQ(seen->size, 32);
    EXPECT_EQ(rig_stat(rig.sm[0], "fetch_misses", NULL), 2);
    rig_free(&rig, &src);
}

static uint64_t misses_of_a_second(const char *name)
{
    struct rig rig = front(&src, 1);
    uint64_t before;

    with_memory(&rig, 5);
    rig_set(rig.sm[0], "l0i_sets", 4);
    source_init(&second, 1, 1);
    second.kernel.name = name;
    adds(&src, 1, 20); /* 160 bytes, lines 0 and 1 */
    adds(&second, 1, 20);
    rig_run(&rig, &src);
    before = rig_stat(rig.sm[0], "fetch_misses", NULL);
    EXPECT_EQ(before, 2);
    rig_launch(&rig, &second);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_NOTIFY);
    before = rig_stat(rig.sm[0], "fetch_misses", NULL) - before;
    rig_free(&rig, &src);
    source_free(&second);
    return before;
}

/* Another kernel's 160 bytes begin in line 1, which is there, and end in
 * line 2. */
static void code_of_a_kernel_has_one_address(void)
{
    EXPECT_EQ(misses_of_a_second("test"), 0);
    EXPECT_EQ(misses_of_a_second("other"), 1);
}

static void cache_without_a_level_below_is_refused(void)
{
    struct rig rig = front(&src, 1);

    rig_set(rig.sm[0], "l0i_sets", 4);
    EXPECT(!loom_machine_freeze(rig.machine, rig_error, &rig));
    EXPECT_TEXT(rig.last.text, "port 'l1i' is not connected");
    rig_free(&rig, &src);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(warps_share_the_slot),
        TEST(two_slots_serve_two_warps),
        TEST(fall_through_is_fetched_first),
        TEST(second_issue_sees_the_branch),
        TEST(miss_blocks_the_warp),
        TEST(misses_of_a_line_merge),
        TEST(mshr_holds_so_many),
        TEST(refused_without_a_limit_of_slots),
        TEST(line_that_left_misses_again),
        TEST(memory_goes_in_turn_if_told),
        TEST(lines_come_at_a_rate),
        TEST(lines_that_do_not_fit_come_again),
        TEST(fetches_go_to_the_port),
        TEST(code_of_a_kernel_has_one_address),
        TEST(cache_without_a_level_below_is_refused),
    };

    return loom_run_tests("sm_front", tests, LOOM_COUNTOF(tests));
}
