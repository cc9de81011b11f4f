/*
 * Patterns, the reader and the printer, on good files and on bad ones.
 *
 * links: loom_stats
 */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <unistd.h>

#include "stats/browse.h"
#include "stats/glob.h"
#include "stats/print.h"
#include "stats/recorder.h"
#include "stats/walk.h"
#include "tests/unit/stats_rig.h"

#define FILE_NAME "stats_reader_test.h5"
#define BAD_NAME "stats_reader_test.bad"

static void test_stars_stay_within_a_segment(void)
{
    EXPECT(loom_glob("gpu.*.hits", "gpu.sm.hits"));
    EXPECT(!loom_glob("gpu.*.hits", "gpu.sm.l1d.hits"));
    EXPECT(!loom_glob("*.hits", "gpu.sm.hits"));
    EXPECT(loom_glob("gpu.sm.h?ts", "gpu.sm.hits"));
    EXPECT(!loom_glob("gpu?sm.hits", "gpu.sm.hits"));
    EXPECT(loom_glob("gpu/sm/*", "gpu.sm.hits"));
}

static void test_double_stars_span_segments(void)
{
    EXPECT(loom_glob("**.dram.*bytes", "gpu.dram.read_bytes"));
    EXPECT(loom_glob("**.dram.*bytes", "dram.bytes"));
    EXPECT(!loom_glob("**.dram.*bytes", "gpu.xdram.bytes"));
    EXPECT(loom_glob("gpu.**.hits", "gpu.sm.l1d.hits"));
    EXPECT(loom_glob("gpu.**.hits", "gpu.hits"));
    EXPECT(loom_glob("**", "gpu.sm.hits"));
    EXPECT(!loom_glob("gpu.**", "gpus.hits"));
}

static void test_loose_patterns_name_groups_and_statistics(void)
{
    EXPECT(loom_glob_loose("gpu/sm", "gpu.sm.hits"));
    EXPECT(loom_glob_loose("gpu/sm", "gpu.sm.l1d.hits"));
    EXPECT(loom_glob_loose("hits", "gpu.sm.l1d.hits"));
    EXPECT(loom_glob_loose("*ratio", "gpu.sm.hit_ratio"));
    EXPECT(!loom_glob_loose("sm.hits", "gpu.sm.hits"));
}

static void test_distance_counts_changes(void)
{
    EXPECT_EQ(loom_glob_distance("hits", "hits"), 0);
    EXPECT_EQ(loom_glob_distance("hist", "hits"), 2);
    EXPECT_EQ(loom_glob_distance("**.hit", "gpu.sm.hits"), 1);
    EXPECT_EQ(loom_glob_distance("", "abc"), 3);
}

/* Snapshots "one" and "end" of a machine of two cores. */
static void record(void)
{
    struct loom_machine *machine = rig_machine(2);
    struct loom_snapshot shot = {.label = "one", .kernel = -1};
    struct loom_ending ending = {.status = LOOM_RUN_INTERRUPTED};
    struct loom_recorder *recorder;
    struct loom_error err;

    recorder = loom_recorder_create(machine, FILE_NAME, NULL, &err);
    REQUIRE(recorder != NULL);
    rig_run(machine, 10);
    REQUIRE(loom_recorder_snapshot(recorder, &shot, &err));
    rig_run(machine, 10);
    shot.label = "end";
    REQUIRE(loom_recorder_snapshot(recorder, &shot, &err));
    REQUIRE(loom_recorder_close(recorder, &ending, &err));
    loom_machine_destroy(machine);
}

/* What is printed, or the error. */
static bool print(const struct loom_print_options *options, char *text,
                  size_t size)
{
    FILE *out = tmpfile();
    struct loom_error err;
    size_t length;
    bool ok;

    REQUIRE(out != NULL);
    ok = loom_print_stats(out, FILE_NAME, options, &err);
    rewind(out);
    length = fread(text, 1, size - 1, out);
    text[length] = '\0';
    if (!ok) {
        EXPECT_EQ(length, 0);
        snprintf(text, size, "%s", err.text);
    }
    fclose(out);
    return ok;
}

static void test_table_aggregates_over_instances(void)
{
    char text[4000];

    record();
    REQUIRE(print(&(struct loom_print_options){.pattern = "gpu.sm.h*"}, text,
                  sizeof(text)));
    EXPECT_TEXT(text, FILE_NAME ": interrupted, snapshot 1 of 2 'end' at "
                                "2e-08 s\n");
    /* Cores 0 and 1 after 20 ticks: 0 and 20 hits of 20 and 40 accesses. */
    EXPECT_TEXT(text, "statistic         instances     total   mean");
    EXPECT_TEXT(text,
                "gpu.sm.hits               2        20     10    0     20  ");
    EXPECT_TEXT(text,
                "gpu.sm.hit_ratio          2  0.333333   0.25    0    0.5  ");
    EXPECT_TEXT(text, "request  Requests that hit\n");
    EXPECT(strstr(text, "accesses") == NULL);
}

static void test_csv_and_instances(void)
{
    char text[4000];

    record();
    REQUIRE(print(&(struct loom_print_options){.pattern = "gpu.sm.hits",
                                               .sample = "one",
                                               .form = LOOM_GRID_CSV},
                  text, sizeof(text)));
    EXPECT_TEXT(text, "statistic,instances,total,mean,min,max,unit,"
                      "description\n"
                      "gpu.sm.hits,2,10,5,0,10,request,Requests that hit\n");
    REQUIRE(print(&(struct loom_print_options){.pattern = "gpu.sm.stall",
                                               .all = true,
                                               .form = LOOM_GRID_CSV},
                  text, sizeof(text)));
    EXPECT_TEXT(text, "gpu[0].sm[1],stall[scoreboard],7,cycle\n");
}

static void test_wrong_questions_are_explained(void)
{
    char text[4000];

    record();
    EXPECT(!print(&(struct loom_print_options){.pattern = "hit_raito"}, text,
                  sizeof(text)));
    EXPECT_TEXT(text, "did you mean 'gpu.");
    EXPECT(!print(&(struct loom_print_options){.sample = "two"}, text,
                  sizeof(text)));
    EXPECT_TEXT(text, "has no snapshot 'two'; it has 2, the last is 'end'");
    EXPECT(!print(&(struct loom_print_options){.sample = "2"}, text,
                  sizeof(text)));
    EXPECT(
        print(&(struct loom_print_options){.sample = "0"}, text, sizeof(text)));
}

static uint32_t item_of(const struct loom_browser *browser, const char *path)
{
    for (uint32_t i = 0; i < loom_browser_count(browser); i++) {
        if (strcmp(loom_browser_item(browser, i)->path, path) == 0) {
            return i;
        }
    }
    REQUIRE(false);
    return 0;
}

static void look_at(void *context, const char *name,
                    const struct loom_values *values)
{
    unsigned *found = context;

    if (strcmp(name, "units") == 0) {
        EXPECT(values->is_scalar);
        EXPECT_TEXT(values->text[0], "cycle");
        *found += 1;
    }
    /* References are of no type of ours. */
    EXPECT(strcmp(name, "DIMENSION_LIST") != 0);
}

static void test_any_dataset_is_listed_with_shape_and_scales(void)
{
    const struct loom_browse_item *item;
    uint64_t scale[LOOM_BROWSE_RANK];
    struct loom_browser *browser;
    struct loom_error err;
    unsigned found = 0;
    uint32_t stall;

    record();
    browser = loom_browser_open(FILE_NAME, &err);
    REQUIRE(browser != NULL);
    stall = item_of(browser, "/stats/gpu/sm/stall");
    item = loom_browser_item(browser, stall);
    EXPECT_EQ(item->type, LOOM_VALUES_U64);
    EXPECT_EQ(item->rank, 3);
    EXPECT_EQ(item->dim[0], 2);
    EXPECT_EQ(item->dim[1], 2);
    EXPECT_EQ(item->dim[2], 3);
    EXPECT(loom_browser_scales(browser, stall, scale, &err));
    item = loom_browser_item(browser, item_of(browser, "/stats/gpu/sm/reason"));
    EXPECT_EQ(scale[2], item->reference);
    EXPECT_EQ(item->type, LOOM_VALUES_TEXT);
    EXPECT(loom_browser_attributes(browser, "/stats/gpu/sm/stall", look_at,
                                   &found, &err));
    EXPECT_EQ(found, 1);
    EXPECT(
        !loom_browser_attributes(browser, "/nothing", look_at, &found, &err));
    EXPECT_TEXT(err.text, "has no '/nothing'");
    loom_browser_close(browser);
}

static void test_any_dataset_can_be_read(void)
{
    struct loom_browser *browser;
    struct loom_values values;
    struct loom_error err;
    uint32_t hits;

    record();
    browser = loom_browser_open(FILE_NAME, &err);
    REQUIRE(browser != NULL);
    hits = item_of(browser, "/stats/gpu/sm/hits");
    REQUIRE(loom_browser_read(browser, hits, 0, 0, &values, &err));
    EXPECT_EQ(values.count, 4);
    EXPECT_EQ(values.u64[0], 0);
    EXPECT_EQ(values.u64[1], 10);
    EXPECT_EQ(values.u64[3], 20);
    loom_values_release(&values);
    REQUIRE(loom_browser_read(browser, hits, 1, 1, &values, &err));
    EXPECT_EQ(values.count, 2);
    EXPECT_EQ(values.u64[1], 20);
    loom_values_release(&values);
    EXPECT(!loom_browser_read(browser, hits, 1, 2, &values, &err));
    EXPECT(!loom_browser_read(browser, hits, UINT64_MAX, 2, &values, &err));
    EXPECT_EQ(err.kind, LOOM_ERR_INPUT);
    REQUIRE(loom_browser_read(browser, item_of(browser, "/stats/label"), 0, 0,
                              &values, &err));
    EXPECT_TEXT(values.text[0], "one");
    EXPECT_TEXT(values.text[1], "end");
    loom_values_release(&values);
    loom_browser_close(browser);
}

static void write_bad(const char *data, size_t bytes)
{
    FILE *file = fopen(BAD_NAME, "wb");

    REQUIRE(file != NULL);
    EXPECT_EQ(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

/* All readers refuse it, with words. */
static void expect_refused(const char *want)
{
    struct loom_error err = {.text = ""};
    struct loom_walk walk;
    char digest[LOOM_DIGEST_TEXT];

    EXPECT(loom_reader_open(BAD_NAME, NULL, &err) == NULL);
    EXPECT_EQ(err.kind, LOOM_ERR_INPUT);
    EXPECT_TEXT(err.text, BAD_NAME);
    EXPECT_TEXT(err.text, want);
    EXPECT(loom_browser_open(BAD_NAME, &err) == NULL);
    EXPECT_EQ(err.kind, LOOM_ERR_INPUT);
    EXPECT_TEXT(err.text, want);
    EXPECT(!loom_walk_file(BAD_NAME, NULL, NULL, &walk, &err));
    EXPECT(!loom_results_digest(BAD_NAME, digest, &err));
}

static void test_bad_files_are_errors(void)
{
    static const char text[] = "not HDF5 at all, but long enough to be read";
    char *data = calloc(1, 1 << 20);
    FILE *file;
    size_t size;

    REQUIRE(data != NULL);
    unlink(BAD_NAME);
    expect_refused("No such file");
    write_bad("", 0);
    expect_refused("no HDF5 signature");
    write_bad(text, sizeof(text));
    expect_refused("no HDF5 signature");
    record();
    file = fopen(FILE_NAME, "rb");
    REQUIRE(file != NULL);
    size = fread(data, 1, 1 << 20, file);
    fclose(file);
    REQUIRE(size > 100000 && size < 1 << 20);
    write_bad(data, size / 2);
    expect_refused("");
    write_bad(data, 30);
    expect_refused("");
    /* Pages that never reached the disk. */
    memset(data + 4096, 0, size - 4096);
    write_bad(data, size);
    expect_refused("");
    free(data);
    unlink(BAD_NAME);
}

/* HDF5 1.10 would read a heap with a zeroed end for ever. */
static void test_heap_with_zeroed_end_is_an_error(void)
{
    char *data = calloc(1, 1 << 20), *heap;
    FILE *file;
    size_t size;

    REQUIRE(data != NULL);
    record();
    file = fopen(FILE_NAME, "rb");
    REQUIRE(file != NULL);
    size = fread(data, 1, 1 << 20, file);
    fclose(file);
    heap = memmem(data, size, "GCOL", 4);
    REQUIRE(heap != NULL);
    memset(heap + 64, 0, 3000);
    write_bad(data, size);
    expect_refused("a heap of strings is not whole");
    free(data);
    unlink(BAD_NAME);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"stars_stay_within_a_segment", test_stars_stay_within_a_segment},
        {"double_stars_span_segments", test_double_stars_span_segments},
        {"loose_patterns_name_groups_and_statistics",
         test_loose_patterns_name_groups_and_statistics},
        {"distance_counts_changes", test_distance_counts_changes},
        {"table_aggregates_over_instances",
         test_table_aggregates_over_instances},
        {"csv_and_instances", test_csv_and_instances},
        {"wrong_questions_are_explained", test_wrong_questions_are_explained},
        {"any_dataset_is_listed_with_shape_and_scales",
         test_any_dataset_is_listed_with_shape_and_scales},
        {"any_dataset_can_be_read", test_any_dataset_can_be_read},
        {"bad_files_are_errors", test_bad_files_are_errors},
        {"heap_with_zeroed_end_is_an_error",
         test_heap_with_zeroed_end_is_an_error},
    };
    int result = loom_run_tests("stats reader", tests, LOOM_COUNTOF(tests));

    unlink(FILE_NAME);
    return result;
}
