/*
 * The SM: what it tells observers and asks throttles, and that its counters
 * agree with each other whatever the order of ticks.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include <stdlib.h>

#include "tests/unit/gpu_rig.h"

/* One SM, one CTA of `warps` warps, lrr. */
static struct rig one_sm(struct source *source, uint32_t warps)
{
    source_init(source, 1, warps);
    return rig_build(1, &lrr_policy, &round_robin_policy);
}

/* Adds: register n + 1 from register n. */
static void add_chain(struct source *source, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        source_inst(source, LOOM_OP_INT_ADD, i + 1, i);
    }
}

static struct source src;

/* ---- what is told ---- */

static void events_come_in_order(void)
{
    static const uint32_t want[] = {
        LOOM_EVENT_KERNEL_START, LOOM_EVENT_CTA_START, LOOM_EVENT_WARP_START,
        LOOM_EVENT_ISSUE,        LOOM_EVENT_ISSUE,     LOOM_EVENT_WARP_FINISH,
        LOOM_EVENT_CTA_FINISH,   LOOM_EVENT_KERNEL_END};
    const struct recorder *recorder;
    struct rig rig = one_sm(&src, 1);
    uint32_t n = 0;

    add_chain(&src, 2);
    source_run(&src, 0, 0, 1);
    rig_run(&rig, &src);
    recorder = rig_record(&rig);
    for (uint32_t i = 0; i < recorder->count; i++) {
        if (recorder->event[i].kind != LOOM_EVENT_IBUFFER &&
            recorder->event[i].kind != LOOM_EVENT_WAIT) {
            REQUIRE(n < LOOM_COUNTOF(want));
            EXPECT_EQ(recorder->event[i].kind, want[n++]);
        }
    }
    EXPECT_EQ(n, LOOM_COUNTOF(want));
    rig_free(&rig, &src);
}

/* Of two adds, the second waits for the result of the first. */
static void waits_are_told_with_what_comes_next(void)
{
    const struct recorder *recorder;
    const struct loom_event *last = NULL;
    struct rig rig = one_sm(&src, 1);
    bool result = false;

    add_chain(&src, 2);
    source_run(&src, 0, 0, 1);
    rig_run(&rig, &src);
    recorder = rig_record(&rig);
    for (uint32_t i = 0; i < recorder->count; i++) {
        const struct loom_event *event = &recorder->event[i];

        if (event->kind == LOOM_EVENT_WAIT) {
            EXPECT(last == NULL || last->reason != event->reason ||
                   last->inst != event->inst || last->count != event->count);
            EXPECT_EQ(event->count == UINT32_MAX,
                      event->reason != LOOM_WAIT_RESULT);
            result = result ||
                     (event->reason == LOOM_WAIT_RESULT && event->inst == 1);
            last = event;
        }
    }
    EXPECT(result);
    REQUIRE(last != NULL);
    EXPECT_EQ(last->reason, LOOM_WAIT_DRAIN);
    EXPECT_EQ(last->inst, UINT32_MAX);
    rig_free(&rig, &src);
}

static void events_name_their_warp(void)
{
    struct rig rig = one_sm(&src, 3);

    rig_set(rig.sm[0], "schedulers", 2);
    source_inst(&src, LOOM_OP_EXIT, NONE, NONE);
    for (uint32_t w = 0; w < 3; w++) {
        source_run(&src, w, 0, 0);
    }
    rig_run(&rig, &src);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_CTA_START, 0)->count, 3);
    for (uint32_t w = 0; w < 3; w++) {
        const struct loom_event *event =
            rig_event(&rig, LOOM_EVENT_WARP_START, w);

        EXPECT_EQ(event->warp, w);
        EXPECT_EQ(event->age, w);
        EXPECT_EQ(event->scheduler, w % 2);
        EXPECT_EQ(event->rank, w);
    }
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 0)->mask, UINT32_MAX);
    rig_free(&rig, &src);
}

/* Instruction 1 is in loop 1, which is in loop 0, as is instruction 2. */
static void loop_exits_are_told_innermost_first(void)
{
    struct rig rig = one_sm(&src, 1);

    for (uint32_t i = 0; i < 4; i++) {
        source_inst(&src, LOOM_OP_NOP, NONE, NONE);
    }
    src.loop[0] = (struct loom_loop){LOOM_NO_LOOP, 1, 1};
    src.loop[1] = (struct loom_loop){0, 1, 2};
    src.kernel.loop_count = 2;
    src.inst[1].loop = 1;
    src.inst[2].loop = 0;
    source_run(&src, 0, 0, 1);
    source_run(&src, 0, 1, 1); /* again: nothing is left */
    source_run(&src, 0, 2, 2); /* leaves loop 1 */
    source_run(&src, 0, 1, 1);
    source_run(&src, 0, 3, 3); /* leaves 1, then 0 */
    source_run(&src, 0, 1, 1); /* ends inside: leaves both */
    rig_run(&rig, &src);
    EXPECT_EQ(rig_count(&rig, LOOM_EVENT_LOOP_EXIT), 5);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_LOOP_EXIT, 0)->count, 1);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_LOOP_EXIT, 1)->count, 1);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_LOOP_EXIT, 2)->count, 0);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_LOOP_EXIT, 3)->count, 1);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_LOOP_EXIT, 4)->count, 0);
    rig_free(&rig, &src);
}

static void buffered_warps_are_told_for_every_cycle(void)
{
    struct rig rig = one_sm(&src, 2);
    const struct recorder *recorder;
    uint64_t cycles = 0, sum = 0;

    rig_set(rig.sm[0], "fetch_cycles", 2);
    rig_set(rig.sm[0], "ibuffer_entries", 2);
    rig_set(rig.ldst[0], "delay", 40);
    source_inst(&src, LOOM_OP_LOAD, 0, NONE);
    add_chain(&src, 5);
    source_run(&src, 0, 0, 5);
    source_run(&src, 1, 0, 5);
    rig_run(&rig, &src);
    recorder = rig_record(&rig);
    for (uint32_t i = 0; i < recorder->count; i++) {
        if (recorder->event[i].kind == LOOM_EVENT_IBUFFER) {
            cycles += recorder->event[i].duration;
            sum += recorder->event[i].duration * recorder->event[i].count;
        }
    }
    EXPECT_EQ(cycles, rig_stat(rig.sm[0], "cycles", NULL));
    EXPECT_EQ(sum, rig_stat(rig.sm[0], "ibuffer_warp_cycles", NULL));
    EXPECT(sum > 80);
    rig_free(&rig, &src);
}

static void l1_is_flushed_at_kernel_end_if_told(void)
{
    for (uint32_t flush = 0; flush < 2; flush++) {
        struct rig rig = one_sm(&src, 1);
        const struct fake_stats *stats = loom_stats_of(rig.ldst[0]);

        rig_flag(rig.sm[0], "flush_l1", flush != 0);
        source_inst(&src, LOOM_OP_EXIT, NONE, NONE);
        source_run(&src, 0, 0, 0);
        rig_run(&rig, &src);
        EXPECT_EQ(stats->flushes, flush);
        rig_free(&rig, &src);
    }
}

/* ---- throttles ---- */

struct gate {
    loom_cycle opens;
    uint64_t asked, waiting, loads;
};

static uint64_t gate_allow(struct loom_policy *self,
                           const struct loom_throttle_view *view)
{
    struct gate *gate = loom_policy_state(self);

    if (gate->opens == 0) {
        gate->opens = view->now + 100;
        loom_policy_wake(self, gate->opens);
    }
    gate->asked++;
    gate->loads |= view->next[LOOM_OP_LOAD] & view->active;
    return view->now < gate->opens ? view->ready & 1 : view->ready;
}

static const struct loom_throttle_ops gate_ops = {.allow = gate_allow};
static const struct loom_facet gate_facets[] = {
    {&loom_throttle_hook, &gate_ops},
};
static const struct loom_policy_type gate_policy = {
    .name = "gate",
    .doc = "Warp 0 only, for 100 cycles",
    .state_size = sizeof(struct gate),
    .facets = LOOM_SLICE(gate_facets),
};

static void throttled_warp_waits_for_the_timer(void)
{
    struct rig rig = one_sm(&src, 2);
    struct loom_policy *policy =
        rig_attach(&rig, rig.sm[0], "throttle", &gate_policy);
    const struct gate *gate = loom_policy_state(policy);

    add_chain(&src, 2);
    source_inst(&src, LOOM_OP_LOAD, 5, NONE);
    source_run(&src, 0, 0, 1);
    source_run(&src, 1, 2, 2);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_issue(&rig, 1), 4);
    EXPECT_EQ(rig_issue(&rig, 2), 100);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_ISSUE, 2)->warp, 1);
    EXPECT_EQ(rig_stat(rig.sm[0], "issue_slots", "throttled"), 98);
    EXPECT_EQ(gate->loads, 2);
    EXPECT(gate->asked < 12); /* the SM slept meanwhile */
    rig_free(&rig, &src);
}

/* ---- everything at once ---- */

static void mixed_kernel(struct source *source, uint32_t ctas)
{
    source_init(source, ctas, 6);
    source_inst(source, LOOM_OP_LOAD, 0, NONE);
    add_chain(source, 6);
    source_inst(source, LOOM_OP_SFU, 20, 6);
    source_inst(source, LOOM_OP_DP_MAD, 21, 20);
    source_inst(source, LOOM_OP_BARRIER, NONE, NONE);
    source_inst(source, LOOM_OP_STORE, NONE, 21);
    source_inst(source, LOOM_OP_MEMBAR, NONE, NONE);
    source_inst(source, LOOM_OP_ATOMIC, 22, NONE)->flags = LOOM_INST_RETURNS;
    source_inst(source, LOOM_OP_EXIT, NONE, 22);
    for (uint32_t w = 0; w < 6; w++) {
        for (uint32_t i = 0; i < w; i++) {
            source_run(source, w, 0, 6);
        }
        source_run(source, w, 0, 13);
    }
}

static void run_mixed(struct rig *rig, struct source *source, uint64_t seed)
{
    *rig = rig_build(3, &gto_policy, &round_robin_policy);
    mixed_kernel(source, 50);
    for (uint32_t i = 0; i < 3; i++) {
        rig_set(rig->ldst[i], "delay", 30);
        rig_set(rig->sm[i], "schedulers", 2);
        rig_set(rig->sm[i], "ibuffer_entries", 2);
        rig_set(rig->sm[i], "fetch_cycles", 2);
        rig_flag(rig->sm[i], "flush_l1", true);
    }
    if (seed != 0) {
        loom_machine_shuffle(rig->machine, seed);
    }
    rig_run(rig, source);
}

/* Arrays are compared by what they hold. */
static void expect_same_stats(struct loom_component *a,
                              struct loom_component *b)
{
    const struct loom_component_type *type = loom_component_type_of(a);
    unsigned char one[4096], two[4096];

    REQUIRE(type->stats_size <= sizeof(one));
    memcpy(one, loom_stats_of(a), type->stats_size);
    memcpy(two, loom_stats_of(b), type->stats_size);
    for (size_t i = 0; i < type->stats.count; i++) {
        const struct loom_stat *stat = &type->stats.item[i];
        struct loom_array x, y;

        if (stat->kind == LOOM_STAT_ARRAY) {
            memcpy(&x, one + stat->offset, sizeof(x));
            memcpy(&y, two + stat->offset, sizeof(y));
            EXPECT_EQ(x.count, y.count);
            EXPECT_EQ(memcmp(x.item, y.item, x.count * sizeof(*x.item)), 0);
            memset(one + stat->offset, 0, sizeof(x));
            memset(two + stat->offset, 0, sizeof(y));
        }
    }
    EXPECT_EQ(memcmp(one, two, type->stats_size), 0);
}

static void tick_order_does_not_matter(void)
{
    static struct source other;
    struct rig a, b;

    run_mixed(&a, &src, 0);
    EXPECT_EQ(src.released, 50);
    for (uint64_t seed = 1; seed < 4; seed++) {
        run_mixed(&b, &other, seed);
        EXPECT_EQ(other.launch.task.end, src.launch.task.end);
        for (uint32_t i = 0; i < 3; i++) {
            expect_same_stats(a.sm[i], b.sm[i]);
        }
        rig_free(&b, &other);
    }
    rig_free(&a, &src);
}

static void counters_agree(void)
{
    uint64_t warps = 0, insts = 0;
    struct rig rig;

    run_mixed(&rig, &src, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const struct fake_stats *stats = loom_stats_of(rig.ldst[i]);
        uint64_t memory = rig_stat(rig.sm[i], "loads", NULL) +
                          rig_stat(rig.sm[i], "stores", NULL) +
                          rig_stat(rig.sm[i], "atomics", NULL);

        EXPECT_EQ(stats->accesses, memory);
        EXPECT_EQ(stats->flushes, 1);
        warps += rig_stat(rig.sm[i], "warps", NULL);
        insts += rig_stat(rig.sm[i], "warp_insts", NULL);
        EXPECT_EQ(rig_stat(rig.sm[i], "cycles", NULL),
                  rig_stat(rig.sm[0], "cycles", NULL));
    }
    EXPECT_EQ(warps, 300);
    EXPECT_EQ(insts, 50 * (6 * 14 + 15 * 7));
    rig_free(&rig, &src);
}

/* ---- a scheduler that counts what it is told ---- */

struct tally {
    uint64_t issued, stalled, started, finished;
};

static uint32_t tally_pick(struct loom_policy *self, uint32_t scheduler,
                           uint64_t ready, loom_cycle now)
{
    (void)self;
    (void)scheduler;
    (void)now;
    return loom_lowest(ready);
}

static uint32_t tally_rank(struct loom_policy *self, uint32_t scheduler,
                           uint32_t local)
{
    (void)self;
    (void)scheduler;
    return local;
}

static void tally_issued(struct loom_policy *self, uint32_t scheduler,
                         uint32_t local, loom_cycle now)
{
    struct tally *tally = loom_policy_state(self);

    (void)scheduler;
    (void)local;
    (void)now;
    tally->issued++;
}

static void tally_stalled(struct loom_policy *self, uint32_t scheduler,
                          uint64_t cycles)
{
    struct tally *tally = loom_policy_state(self);

    (void)scheduler;
    tally->stalled += cycles;
}

static void tally_started(struct loom_policy *self, uint32_t scheduler,
                          uint32_t local, uint64_t age)
{
    struct tally *tally = loom_policy_state(self);

    (void)scheduler;
    (void)local;
    EXPECT_EQ(age, tally->started);
    tally->started++;
}

static void tally_finished(struct loom_policy *self, uint32_t scheduler,
                           uint32_t local)
{
    struct tally *tally = loom_policy_state(self);

    (void)scheduler;
    (void)local;
    tally->finished++;
}

static const struct loom_scheduler_ops tally_ops = {
    .pick = tally_pick,
    .rank = tally_rank,
    .issued = tally_issued,
    .stalled = tally_stalled,
    .started = tally_started,
    .finished = tally_finished,
};
static const struct loom_facet tally_facets[] = {
    {&loom_scheduler_hook, &tally_ops},
};
static const struct loom_policy_type tally_policy = {
    .name = "tally",
    .doc = "Lowest slot first",
    .state_size = sizeof(struct tally),
    .facets = LOOM_SLICE(tally_facets),
};

static void scheduler_is_told_every_cycle(void)
{
    struct rig rig = rig_build(1, &tally_policy, &round_robin_policy);
    const struct tally *tally = loom_policy_state(rig.scheduler[0]);

    rig_set(rig.sm[0], "schedulers", 2);
    rig_set(rig.ldst[0], "delay", 200);
    mixed_kernel(&src, 5);
    rig_run(&rig, &src);
    EXPECT_EQ(tally->started, 30);
    EXPECT_EQ(tally->finished, 30);
    EXPECT_EQ(tally->issued, rig_stat(rig.sm[0], "warp_insts", NULL));
    EXPECT_EQ(tally->issued + tally->stalled,
              2 * rig_stat(rig.sm[0], "cycles", NULL));
    rig_free(&rig, &src);
}

static void stuck_warp_is_reported(void)
{
    struct rig rig = one_sm(&src, 2);
    char *report;

    source_inst(&src, LOOM_OP_BARRIER, NONE, NONE);
    source_inst(&src, LOOM_OP_BARRIER, NONE, NONE)->barrier = 1;
    source_run(&src, 0, 0, 0);
    source_run(&src, 1, 1, 1);
    source_run(&src, 0, 0, 0);
    source_run(&src, 1, 1, 1);
    rig_freeze(&rig);
    rig_launch(&rig, &src);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_IDLE);
    report = loom_machine_report(rig.machine);
    EXPECT_TEXT(report, "waits for a barrier");
    free(report);
    EXPECT(!loom_machine_check(rig.machine, rig_error, &rig));
    rig_free(&rig, &src);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(events_come_in_order),
        TEST(waits_are_told_with_what_comes_next),
        TEST(events_name_their_warp),
        TEST(loop_exits_are_told_innermost_first),
        TEST(buffered_warps_are_told_for_every_cycle),
        TEST(l1_is_flushed_at_kernel_end_if_told),
        TEST(throttled_warp_waits_for_the_timer),
        TEST(tick_order_does_not_matter),
        TEST(counters_agree),
        TEST(scheduler_is_told_every_cycle),
        TEST(stuck_warp_is_reported),
    };

    return loom_run_tests("sm_events", tests, LOOM_COUNTOF(tests));
}
