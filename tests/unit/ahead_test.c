/*
 * Running ahead: askers, servers that answer them from afar, and stores behind
 * the servers on a clock of their own do the same things at the same times
 * whether some of them run ahead (one thread) or none does (several).
 * links: loom_engine
 */
#include <stdlib.h>

#include "engine/rng.h"

#include "tests/unit/toy_rig.h"

enum {
    ASKERS = 3,
    SERVERS = 3,
    STORES = 2,
    PARTS = ASKERS + SERVERS + 2 * STORES,
    PLACES = 24, /* of a server */
    STOPS = 400
};

struct note {
    uint64_t number;
    uint32_t launch, place;
};

static const struct loom_protocol note_protocol = {
    "note", "A question or its answer", sizeof(struct note),
    sizeof(struct note)};

struct part_config {
    uint32_t period, batch, pause, raise_at;
    bool ahead;
};
struct part_stats {
    uint64_t taken, sum, last, waits;
};

static const struct loom_param part_params[] = {
    LOOM_PARAM(struct part_config, period, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 100},
               .doc = "Between two questions"),
    LOOM_PARAM(struct part_config, batch, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 10000},
               .doc = "Questions of a launch"),
    LOOM_PARAM(struct part_config, pause, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 100000},
               .doc = "Cycles of each 256 in which no answer is taken"),
    LOOM_PARAM(struct part_config, raise_at, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1 << 30},
               .doc = "Fails then; 0: never"),
    LOOM_PARAM(struct part_config, ahead, .unit = LOOM_UNIT_NONE,
               .def = {.b = false}, .doc = "May run ahead"),
};

static const struct loom_stat part_stat_table[] = {
    LOOM_COUNTER(struct part_stats, taken, LOOM_UNIT_EVENT, "Taken"),
    LOOM_COUNTER(struct part_stats, sum, LOOM_UNIT_NONE, "Of what and when"),
    LOOM_COUNTER(struct part_stats, last, LOOM_UNIT_CYCLE, "The last one"),
    LOOM_COUNTER(struct part_stats, waits, LOOM_UNIT_CYCLE, "Not ready"),
};

static void count(struct loom_component *self, const struct note *m,
                  loom_cycle now)
{
    struct part_stats *stats = loom_stats_of(self);

    stats->taken++;
    stats->sum = stats->sum * 31 + m->number * 7 + now;
    stats->last = now;
}

/* A component fails in its first tick from cycle `raise_at` on. */
static void fail_if_due(struct loom_component *self, loom_cycle now)
{
    const struct part_config *config = loom_config(self);
    struct loom_error err;

    if (config->raise_at != 0 && now >= config->raise_at) {
        loom_fail(&err, LOOM_ERR_WORKLOAD, "%s in cycle %llu",
                  loom_component_path(self), (unsigned long long)now);
        loom_raise(self, &err);
    }
}

/* ---- who asks: a batch on command, then it notifies ---- */

struct asker {
    struct loom_channel *out[SERVERS], *in[SERVERS];
    uint32_t servers, sent, answered;
    uint64_t numbers;
    bool busy;
};

static bool asker_init(struct loom_component *self, struct loom_error *err)
{
    struct asker *a = loom_state(self);

    (void)err;
    a->servers = loom_port_count(self, "out");
    for (uint32_t i = 0; i < a->servers; i++) {
        a->out[i] = loom_port_out(self, "out", i);
        a->in[i] = loom_port_in(self, "out", i);
    }
    return true;
}

static void ask(struct loom_component *self, struct asker *a, loom_cycle now)
{
    const struct part_config *config = loom_config(self);
    struct part_stats *stats = loom_stats_of(self);
    uint32_t to = (uint32_t)(a->numbers * 5 / 3 % a->servers);

    if (a->sent == config->batch || now % config->period != 0) {
        return;
    }
    if (!loom_ready(a->out[to], now)) {
        stats->waits++;
        return;
    }
    *(struct note *)loom_send(a->out[to], now, 0) = (struct note){
        .number = a->numbers++ * 0x9E3779B97F4A7C15u,
        .launch = loom_component_id(self),
    };
    a->sent++;
}

static loom_cycle asker_tick(struct loom_component *self, loom_cycle now)
{
    const struct part_config *config = loom_config(self);
    struct asker *a = loom_state(self);

    if (!a->busy) {
        return LOOM_NEVER;
    }
    fail_if_due(self, now);
    for (uint32_t i = 0; i < a->servers && now % 256 >= config->pause; i++) {
        const struct note *m = loom_peek(a->in[i], now);

        if (m != NULL) {
            count(self, m, now);
            loom_pop(a->in[i], now);
            a->answered++;
        }
    }
    ask(self, a, now);
    if (a->answered == config->batch) {
        a->busy = false;
        loom_notify(self);
        return LOOM_NEVER;
    }
    return now + 1;
}

static bool asker_command(struct loom_component *self, const void *command,
                          struct loom_error *err)
{
    struct asker *a = loom_state(self);

    (void)command;
    (void)err;
    if (a->busy) {
        loom_stay_asleep(self);
        return true;
    }
    a->busy = true;
    a->sent = a->answered = 0;
    return true;
}

static bool asker_calm(struct loom_component *self, uint32_t *launch)
{
    const struct asker *a = loom_state(self);

    *launch = a->busy ? loom_component_id(self) : LOOM_NO_LAUNCH;
    return true;
}

/* ---- who answers, some of it after asking a store ---- */

enum state {
    FREE,
    ASKED,
    DONE
};

struct server {
    struct loom_channel *in[ASKERS], *out[ASKERS], *down, *below;
    struct {
        struct note note;
        loom_cycle ready;
        uint32_t port;
        enum state state;
    } place[PLACES];
    uint32_t ports;
};

static bool server_init(struct loom_component *self, struct loom_error *err)
{
    struct server *s = loom_state(self);

    (void)err;
    s->ports = loom_port_count(self, "up");
    for (uint32_t i = 0; i < s->ports; i++) {
        s->in[i] = loom_port_in(self, "up", i);
        s->out[i] = loom_port_out(self, "up", i);
    }
    s->down = loom_port_out(self, "down", 0);
    s->below = loom_port_in(self, "down", 0);
    return true;
}

static void answer(struct loom_component *self, struct server *s, uint32_t port,
                   loom_cycle now)
{
    struct part_stats *stats = loom_stats_of(self);

    for (uint32_t i = 0; i < PLACES; i++) {
        if (s->place[i].state == DONE && s->place[i].port == port &&
            s->place[i].ready <= now) {
            if (!loom_ready(s->out[port], now)) {
                stats->waits++;
                return;
            }
            *(struct note *)loom_send(s->out[port], now, 0) = s->place[i].note;
            s->place[i].state = FREE;
            return;
        }
    }
}

static void take(struct loom_component *self, struct server *s, uint32_t port,
                 loom_cycle now)
{
    const struct note *m = loom_peek(s->in[port], now);
    uint32_t i = 0;

    while (i < PLACES && s->place[i].state != FREE) {
        i++;
    }
    if (m == NULL || i == PLACES) {
        return;
    }
    s->place[i].note = *m;
    s->place[i].port = port;
    s->place[i].state = DONE;
    s->place[i].ready = now + 1 + (m->number >> 40) % 20;
    if (s->down != NULL && (m->number >> 50) % 3 != 0) {
        struct note *sent;

        if (!loom_ready(s->down, now)) {
            s->place[i].state = FREE;
            return;
        }
        sent = loom_send(s->down, now, 0);
        *sent = *m;
        sent->place = i;
        s->place[i].state = ASKED;
    }
    count(self, m, now);
    loom_pop(s->in[port], now);
}

static loom_cycle server_tick(struct loom_component *self, loom_cycle now)
{
    struct server *s = loom_state(self);
    const struct note *m = s->below != NULL ? loom_peek(s->below, now) : NULL;
    bool any = false;

    fail_if_due(self, now);
    if (m != NULL) {
        s->place[m->place].state = DONE;
        s->place[m->place].ready = now + 1;
        count(self, m, now);
        loom_pop(s->below, now);
    }
    for (uint32_t i = 0; i < s->ports; i++) {
        answer(self, s, i, now);
        take(self, s, i, now);
    }
    for (uint32_t i = 0; i < PLACES; i++) {
        any = any || s->place[i].state == DONE;
    }
    return any ? now + 1 : LOOM_NEVER;
}

static uint32_t server_places(struct loom_component *self)
{
    const struct part_config *config = loom_config(self);
    const struct server *s = loom_state(self);

    return config->ahead ? s->ports + 1 : 0;
}

static loom_cycle server_awaited(struct loom_component *self, uint32_t launch)
{
    const struct server *s = loom_state(self);
    loom_cycle newest = 0, at = 0;

    for (uint32_t i = 0; i < s->ports; i++) {
        const struct note *m = loom_newest(s->in[i], &at);

        if (m != NULL && m->launch == launch && at > newest) {
            newest = at;
        }
    }
    return newest;
}

static const struct loom_port_decl asker_ports[] = {
    {"out", "Servers", LOOM_CLIENT, &note_protocol, 1, SERVERS},
};
static const struct loom_port_decl server_ports[] = {
    {"up", "Who asks", LOOM_SERVER, &note_protocol, 1, ASKERS},
    {"down", "A store", LOOM_CLIENT, &note_protocol, 0, 1},
};
static const struct loom_ahead_ops asker_ahead = {.calm = asker_calm};
static const struct loom_ahead_ops server_ahead = {.places = server_places,
                                                   .awaited = server_awaited};
static const struct loom_component_ops asker_ops = {.init = asker_init,
                                                    .tick = asker_tick,
                                                    .command = asker_command,
                                                    .ahead = &asker_ahead};
static const struct loom_component_ops server_ops = {
    .init = server_init, .tick = server_tick, .ahead = &server_ahead};

static const struct loom_component_type asker_type = {
    .name = "asker",
    .doc = "Asks",
    .state_size = sizeof(struct asker),
    .config_size = sizeof(struct part_config),
    .stats_size = sizeof(struct part_stats),
    .params = LOOM_SLICE(part_params),
    .stats = LOOM_SLICE(part_stat_table),
    .ports = LOOM_SLICE(asker_ports),
    .ops = &asker_ops,
};
static const struct loom_component_type server_type = {
    .name = "server",
    .doc = "Answers",
    .state_size = sizeof(struct server),
    .config_size = sizeof(struct part_config),
    .stats_size = sizeof(struct part_stats),
    .params = LOOM_SLICE(part_params),
    .stats = LOOM_SLICE(part_stat_table),
    .ports = LOOM_SLICE(server_ports),
    .ops = &server_ops,
};

/* ---- worlds ---- */

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
    loom_machine_threads(w.machine, plan->threads);
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

static void nobody_can_tell(void)
{
    static struct story one, two;
    uint64_t ahead = 0;
    uint32_t stopped = 0;

    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct plan plan = {.seed = seed, .threads = 1};

        plan.slice = seed % 3 == 0 ? 0 : 300000000 + seed * 7654321;
        run(&plan, &one);
        plan.threads = 2 + (uint32_t)(seed % 2);
        run(&plan, &two);
        EXPECT_EQ(two.ahead, 0);
        if (!same(&one, &two)) {
            fprintf(stderr, "seed %llu differs\n", (unsigned long long)seed);
        }
        EXPECT(same(&one, &two));
        ahead += one.ahead;
        stopped += one.stops > 10;
    }
    EXPECT(ahead > 20000);
    EXPECT(stopped > 15);
}

/* Of two errors the earlier one is told, whoever was simulated first. */
static void the_earliest_error_counts(void)
{
    static struct story one, two;
    uint64_t ahead = 0;

    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct plan plan = {.seed = seed, .threads = 1};

        plan.asker_fails = 1900 + (uint32_t)(seed * 37 % 400);
        plan.server_fails = 1900 + (uint32_t)(seed * 91 % 400);
        run(&plan, &one);
        plan.threads = 2;
        run(&plan, &two);
        EXPECT(same(&one, &two));
        EXPECT_TEXT(one.err.text, two.err.text);
        ahead += one.ahead;
    }
    EXPECT(ahead > 1000);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"nobody_can_tell", nobody_can_tell},
        {"the_earliest_error_counts", the_earliest_error_counts},
    };

    return loom_run_tests("ahead", tests, LOOM_COUNTOF(tests));
}
