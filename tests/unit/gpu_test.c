/*
 * Host and gpu: occupancy, placing of CTAs, the life of a kernel, errors.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "components/cta_protocol.h"
#include "tests/unit/gpu_rig.h"

static struct source src, second;

/* ---- occupancy ---- */

static const struct loom_sm_limits fermi = {1536, 32768, 49152,
                                            8,    48,    {0, 0, 0, 0}};
static const struct loom_sm_limits hopper = {2048, 65536, 233472,
                                             32,   64,    {8, 4, 128, 1024}};

static uint32_t fit_in(const struct loom_sm_limits *limits, uint32_t threads,
                       uint32_t registers, uint32_t shared, const char **limit)
{
    struct loom_kernel kernel = {
        .block = {threads, 1, 1},
        .registers = registers,
        .shared_bytes = shared,
    };

    return loom_cta_occupancy(&kernel, limits, limit);
}

static uint32_t fit(uint32_t threads, uint32_t registers, uint32_t shared,
                    const char **limit)
{
    return fit_in(&fermi, threads, registers, shared, limit);
}

static void occupancy_is_the_smallest_limit(void)
{
    const char *limit = NULL;

    EXPECT_EQ(fit(64, 16, 0, &limit), 8);
    EXPECT_TEXT(limit, "ctas");
    EXPECT_EQ(fit(256, 16, 0, &limit), 6);
    EXPECT_TEXT(limit, "threads");
    EXPECT_EQ(fit(256, 16, 16384, &limit), 3);
    EXPECT_TEXT(limit, "shared_bytes");
    /* 32768 / (256 * 24) = 5.3: 21 registers round up to 24 */
    EXPECT_EQ(fit(256, 21, 0, &limit), 5);
    EXPECT_TEXT(limit, "registers");
    /* 1536 / 224 = 6.9: 200 threads are 7 warps */
    EXPECT_EQ(fit(200, 1, 0, &limit), 6);
}

/* Of cards: registers come in pieces of 256 for a warp, which is in one of four
 * files; shared memory in pieces of 128 bytes, and 1 KiB is the system's. */
static void occupancy_of_a_card(void)
{
    struct loom_kernel asks = {
        .block = {256, 1, 1}, .shared_bytes = 2048, .system_bytes = 1024};
    const char *limit = NULL;

    /* 33 become 40: 16384 / 1280 = 12.8, so 48 warps of 51 that would fit */
    EXPECT_EQ(fit_in(&hopper, 32, 33, 0, NULL), 32);
    EXPECT_EQ(fit_in(&hopper, 96, 33, 0, &limit), 16);
    EXPECT_TEXT(limit, "registers");
    EXPECT_EQ(fit_in(&hopper, 96, 32, 0, &limit), 21);
    EXPECT_EQ(fit_in(&hopper, 64, 1, 6400, &limit), 31);
    EXPECT_TEXT(limit, "shared_bytes");
    EXPECT_EQ(fit_in(&hopper, 64, 1, 6272, NULL), 32);
    EXPECT_EQ(fit_in(&hopper, 64, 1, 6273, NULL), 31);
    EXPECT_EQ(fit_in(&hopper, 32, 1, 232448, NULL), 1);
    EXPECT_EQ(fit_in(&hopper, 32, 1, 232449, NULL), 0);
    EXPECT_EQ(loom_cta_takes(&asks, &hopper.grain).shared_bytes, 2048);
}

static void occupancy_is_0_where_one_cta_is_too_much(void)
{
    const char *limit = NULL;

    EXPECT_EQ(fit(32, 1, 49152, &limit), 1);
    EXPECT_EQ(fit(32, 1, 49153, &limit), 0);
    EXPECT_TEXT(limit, "shared_bytes");
    EXPECT_EQ(fit(1024, 33, 0, &limit), 0);
    EXPECT_TEXT(limit, "registers");
    EXPECT_EQ(fit(1537, 0, 0, &limit), 0);
    EXPECT_TEXT(limit, "threads");
}

/* ---- a machine ---- */

/* CTAs of `warps` warps, each a chain of two divisions. */
static void slow_kernel(struct source *source, uint32_t ctas, uint32_t warps)
{
    source_init(source, ctas, warps);
    source_inst(source, LOOM_OP_INT_DIV, 1, NONE);
    source_inst(source, LOOM_OP_INT_ADD, 2, 1);
    for (uint32_t w = 0; w < warps; w++) {
        source_run(source, w, 0, 1);
    }
}

static struct rig machine(uint32_t sms)
{
    return rig_build(sms, &lrr_policy, &round_robin_policy);
}

static void ctas_go_to_sms_in_turn(void)
{
    struct rig rig = machine(3);

    slow_kernel(&src, 7, 1);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_stat(rig.sm[0], "ctas", NULL), 3);
    EXPECT_EQ(rig_stat(rig.sm[1], "ctas", NULL), 2);
    EXPECT_EQ(rig_stat(rig.sm[2], "ctas", NULL), 2);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_CTA_START, 1)->cta, 3);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_CTA_START, 2)->cta, 6);
    EXPECT_EQ(src.released, 7);
    rig_free(&rig, &src);
}

static void one_cta_is_sent_in_a_cycle(void)
{
    struct rig rig = machine(1);

    slow_kernel(&src, 4, 1);
    rig_run(&rig, &src);
    for (uint32_t i = 1; i < 4; i++) {
        EXPECT_EQ(rig_event(&rig, LOOM_EVENT_CTA_START, i)->now,
                  rig_event(&rig, LOOM_EVENT_CTA_START, 0)->now + i);
    }
    rig_free(&rig, &src);
}

static void several_ctas_a_cycle_go_to_different_sms(void)
{
    struct rig rig = machine(2);

    rig_set(rig.gpu, "ctas_per_cycle", 2);
    slow_kernel(&src, 4, 1);
    rig_run(&rig, &src);
    /* CTA 0 and 2 on SM 0, one cycle apart. */
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_CTA_START, 1)->cta, 2);
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_CTA_START, 1)->now,
              rig_event(&rig, LOOM_EVENT_CTA_START, 0)->now + 1);
    EXPECT_EQ(rig_stat(rig.sm[1], "ctas", NULL), 2);
    rig_free(&rig, &src);
}

static uint32_t most_resident(const struct rig *rig)
{
    const struct recorder *recorder = rig_record(rig);
    uint32_t now = 0, most = 0;

    for (uint32_t i = 0; i < recorder->count; i++) {
        now += recorder->event[i].kind == LOOM_EVENT_CTA_START;
        now -= recorder->event[i].kind == LOOM_EVENT_CTA_FINISH;
        most = now > most ? now : most;
    }
    return most;
}

static void residency_keeps_every_limit(void)
{
    static const struct {
        uint32_t warps, registers, shared, most;
    } cases[] = {
        {1, 1, 0, 8},     /* CTA slots */
        {16, 1, 0, 3},    /* threads */
        {8, 32, 0, 4},    /* registers */
        {2, 8, 20000, 2}, /* shared memory */
    };

    for (size_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        struct rig rig = machine(1);

        slow_kernel(&src, 20, cases[i].warps);
        src.kernel.registers = cases[i].registers;
        src.kernel.shared_bytes = cases[i].shared;
        rig_run(&rig, &src);
        EXPECT_EQ(most_resident(&rig), cases[i].most);
        EXPECT_EQ(src.released, 20);
        EXPECT(rig_stat(rig.gpu, "full_cycles", NULL) > 0);
        rig_free(&rig, &src);
    }
}

/* Link latencies of 1: the host sends at 1, the gpu takes it at 2, announces
 * at 3 and sends the CTA at 4; it starts at 5, divides at 6, adds at 151,
 * whose result is there at 155; the gpu hears of it at 156. */
static void times_of_a_launch_are_exact(void)
{
    struct rig rig = machine(1);

    slow_kernel(&src, 1, 1);
    rig_run(&rig, &src);
    EXPECT_EQ(src.launch.task.queued, UINT64_C(1) * 1000000);
    EXPECT_EQ(src.launch.task.start, UINT64_C(4) * 1000000);
    EXPECT_EQ(src.launch.task.end, UINT64_C(156) * 1000000);
    rig_free(&rig, &src);
}

/* The same times; with two SMs the second CTA is sent a cycle later, and both
 * have to be busy. */
static void busy_sms_are_counted(void)
{
    static const struct {
        uint32_t sms, ctas, wide;
    } cases[] = {{1, 1, 152}, {2, 1, 0}, {2, 2, 151}};

    for (size_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        struct rig rig = machine(cases[i].sms);

        slow_kernel(&src, cases[i].ctas, 1);
        rig_run(&rig, &src);
        EXPECT_EQ(rig_stat(rig.gpu, "wide_cycles", NULL), cases[i].wide);
        EXPECT_EQ(src.launch.resident, UINT64_C(8) * cases[i].sms);
        rig_free(&rig, &src);
    }
}

static void launch_latency_delays_the_start(void)
{
    struct rig rig = machine(1);

    rig_set(rig.host, "launch_latency", 5000);
    slow_kernel(&src, 1, 1);
    rig_run(&rig, &src);
    EXPECT_EQ(src.launch.task.start, UINT64_C(5004) * 1000000);
    rig_free(&rig, &src);
}

static void kernels_run_one_after_the_other(void)
{
    struct rig rig = machine(2);

    slow_kernel(&src, 30, 2);
    slow_kernel(&second, 3, 4);
    rig_freeze(&rig);
    rig_launch(&rig, &src);
    rig_launch(&rig, &second);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_NOTIFY);
    EXPECT(src.launch.task.complete && !second.launch.task.complete);
    EXPECT_EQ(second.produced, 0);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_NOTIFY);
    EXPECT(second.launch.task.complete);
    EXPECT(second.launch.task.start > src.launch.task.end);
    EXPECT(loom_machine_check(rig.machine, rig_error, &rig));
    EXPECT_EQ(rig_stat(rig.host, "launches", NULL), 2);
    EXPECT_EQ(rig_stat(rig.gpu, "kernels", NULL), 2);
    EXPECT_EQ(rig_stat(rig.gpu, "ctas", NULL), 33);
    EXPECT_EQ(rig_stat(rig.sm[0], "kernels", NULL), 2);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_IDLE);
    source_free(&second);
    rig_free(&rig, &src);
}

static void unused_sms_count_their_cycles(void)
{
    struct rig rig = machine(3);

    slow_kernel(&src, 1, 1);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_stat(rig.sm[2], "cycles", NULL),
              rig_stat(rig.sm[0], "cycles", NULL));
    EXPECT_EQ(rig_stat(rig.sm[2], "issue_slots", "no_warp"),
              rig_stat(rig.sm[2], "cycles", NULL));
    EXPECT_EQ(rig_stat(rig.sm[2], "active_cycles", NULL), 0);
    rig_free(&rig, &src);
}

/* ---- errors ---- */

static void expect_error(struct rig *rig, const char *text)
{
    rig_freeze(rig);
    rig_launch(rig, &src);
    EXPECT_EQ(rig_go(rig), LOOM_STOP_ERROR);
    EXPECT_EQ(rig->last.kind, LOOM_ERR_WORKLOAD);
    EXPECT_TEXT(rig->last.text, text);
    rig_free(rig, &src);
}

static void too_large_a_cta_is_refused(void)
{
    struct rig rig = machine(1);

    slow_kernel(&src, 1, 1);
    src.kernel.shared_bytes = 50000;
    expect_error(&rig, "no CTA of kernel 'test' fits on an SM: limit "
                       "'shared_bytes' is exceeded");
}

static void empty_grid_is_refused(void)
{
    struct rig rig = machine(1);

    slow_kernel(&src, 0, 1);
    expect_error(&rig, "has a grid of 0 x 1 x 1 CTAs");
}

static void failing_cta_ends_the_run(void)
{
    struct rig rig = machine(2);

    slow_kernel(&src, 9, 1);
    src.fail_at = 5;
    expect_error(&rig, "test: illegal address");
    EXPECT_EQ(src.produced, 5);
}

static void sm_with_too_few_warps_is_noticed(void)
{
    struct rig rig = machine(1);

    rig_set(rig.sm[0], "warps", 4);
    slow_kernel(&src, 5, 1);
    rig_freeze(&rig);
    rig_launch(&rig, &src);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_ERROR);
    EXPECT_TEXT(rig.last.text, "gpu[0].sm[0]: CTA slot 4 of 1 warps");
    rig_free(&rig, &src);
}

static void full_launch_queue_is_refused(void)
{
    struct rig rig = machine(1);
    struct loom_host_command command = {&src.launch.task};
    struct loom_error err;

    rig_set(rig.host, "queue", 1);
    slow_kernel(&src, 1, 1);
    rig_freeze(&rig);
    rig_launch(&rig, &src);
    EXPECT(!loom_machine_command(rig.host, &command, &err));
    EXPECT_TEXT(err.text, "parameter 'queue'");
    rig_free(&rig, &src);
}

static void bad_parameters_are_refused(void)
{
    struct rig rig = machine(1);

    rig_set(rig.sm[0], "warps", 65);
    rig_set(rig.gpu, "sm_threads", 1000);
    EXPECT(!loom_machine_freeze(rig.machine, rig_error, &rig));
    EXPECT_EQ(rig.errors, 2);
    loom_machine_destroy(rig.machine);
}

/* ---- another dispatcher ---- */

/* One CTA at a time in the whole machine, on the last SM. */
static uint32_t lonely_select(struct loom_policy *self,
                              const struct loom_dispatch_view *view)
{
    (void)self;
    EXPECT_EQ(view->sms, 2);
    return view->resident[1] == 0 && view->fits[1] ? 1 : UINT32_MAX;
}

static const struct loom_dispatch_ops lonely_ops = {.select = lonely_select};
static const struct loom_facet lonely_facets[] = {
    {&loom_dispatch_hook, &lonely_ops},
};
static const struct loom_policy_type lonely_policy = {
    .name = "lonely",
    .doc = "One CTA at a time",
    .facets = LOOM_SLICE(lonely_facets),
};

static void dispatcher_may_wait(void)
{
    struct rig rig = rig_build(2, &lrr_policy, &lonely_policy);

    slow_kernel(&src, 4, 1);
    rig_run(&rig, &src);
    EXPECT_EQ(rig_stat(rig.sm[0], "ctas", NULL), 0);
    EXPECT_EQ(rig_stat(rig.sm[1], "ctas", NULL), 4);
    /* Each takes 152 cycles from sent to heard of, as in times_of_a_launch;
     * the next one is sent in the cycle in which the gpu hears. */
    EXPECT_EQ(src.launch.task.end - src.launch.task.start,
              UINT64_C(4) * 152 * 1000000);
    rig_free(&rig, &src);
}

/* ---- several kernels at a time ---- */

static struct rig two_kernels(uint32_t limit, uint32_t stream)
{
    struct rig rig = machine(1);

    rig_set(rig.host, "concurrent_kernels", limit);
    rig_set(rig.gpu, "concurrent_kernels", limit);
    slow_kernel(&src, 3, 3);
    slow_kernel(&second, 4, 2);
    src.launch.task.stream = 1;
    second.launch.task.stream = stream;
    rig_freeze(&rig);
    rig_launch(&rig, &src);
    rig_launch(&rig, &second);
    while (!second.launch.task.complete || !src.launch.task.complete) {
        REQUIRE(rig_go(&rig) == LOOM_STOP_NOTIFY);
    }
    EXPECT(loom_machine_check(rig.machine, rig_error, &rig));
    EXPECT_EQ(src.released, 3);
    EXPECT_EQ(second.released, 4);
    return rig;
}

/* The first kernel's CTAs go out in 3 cycles and take slots 0 to 8; those of
 * the second follow at once, in slots 9 to 16. */
static void kernels_of_two_streams_overlap(void)
{
    struct rig rig = two_kernels(2, 2);
    uint64_t warps = 0;

    EXPECT_EQ(second.launch.task.start - src.launch.task.start,
              UINT64_C(3000000));
    EXPECT(second.launch.task.start < src.launch.task.end);
    for (uint32_t i = 0; i < 17; i++) {
        warps |= loom_bit(rig_event(&rig, LOOM_EVENT_WARP_START, i)->warp);
    }
    EXPECT_EQ(warps, (UINT64_C(1) << 17) - 1);
    EXPECT_EQ(rig_count(&rig, LOOM_EVENT_KERNEL_END), 2);
    rig_free(&rig, &src);
    source_free(&second);
}

static void kernels_of_one_stream_do_not(void)
{
    for (uint32_t limit = 1; limit < 3; limit++) {
        struct rig rig = two_kernels(limit, limit == 1 ? 2 : 1);

        EXPECT(second.launch.task.start > src.launch.task.end);
        rig_free(&rig, &src);
        source_free(&second);
    }
}

/* Room for 8 warps.  CTAs of 3 warps take 0..2 and 3..5; one of 4 has to wait
 * for the first to end although 2 + 3 are free then: 6, 7 and 0..2 are no
 * neighbours.  Both CTAs of the first kernel end together. */
static void warps_of_a_cta_are_neighbours(void)
{
    struct rig rig = machine(1);

    rig_set(rig.host, "concurrent_kernels", 2);
    rig_set(rig.gpu, "concurrent_kernels", 2);
    rig_set(rig.gpu, "sm_threads", 256);
    slow_kernel(&src, 2, 3);
    slow_kernel(&second, 1, 4);
    src.launch.task.stream = 1;
    second.launch.task.stream = 2;
    rig_freeze(&rig);
    rig_launch(&rig, &src);
    rig_launch(&rig, &second);
    while (!second.launch.task.complete || !src.launch.task.complete) {
        REQUIRE(rig_go(&rig) == LOOM_STOP_NOTIFY);
    }
    EXPECT_EQ(rig_event(&rig, LOOM_EVENT_WARP_START, 6)->warp, 0);
    EXPECT(second.launch.task.start >= src.launch.task.end);
    EXPECT(loom_machine_check(rig.machine, rig_error, &rig));
    rig_free(&rig, &src);
    source_free(&second);
}

/* ---- even spreading ---- */

static uint32_t first_that_fits(struct loom_policy *self,
                                const struct loom_dispatch_view *view)
{
    (void)self;
    for (uint32_t i = 0; i < view->sms; i++) {
        if (view->fits[i]) {
            return i;
        }
    }
    return UINT32_MAX;
}

static const struct loom_dispatch_ops greedy_ops = {.select = first_that_fits};
static const struct loom_facet greedy_facets[] = {
    {&loom_dispatch_hook, &greedy_ops},
};
static const struct loom_policy_type greedy_policy = {
    .name = "greedy",
    .doc = "The first SM with room",
    .facets = LOOM_SLICE(greedy_facets),
};

/* 5 CTAs on 3 SMs are at most 2 on each. */
static void small_grids_are_spread_if_told(void)
{
    for (uint32_t spread = 0; spread < 2; spread++) {
        struct rig rig = rig_build(3, &lrr_policy, &greedy_policy);

        rig_flag(rig.gpu, "spread_ctas", spread != 0);
        slow_kernel(&src, 5, 1);
        rig_run(&rig, &src);
        EXPECT_EQ(rig_stat(rig.sm[0], "ctas", NULL), spread != 0 ? 2 : 5);
        EXPECT_EQ(rig_stat(rig.sm[1], "ctas", NULL), spread != 0 ? 2 : 0);
        EXPECT_EQ(rig_stat(rig.sm[2], "ctas", NULL), spread != 0 ? 1 : 0);
        rig_free(&rig, &src);
    }
}

/* The search for an SM starts behind the last one of the kernel before. */
static void launches_start_where_the_last_one_stopped(void)
{
    struct rig rig = machine(3);

    slow_kernel(&src, 1, 1);
    slow_kernel(&second, 1, 1);
    rig_run(&rig, &src);
    rig_launch(&rig, &second);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_NOTIFY);
    EXPECT_EQ(rig_stat(rig.sm[0], "ctas", NULL), 1);
    EXPECT_EQ(rig_stat(rig.sm[1], "ctas", NULL), 1);
    rig_free(&rig, &src);
    source_free(&second);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(occupancy_is_the_smallest_limit),
        TEST(occupancy_of_a_card),
        TEST(occupancy_is_0_where_one_cta_is_too_much),
        TEST(ctas_go_to_sms_in_turn),
        TEST(one_cta_is_sent_in_a_cycle),
        TEST(several_ctas_a_cycle_go_to_different_sms),
        TEST(residency_keeps_every_limit),
        TEST(times_of_a_launch_are_exact),
        TEST(busy_sms_are_counted),
        TEST(launch_latency_delays_the_start),
        TEST(kernels_run_one_after_the_other),
        TEST(unused_sms_count_their_cycles),
        TEST(too_large_a_cta_is_refused),
        TEST(empty_grid_is_refused),
        TEST(failing_cta_ends_the_run),
        TEST(sm_with_too_few_warps_is_noticed),
        TEST(full_launch_queue_is_refused),
        TEST(bad_parameters_are_refused),
        TEST(dispatcher_may_wait),
        TEST(kernels_of_two_streams_overlap),
        TEST(kernels_of_one_stream_do_not),
        TEST(warps_of_a_cta_are_neighbours),
        TEST(small_grids_are_spread_if_told),
        TEST(launches_start_where_the_last_one_stopped),
    };

    return loom_run_tests("gpu", tests, LOOM_COUNTOF(tests));
}
