/*
 * Forecasts.
 *
 * A measured run looks at the processor's counter after each tick.  What lies
 * between two looks is the component's; what lies between ticks is the engine's
 * own, which each thread does for itself.  At the end of a window the times of
 * the ticks are added up for each number of threads, as that many threads would
 * have dealt the components among them, and the busiest one counts.  Shares
 * change as in engine/pace.c.  This adding up is in no time.
 *
 * Components that run ahead have their own windows: stretches.
 */
#include "engine/forecast.h"

#include <stdlib.h>
#include <time.h>

#include "engine/ahead_private.h"
#include "engine/forecast_private.h"

enum {
    LONG = 50000, /* nanoseconds for which others have the processor at least */
    FIRST = 5000000, /* nanoseconds in which the counter's rate is found */
    ROUND = 4,       /* milliseconds until shares change, at first */
    ROUNDS = 2,      /* so often */
    SLICE = 20,      /* milliseconds, from then on */
    WAITS = 3,       /* synchronisations of a window */
    WAITS_AHEAD = 2  /* of a stretch, besides */
};

/* Counts; a part of a window that was looked at. */
struct look {
    uint32_t id; /* of the component */
    uint64_t at; /* when it was over */
};

/* So many threads. */
struct team {
    uint32_t threads, rounds;
    uint32_t *shard;  /* [components] */
    double *blame;    /* [components] what others wait for it */
    uint64_t *window; /* [threads] counts in this window */
    double *busy;     /* [threads] since shares were looked at */
    double *share;    /* [threads] */
    double since;     /* likewise: counts that passed */
    double even, one, uneven;
    uint64_t sleeps; /* windows in which somebody waits for so long */
};

struct foresight {
    uint32_t components, looks;
    struct look *look; /* [components] of one edge, or of a stretch */
    uint64_t last;     /* the counter when it was last looked at */
    uint64_t cost;     /* of a look */
    uint64_t own;      /* counts of the engine in this window */
    uint64_t *mine;    /* [components] by the first of its island: the window */
    uint64_t *total;   /* [components] */
    uint32_t *first;   /* [components] of its island */
    uint32_t *seen;    /* [components] with some of the window */
    uint32_t seen_count;
    uint64_t windows, stretches;
    double steps, together;
    double per_second; /* counts */
    struct loom_meetings meetings;
    uint64_t began, spent;
    uint64_t most;              /* counts that are looked at more closely */
    uint64_t seen_at, seen_own; /* when that was done: of the host, of us */
    double others;              /* seconds in which they had the processor */
    struct team team[LOOM_FORECASTS];
};

static LOOM_INLINE uint64_t counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return loom_host_time();
#endif
}

/* Nanoseconds that the thread has had a processor. */
static uint64_t own_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct loom_component *component(const struct loom_machine *machine,
                                        size_t id)
{
    return machine->components.item[id];
}

/* ---- beginning and end ---- */

void loom_machine_foresee(struct loom_machine *machine, enum loom_pace how)
{
    LOOM_CHECK(!machine->frozen && machine->threads == 1);
    machine->foreseen = true;
    machine->pace_how = how;
}

static bool team_start(const struct loom_machine *machine, struct team *team,
                       uint32_t threads)
{
    size_t count = machine->components.count;

    team->threads = threads;
    team->shard = calloc(count, sizeof(*team->shard));
    team->blame = calloc(count, sizeof(*team->blame));
    team->window = calloc(threads, sizeof(*team->window));
    team->busy = calloc(threads, sizeof(*team->busy));
    team->share = calloc(threads, sizeof(*team->share));
    if (team->shard == NULL || team->blame == NULL || team->window == NULL ||
        team->busy == NULL || team->share == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < threads; i++) {
        team->share[i] = 1.0 / threads;
    }
    return loom_deal_choose(machine, threads, team->share, team->shard);
}

/* What looking at the counter takes at least. */
static uint64_t cost_of_look(void)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 1000; i++) {
        uint64_t begin = counter(), end = counter();

        least = end - begin < least ? end - begin : least;
    }
    return least;
}

bool loom_foresight_start(struct loom_machine *machine)
{
    size_t count = machine->components.count;
    struct foresight *f;

    if (!machine->foreseen) {
        return true;
    }
    f = machine->foresight = calloc(1, sizeof(*f));
    if (f == NULL) {
        return false;
    }
    f->components = (uint32_t)count;
    f->look = calloc(count, sizeof(*f->look));
    f->mine = calloc(count, sizeof(*f->mine));
    f->total = calloc(count, sizeof(*f->total));
    f->first = calloc(count, sizeof(*f->first));
    f->seen = calloc(count, sizeof(*f->seen));
    if (f->look == NULL || f->mine == NULL || f->total == NULL ||
        f->first == NULL || f->seen == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        f->first[i] = loom_island_first(component(machine, i))->id;
    }
    for (uint32_t i = 0; i < LOOM_FORECASTS; i++) {
        if (!team_start(machine, &f->team[i], 1u << i)) {
            return false;
        }
    }
    f->cost = cost_of_look();
    return true;
}

void loom_foresight_free(struct loom_machine *machine)
{
    struct foresight *f = machine->foresight;

    for (uint32_t i = 0; f != NULL && i < LOOM_FORECASTS; i++) {
        free(f->team[i].shard);
        free(f->team[i].blame);
        free(f->team[i].window);
        free(f->team[i].busy);
        free(f->team[i].share);
    }
    if (f != NULL) {
        free(f->look);
        free(f->mine);
        free(f->total);
        free(f->first);
        free(f->seen);
    }
    free(f);
}

void loom_foresight_meet(struct loom_machine *machine)
{
    struct foresight *f = machine->foresight;
    uint64_t begin = loom_host_time(), from = counter(), time;

    if (f == NULL) {
        return;
    }
    f->meetings = loom_meetings_of_two(machine);
    do {
        time = loom_host_time() - begin;
        f->per_second = (double)(counter() - from) / ((double)time * 1e-9);
    } while (time < FIRST);
    f->most = (uint64_t)((int)LONG * 1e-9 * f->per_second);
}

void loom_foresight_begin(struct loom_machine *machine)
{
    if (machine->foresight != NULL) {
        struct foresight *f = machine->foresight;

        f->began = f->seen_at = loom_host_time();
        f->seen_own = own_time();
        f->last = counter();
    }
}

void loom_foresight_end(struct loom_machine *machine)
{
    struct foresight *f = machine->foresight;

    if (f != NULL) {
        f->spent += loom_host_time() - f->began;
    }
}

/* ---- adding up ---- */

/* Counts that passed at once, less those in which others had the processor:
 * they have it for so long that each time is seen here. */
static LOOM_NOINLINE uint64_t undisturbed(struct foresight *f, uint64_t passed)
{
    uint64_t time = loom_host_time(), own = own_time();
    uint64_t others = time - f->seen_at - (own - f->seen_own);
    uint64_t counts = (uint64_t)((double)others * 1e-9 * f->per_second);

    f->seen_at = time;
    f->seen_own = own;
    if (others < LONG || others > INT64_MAX) {
        return passed;
    }
    f->others += (double)others * 1e-9;
    return passed > counts ? passed - counts : 0;
}

/* Counts since the counter was last looked at, which this is. */
static LOOM_INLINE uint64_t since_last(struct foresight *f)
{
    uint64_t now = counter(), passed = now - f->last;

    f->last = now;
    if (LOOM_UNLIKELY(passed > f->most)) {
        passed = undisturbed(f, passed);
        f->last = counter();
    }
    return passed > f->cost ? passed - f->cost : 0;
}

/* What has passed is nobody's. */
static LOOM_INLINE void pass(struct foresight *f)
{
    (void)since_last(f);
}

/* The ticks of an edge, or parts of a stretch, to whom they belong. */
static void add_looks(struct foresight *f)
{
    for (uint32_t i = 0; i < f->looks; i++) {
        uint32_t id = f->look[i].id, first = f->first[id];
        uint64_t counts = f->look[i].at;

        f->total[id] += counts;
        if (f->mine[first] == 0 && counts != 0) {
            f->seen[f->seen_count++] = first;
        }
        f->mine[first] += counts;
        for (uint32_t t = 0; t < LOOM_FORECASTS; t++) {
            struct team *team = &f->team[t];

            team->window[team->shard[id]] += counts;
        }
    }
    f->looks = 0;
}

/* As the threads would do between two windows. */
static void share_anew(struct loom_machine *machine, struct team *team)
{
    double slice = team->rounds < ROUNDS ? ROUND : SLICE;
    double per_second = machine->foresight->per_second;

    if (team->threads == 1 || machine->pace_how == LOOM_PACE_FIXED ||
        team->since < slice * 1e-3 * per_second) {
        return;
    }
    if (loom_pace_share(team->share, team->busy, team->threads)) {
        loom_deal_choose(machine, team->threads, team->share, team->shard);
    }
    for (uint32_t i = 0; i < team->threads; i++) {
        team->busy[i] = 0;
    }
    team->since = 0;
    team->rounds++;
}

/* A window is over: `sum` counts, of which `most` are of component `id`. */
static void end_team(struct foresight *f, struct team *team, double sum,
                     double most, uint32_t id)
{
    double mean = sum / team->threads, busiest = 0, idlest = sum;
    double bound = most > mean ? most : mean;

    for (uint32_t i = 0; i < team->threads; i++) {
        double counts = (double)team->window[i];

        busiest = counts > busiest ? counts : busiest;
        idlest = counts < idlest ? counts : idlest;
        team->busy[i] += counts + (double)f->own;
        team->window[i] = 0;
    }
    team->even += mean;
    team->one += bound - mean;
    team->blame[id] += bound - mean;
    team->uneven += busiest - bound;
    team->since += busiest + (double)f->own;
    team->sleeps += busiest - idlest > f->meetings.patience * f->per_second;
}

static void end_window(struct loom_machine *machine)
{
    struct foresight *f = machine->foresight;
    uint64_t sum = 0, most = 0;
    uint32_t longest = 0;

    for (uint32_t i = 0; i < f->seen_count; i++) {
        uint32_t id = f->seen[i];

        sum += f->mine[id];
        if (f->mine[id] > most) {
            most = f->mine[id];
            longest = id;
        }
        f->mine[id] = 0;
    }
    f->seen_count = 0;
    for (uint32_t i = 0; i < LOOM_FORECASTS; i++) {
        end_team(f, &f->team[i], (double)sum, (double)most, longest);
        share_anew(machine, &f->team[i]);
    }
    f->steps += (double)f->own;
    f->own = 0;
}

/* ---- a window that is measured ---- */

/* Those that asked for the clock's next edge. */
static uint64_t list_edge(struct foresight *f, struct clock *clock)
{
    uint32_t slot = (uint32_t)clock->next & WHEEL_MASK;
    uint64_t *bucket = clock->bucket + (size_t)slot * clock->words;

    loom_clock_begin(clock);
    loom_clock_horizon(clock);
    clock->summary[slot / 64] &= ~loom_bit(slot % 64);
    for (uint32_t w = 0; w < clock->words; w++) {
        for (; bucket[w] != 0; bucket[w] &= bucket[w] - 1) {
            uint32_t position = w * 64 + loom_lowest(bucket[w]);

            f->look[f->looks++].id = clock->order[position]->id;
        }
    }
    return f->looks;
}

static uint64_t step(struct loom_machine *machine, struct clock *clock)
{
    struct foresight *f = machine->foresight;
    loom_cycle now = clock->next;
    uint64_t ticks = list_edge(f, clock);

    f->own += since_last(f);
    for (uint32_t i = 0; i < f->looks; i++) {
        struct loom_component *self = component(machine, f->look[i].id);
        uint32_t after = i + 1 < f->looks ? i + 1 : i;
        loom_cycle next;

        loom_component_fetch(component(machine, f->look[after].id));
        if (LOOM_UNLIKELY(self->timer <= now)) {
            loom_run_timers(self, now);
        }
        next = self->tick(self, now);
        if (next != LOOM_NEVER) {
            LOOM_CHECK(next > now);
            loom_clock_wake(clock, self->position, next);
        }
        f->look[i].at = since_last(f);
    }
    loom_clock_advance(clock);
    return ticks;
}

static void run_window(struct loom_machine *machine)
{
    struct foresight *f = machine->foresight;
    struct shard *shard = &machine->shard[0];
    struct clock *clock = loom_shard_earliest(shard);

    while (clock->next_time < machine->end) {
        shard->now = clock->next_time;
        shard->ticks += step(machine, clock);
        clock = loom_shard_earliest(shard);
        f->own += since_last(f);
        add_looks(f);
        pass(f);
    }
    f->windows++;
}

static void run_ahead(struct loom_machine *machine)
{
    struct foresight *f = machine->foresight;
    struct shard *shard = &machine->shard[0];

    if (shard->ahead != NULL) {
        loom_ahead_open(shard);
        f->own += since_last(f);
        for (uint32_t i = 0; i < shard->ahead->parts; i++) {
            loom_ahead_part(shard, i);
            f->look[i] =
                (struct look){shard->ahead->part[i].self->id, since_last(f)};
        }
        f->looks = shard->ahead->parts;
        loom_ahead_close(shard);
    }
    loom_ahead_done(machine);
    f->own += since_last(f);
    add_looks(f);
    end_window(machine);
    f->stretches++;
    pass(f);
}

void loom_foresight_window(struct loom_machine *machine, loom_time until)
{
    struct foresight *f = machine->foresight;
    loom_time next = machine->shard[0].next;

    pass(f); /* counted by nobody: it is the host's */
    if (machine->together) {
        loom_together_window(machine);
        f->together += (double)since_last(f);
        return;
    }
    if (next >= machine->ahead_at && loom_ahead_plan(machine, next, until)) {
        run_ahead(machine);
    }
    run_window(machine);
    end_window(machine);
    loom_shard_plan(&machine->shard[0]);
}

/* ---- reading ---- */

bool loom_machine_forecast(const struct loom_machine *machine, uint32_t number,
                           struct loom_forecast *forecast)
{
    const struct foresight *f = machine->foresight;
    struct loom_forecast_facts facts = loom_machine_forecast_facts(machine);
    const struct team *team;
    uint32_t longest = 0;

    LOOM_CHECK(number < LOOM_FORECASTS);
    if (f == NULL) {
        return false;
    }
    team = &f->team[number];
    for (uint32_t i = 1; i < f->components; i++) {
        longest = team->blame[i] > team->blame[longest] ? i : longest;
    }
    *forecast = (struct loom_forecast){
        .threads = team->threads,
        .even = team->even / f->per_second,
        .one = team->one / f->per_second,
        .uneven = team->uneven / f->per_second,
        .steps = f->steps / f->per_second,
        .together = f->together / f->per_second,
        .longest =
            team->blame[longest] > 0 ? component(machine, longest)->path : NULL,
    };
    if (team->threads > 1) {
        forecast->meetings = (double)f->windows * facts.window +
                             (double)f->stretches * facts.stretch;
        forecast->wakes = (double)team->sleeps * facts.wake;
    }
    return true;
}

struct loom_forecast_facts
loom_machine_forecast_facts(const struct loom_machine *machine)
{
    const struct foresight *f = machine->foresight;

    if (f == NULL) {
        return (struct loom_forecast_facts){0};
    }
    return (struct loom_forecast_facts){
        .windows = f->windows,
        .stretches = f->stretches,
        .window = f->meetings.window,
        .stretch = f->meetings.window * (int)WAITS_AHEAD / (int)WAITS,
        .wake = f->meetings.wake,
        .patience = f->meetings.patience,
        .spent = (double)f->spent * 1e-9,
        .others = f->others,
        .crowded = f->meetings.crowded,
    };
}

double loom_machine_forecast_part(const struct loom_machine *machine,
                                  uint32_t id)
{
    const struct foresight *f = machine->foresight;

    LOOM_CHECK(f != NULL && id < f->components);
    return (double)f->total[id] / f->per_second;
}
