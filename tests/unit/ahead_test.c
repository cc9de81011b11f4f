/*
 * Running ahead: askers, servers that answer them from afar, and stores behind
 * the servers on a clock of their own do the same things at the same times
 * whether some of them run ahead (one thread, measured or not) or none does
 * (several).
 * links: loom_engine
 */
#include <stdlib.h>

#include "engine/forecast.h"
#include "engine/rng.h"

#include "tests/unit/ahead_server.h"

struct world {
    struct loom_machine *machine;
    struct loom_component *part[PARTS];
    uint32_t askers, parts;
};

/* What was seen at each stop. */
struct story {
    uint64_t sum[STOPS], ahead;
    loom_time at[STOPS];
    enum loom_stop why[STOPS];
    uint32_t stops;
    struct loom_error err;
};

struct plan {
    uint64_t seed;
    uint32_t threads;
    loom_time slice;                    /* 0: until something happens */
    uint32_t asker_fails, server_fails; /* cycles, or 0 */
    enum loom_pace pace;
};

static uint32_t below(struct loom_rng *rng, uint32_t n)
{
    return (uint32_t)loom_rng_below(rng, n);
}

static struct loom_wire wire(struct loom_rng *rng, uint32_t latency,
                             uint32_t more)
{
    uint32_t credit = 1 + below(rng, 3);

    return (struct loom_wire){latency, credit,
                              latency + credit + below(rng, more)};
}

static void add(struct world *w, const struct loom_component_type *type,
                const char *path, uint32_t clock)
{
    struct loom_error err;

    w->part[w->parts] = loom_machine_add(w->machine, type, path, clock, &err);
    REQUIRE(w->part[w->parts] != NULL);
    w->parts++;
}

struct route {
    uint32_t from;
    const char *port;
    uint32_t index, to, up;
};

static void link_to(struct world *w, struct loom_rng *rng, struct route r)
{
    struct loom_error err;
    uint32_t far =
        below(rng, 40) == 0 ? 1 + below(rng, 30) : 70 + below(rng, 130);
    /* One draw after the other: compilers order arguments as they like. */
    uint32_t more = below(rng, 4) == 0 ? 4 : 70;
    uint32_t near = 1 + below(rng, 2);
    struct loom_wire back = wire(rng, near, more);
    struct loom_wire out = wire(rng, far, 30);

    REQUIRE(loom_machine_link(
        w->machine, (struct loom_end){w->part[r.from], r.port, r.index},
        (struct loom_end){w->part[r.to], "up", r.up}, out, back, &err));
}

/* 0: one, measured. */
static void set_threads(struct loom_machine *machine, const struct plan *plan)
{
    if (plan->threads == 0) {
        loom_machine_foresee(machine, plan->pace);
    } else {
        loom_machine_threads(machine, plan->threads, plan->pace);
    }
}

static struct world make(const struct plan *plan)
{
    static const uint64_t hertz[3] = {700000000, 924000000, 1400000000};
    struct loom_rng rng;
    struct world w = {.machine = loom_machine_create(plan->seed)};
    uint32_t core, memory, servers, stores;
    struct toy_errors errors = {0};
    uint32_t used[STORES] = {0};
    char path[32];

    loom_rng_init(&rng, plan->seed, "world");
    core = loom_machine_clock(w.machine, hertz[below(&rng, 3)]);
    memory = loom_machine_clock(w.machine, hertz[below(&rng, 3)]);
    servers = SERVERS - below(&rng, 2);
    stores = 1 + below(&rng, STORES);
    w.askers = 1 + below(&rng, ASKERS);
    set_threads(w.machine, plan);
    for (uint32_t i = 0; i < w.askers + servers + stores; i++) {
        bool asks = i < w.askers, serves = !asks && i < w.askers + servers;

        snprintf(path, sizeof(path), "w.%s[%u]",
                 asks     ? "asker"
                 : serves ? "server"
                          : "store",
                 i);
        add(&w, asks ? &asker_type : &server_type, path,
            asks || serves ? core : memory);
        toy_set(w.part[i], "period", 1 + below(&rng, 4) / 3);
        toy_set(w.part[i], "batch", 1 + below(&rng, 1000));
        toy_set(w.part[i], "pause", below(&rng, 3) == 0 ? below(&rng, 200) : 0);
        toy_set(w.part[i], "ahead", below(&rng, 16) != 0);
        toy_set(w.part[i], "raise_at",
                asks     ? plan->asker_fails
                : serves ? plan->server_fails
                         : 0);
    }
    for (uint32_t i = 0; i < w.askers; i++) {
        for (uint32_t k = 0; k < servers; k++) {
            link_to(&w, &rng, (struct route){i, "out", k, w.askers + k, i});
        }
    }
    for (uint32_t k = 0; k < servers && below(&rng, 6) != 0; k++) {
        uint32_t store = k % stores;

        link_to(&w, &rng,
                (struct route){w.askers + k, "down", 0,
                               w.askers + servers + store, used[store]++});
    }
    for (uint32_t k = 0; k < stores; k++) {
        if (used[k] == 0) { /* it has to serve somebody */
            add(&w, &asker_type, k == 0 ? "w.spare[0]" : "w.spare[1]", core);
            link_to(&w, &rng,
                    (struct route){w.parts - 1, "out", 0,
                                   w.askers + servers + k, 0});
        }
    }
    REQUIRE(loom_machine_freeze(w.machine, toy_error, &errors));
    return w;
}

static uint64_t look(const struct world *w)
{
    uint64_t sum = 0;

    loom_machine_settle(w->machine);
    for (uint32_t i = 0; i < w->parts; i++) {
        const struct part_stats *stats = loom_stats_of(w->part[i]);

        sum = sum * 1000003 + stats->taken + stats->sum * 3 + stats->last * 5 +
              stats->waits * 7;
    }
    return sum;
}

/* All ticks are somebody's, whatever the number of threads, and more threads
 * have less to do each. */
static void expect_forecasts(const struct loom_machine *machine)
{
    struct loom_forecast one, many, last;
    double sum = 0;

    if (!loom_machine_forecast(machine, 0, &one)) {
        return;
    }
    for (uint32_t i = 0; i < loom_machine_component_count(machine); i++) {
        sum += loom_machine_forecast_part(machine, i);
    }
    EXPECT(one.even > 0.999999 * sum && one.even < 1.000001 * sum);
    EXPECT(one.one + one.uneven + one.meetings + one.wakes <= 1e-9 * sum);
    last = one;
    for (uint32_t i = 1; i < LOOM_FORECASTS; i++) {
        double all;

        REQUIRE(loom_machine_forecast(machine, i, &many));
        all = many.even * many.threads;
        EXPECT(all > 0.999999 * sum && all < 1.000001 * sum);
        EXPECT(many.one >= 0 && many.uneven >= -1e-9 * sum);
        EXPECT(many.even + many.one <= 1.000001 * (last.even + last.one));
        EXPECT(many.even + many.one + many.uneven <= 1.000001 * sum);
        last = many;
    }
}

static void run(const struct plan *plan, struct story *story)
{
    struct world w = make(plan);
    uint32_t batches = 0;

    *story = (struct story){.stops = 0};
    while (story->stops < STOPS) {
        loom_time until = plan->slice == 0
                              ? LOOM_NEVER
                              : loom_machine_now(w.machine) + plan->slice;
        uint32_t n = story->stops++;

        for (uint32_t i = 0; i < w.askers && batches < 4; i++) {
            REQUIRE(loom_machine_command(w.part[i], NULL, &story->err));
        }
        story->why[n] =
            loom_machine_run(w.machine, until, LOOM_NEVER, &story->err);
        story->at[n] = loom_machine_now(w.machine);
        story->sum[n] = story->why[n] == LOOM_STOP_ERROR ? 0 : look(&w);
        batches += story->why[n] == LOOM_STOP_NOTIFY;
        if (story->why[n] == LOOM_STOP_IDLE ||
            story->why[n] == LOOM_STOP_ERROR) {
            break;
        }
    }
    story->ahead = loom_machine_ticks_ahead(w.machine);
    expect_forecasts(w.machine);
    loom_machine_destroy(w.machine);
}

static bool same(const struct story *a, const struct story *b)
{
    bool good = a->stops == b->stops;

    for (uint32_t i = 0; good && i < a->stops; i++) {
        good = a->sum[i] == b->sum[i] && a->why[i] == b->why[i] &&
               (a->why[i] == LOOM_STOP_ERROR || a->at[i] == b->at[i]);
    }
    return good;
}

/* The last seed; 120 by unit_nightly. */
static uint64_t last = 12;

/* Those that have found a fault come behind it; 0: that was all. */
static uint64_t after(uint64_t seed)
{
    static const uint64_t more[] = {22, 42};

    if (seed < last) {
        return seed + 1;
    }
    for (size_t i = 0; i < LOOM_COUNTOF(more); i++) {
        if (more[i] > seed) {
            return more[i];
        }
    }
    return 0;
}

static void nobody_can_tell(void)
{
    static struct story one, two;
    uint64_t ahead = 0, ahead_apart = 0;
    uint32_t stopped = 0;

    for (uint64_t seed = 1; seed != 0; seed = after(seed)) {
        struct plan plan = {.seed = seed, .threads = 1};

        plan.slice = seed % 3 == 0 ? 0 : 300000000 + seed * 7654321;
        run(&plan, &one);
        plan.threads = 2 + (uint32_t)(seed % 2);
        run(&plan, &two);
        ahead_apart += two.ahead;
        if (!same(&one, &two)) {
            fprintf(stderr, "seed %llu differs\n", (unsigned long long)seed);
        }
        EXPECT(same(&one, &two));
        plan.pace = LOOM_PACE_CHANGE;
        run(&plan, &two);
        EXPECT(same(&one, &two));
        if (seed % 4 == 1) {
            plan.threads = 0;
            run(&plan, &two);
            EXPECT(same(&one, &two));
            EXPECT_EQ(two.ahead, one.ahead);
        }
        ahead += one.ahead;
        stopped += one.stops > 10;
    }
    EXPECT(ahead > 600 * last);
    EXPECT(ahead_apart > 300 * last);
    EXPECT(4 * stopped > last);
}

/* Of two errors the earlier one is told, whoever was simulated first. */
static void the_earliest_error_counts(void)
{
    static struct story one, two;
    uint64_t ahead = 0;

    for (uint64_t seed = 1; seed != 0; seed = after(seed)) {
        struct plan plan = {.seed = seed, .threads = 1};

        plan.asker_fails = 1900 + (uint32_t)(seed * 37 % 400);
        plan.server_fails = 1900 + (uint32_t)(seed * 91 % 400);
        run(&plan, &one);
        plan.threads = 2;
        plan.pace = seed % 2 == 0 ? LOOM_PACE_CHANGE : LOOM_PACE_FIXED;
        run(&plan, &two);
        EXPECT(same(&one, &two));
        EXPECT_TEXT(one.err.text, two.err.text);
        ahead += one.ahead;
    }
    EXPECT(ahead > 30 * last);
}

int main(int argc, char **argv)
{
    static const struct loom_test tests[] = {
        {"nobody_can_tell", nobody_can_tell},
        {"the_earliest_error_counts", the_earliest_error_counts},
    };

    if (argc > 1) {
        last = strtoull(argv[1], NULL, 10);
    }
    return loom_run_tests("ahead", tests, LOOM_COUNTOF(tests));
}
