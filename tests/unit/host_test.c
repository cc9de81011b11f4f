/*
 * The host's queue: order within and between streams, copies in time, events
 * and waits.  The clock has 1 GHz: a cycle is a million femtoseconds.
 *
 * links: component_sm component_gpu component_host
 * links: policy_gto policy_lrr policy_round_robin
 */
#include "tests/unit/gpu_rig.h"

static struct source first, second;

static const loom_time cycle = 1000000;

static struct rig machine(uint32_t kernels)
{
    struct rig rig = rig_build(1, &lrr_policy, &round_robin_policy);

    rig_set(rig.host, "concurrent_kernels", kernels);
    rig_set(rig.gpu, "concurrent_kernels", kernels);
    return rig;
}

/* One CTA of one warp that runs for some 100 cycles. */
static void kernel(struct source *source, uint32_t stream)
{
    source_init(source, 1, 1);
    source->launch.task.stream = stream;
    for (uint32_t i = 0; i < 20; i++) {
        source_inst(source, LOOM_OP_INT_ADD, 1, 1);
    }
    source_inst(source, LOOM_OP_EXIT, NONE, NONE);
    source_run(source, 0, 0, 20);
}

static void give(struct rig *rig, struct loom_task *task)
{
    struct loom_host_command command = {task};
    struct loom_error err;

    REQUIRE(loom_machine_command(rig->host, &command, &err));
}

static struct loom_copy copy_of(uint32_t stream, enum loom_copy_way way,
                                uint64_t bytes)
{
    return (struct loom_copy){
        .task = {.kind = LOOM_TASK_COPY, .stream = stream},
        .way = way,
        .bytes = bytes};
}

static void run_until(struct rig *rig, const struct loom_task *task)
{
    while (!task->complete) {
        REQUIRE(rig_go(rig) == LOOM_STOP_NOTIFY);
    }
}

static void finish(struct rig *rig)
{
    EXPECT(loom_machine_check(rig->machine, rig_error, rig));
    EXPECT_EQ(rig->errors, 0);
    loom_machine_destroy(rig->machine);
    source_free(&first);
    source_free(&second);
}

static void copies_without_a_rate_take_no_time(void)
{
    struct rig rig = machine(1);
    struct loom_copy copy = copy_of(0, LOOM_COPY_TO_DEVICE, 4096);

    kernel(&first, 0);
    kernel(&second, 0);
    rig_freeze(&rig);
    give(&rig, &copy.task);
    EXPECT(copy.task.complete);
    EXPECT_EQ(rig_stat(rig.host, "copies", NULL), 1);
    EXPECT_EQ(rig_stat(rig.host, "bytes_to_device", NULL), 4096);
    EXPECT_EQ(loom_machine_ticks(rig.machine), 0);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_IDLE);
    EXPECT_EQ(loom_machine_ticks(rig.machine), 0);
    finish(&rig);
}

/* 1000 bytes at 3 bytes a nanosecond are 333.3 cycles, which end at the next
 * edge: 334, and 10 before them. */
static void copies_take_latency_and_bytes(void)
{
    struct rig rig = machine(1);
    struct loom_copy copy = copy_of(1, LOOM_COPY_TO_HOST, 1000);
    struct loom_copy within = copy_of(2, LOOM_COPY_WITHIN, 1000);

    rig_set(rig.host, "copy_latency", 10);
    rig_set(rig.host, "copy_bandwidth", UINT64_C(3000000000));
    kernel(&first, 0);
    kernel(&second, 0);
    rig_freeze(&rig);
    give(&rig, &copy.task);
    give(&rig, &within.task);
    run_until(&rig, &copy.task);
    EXPECT(within.task.complete); /* has another engine, and only latency */
    EXPECT_EQ(copy.task.end - copy.task.start, 344 * cycle);
    EXPECT_EQ(within.task.end - within.task.start, 10 * cycle);
    EXPECT_EQ(rig_stat(rig.host, "copy_cycles", NULL), 354);
    EXPECT_EQ(rig_stat(rig.host, "bytes_to_host", NULL), 1000);
    EXPECT_EQ(rig_stat(rig.host, "bytes_within", NULL), 1000);
    finish(&rig);
}

/* From the end of a kernel to the begin of the next one in its stream, if it
 * is not one that begins soon; a kernel of another stream runs meanwhile. */
static void kernels_of_a_stream_have_a_gap(void)
{
    for (uint32_t soon = 0; soon < 2; soon++) {
        for (uint32_t stream = 0; stream < 3; stream++) {
            struct rig rig = machine(2);
            loom_time gap;

            rig_set(rig.gpu, "launch_cycles", 1);
            rig_set(rig.gpu, "launch_gap", 1000);
            kernel(&first, 1);
            kernel(&second, stream);
            second.launch.begins = (uint8_t)soon;
            rig_freeze(&rig);
            give(&rig, &first.launch.task);
            give(&rig, &second.launch.task);
            run_until(&rig, &second.launch.task);
            run_until(&rig, &first.launch.task);
            gap = second.launch.task.start - first.launch.task.end;
            EXPECT(stream == 2
                       ? second.launch.task.start < first.launch.task.end
                   : soon != 0 ? gap < 20 * cycle
                               : gap == 1000 * cycle);
            EXPECT(second.launch.task.end - second.launch.task.start <
                   150 * cycle);
            finish(&rig);
        }
    }
}

/* The host's processor is an engine of its own: 1000 bytes at 2 bytes a
 * nanosecond, without the copies' latency, one piece after the other. */
static void gathering_is_the_processors(void)
{
    struct rig rig = machine(1);
    struct loom_copy copy = copy_of(1, LOOM_COPY_TO_DEVICE, 1000);
    struct loom_copy gather = copy_of(2, LOOM_COPY_ON_HOST, 1000);
    struct loom_copy more = copy_of(3, LOOM_COPY_ON_HOST, 200);

    rig_set(rig.host, "copy_latency", 10);
    rig_set(rig.host, "copy_bandwidth", UINT64_C(1000000000));
    rig_set(rig.host, "gather_bandwidth", UINT64_C(2000000000));
    kernel(&first, 0);
    kernel(&second, 0);
    rig_freeze(&rig);
    give(&rig, &copy.task);
    give(&rig, &gather.task);
    give(&rig, &more.task);
    run_until(&rig, &copy.task);
    EXPECT_EQ(gather.task.start, copy.task.start);
    EXPECT_EQ(gather.task.end - gather.task.start, 500 * cycle);
    EXPECT_EQ(more.task.start, gather.task.end);
    EXPECT_EQ(more.task.end - more.task.start, 100 * cycle);
    EXPECT_EQ(rig_stat(rig.host, "copies", NULL), 1);
    EXPECT_EQ(rig_stat(rig.host, "copy_cycles", NULL), 1010);
    EXPECT_EQ(rig_stat(rig.host, "gathers", NULL), 2);
    EXPECT_EQ(rig_stat(rig.host, "bytes_gathered", NULL), 1200);
    EXPECT_EQ(rig_stat(rig.host, "gather_cycles", NULL), 600);
    finish(&rig);
}

static void directions_share_an_engine_or_not(void)
{
    for (uint32_t engines = 1; engines < 3; engines++) {
        struct rig rig = machine(1);
        struct loom_copy up = copy_of(1, LOOM_COPY_TO_DEVICE, 100);
        struct loom_copy down = copy_of(2, LOOM_COPY_TO_HOST, 100);
        struct loom_copy more = copy_of(3, LOOM_COPY_TO_DEVICE, 100);

        rig_set(rig.host, "copy_engines", engines);
        rig_set(rig.host, "copy_bandwidth", UINT64_C(1000000000));
        kernel(&first, 0);
        kernel(&second, 0);
        rig_freeze(&rig);
        give(&rig, &up.task);
        give(&rig, &down.task);
        give(&rig, &more.task);
        run_until(&rig, &more.task);
        run_until(&rig, &down.task);
        EXPECT_EQ(down.task.start, engines == 1 ? up.task.end : up.task.start);
        EXPECT_EQ(more.task.start, engines == 1 ? down.task.end : up.task.end);
        finish(&rig);
    }
}

/* A copy of its own stream holds the first launch back, and so the second,
 * whose stream is free: launches keep their order. */
static void launches_keep_their_order(void)
{
    struct rig rig = machine(2);
    struct loom_copy copy = copy_of(1, LOOM_COPY_TO_DEVICE, 500);

    rig_set(rig.host, "copy_bandwidth", UINT64_C(1000000000));
    kernel(&first, 1);
    kernel(&second, 2);
    rig_freeze(&rig);
    give(&rig, &copy.task);
    rig_launch(&rig, &first);
    rig_launch(&rig, &second);
    run_until(&rig, &second.launch.task);
    run_until(&rig, &first.launch.task);
    EXPECT(first.launch.task.start > copy.task.end);
    EXPECT(second.launch.task.start > first.launch.task.start);
    EXPECT(second.launch.task.start < first.launch.task.end);
    EXPECT_EQ(first.launch.insts, 21);
    EXPECT(first.launch.produced);
    finish(&rig);
}

/* Stream 0 waits for all before it, and all after it wait for it. */
static void default_stream_is_a_barrier(void)
{
    struct rig rig = machine(4);
    struct loom_copy before = copy_of(1, LOOM_COPY_TO_DEVICE, 300);
    struct loom_copy after = copy_of(2, LOOM_COPY_TO_HOST, 0);

    rig_set(rig.host, "copy_engines", 2);
    rig_set(rig.host, "copy_bandwidth", UINT64_C(1000000000));
    kernel(&first, LOOM_DEFAULT_STREAM);
    kernel(&second, 3);
    rig_freeze(&rig);
    give(&rig, &before.task);
    rig_launch(&rig, &first);
    rig_launch(&rig, &second);
    give(&rig, &after.task);
    run_until(&rig, &second.launch.task);
    run_until(&rig, &after.task);
    EXPECT(first.launch.task.start > before.task.end);
    EXPECT(second.launch.task.start > first.launch.task.end);
    EXPECT(after.task.start >= first.launch.task.end);
    finish(&rig);
}

static void events_and_waits(void)
{
    struct rig rig = machine(2);
    struct loom_task mark = {.kind = LOOM_TASK_MARK, .stream = 1};
    struct loom_task early = {.kind = LOOM_TASK_MARK, .stream = 2};
    struct loom_wait wait = {.task = {.kind = LOOM_TASK_WAIT, .stream = 2},
                             .until = &mark};

    kernel(&first, 1);
    kernel(&second, 2);
    rig_freeze(&rig);
    rig_launch(&rig, &first);
    give(&rig, &early);
    give(&rig, &mark);
    give(&rig, &wait.task);
    rig_launch(&rig, &second);
    run_until(&rig, &second.launch.task);
    EXPECT(early.end < first.launch.task.start);
    EXPECT(mark.end > first.launch.task.end);
    EXPECT_EQ(wait.task.end, mark.end);
    EXPECT(second.launch.task.start > mark.end);
    finish(&rig);
}

/* What was said between two launches happens between their CTAs. */
static uint32_t produced_at_effect;

static bool effect(struct loom_launch *launch, struct loom_error *err)
{
    (void)err;
    EXPECT(launch->produced && first.produced == 1);
    produced_at_effect = second.produced;
    return true;
}

static bool broken(struct loom_launch *launch, struct loom_error *err)
{
    (void)launch;
    return loom_fail(err, LOOM_ERR_WORKLOAD, "not in one buffer");
}

static void effects_come_between_launches(void)
{
    struct rig rig = machine(2);

    produced_at_effect = UINT32_MAX;
    kernel(&first, 1);
    kernel(&second, 2);
    first.launch.executed = effect;
    rig_freeze(&rig);
    rig_launch(&rig, &first);
    rig_launch(&rig, &second);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_NOTIFY); /* for the effect */
    EXPECT_EQ(produced_at_effect, 0);
    EXPECT(!first.launch.task.complete);
    run_until(&rig, &first.launch.task);
    run_until(&rig, &second.launch.task);
    finish(&rig);
    rig = machine(2);
    kernel(&first, 1);
    kernel(&second, 2);
    first.launch.executed = broken;
    rig_freeze(&rig);
    rig_launch(&rig, &first);
    EXPECT_EQ(rig_go(&rig), LOOM_STOP_ERROR);
    EXPECT_TEXT(rig.last.text, "test: not in one buffer");
    loom_machine_destroy(rig.machine);
    source_free(&first);
    source_free(&second);
}

static void too_high_a_stream_is_refused(void)
{
    struct rig rig = machine(1);
    struct loom_copy copy = copy_of(LOOM_STREAMS, LOOM_COPY_WITHIN, 1);
    struct loom_host_command command = {&copy.task};
    struct loom_error err;

    kernel(&first, 0);
    kernel(&second, 0);
    rig_freeze(&rig);
    EXPECT(!loom_machine_command(rig.host, &command, &err));
    EXPECT_TEXT(err.text, "stream 1024, expected one below 1024");
    finish(&rig);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

int main(void)
{
    static const struct loom_test tests[] = {
        TEST(copies_without_a_rate_take_no_time),
        TEST(copies_take_latency_and_bytes),
        TEST(gathering_is_the_processors),
        TEST(directions_share_an_engine_or_not),
        TEST(launches_keep_their_order),
        TEST(default_stream_is_a_barrier),
        TEST(events_and_waits),
        TEST(kernels_of_a_stream_have_a_gap),
        TEST(effects_come_between_launches),
        TEST(too_high_a_stream_is_refused),
    };

    return loom_run_tests("host", tests, LOOM_COUNTOF(tests));
}
