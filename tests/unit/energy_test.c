/*
 * Energy events: what they count, and counters times coefficients as
 * statistics of a class.
 *
 * links: loom_stats
 */
#include <stdlib.h>
#include <unistd.h>

#include "engine/energy.h"

#include "stats/query.h"
#include "stats/reader.h"
#include "stats/recorder.h"
#include "tests/unit/stats_rig.h"

#define FILE_NAME "energy_test.h5"

static const struct loom_stats core_stats = {rig_core_table,
                                             LOOM_COUNTOF(rig_core_table)};

static uint64_t counted(const char *count, const struct rig_core_stats *stats)
{
    struct loom_energy_sum sum;
    struct loom_error err;

    REQUIRE(loom_energy_parse(count, core_stats, &sum, &err));
    return loom_energy_count(&sum, stats);
}

static void sums_are_of_counters_and_elements(void)
{
    const struct rig_core_stats stats = {
        .accesses = 100, .hits = 7, .stall = {1000, 200, 30}};

    EXPECT_EQ(counted("hits", &stats), 7);
    EXPECT_EQ(counted("hits + accesses", &stats), 107);
    EXPECT_EQ(counted("3*hits + 2 * accesses", &stats), 221);
    EXPECT_EQ(counted("stall.scoreboard", &stats), 200);
    EXPECT_EQ(counted("stall", &stats), 1230);
    EXPECT_EQ(counted("2*stall.memory+hits", &stats), 67);
}

static void arrays_are_summed(void)
{
    uint64_t fills[] = {1, 2, 4};
    const struct rig_store_stats stats = {.ticks = 9, .fills = {fills, 3}};
    struct loom_energy_sum sum;
    struct loom_error err;

    REQUIRE(loom_energy_parse(
        "2*fills + ticks",
        (struct loom_stats){rig_store_table, LOOM_COUNTOF(rig_store_table)},
        &sum, &err));
    EXPECT_EQ(loom_energy_count(&sum, &stats), 23);
}

static void wrong_counts_are_explained(void)
{
    static const char *const wrong[][2] = {
        {"", "has no name"},
        {"hit", "'hit' is no counter"},
        {"hit_ratio", "'hit_ratio' is no counter"},
        {"depth", "'depth' is no counter"},
        {"hits +", "has no name"},
        {"hits - accesses", "expected '+'"},
        {"0*hits", "a factor"},
        {"3 hits", "a factor"},
        {"99999999999999999999*hits", "a factor"},
        {"stall.mem", "no element 'mem'"},
        {"hits.memory", "no element 'memory'"},
        {"time + hits", "'time' is no counter"},
    };
    struct loom_energy_sum sum;
    struct loom_error err;
    char many[LOOM_ENERGY_TERMS * 5 + 5] = "hits";

    for (size_t i = 0; i < LOOM_COUNTOF(wrong); i++) {
        EXPECT(!loom_energy_parse(wrong[i][0], core_stats, &sum, &err));
        EXPECT_TEXT(err.text, wrong[i][1]);
    }
    for (int i = 0; i < LOOM_ENERGY_TERMS; i++) {
        memcpy(many + 4 + 5 * i, "+hits", 6);
    }
    EXPECT(!loom_energy_parse(many, core_stats, &sum, &err));
    EXPECT_TEXT(err.text, "more than 32 terms");
}

static void audit_refuses(struct loom_energy energy, const char *why)
{
    struct loom_error err;

    EXPECT(!loom_energies_audit((struct loom_energies){&energy, 1}, core_stats,
                                &err));
    EXPECT_TEXT(err.text, why);
}

static void incomplete_declarations_are_refused(void)
{
    static const struct loom_energy good = {"hit", "A hit", "hits", 1, "here"};
    const struct loom_energy twice[] = {good, good};
    static const struct loom_stat clash[] = {
        LOOM_COUNTER(struct rig_chip_stats, ticks, LOOM_UNIT_CYCLE, "Cycles"),
        {.name = "energy_of_it", .doc = "Clashes"}};
    struct loom_energy bad = good;
    struct loom_error err;

    EXPECT(loom_energies_audit((struct loom_energies){&good, 1}, core_stats,
                               &err));
    bad.source = NULL;
    audit_refuses(bad, "needs a doc, a source");
    bad = good;
    bad.value = -1;
    audit_refuses(bad, "needs a doc, a source");
    bad = good;
    bad.name = "Hit";
    audit_refuses(bad, "[a-z]");
    bad = good;
    bad.count = "misses";
    audit_refuses(bad, "no counter");
    EXPECT(!loom_energies_audit((struct loom_energies){twice, 2}, core_stats,
                                &err));
    EXPECT_TEXT(err.text, "declared twice");
    EXPECT(!loom_energies_audit((struct loom_energies){0},
                                (struct loom_stats){clash, 2}, &err));
    EXPECT_TEXT(err.text, "'energy_of_it' has a name");
}

/* Core i of the SMs takes (i + 1) J for a hit, 0.25 J for the mixture and
 * 8 W; nothing is said of other parts but the policy's storage. */
static bool ask(void *context, const char *path, const char *event,
                struct loom_coefficient *coefficient)
{
    const double *worst = context;

    if (strncmp(path, "gpu[0].sm[", 10) != 0) {
        return false;
    }
    coefficient->source = "the test's model";
    if (strcmp(event, "hit") == 0) {
        coefficient->value = path[10] - '0' + 1;
        return true;
    }
    coefficient->source = NULL;
    coefficient->value = strcmp(event, "mixed") == 0     ? 0.25
                         : strcmp(event, "idle") == 0    ? 8
                         : strcmp(event, "storage") == 0 ? 1e-6
                                                         : *worst;
    return strcmp(event, "fill") != 0 || *worst != 0;
}

static const struct rig_core_stats *core(struct loom_machine *machine,
                                         const char *path)
{
    return loom_stats_of(loom_machine_find(machine, path));
}

static double read_one(const struct loom_catalog *catalog, const char *path,
                       const char *stat)
{
    struct loom_reading reading;
    struct loom_error err;

    REQUIRE(loom_query(catalog, path, stat, &reading, &err));
    EXPECT(!reading.is_integer);
    loom_reading_release(&reading);
    return reading.value;
}

static void energies_are_counts_times_coefficients(void)
{
    struct loom_machine *machine = rig_machine(3);
    double none = 0, seconds = 40e-9, sum = 0;
    const struct loom_energy_model model = {ask, &none};
    struct loom_reading reading;
    struct loom_error err;
    struct loom_catalog *catalog = loom_catalog_create(machine, &model, &err);

    REQUIRE(catalog != NULL);
    rig_run(machine, 40);
    for (uint32_t i = 0; i < 3; i++) {
        char path[32];
        const struct rig_core_stats *s;
        double one, mixed, idle;

        snprintf(path, sizeof(path), "gpu[0].sm[%u]", i);
        s = core(machine, path);
        one = (double)(i + 1) * (double)s->hits;
        mixed = 0.25 * (double)(s->accesses + 4 * s->stall[2] + s->stall[0] +
                                s->stall[1]);
        idle = 8 * seconds;
        EXPECT(s->accesses > 0);
        EXPECT(read_one(catalog, path, "energy_hit") == one);
        EXPECT(read_one(catalog, path, "energy_mixed") == mixed);
        EXPECT(read_one(catalog, path, "energy_idle") == idle);
        EXPECT(read_one(catalog, path, "energy") == one + mixed + idle);
        EXPECT(read_one(catalog, path, "power") ==
               (one + mixed + idle) / seconds);
        sum += one;
    }
    EXPECT(read_one(catalog, "gpu/sm", "energy_hit") == sum);
    EXPECT(read_one(catalog, "gpu/sm/l1d/policy/tally", "energy") ==
           3 * (1e-6 * seconds));
    /* The model knows nothing of these. */
    EXPECT(!loom_query(catalog, "gpu/sm/l1d", "energy", &reading, &err));
    EXPECT(!loom_query(catalog, "gpu", "energy", &reading, &err));
    loom_catalog_destroy(catalog);
    loom_machine_destroy(machine);
}

static void impossible_coefficients_are_refused(void)
{
    static const double wrong[] = {-1, 1e300};
    struct loom_machine *machine = rig_machine(1);
    struct loom_error err;

    for (size_t i = 0; i < LOOM_COUNTOF(wrong); i++) {
        double value = wrong[i];
        const struct loom_energy_model model = {ask, &value};

        EXPECT(loom_catalog_create(machine, &model, &err) == NULL);
        EXPECT_TEXT(err.text, "energy 'fill' of 'gpu[0].sm[0].l1d'");
    }
    loom_machine_destroy(machine);
}

static const char *const choice[] = {"gpu.sm.power"};

static void close_file(struct loom_recorder *recorder)
{
    const struct loom_snapshot shot = {.label = "end",
                                       .reason = LOOM_REASON_FINAL};
    const struct loom_ending done = {.status = LOOM_RUN_COMPLETE,
                                     .exit_reason = "all done",
                                     .state_digest = "abc"};
    struct loom_error err;

    REQUIRE(loom_recorder_snapshot(recorder, &shot, &err));
    REQUIRE(loom_recorder_close(recorder, &done, &err));
}

static double in_file(const char *name, uint64_t index)
{
    struct loom_error err;
    struct loom_reader *reader = loom_reader_open(FILE_NAME, NULL, &err);
    const union loom_reader_value *value;
    int64_t number;
    double got;

    REQUIRE(reader != NULL);
    number = loom_reader_find(reader, name);
    REQUIRE(number >= 0);
    value = loom_reader_values(reader, (uint32_t)number, 0, &err);
    REQUIRE(value != NULL);
    got = value[index].f;
    loom_reader_close(reader);
    return got;
}

static void files_have_energies_where_a_model_is(void)
{
    struct loom_machine *machine = rig_machine(2);
    double none = 0;
    const struct loom_energy_model model = {ask, &none};
    const struct loom_recorder_options options = {.energy = &model,
                                                  .energy_model = "ours"};
    const struct loom_series_spec spec = {.name = "p",
                                          .period = 10 * RIG_CYCLE,
                                          .pattern = choice,
                                          .patterns = 1};
    struct loom_error err;
    struct loom_recorder *recorder;
    uint32_t series;

    unlink(FILE_NAME);
    recorder = loom_recorder_create(machine, FILE_NAME, &options, &err);
    REQUIRE(recorder != NULL);
    REQUIRE(loom_recorder_add_series(recorder, &spec, &series, &err));
    rig_run(machine, 10);
    REQUIRE(loom_recorder_epoch(recorder, series, 10 * RIG_CYCLE, &err));
    close_file(recorder);
    EXPECT(in_file("gpu.sm.energy_hit", 1) ==
           2 * (double)core(machine, "gpu[0].sm[1]")->hits);
    EXPECT(in_file("gpu.sm.energy", 1) ==
           in_file("gpu.sm.energy_hit", 1) + in_file("gpu.sm.energy_mixed", 1) +
               in_file("gpu.sm.energy_idle", 1));
    unlink(FILE_NAME);
    loom_machine_destroy(machine);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"sums_are_of_counters_and_elements",
         sums_are_of_counters_and_elements},
        {"arrays_are_summed", arrays_are_summed},
        {"wrong_counts_are_explained", wrong_counts_are_explained},
        {"incomplete_declarations_are_refused",
         incomplete_declarations_are_refused},
        {"energies_are_counts_times_coefficients",
         energies_are_counts_times_coefficients},
        {"impossible_coefficients_are_refused",
         impossible_coefficients_are_refused},
        {"files_have_energies_where_a_model_is",
         files_have_energies_where_a_model_is},
    };

    return loom_run_tests("energy", tests, LOOM_COUNTOF(tests));
}
