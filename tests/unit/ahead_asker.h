/*
 * Who asks in ahead_test.c: a batch of questions on command, then it notifies.
 * And what all of its parts have: the protocol, parameters, statistics.
 */
#ifndef TESTS_UNIT_AHEAD_ASKER_H
#define TESTS_UNIT_AHEAD_ASKER_H

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

static const struct loom_port_decl asker_ports[] = {
    {"out", "Servers", LOOM_CLIENT, &note_protocol, 1, SERVERS},
};
static const struct loom_ahead_ops asker_ahead = {.calm = asker_calm};
static const struct loom_component_ops asker_ops = {.init = asker_init,
                                                    .tick = asker_tick,
                                                    .command = asker_command,
                                                    .ahead = &asker_ahead};

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

#endif
