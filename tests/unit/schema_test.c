/*
 * Schema tables: what is checked, what is converted, what an audit finds.
 * links: loom_engine
 */
#include <math.h>

#include "engine/schema.h"

#include "tests/unit/test.h"

struct config {
    uint32_t ways;
    uint64_t bytes;
    double share;
    bool on;
    const char *kind;
    struct loom_list bits;
};

static const char *const kinds[] = {"lru", "fifo", NULL};

static const struct loom_param table[] = {
    LOOM_PARAM(struct config, ways, .def = {.u = 4}, .min = {.u = 1},
               .max = {.u = 64}, .doc = "Lines in a set"),
    LOOM_PARAM(struct config, bytes, .unit = LOOM_UNIT_BYTE, .def = {.u = 1024},
               .min = {.u = 64}, .power_of_2 = true, .doc = "Capacity"),
    LOOM_PARAM(struct config, share, .unit = LOOM_UNIT_RATIO, .def = {.f = 0.5},
               .max = {.f = 1.0}, .doc = "Share"),
    LOOM_PARAM(struct config, on, .def = {.b = true}, .doc = "Switch"),
    LOOM_PARAM(struct config, kind, .def = {.s = "lru"}, .choices = kinds,
               .doc = "Kind"),
    LOOM_PARAM(struct config, bits, .max = {.u = 63}, .doc = "Bit numbers"),
};
static const struct loom_params params = LOOM_SLICE(table);

static void try_set(const char *name, union loom_value value, const char *want)
{
    struct config config;
    struct loom_error err = {LOOM_ERR_NONE, ""};
    bool good;

    loom_params_default(params, &config);
    good = loom_param_set(loom_params_find(params, name), &config, value, &err);
    EXPECT_EQ(good, want == NULL);
    if (want != NULL) {
        EXPECT_TEXT(err.text, want);
    }
}

static void defaults_are_stored(void)
{
    struct config config = {.ways = 99};

    loom_params_default(params, &config);
    EXPECT_EQ(config.ways, 4);
    EXPECT_EQ(config.bytes, 1024);
    EXPECT(config.share == 0.5 && config.on);
    EXPECT_TEXT(config.kind, "lru");
    EXPECT_EQ(config.bits.count, 0);
}

static void values_are_checked(void)
{
    static const uint64_t good[] = {6, 63}, bad[] = {6, 64};

    try_set("ways", (union loom_value){.u = 64}, NULL);
    try_set("ways", (union loom_value){.u = 65},
            "parameter 'ways' is 65, expected 1..64");
    try_set("bytes", (union loom_value){.u = 100},
            "'bytes' is 100, expected a power of two");
    try_set("bytes", (union loom_value){.u = UINT64_C(1) << 40}, NULL);
    try_set("share", (union loom_value){.f = 1.5}, "expected 0..1");
    try_set("kind", (union loom_value){.s = "mru"}, "'mru', which is not");
    try_set("bits", (union loom_value){.list = {good, 2}}, NULL);
    try_set("bits", (union loom_value){.list = {bad, 2}},
            "'bits' is 64, expected 0..63");
}

static void values_are_read_back(void)
{
    struct config config;
    struct loom_error err;
    const struct loom_param *p = loom_params_find(params, "share");

    loom_params_default(params, &config);
    EXPECT(loom_param_set(p, &config, (union loom_value){.f = 0.25}, &err));
    EXPECT(loom_param_get(p, &config).f == 0.25);
    EXPECT_EQ(loom_param_get(loom_params_find(params, "ways"), &config).u, 4);
    EXPECT(loom_params_find(params, "way") == NULL);
}

static void audits_find_bad_tables(void)
{
    static const struct loom_param nameless[] = {
        LOOM_PARAM(struct config, ways, .min = {.u = 0}),
    };
    static const struct loom_param out_of_range[] = {
        LOOM_PARAM(struct config, ways, .def = {.u = 99}, .max = {.u = 64},
                   .doc = "x"),
    };
    struct loom_error err;

    EXPECT(loom_params_audit(params, sizeof(struct config), &err));
    EXPECT(!loom_params_audit((struct loom_params)LOOM_SLICE(nameless),
                              sizeof(struct config), &err));
    EXPECT_TEXT(err.text, "has no doc");
    EXPECT(!loom_params_audit((struct loom_params)LOOM_SLICE(out_of_range),
                              sizeof(struct config), &err));
    EXPECT_TEXT(err.text, "'ways' is 99, expected 0..64");
    EXPECT(!loom_params_audit(params, 8, &err));
    EXPECT_TEXT(err.text, "outside its struct");
}

struct stats {
    uint64_t hits, accesses, by_kind[3];
    struct loom_histogram latency;
};
static const char *const kind_names[] = {"load", "store", "atomic"};
static const struct loom_stat stat_table[] = {
    LOOM_COUNTER(struct stats, hits, LOOM_UNIT_REQUEST, "Hits"),
    LOOM_COUNTER(struct stats, accesses, LOOM_UNIT_REQUEST, "Accesses"),
    LOOM_VECTOR(struct stats, by_kind, "kind", kind_names, LOOM_UNIT_REQUEST,
                "By kind"),
    LOOM_HISTOGRAM(struct stats, latency, LOOM_UNIT_CYCLE, "Latency"),
    LOOM_RATIO(struct stats, hit_ratio, hits, accesses, LOOM_UNIT_RATIO,
               "Share of accesses that hit"),
    LOOM_RATE(struct stats, hit_rate, hits, LOOM_UNIT_BYTE_PER_SECOND, "Rate"),
};
static const struct loom_stats stat_list = LOOM_SLICE(stat_table);

static void formulas_divide(void)
{
    struct stats s = {.hits = 3, .accesses = 4};
    struct loom_error err;

    EXPECT(loom_stats_audit(stat_list, sizeof(s), &err));
    EXPECT(loom_stat_read(&stat_table[4], &s, 0) == 0.75);
    EXPECT(loom_stat_read(&stat_table[5], &s, 2) == 1.5);
    s.accesses = 0;
    EXPECT(isnan(loom_stat_read(&stat_table[4], &s, 0)));
    EXPECT_EQ(loom_stats_find(stat_list, "by_kind")->count, 3);
    EXPECT(!loom_stats_audit(stat_list, 16, &err));
}

static void histograms_have_log2_bins(void)
{
    struct loom_histogram h = {{0}, 0, 0, 0, 0};

    loom_histogram_add(&h, 5);
    loom_histogram_add(&h, 0);
    loom_histogram_add(&h, 1);
    loom_histogram_add(&h, UINT64_MAX / 2);
    EXPECT_EQ(h.bin[0], 1);
    EXPECT_EQ(h.bin[1], 1);
    EXPECT_EQ(h.bin[3], 1);
    EXPECT_EQ(h.bin[LOOM_HISTOGRAM_BINS - 1], 1);
    EXPECT_EQ(h.count, 4);
    EXPECT_EQ(h.min, 0);
    EXPECT_EQ(h.max, UINT64_MAX / 2);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"defaults_are_stored", defaults_are_stored},
        {"values_are_checked", values_are_checked},
        {"values_are_read_back", values_are_read_back},
        {"audits_find_bad_tables", audits_find_bad_tables},
        {"formulas_divide", formulas_divide},
        {"histograms_have_log2_bins", histograms_have_log2_bins},
    };

    return loom_run_tests("schema", tests, LOOM_COUNTOF(tests));
}
