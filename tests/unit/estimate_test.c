/*
 * Estimates from windows: what they come to, and whether their errors say how
 * wrong they are.  Two made-up SMs, whose counters are set by hand and whose
 * time is skipped, do work at rates that change by chance and in trends.
 *
 * links: loom_stats
 */
#include <math.h>

#include "engine/rng.h"

#include "stats/estimate.h"
#include "stats/query.h"
#include "tests/unit/test.h"

static const double OFF = 0.003;

enum {
    SMS = 2,
    WINDOWS = 24,
    TRIALS = 400
};

static const char *const kinds[] = {"near", "far"};

struct fake_stats {
    uint64_t warp_insts, loads, stores, atomics;
    uint64_t accesses, hits, misses, by_kind[2], level;
    struct loom_histogram latency;
    struct loom_array lines;
};

static const struct loom_stat fake_table[] = {
    LOOM_EXACT_COUNTER(struct fake_stats, warp_insts, LOOM_UNIT_WARP_INST, "a"),
    LOOM_EXACT_COUNTER(struct fake_stats, loads, LOOM_UNIT_WARP_INST, "b"),
    LOOM_EXACT_COUNTER(struct fake_stats, stores, LOOM_UNIT_WARP_INST, "c"),
    LOOM_EXACT_COUNTER(struct fake_stats, atomics, LOOM_UNIT_WARP_INST, "d"),
    LOOM_COUNTER(struct fake_stats, accesses, LOOM_UNIT_REQUEST, "e"),
    LOOM_COUNTER(struct fake_stats, hits, LOOM_UNIT_REQUEST, "f"),
    LOOM_COUNTER(struct fake_stats, misses, LOOM_UNIT_REQUEST, "g"),
    LOOM_VECTOR(struct fake_stats, by_kind, "kind", kinds, LOOM_UNIT_REQUEST,
                "h"),
    LOOM_GAUGE(struct fake_stats, level, LOOM_UNIT_REQUEST, "i"),
    LOOM_HISTOGRAM(struct fake_stats, latency, LOOM_UNIT_CYCLE, "j"),
    LOOM_ARRAY(struct fake_stats, lines, "line", LOOM_UNIT_LINE, "k"),
    LOOM_RATIO(struct fake_stats, miss_ratio, misses, accesses, LOOM_UNIT_RATIO,
               "l"),
    LOOM_RATE(struct fake_stats, rate, misses, LOOM_UNIT_REQUEST, "m"),
};

static bool fake_init(struct loom_component *self, struct loom_error *err)
{
    struct fake_stats *stats = loom_stats_of(self);

    loom_array(self, &stats->lines, 3);
    return loom_has_memory(self, err);
}

static loom_cycle fake_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static const struct loom_component_ops fake_ops = {.init = fake_init,
                                                   .tick = fake_tick};
static const struct loom_component_type fake_sm = {
    .name = "sm",
    .doc = "Counts what it is told",
    .state_size = 8,
    .stats_size = sizeof(struct fake_stats),
    .stats = LOOM_SLICE(fake_table),
    .ops = &fake_ops};

static void complain(void *context, const char *path,
                     const struct loom_error *err)
{
    (void)context;
    fprintf(stderr, "%s: %s\n", path, err->text);
}

struct rig {
    struct loom_machine *machine;
    struct loom_catalog *catalog;
    struct loom_estimate *estimate;
    struct loom_rng rng;
    struct fake_stats *sm[SMS];
    double seen; /* femtoseconds in time */
    /* What was never counted. */
    double time, misses[SMS], accesses[SMS];
};

static struct rig make(uint64_t seed)
{
    struct rig rig = {.machine = loom_machine_create(1)};
    struct loom_error err;
    uint32_t clock = loom_machine_clock(rig.machine, 1000000000);

    REQUIRE(loom_machine_add(rig.machine, &fake_sm, "gpu.sm[0]", clock, &err) !=
            NULL);
    REQUIRE(loom_machine_add(rig.machine, &fake_sm, "gpu.sm[1]", clock, &err) !=
            NULL);
    REQUIRE(loom_machine_freeze(rig.machine, complain, NULL));
    rig.catalog = loom_catalog_create(rig.machine, NULL, &err);
    rig.estimate = loom_estimate_create(rig.machine, NULL, &err);
    REQUIRE(rig.catalog != NULL && rig.estimate != NULL);
    loom_estimate_show(rig.estimate, rig.catalog);
    for (uint32_t i = 0; i < SMS; i++) {
        rig.sm[i] = loom_stats_of(loom_machine_component(rig.machine, i));
    }
    loom_rng_init(&rig.rng, seed, "estimate");
    return rig;
}

static void end(struct rig *rig)
{
    loom_catalog_destroy(rig->catalog);
    loom_estimate_destroy(rig->estimate);
    loom_machine_destroy(rig->machine);
}

static double query(const struct rig *rig, const char *path, const char *stat)
{
    struct loom_reading reading;
    struct loom_error err;

    REQUIRE(loom_query(rig->catalog, path, stat, &reading, &err));
    loom_reading_release(&reading);
    return reading.value;
}

static double error_of(const struct rig *rig, const char *path,
                       const char *stat)
{
    struct loom_error err;
    double error;

    REQUIRE(loom_query_error(rig->catalog, path, stat, 0, &error, &err));
    return error;
}

/* So many instructions, in time or left out; one in four is a load, and of an
 * access a part of `miss` misses.  Each takes `each` femtoseconds. */
static void work(struct rig *rig, uint64_t insts, double each, double miss,
                 bool in_time)
{
    for (uint32_t i = 0; i < SMS; i++) {
        struct fake_stats *sm = rig->sm[i];
        uint64_t accesses = insts / 4 * (i + 1);
        uint64_t misses = (uint64_t)((double)accesses * miss);

        sm->warp_insts += insts;
        sm->loads += insts / 4;
        if (!in_time) {
            rig->misses[i] += (double)misses;
            rig->accesses[i] += (double)accesses;
            continue;
        }
        sm->accesses += accesses;
        sm->misses += misses;
        sm->hits += accesses - misses;
        sm->by_kind[0] += misses / 2;
        sm->by_kind[1] += misses - misses / 2;
        sm->latency.bin[3] += misses;
        sm->latency.count += misses;
        sm->latency.sum += 5 * misses;
        sm->lines.item[2] += misses;
        sm->level = 7;
    }
    if (in_time) {
        loom_machine_skip(rig->machine, (loom_time)((double)insts * each));
        rig->seen += (double)insts * each;
    } else {
        rig->time += (double)insts * each;
    }
}

/* ---- what does not change ---- */

static void constant_rates_are_found(void)
{
    struct rig rig = make(1);
    double full, misses;

    work(&rig, 4000, 2000, 0.5, true); /* before: counted as it is */
    for (int i = 0; i < 4; i++) {
        struct loom_estimate_window window;

        loom_estimate_open(rig.estimate);
        work(&rig, 4000, 1000, 0.25, true);
        window = loom_estimate_close(rig.estimate);
        EXPECT_EQ(window.insts, SMS * 4000);
        EXPECT_EQ(window.time, 4000 * 1000);
        loom_machine_skip(rig.machine, (loom_time)window.late);
        loom_estimate_leave(rig.estimate, OFF);
        work(&rig, 40000, 1000, 0.25, false);
        work(&rig, 400, 3000, 0.75, true); /* a ramp, which is off */
    }
    loom_machine_skip(rig.machine,
                      (loom_time)loom_estimate_finish(rig.estimate));
    work(&rig, 4000, 2000, 0.5, true);
    full = 2 * 4000 * 2000 + 4 * (4000 + 40000 + 400) * 1000.0;
    EXPECT_EQ((uint64_t)loom_machine_now(rig.machine), (uint64_t)full);
    misses = 3 * (2 * 500 + 4 * 44400 / 4 * 0.25); /* of both SMs */
    EXPECT_EQ((uint64_t)query(&rig, "gpu.sm", "misses"), (uint64_t)misses);
    EXPECT_EQ((uint64_t)query(&rig, "gpu.sm[1]", "misses"),
              (uint64_t)misses / 3 * 2);
    EXPECT_EQ((uint64_t)query(&rig, "gpu.sm", "by_kind"), (uint64_t)misses);
    EXPECT_EQ((uint64_t)query(&rig, "gpu.sm", "lines"), (uint64_t)misses);
    EXPECT(query(&rig, "gpu.sm", "latency") == 5);
    /* Exact, and of a moment. */
    EXPECT_EQ((uint64_t)query(&rig, "gpu.sm", "warp_insts"),
              SMS * (2 * 4000 + 4 * 44400u));
    EXPECT_EQ((uint64_t)query(&rig, "gpu.sm[0]", "level"), 7);
    EXPECT(error_of(&rig, "gpu.sm", "warp_insts") == 0);
    EXPECT(error_of(&rig, "gpu.sm", "misses") < 0.003 * misses);
    EXPECT_EQ(loom_estimate_left_out(rig.estimate), SMS * 4 * 40400u);
    /* The machine's own counters are as they were. */
    EXPECT_EQ(rig.sm[0]->misses, 2 * 500 + 4 * (250 + 75));
    end(&rig);
}

/* What is left out before the first window is put at its rates, with or
 * without others after it; where there is none, it stays as it was counted. */
static void what_is_left_out_first(int windows)
{
    struct rig rig = make(1);
    double full = windows > 0 ? 2 * windows * 4400 * 1000.0 : 400 * 3000.0;

    for (int i = 0; i < windows || i == 0; i++) {
        loom_estimate_leave(rig.estimate, OFF);
        work(&rig, 4000, 1000, 0.25, false);
        work(&rig, 400, 3000, 0.75, true);
        if (i < windows) {
            loom_estimate_open(rig.estimate);
            work(&rig, 4400, 1000, 0.25, true);
            loom_machine_skip(
                rig.machine, (loom_time)loom_estimate_close(rig.estimate).late);
        }
    }
    loom_machine_skip(rig.machine,
                      (loom_time)loom_estimate_finish(rig.estimate));
    EXPECT_EQ((uint64_t)loom_machine_now(rig.machine), (uint64_t)full);
    EXPECT_EQ((uint64_t)query(&rig, "gpu.sm[0]", "misses"),
              windows > 0 ? 2u * (unsigned)windows * 4400 / 16
                          : 400 / 4 * 3 / 4);
    EXPECT_EQ(isnan(loom_estimate_time_error(rig.estimate)), windows < 2);
    end(&rig);
}

static void no_window_comes_first(void)
{
    what_is_left_out_first(2);
    what_is_left_out_first(1);
    what_is_left_out_first(0);
}

/* One window says nothing of its error. */
static void one_window_is_not_enough(void)
{
    struct rig rig = make(1);

    loom_estimate_open(rig.estimate);
    work(&rig, 4000, 1000, 0.25, true);
    loom_estimate_close(rig.estimate);
    loom_estimate_leave(rig.estimate, OFF);
    work(&rig, 4000, 1000, 0.25, false);
    loom_estimate_finish(rig.estimate);
    EXPECT(isnan(error_of(&rig, "gpu.sm", "misses")));
    EXPECT(isnan(loom_estimate_time_error(rig.estimate)));
    EXPECT(error_of(&rig, "gpu.sm", "loads") == 0);
    end(&rig);
}

/* Of windows some have no loads: rates per load would be of the others only. */
static void some_windows_have_no_loads(void)
{
    struct rig rig = make(1);

    for (uint64_t i = 0; i < 8; i++) {
        loom_estimate_open(rig.estimate);
        for (uint32_t k = 0; k < SMS; k++) {
            rig.sm[k]->warp_insts += 1000;
            rig.sm[k]->loads += i % 4 == 0 ? 0 : 10;
            rig.sm[k]->misses += 100 + i % 2;
        }
        loom_machine_skip(rig.machine, 1000 + i % 2 * 10);
        loom_machine_skip(rig.machine,
                          (loom_time)loom_estimate_close(rig.estimate).late);
        loom_estimate_leave(rig.estimate, OFF);
        for (uint32_t k = 0; k < SMS; k++) {
            rig.sm[k]->warp_insts += 1000;
            rig.sm[k]->loads += 1000;
        }
    }
    loom_machine_skip(rig.machine,
                      (loom_time)loom_estimate_finish(rig.estimate));
    /* Twice as many as were counted, but for the last ones. */
    EXPECT(fabs(query(&rig, "gpu.sm", "misses") - 3216) < 3);
    EXPECT(error_of(&rig, "gpu.sm", "misses") > 1);
    EXPECT(error_of(&rig, "gpu.sm", "misses") < 30);
    EXPECT(fabs((double)loom_machine_now(rig.machine) - 16080) < 20);
    end(&rig);
}

/* A window in which the launch ends is no window. */
static void the_end_is_no_window(void)
{
    struct rig rig = make(1);
    double late;

    for (int i = 0; i < 2; i++) {
        loom_estimate_open(rig.estimate);
        work(&rig, 4000, 1000, 0.25, true);
        loom_estimate_close(rig.estimate);
    }
    loom_estimate_leave(rig.estimate, OFF);
    work(&rig, 40000, 1000, 0.25, false);
    work(&rig, 400, 500, 0.5, true);
    loom_estimate_open(rig.estimate);
    work(&rig, 400, 9000, 0.125, true); /* few CTAs are left */
    late = loom_estimate_finish(rig.estimate);
    EXPECT_EQ((uint64_t)late, 40400 * 1000u - 400 * 500u);
    EXPECT_EQ((uint64_t)query(&rig, "gpu.sm[0]", "misses"),
              2 * 250u + 40400 / 16 + 12);
    end(&rig);
}

/* Launches of two groups by turns; of each two in three are passed over. */
static void launches_are_passed_over(void)
{
    struct rig rig = make(1);
    const double each[] = {1000, 3000}, miss[] = {0.25, 0.5};
    uint32_t group[2];

    REQUIRE(loom_estimate_group(rig.estimate, &group[0]));
    REQUIRE(loom_estimate_group(rig.estimate, &group[1]));
    for (int i = 0; i < 24; i++) {
        for (uint32_t g = 0; g < 2; g++) {
            double more = 1 + (i % 2) * 0.1; /* every other one is slower */
            double late;

            if (i >= 4 && i % 3 != 0) {
                loom_estimate_pass(rig.estimate);
                work(&rig, 4000, each[g], miss[g], false);
                rig.sm[0]->misses += 100; /* of warm messages: not counted */
                late = loom_estimate_passed(rig.estimate, group[g], OFF);
            } else {
                loom_estimate_launch(rig.estimate, group[g]);
                work(&rig, 4000, each[g] * more, miss[g], true);
                late = loom_estimate_launched(rig.estimate, group[g]);
            }
            loom_machine_skip(rig.machine, (loom_time)late);
        }
    }
    loom_estimate_end(rig.estimate);
    /* On average they are 5 % slower; each way the last one counts alone. */
    EXPECT(
        fabs((double)loom_machine_now(rig.machine) / (24 * 4000 * 4000 * 1.05) -
             1) < 0.02);
    EXPECT(loom_estimate_time_error(rig.estimate) * 1e15 >
           0.002 * 24 * 4000 * 4000);
    EXPECT(loom_estimate_time_error(rig.estimate) * 1e15 <
           0.05 * 24 * 4000 * 4000);
    EXPECT(fabs(query(&rig, "gpu.sm[0]", "misses") - 24 * 1000 * 0.75) < 25);
    EXPECT(error_of(&rig, "gpu.sm", "warp_insts") == 0);
    EXPECT(error_of(&rig, "gpu.sm", "misses") > 0);
    EXPECT(loom_estimate_launch_spread(rig.estimate, group[0]) > 0.05);
    EXPECT(loom_estimate_left_out(rig.estimate) == SMS * 2 * 14 * 4000u);
    end(&rig);
}

/* ---- how wrong they are ---- */

struct outcome {
    double off, error; /* of a quantity */
};

static double normal(struct loom_rng *rng)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += (double)loom_rng_below(rng, 1000000) / 1e6;
    }
    return sum;
}

/* A launch of windows with parts between them, whose rates have a trend and
 * chance: what is left out is as many windows, each with its own. */
static void trial(uint64_t seed, double trend, struct outcome *time,
                  struct outcome *misses, struct outcome *ratio)
{
    struct rig rig = make(seed);
    double all, most, share;

    for (int i = 0; i < WINDOWS; i++) {
        for (int part = 0; part < 9; part++) {
            double at = (i + part / 9.0) / (int)WINDOWS * trend;
            double each = 1000 * (1 + at + 0.05 * normal(&rig.rng));
            double miss = 0.3 * (1 + at + 0.1 * normal(&rig.rng));

            if (part == 0) {
                loom_estimate_open(rig.estimate);
            }
            work(&rig, 4000, each, miss, part == 0);
            if (part == 0) {
                double late = loom_estimate_close(rig.estimate).late;

                loom_machine_skip(rig.machine, (loom_time)late);
                loom_estimate_leave(rig.estimate, OFF);
            }
        }
    }
    loom_machine_skip(rig.machine,
                      (loom_time)loom_estimate_finish(rig.estimate));
    all = rig.seen + rig.time;
    most = rig.misses[0] + rig.misses[1];
    share = rig.accesses[0] + rig.accesses[1];
    for (uint32_t i = 0; i < SMS; i++) {
        most += (double)rig.sm[i]->misses;
        share += (double)rig.sm[i]->accesses;
    }
    *time = (struct outcome){(double)loom_machine_now(rig.machine) - all,
                             loom_estimate_time_error(rig.estimate) * 1e15};
    *misses = (struct outcome){query(&rig, "gpu.sm", "misses") - most,
                               error_of(&rig, "gpu.sm", "misses")};
    *ratio =
        (struct outcome){query(&rig, "gpu.sm", "miss_ratio") - most / share,
                         error_of(&rig, "gpu.sm", "miss_ratio")};
    end(&rig);
}

static bool covers(struct outcome outcome)
{
    return fabs(outcome.off) <= 1.96 * outcome.error;
}

/* 95 % intervals contain the truth as often as they say, and more often where
 * there is a trend. */
static void intervals_hold(void)
{
    const double trends[] = {0, 0.5};

    for (size_t t = 0; t < LOOM_COUNTOF(trends); t++) {
        uint32_t time_in = 0, misses_in = 0, ratio_in = 0;

        for (uint64_t n = 0; n < TRIALS; n++) {
            struct outcome time, misses, ratio;

            trial(n + 1, trends[t], &time, &misses, &ratio);
            time_in += covers(time);
            misses_in += covers(misses);
            ratio_in += covers(ratio);
        }
        printf("trend %.1f: %u, %u, %u of %d in their intervals\n", trends[t],
               time_in, misses_in, ratio_in, TRIALS);
        EXPECT(10 * time_in >= 9 * TRIALS);
        EXPECT(10 * misses_in >= 9 * TRIALS);
        EXPECT(10 * ratio_in >= 9 * TRIALS);
        EXPECT(1000 * misses_in <= 995 * TRIALS || t != 0);
    }
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"constant_rates_are_found", constant_rates_are_found},
        {"no_window_comes_first", no_window_comes_first},
        {"one_window_is_not_enough", one_window_is_not_enough},
        {"some_windows_have_no_loads", some_windows_have_no_loads},
        {"the_end_is_no_window", the_end_is_no_window},
        {"launches_are_passed_over", launches_are_passed_over},
        {"intervals_hold", intervals_hold},
    };

    return loom_run_tests("estimate", tests, LOOM_COUNTOF(tests));
}
