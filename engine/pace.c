/*
 * The pace: how many threads make a machine faster, found by trying.
 *
 * What a window costs depends on the program and on the host: a GPU of eighty
 * busy SMs is work for many, one that waits for DRAM is not, and who shares
 * the processors with us comes and goes.  So a run begins with one thread.
 * Now and then another number of them is tried for some milliseconds, and
 * stays if more ticks are executed in a second.  While shards have unlike
 * amounts of work their shares are changed.  No result depends on any of this.
 */
#include <stdlib.h>

#include "engine/ahead_private.h"
#include "engine/forecast_private.h"

enum {
    WINDOWS = 0xFFF, /* between two looks, less one, if there is no choice */
    FEWER = 0x1F,    /* likewise, if there is */
    SLICE = 20,      /* milliseconds after which a pace is looked at */
    ROUND = 4,       /* of a trial that ends with a new share for all */
    ROUNDS = 2,      /* of them, before its turns */
    TURN = 6,        /* of a trial: of the new layout, then of the old one */
    TURNS = 3,       /* of each */
    SOON = 2,        /* slices until the first trial */
    STAY = 32,       /* after one */
    STAY_MOST = 512
};

static const double WORTH = 1.03; /* as fast as before, or more: it stays */
static const double EVEN = 1.06;  /* the busiest shard, to the mean */

struct pace {
    enum loom_pace how;
    uint32_t most;          /* threads */
    uint32_t best, tried;   /* shards; tried 0: no trial is under way */
    uint32_t slices, stay;  /* since the last trial, until the next one */
    uint32_t rounds, turns; /* of this trial that are over */
    uint32_t trials;        /* all */
    double speed[2][TURNS]; /* of turns: ticks in a nanosecond */
    uint32_t shared;        /* for so many shards `share` was found */
    double rate;            /* of the best, in the last slice */
    uint64_t begin, spent;  /* host's time of this run; of those before it */
    uint64_t ticks;
    double share[LOOM_THREADS_MAX];
};

void loom_machine_threads(struct loom_machine *machine, uint32_t threads,
                          enum loom_pace how)
{
    LOOM_CHECK(!machine->frozen && threads >= 1);
    machine->threads = threads < LOOM_THREADS_MAX ? threads : LOOM_THREADS_MAX;
    machine->pace_how = how;
}

bool loom_pace_start(struct loom_machine *machine)
{
    struct pace *pace;

    machine->watched = WINDOWS;
    if (machine->threads > machine->islands) {
        machine->threads = machine->islands;
    }
    if (machine->threads < 2) {
        return true;
    }
    pace = calloc(1, sizeof(*pace));
    if (pace == NULL) {
        return false;
    }
    machine->pace = pace;
    machine->watched = FEWER;
    pace->how = machine->pace_how;
    pace->most = machine->threads;
    pace->best = 1;
    pace->stay = SOON;
    return loom_threads_start(machine);
}

void loom_pace_free(struct loom_machine *machine)
{
    free(machine->pace);
}

/* ---- shares ---- */

/* Found shares are kept while one shard has all. */
static void share_alike(struct pace *pace, uint32_t shards)
{
    if (shards > 1 && pace->shared != shards) {
        for (uint32_t i = 0; i < shards; i++) {
            pace->share[i] = 1.0 / shards;
        }
        pace->shared = shards;
    }
}

bool loom_pace_share(double *share, const double *busy, uint32_t shards)
{
    double most = 0, sum = 0, mean, all = 0;

    for (uint32_t i = 0; i < shards; i++) {
        sum += busy[i];
        most = busy[i] > most ? busy[i] : most;
    }
    mean = sum / shards;
    if (most <= EVEN * mean) {
        return false;
    }
    for (uint32_t i = 0; i < shards; i++) {
        share[i] = (share[i] + 0.02) * (1.1 * mean / (busy[i] + 0.1 * mean));
        all += share[i];
    }
    for (uint32_t i = 0; i < shards; i++) {
        share[i] /= all;
    }
    return true;
}

static bool share_anew(struct loom_machine *machine)
{
    double busy[LOOM_THREADS_MAX];

    for (uint32_t i = 0; i < machine->shards; i++) {
        busy[i] = (double)machine->shard[i].busy;
    }
    return loom_pace_share(machine->pace->share, busy, machine->shards);
}

/* ---- layouts ---- */

static void deal(struct loom_machine *machine, uint32_t shards)
{
    struct pace *pace = machine->pace;

    loom_threads_end(machine);
    if (shards == 1) {
        loom_deal_alone(machine);
    } else if (loom_deal_out(machine, shards, pace->share)) {
        loom_threads_begin(machine);
    } else {
        pace->most = 1; /* no memory for it */
        pace->best = 1;
    }
    for (uint32_t i = 0; i < machine->shards; i++) {
        loom_shard_plan(&machine->shard[i]);
    }
}

static void measure(struct loom_machine *machine)
{
    struct pace *pace = machine->pace;

    pace->spent = 0;
    pace->begin = loom_host_time();
    pace->ticks = loom_machine_ticks(machine);
    for (uint32_t i = 0; i < machine->shards; i++) {
        machine->shard[i].busy = 0;
    }
}

/* Another number than the best one: more, then fewer. */
static uint32_t next_trial(struct pace *pace)
{
    uint32_t more = pace->best * 2 < pace->most ? pace->best * 2 : pace->most;
    uint32_t fewer = pace->best / 2;

    pace->trials++;
    if (more == pace->best) {
        return fewer;
    }
    return fewer == 0 || pace->trials % 2 == 1 ? more : fewer;
}

static void end_trial(struct loom_machine *machine, bool worth)
{
    struct pace *pace = machine->pace;

    if (worth) {
        pace->best = pace->tried;
        pace->stay = STAY;
    } else {
        pace->stay = pace->stay < STAY ? STAY : 2 * pace->stay;
        pace->stay = pace->stay < STAY_MOST ? pace->stay : STAY_MOST;
    }
    if (machine->shards != pace->best) {
        share_alike(pace, pace->best);
        deal(machine, pace->best);
    }
    pace->tried = 0;
    pace->slices = 0;
}

static double middle(const double speed[TURNS])
{
    double low = speed[0] < speed[1] ? speed[0] : speed[1];
    double high = speed[0] < speed[1] ? speed[1] : speed[0];

    return speed[2] < low ? low : speed[2] > high ? high : speed[2];
}

/* The next turn, or what the turns say: programs have phases, and what a
 * dispatched CTA computes comes at once, so neighbours are compared, and of
 * three turns the middle one counts. */
static void end_turn(struct loom_machine *machine, double rate)
{
    struct pace *pace = machine->pace;
    uint32_t turn = pace->turns++;

    pace->speed[turn % 2][turn / 2] = rate;
    if (pace->turns == 2 * TURNS) {
        end_trial(machine,
                  middle(pace->speed[0]) > WORTH * middle(pace->speed[1]));
    } else {
        uint32_t shards = turn % 2 == 0 ? pace->best : pace->tried;

        share_alike(pace, shards);
        deal(machine, shards);
    }
}

/* The first rounds of a trial find shares. */
static void end_round(struct loom_machine *machine, double rate)
{
    struct pace *pace = machine->pace;

    pace->rounds++;
    if (rate < 0.4 * pace->rate) {
        end_trial(machine, false);
    } else if (machine->shards > 1 && share_anew(machine)) {
        deal(machine, machine->shards);
    }
}

static void look_at_trial(struct loom_machine *machine, uint64_t time,
                          double rate)
{
    struct pace *pace = machine->pace;
    bool finds = pace->rounds < ROUNDS;

    if (time >= (finds ? ROUND : TURN) * UINT64_C(1000000)) {
        if (finds) {
            end_round(machine, rate);
        } else {
            end_turn(machine, rate);
        }
        measure(machine);
    }
}

static void look_at_best(struct loom_machine *machine, uint64_t time,
                         double rate)
{
    struct pace *pace = machine->pace;

    if (time < SLICE * UINT64_C(1000000)) {
        return;
    }
    pace->rate = rate;
    if (++pace->slices >= pace->stay && pace->most > 1) {
        pace->tried = next_trial(pace);
        pace->rounds = pace->turns = 0;
        share_alike(pace, pace->tried);
        deal(machine, pace->tried);
    } else if (machine->shards > 1 && share_anew(machine)) {
        deal(machine, machine->shards);
    }
    measure(machine);
}

/* Tests: all layouts in turn, with shares that are not alike. */
static void change(struct loom_machine *machine)
{
    struct pace *pace = machine->pace;
    uint32_t shards = machine->shards % pace->most + 1;
    double all = 0;

    for (uint32_t i = 0; i < shards; i++) {
        pace->share[i] = 1 + (pace->trials + i) % 5;
        all += pace->share[i];
    }
    for (uint32_t i = 0; i < shards; i++) {
        pace->share[i] /= all;
    }
    pace->trials++;
    deal(machine, shards);
}

void loom_pace_look(struct loom_machine *machine)
{
    struct pace *pace = machine->pace;

    if (pace == NULL || machine->together) {
        return;
    }
    if (pace->how == LOOM_PACE_CHANGE) {
        change(machine);
    } else if (pace->how == LOOM_PACE_PAYS) {
        uint64_t time = pace->spent + loom_host_time() - pace->begin;
        double ticks = (double)(loom_machine_ticks(machine) - pace->ticks);
        double rate = ticks / (double)(time + 1);

        if (pace->tried != 0) {
            look_at_trial(machine, time, rate);
        } else {
            look_at_best(machine, time, rate);
        }
    }
}

void loom_pace_begin(struct loom_machine *machine)
{
    struct pace *pace = machine->pace;

    if (pace == NULL) {
        return;
    }
    if (machine->together) {
        loom_deal_alone(machine);
    } else if (pace->how == LOOM_PACE_FIXED && machine->shards == 1) {
        share_alike(pace, pace->most);
        deal(machine, pace->most);
    } else if (machine->shards > 1) {
        loom_threads_begin(machine);
    }
    for (uint32_t i = 0; i < machine->shards; i++) {
        loom_shard_plan(&machine->shard[i]);
    }
    pace->begin = loom_host_time();
}

void loom_pace_end(struct loom_machine *machine)
{
    struct pace *pace = machine->pace;

    if (pace != NULL) {
        loom_threads_end(machine);
        pace->spent += loom_host_time() - pace->begin;
    }
}
