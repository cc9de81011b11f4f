/*
 * The recorder: what a run leaves in its file, and what happens when the
 * disk, the run or the caller fails.
 *
 * links: loom_stats
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stats/mark.h"
#include "stats/query.h"
#include "stats/reader.h"
#include "stats/recorder.h"
#include "stats/state.h"
#include "stats/walk.h"
#include "tests/unit/stats_rig.h"

#define FILE_NAME "stats_test.h5"
#define PARTIAL FILE_NAME ".partial"

static const struct loom_ending done = {.status = LOOM_RUN_COMPLETE,
                                        .exit_reason = "all done",
                                        .state_digest = "abc",
                                        .wall_s = 0.5,
                                        .kips = 12};

static const char *const patterns[] = {"**.sm.hit_ratio", "gpu.ticks"};
static const struct loom_series_spec bandwidth = {
    .name = "bw", .period = 10 * RIG_CYCLE, .pattern = patterns, .patterns = 2};

static void snapshot(struct loom_recorder *recorder, const char *label,
                     int64_t kernel)
{
    struct loom_snapshot shot = {
        .label = label, .reason = LOOM_REASON_KERNEL_END, .kernel = kernel};
    struct loom_error err;

    REQUIRE(loom_recorder_snapshot(recorder, &shot, &err));
}

static void remove_files(void)
{
    unlink(FILE_NAME);
    unlink(PARTIAL);
}

/* Two kernels of 30 cycles each, a series every 10;
 * flushed in between if flush_ms is not 0. */
static void record_run(struct loom_machine *machine, const char *path,
                       uint32_t flush_ms)
{
    struct loom_recorder_options options = {.title = "A test",
                                            .flush_ms = flush_ms};
    struct loom_kernel_record kernel = {
        .name = "first", .grid = {2, 1, 1}, .block = {32, 1, 1}};
    struct loom_recorder *recorder;
    struct loom_error err;
    uint32_t series;

    recorder = loom_recorder_create(machine, path, &options, &err);
    REQUIRE(recorder != NULL);
    REQUIRE(loom_recorder_add_series(recorder, &bandwidth, &series, &err));
    REQUIRE(loom_recorder_source(recorder, "a.lua", "return 1\n", &err));
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < 3; i++) {
            rig_run(machine, 10);
            REQUIRE(loom_recorder_epoch(recorder, series,
                                        loom_machine_now(machine), &err));
            REQUIRE(flush_ms == 0 || loom_recorder_flush(recorder, &err));
        }
        kernel.id = k;
        kernel.registers_from = "sm_75";
        kernel.sample_begin = (int64_t)k - 1;
        kernel.sample_end = k;
        snapshot(recorder, k == 0 ? "one" : "two", k);
        REQUIRE(loom_recorder_kernel(recorder, &kernel, &err));
    }
    EXPECT_EQ(loom_recorder_samples(recorder), 2);
    REQUIRE(loom_recorder_close(recorder, &done, &err));
}

static uint64_t value_of(const char *path, const char *name, uint64_t sample,
                         uint64_t index)
{
    struct loom_error err;
    struct loom_reader *reader = loom_reader_open(path, NULL, &err);
    const union loom_reader_value *value;
    int64_t number;
    uint64_t got;

    REQUIRE(reader != NULL);
    number = loom_reader_find(reader, name);
    REQUIRE(number >= 0);
    value = loom_reader_values(reader, (uint32_t)number, sample, &err);
    REQUIRE(value != NULL);
    got = value[index].u;
    loom_reader_close(reader);
    return got;
}

static double real_of(const char *name, uint64_t sample, uint64_t index)
{
    uint64_t bits = value_of(FILE_NAME, name, sample, index);
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void test_values_are_those_of_the_machine(void)
{
    struct loom_machine *machine = rig_machine(3);
    uint64_t ticks, n;

    remove_files();
    record_run(machine, FILE_NAME, 0);
    ticks = ((struct rig_chip_stats *)loom_stats_of(
                 loom_machine_find(machine, "gpu[0]")))
                ->ticks;
    n = value_of(FILE_NAME, "gpu.ticks", 1, 0);
    EXPECT_EQ(n, ticks);
    EXPECT(n == 60 || n == 61); /* the edge at the end may count or not */
    EXPECT_EQ(n - value_of(FILE_NAME, "gpu.ticks", 0, 0), 30);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.hits", 1, 0), 0);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.hits", 1, 2), 2 * n);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.accesses", 1, 1), 2 * n);
    EXPECT(real_of("gpu.sm.hit_ratio", 1, 1) == 0.5);
    EXPECT(real_of("gpu.sm.hit_rate", 1, 1) == (double)n / 60e-9);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.depth", 1, 0), n % 7);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.stall", 1, 3 + 2), (n + 1) / 3);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.latency_count", 1, 1), n);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.latency_sum", 1, 1), n * (n + 1) / 2);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.latency_min", 1, 2), 1);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.latency_max", 1, 2), n);
    /* Bin 5 of the second core holds 16..31. */
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.latency_hist", 1, 32 + 5), 16);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.l1d.policy.tally.asked", 1, 1), n);
    loom_machine_destroy(machine);
}

static void test_arrays_of_unlike_length_are_padded(void)
{
    struct loom_machine *machine = rig_machine(3);

    remove_files();
    record_run(machine, FILE_NAME, 0);
    /* Rows of 6: instance 0 has 4 ways, instance 1 has 6. */
    EXPECT(value_of(FILE_NAME, "gpu.sm.l1d.fills", 1, 3) >= 15);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.l1d.fills", 1, 4), 0);
    EXPECT_EQ(value_of(FILE_NAME, "gpu.sm.l1d.fills", 1, 5), 0);
    EXPECT(value_of(FILE_NAME, "gpu.sm.l1d.fills", 1, 6 + 5) >= 10);
    loom_machine_destroy(machine);
}

static void test_unlike_types_under_one_path_are_two_groups(void)
{
    struct loom_machine *machine = rig_machine(3);

    remove_files();
    record_run(machine, FILE_NAME, 0);
    EXPECT(value_of(FILE_NAME, "gpu.l2.core.hits", 1, 0) > 0);
    EXPECT(value_of(FILE_NAME, "gpu.l2.store.fills", 1, 0) > 0);
    loom_machine_destroy(machine);
}

static void fail_on_problem(void *context, const char *dataset,
                            const char *problem)
{
    (void)context;
    fprintf(stderr, "%s: %s\n", dataset, problem);
}

static void test_everything_is_described(void)
{
    struct loom_machine *machine = rig_machine(3);
    struct loom_error err;
    struct loom_walk result;

    remove_files();
    record_run(machine, FILE_NAME, 0);
    REQUIRE(loom_walk_file(FILE_NAME, fail_on_problem, NULL, &result, &err));
    EXPECT_EQ(result.problems, 0);
    EXPECT(result.datasets > 100);
    loom_machine_destroy(machine);
}

static void test_equal_runs_give_equal_datasets(void)
{
    char first[LOOM_DIGEST_TEXT], second[LOOM_DIGEST_TEXT];
    struct loom_machine *machine;
    struct loom_error err;

    remove_files();
    machine = rig_machine(3);
    record_run(machine, FILE_NAME, 0);
    loom_machine_destroy(machine);
    REQUIRE(loom_results_digest(FILE_NAME, first, &err));
    /* Flushed after every row: other chunks are rewritten, same content. */
    machine = rig_machine(3);
    record_run(machine, FILE_NAME, 1);
    loom_machine_destroy(machine);
    REQUIRE(loom_results_digest(FILE_NAME, second, &err));
    EXPECT_TEXT(second, first);
    machine = rig_machine(3);
    rig_run(machine, 1);
    record_run(machine, FILE_NAME, 0);
    loom_machine_destroy(machine);
    REQUIRE(loom_results_digest(FILE_NAME, second, &err));
    EXPECT(strcmp(first, second) != 0);
}

static void test_root_says_what_it_is(void)
{
    struct loom_machine *machine = rig_machine(1);
    struct loom_error err;
    struct loom_reader *reader;

    remove_files();
    record_run(machine, FILE_NAME, 0);
    EXPECT(access(PARTIAL, F_OK) != 0);
    reader = loom_reader_open(FILE_NAME, NULL, &err);
    REQUIRE(reader != NULL);
    EXPECT_TEXT(loom_reader_attribute(reader, "format"), "warploom-stats");
    EXPECT_TEXT(loom_reader_attribute(reader, "status"), "complete");
    EXPECT_TEXT(loom_reader_attribute(reader, "state_digest"), "abc");
    EXPECT_TEXT(loom_reader_attribute(reader, "title"), "A test");
    EXPECT_EQ(strlen(loom_reader_attribute(reader, "run_id")), 36);
    EXPECT_TEXT(loom_reader_label(reader, 0), "one");
    EXPECT(loom_reader_time(reader, 0) == 30e-9);
    loom_reader_close(reader);
    loom_machine_destroy(machine);
}

/* The child ends like a killed run: no close, no atexit. */
static void test_killed_run_is_readable_to_last_flush(void)
{
    struct loom_machine *machine = rig_machine(3);
    struct loom_reader *reader;
    struct loom_error err;
    double seconds = 0;
    int status = 0;
    pid_t child;

    remove_files();
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        struct loom_snapshot shot = {.label = "seen", .kernel = -1};
        struct loom_recorder *recorder =
            loom_recorder_create(machine, FILE_NAME, NULL, &err);

        rig_run(machine, 20);
        loom_recorder_snapshot(recorder, &shot, &err);
        loom_recorder_flush(recorder, &err);
        rig_run(machine, 20);
        loom_recorder_snapshot(recorder, &shot, &err);
        _exit(recorder == NULL);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    EXPECT_EQ(status, 0);
    EXPECT(access(FILE_NAME, F_OK) != 0);
    reader = loom_reader_open(PARTIAL, NULL, &err);
    REQUIRE(reader != NULL);
    EXPECT_EQ(loom_reader_samples(reader), 2);
    EXPECT_TEXT(loom_reader_label(reader, 0), "seen");
    EXPECT_TEXT(loom_reader_label(reader, 1), "so far");
    EXPECT_TEXT(loom_reader_attribute(reader, "status"), "running");
    EXPECT(loom_reader_progress(reader, &seconds));
    EXPECT(seconds == 20e-9);
    loom_reader_close(reader);
    loom_machine_destroy(machine);
}

static void test_file_in_progress_can_be_read(void)
{
    struct loom_machine *machine = rig_machine(3);
    struct loom_error err;
    struct loom_recorder *recorder;

    remove_files();
    recorder = loom_recorder_create(machine, FILE_NAME, NULL, &err);
    REQUIRE(recorder != NULL);
    rig_run(machine, 20);
    snapshot(recorder, "one", 0);
    REQUIRE(loom_recorder_flush(recorder, &err));
    EXPECT(value_of(PARTIAL, "gpu.ticks", 0, 0) >= 20);
    snapshot(recorder, "two", 1);
    REQUIRE(loom_recorder_close(recorder, &done, &err));
    EXPECT(value_of(FILE_NAME, "gpu.ticks", 1, 0) >= 20);
    loom_machine_destroy(machine);
}

/* A limit on the size of files stands for a full disk. */
static void test_full_disk_loses_nothing_written(void)
{
    struct loom_machine *machine = rig_machine(3);
    struct loom_snapshot shot = {.label = "one", .kernel = 0};
    struct rlimit old, low;
    struct stat file;
    struct loom_error err;
    struct loom_recorder *recorder;
    bool ok;

    remove_files();
    signal(SIGXFSZ, SIG_IGN);
    recorder = loom_recorder_create(machine, FILE_NAME, NULL, &err);
    REQUIRE(recorder != NULL);
    snapshot(recorder, "zero", 0);
    REQUIRE(loom_recorder_flush(recorder, &err));
    REQUIRE(stat(PARTIAL, &file) == 0);
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = (rlim_t)file.st_size + 100;
    setrlimit(RLIMIT_FSIZE, &low);
    loom_recorder_snapshot(recorder, &shot, &err);
    ok = loom_recorder_close(recorder, &done, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT(!ok);
    EXPECT_EQ(err.kind, LOOM_ERR_OUTPUT);
    EXPECT_TEXT(err.text, FILE_NAME "': File too large");
    EXPECT(access(FILE_NAME, F_OK) != 0);
    EXPECT_EQ(value_of(PARTIAL, "gpu.sm.l1d.fills", 0, 0), 0);
    loom_machine_destroy(machine);
}

static void expect_no_create(struct loom_machine *machine, const char *path,
                             const char *text)
{
    struct loom_error err = {.text = ""};

    EXPECT(loom_recorder_create(machine, path, NULL, &err) == NULL);
    EXPECT_EQ(err.kind, LOOM_ERR_OUTPUT);
    EXPECT_TEXT(err.text, text);
}

static void test_impossible_paths_are_errors(void)
{
    struct loom_machine *machine = rig_machine(1);

    expect_no_create(machine, "no/such/folder/x.h5",
                     "'no/such/folder/x.h5.working': No such file");
    expect_no_create(machine, "/proc/x.h5", "cannot write results");
    mkdir("stats_test.dir.working", 0777);
    expect_no_create(machine, "stats_test.dir", "it is a folder");
    rmdir("stats_test.dir.working");
    expect_no_create(machine, "/dev/full", "it is a device");
    REQUIRE(symlink("stats_test.victim", "stats_test.link.working") == 0);
    expect_no_create(machine, "stats_test.link", "it is a symbolic link");
    EXPECT(access("stats_test.victim", F_OK) != 0);
    unlink("stats_test.link.working");
    loom_machine_destroy(machine);
}

static void test_two_runs_cannot_write_one_file(void)
{
    struct loom_machine *machine = rig_machine(1);
    struct loom_recorder *recorder;
    struct loom_error err;

    remove_files();
    recorder = loom_recorder_create(machine, FILE_NAME, NULL, &err);
    REQUIRE(recorder != NULL);
    expect_no_create(machine, FILE_NAME, "is being written by another run");
    snapshot(recorder, "one", 0);
    REQUIRE(loom_recorder_close(recorder, &done, &err));
    EXPECT_EQ(value_of(FILE_NAME, "gpu.ticks", 0, 0), 0);
    /* The lock went with the recorder. */
    recorder = loom_recorder_create(machine, FILE_NAME, NULL, &err);
    EXPECT(recorder != NULL);
    loom_recorder_abandon(recorder);
    loom_machine_destroy(machine);
}

/* A user may call a part as one of its parent's statistics is called. */
static void test_part_named_like_a_statistic_is_an_error(void)
{
    struct loom_machine *machine = loom_machine_create(1);
    uint32_t clock = loom_machine_clock(machine, 1000000000);
    struct loom_error err = {.text = ""};

    loom_machine_add(machine, &rig_core, "sm[0]", clock, &err);
    loom_machine_add(machine, &rig_core, "sm[0].hits", clock, &err);
    REQUIRE(loom_machine_freeze(machine, rig_complain, NULL));
    EXPECT(loom_recorder_create(machine, FILE_NAME, NULL, &err) == NULL);
    EXPECT_EQ(err.kind, LOOM_ERR_CONFIG);
    EXPECT_TEXT(err.text, "statistic 'hits' of 'sm' has the same name");
    EXPECT(access(PARTIAL, F_OK) != 0);
    loom_machine_destroy(machine);
}

static void test_mistakes_of_series(void)
{
    struct loom_machine *machine = rig_machine(1);
    const char *const typo[] = {"**.sm.hit_ratoi"};
    const char *const nothing[] = {"zzzzzzzzzzzzzzzzzzzzzzzzzzzz"};
    struct loom_series_spec spec = bandwidth;
    struct loom_recorder *recorder;
    struct loom_error err;
    uint32_t number;

    remove_files();
    recorder = loom_recorder_create(machine, FILE_NAME, NULL, &err);
    REQUIRE(recorder != NULL);
    spec.pattern = typo;
    spec.patterns = 1;
    EXPECT(!loom_recorder_add_series(recorder, &spec, &number, &err));
    EXPECT_TEXT(err.text, "did you mean 'gpu.sm.hit_ratio'?");
    spec.pattern = nothing;
    EXPECT(!loom_recorder_add_series(recorder, &spec, &number, &err));
    EXPECT_TEXT(err.text, "matches none of the");
    spec = bandwidth;
    spec.period = 0;
    EXPECT(!loom_recorder_add_series(recorder, &spec, &number, &err));
    EXPECT_TEXT(err.text, "needs a period above 0");
    spec = bandwidth;
    spec.name = "No/Good";
    EXPECT(!loom_recorder_add_series(recorder, &spec, &number, &err));
    EXPECT_TEXT(err.text, "'No/Good'");
    snapshot(recorder, "one", 0);
    EXPECT(!loom_recorder_add_series(recorder, &bandwidth, &number, &err));
    EXPECT_TEXT(err.text, "after the first snapshot");
    loom_recorder_abandon(recorder);
    loom_machine_destroy(machine);
}

static void test_queries_aggregate_over_instances(void)
{
    struct loom_machine *machine = rig_machine(3);
    struct loom_error err;
    struct loom_catalog *catalog = loom_catalog_create(machine, NULL, &err);
    struct loom_reading reading;
    uint64_t n;

    REQUIRE(catalog != NULL);
    rig_run(machine, 40);
    REQUIRE(loom_query(catalog, "gpu", "ticks", &reading, &err));
    n = reading.total;
    REQUIRE(loom_query(catalog, "gpu/sm", "hits", &reading, &err));
    EXPECT_EQ(reading.instances, 3);
    EXPECT_EQ(reading.total, 3 * n);
    EXPECT(reading.is_integer);
    /* (0 + 1 + 2) / (1 + 2 + 3), not the mean of 0, 1/2 and 2/3. */
    REQUIRE(loom_query(catalog, "gpu/sm", "hit_ratio", &reading, &err));
    EXPECT(reading.value == 0.5);
    REQUIRE(loom_query(catalog, "gpu[0].sm[2]", "hit_ratio", &reading, &err));
    EXPECT_EQ(reading.instances, 1);
    EXPECT(reading.value == 2.0 / 3.0);
    REQUIRE(loom_query(catalog, "gpu/sm", "latency", &reading, &err));
    EXPECT_EQ(reading.histogram.count, 3 * n);
    EXPECT_EQ(reading.histogram.max, n);
    EXPECT_EQ(reading.histogram.min, 1);
    EXPECT(reading.value == (double)(n + 1) / 2);
    REQUIRE(loom_query(catalog, "gpu/sm/l1d", "fills", &reading, &err));
    EXPECT_EQ(reading.items, 6);
    EXPECT_EQ(reading.total, 3 * n);
    loom_reading_release(&reading);
    EXPECT(!loom_query(catalog, "gpu/sm/l1b", "fills", &reading, &err));
    EXPECT_TEXT(err.text, "did you mean 'gpu/sm/l1d'?");
    EXPECT(!loom_query(catalog, "gpu/sm", "hit", &reading, &err));
    EXPECT_TEXT(err.text, "did you mean 'hits'?");
    EXPECT(!loom_query(catalog, "gpu/l2", "ticks", &reading, &err));
    EXPECT_TEXT(err.text, "is both 'gpu/l2/core' and 'gpu/l2/store'");
    REQUIRE(loom_query(catalog, "gpu[0].l2[0]", "ticks", &reading, &err));
    EXPECT_EQ(reading.total, n);
    loom_catalog_destroy(catalog);
    loom_machine_destroy(machine);
}

/* What `stat` is, less what it was in `since`. */
static struct loom_reading since(const struct loom_catalog *catalog,
                                 const struct loom_catalog *mark,
                                 const char *path, const char *stat)
{
    struct loom_reading reading;
    struct loom_error err;

    REQUIRE(loom_query_since(catalog, mark, path, stat, &reading, &err));
    return reading;
}

static void test_marks_do_not_move_and_can_be_subtracted(void)
{
    struct loom_machine *machine = rig_machine(3);
    struct loom_error err;
    struct loom_catalog *catalog = loom_catalog_create(machine, NULL, &err);
    struct loom_catalog *mark;
    struct loom_reading all, fills;
    uint64_t n;

    REQUIRE(catalog != NULL);
    rig_run(machine, 40);
    mark = loom_mark_create(catalog, &err);
    REQUIRE(mark != NULL);
    n = since(catalog, NULL, "gpu", "ticks").total;
    rig_run(machine, 100);
    all = since(catalog, NULL, "gpu", "ticks");
    EXPECT(all.total > n);
    EXPECT_EQ(since(mark, NULL, "gpu", "ticks").total, n);
    EXPECT_EQ(since(catalog, mark, "gpu", "ticks").total, all.total - n);
    EXPECT_EQ(since(catalog, mark, "gpu[0].sm[2]", "hits").total,
              2 * (all.total - n));
    EXPECT(since(catalog, mark, "gpu/sm", "hit_ratio").value == 0.5);
    EXPECT_EQ(since(catalog, mark, "gpu/sm", "latency").histogram.count,
              3 * (all.total - n));
    fills = since(catalog, mark, "gpu/sm/l1d", "fills");
    EXPECT_EQ(fills.items, 6);
    EXPECT_EQ(fills.total, 3 * (all.total - n));
    loom_reading_release(&fills);
    loom_mark_take(mark, catalog);
    EXPECT_EQ(since(catalog, mark, "gpu", "ticks").total, 0);
    /* Nothing of nothing. */
    EXPECT(isnan(since(catalog, mark, "gpu/sm", "hit_ratio").value));
    loom_catalog_destroy(mark);
    loom_catalog_destroy(catalog);
    loom_machine_destroy(machine);
}

static void digest_of(struct loom_machine *machine, char *text)
{
    struct loom_digest digest;

    loom_digest_init(&digest);
    loom_state_digest(machine, &digest);
    loom_digest_text(&digest, text);
}

static void test_state_digest_tells_runs_apart(void)
{
    struct loom_machine *a = rig_machine(3), *b = rig_machine(3);
    char x[LOOM_DIGEST_TEXT], y[LOOM_DIGEST_TEXT];
    struct rig_store_stats *stats =
        loom_stats_of(loom_machine_find(b, "gpu[0].sm[1].l1d"));

    rig_run(a, 50);
    rig_run(b, 50);
    digest_of(a, x);
    digest_of(b, y);
    EXPECT_TEXT(y, x);
    /* One fill in another way: all totals are the same. */
    stats->fills.item[0]--;
    stats->fills.item[1]++;
    digest_of(b, y);
    EXPECT(strcmp(x, y) != 0);
    loom_machine_destroy(a);
    loom_machine_destroy(b);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"values_are_those_of_the_machine",
         test_values_are_those_of_the_machine},
        {"arrays_of_unlike_length_are_padded",
         test_arrays_of_unlike_length_are_padded},
        {"unlike_types_under_one_path_are_two_groups",
         test_unlike_types_under_one_path_are_two_groups},
        {"everything_is_described", test_everything_is_described},
        {"equal_runs_give_equal_datasets", test_equal_runs_give_equal_datasets},
        {"root_says_what_it_is", test_root_says_what_it_is},
        {"killed_run_is_readable_to_last_flush",
         test_killed_run_is_readable_to_last_flush},
        {"file_in_progress_can_be_read", test_file_in_progress_can_be_read},
        {"full_disk_loses_nothing_written",
         test_full_disk_loses_nothing_written},
        {"impossible_paths_are_errors", test_impossible_paths_are_errors},
        {"two_runs_cannot_write_one_file", test_two_runs_cannot_write_one_file},
        {"part_named_like_a_statistic_is_an_error",
         test_part_named_like_a_statistic_is_an_error},
        {"mistakes_of_series", test_mistakes_of_series},
        {"queries_aggregate_over_instances",
         test_queries_aggregate_over_instances},
        {"marks_do_not_move_and_can_be_subtracted",
         test_marks_do_not_move_and_can_be_subtracted},
        {"state_digest_tells_runs_apart", test_state_digest_tells_runs_apart},
    };
    int result = loom_run_tests("stats", tests, LOOM_COUNTOF(tests));

    remove_files();
    return result;
}
