/*
 * Two toy components for engine tests: a source that sends numbered messages
 * as fast or as slowly as told, and a sink that checks what it gets.
 */
#ifndef TESTS_UNIT_TOYS_H
#define TESTS_UNIT_TOYS_H

#include "engine/machine.h"

#include "tests/unit/test.h"

struct toy_message {
    uint64_t number;
    loom_time sent;
};

static const struct loom_protocol toy_protocol = {
    .name = "toy",
    .doc = "Numbered messages",
    .request_size = sizeof(struct toy_message),
    .reply_size = sizeof(struct toy_message),
};

struct source_config {
    uint32_t period; /* cycles between two tries */
    uint64_t count;  /* messages to send */
    uint32_t ahead;  /* sent so many cycles early, if possible */
};
struct source_stats {
    uint64_t sent, refused;
    uint64_t ahead; /* messages sent before their time */
};
struct source {
    struct loom_channel *out, *in;
    loom_cycle next;
};

static bool source_init(struct loom_component *self, struct loom_error *err)
{
    struct source *s = loom_state(self);

    (void)err;
    s->out = loom_port_out(self, "out", 0);
    s->in = loom_port_in(self, "out", 0);
    return true;
}

static loom_cycle source_tick(struct loom_component *self, loom_cycle now)
{
    const struct source_config *config = loom_config(self);
    struct source_stats *stats = loom_stats_of(self);
    struct source *s = loom_state(self);
    struct toy_message *m = NULL;

    if (loom_peek(s->in, now) != NULL) {
        loom_pop(s->in, now);
    }
    if (stats->sent == config->count) {
        return LOOM_NEVER;
    }
    if (now < s->next) {
        return s->next;
    }
    if (config->ahead != 0) {
        m = loom_send_ahead(s->out, now, now + config->ahead);
        stats->ahead += m != NULL;
    }
    if (m == NULL) {
        if (!loom_ready(s->out, now)) {
            stats->refused++;
            return LOOM_NEVER;
        }
        m = loom_send(s->out, now, 0);
    }
    *m = (struct toy_message){stats->sent++, loom_cycle_time(self, now)};
    s->next = now + config->period;
    return s->next;
}

static bool source_command(struct loom_component *self, const void *command,
                           struct loom_error *err)
{
    (void)self;
    return command != NULL || loom_fail(err, LOOM_ERR_CONFIG, "no command");
}

static const struct loom_param source_params[] = {
    LOOM_PARAM(struct source_config, period, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 1}, .doc = "Cycles per message"),
    LOOM_PARAM(struct source_config, count, .def = {.u = 1000},
               .doc = "Messages"),
    LOOM_PARAM(struct source_config, ahead, .unit = LOOM_UNIT_CYCLE,
               .doc = "Cycles for which a message is sent ahead"),
};
static const struct loom_stat source_stat_table[] = {
    LOOM_COUNTER(struct source_stats, sent, LOOM_UNIT_EVENT, "Messages sent"),
    LOOM_COUNTER(struct source_stats, refused, LOOM_UNIT_EVENT,
                 "Tries that found the channel full"),
};
static const struct loom_port_decl source_ports[] = {
    {"out", "Messages", LOOM_CLIENT, &toy_protocol, 1, 1},
};
static const struct loom_component_ops source_ops = {
    .init = source_init,
    .tick = source_tick,
    .command = source_command,
};
static const struct loom_component_type toy_source = {
    .name = "source",
    .doc = "Sends numbered messages",
    .state_size = sizeof(struct source),
    .config_size = sizeof(struct source_config),
    .stats_size = sizeof(struct source_stats),
    .params = LOOM_SLICE(source_params),
    .stats = LOOM_SLICE(source_stat_table),
    .ports = LOOM_SLICE(source_ports),
    .ops = &source_ops,
};

struct sink_config {
    uint32_t period;  /* cycles between two messages taken */
    bool reply, deaf; /* deaf: never takes one */
};
struct sink_stats {
    uint64_t taken, early, lost, last_cycle, latency;
    uint64_t kept; /* popped messages that could still be read */
};
struct sink {
    struct loom_channel *in, *out;
    loom_cycle next;
};

static bool sink_init(struct loom_component *self, struct loom_error *err)
{
    struct sink *s = loom_state(self);

    (void)err;
    s->in = loom_port_in(self, "in", 0);
    s->out = loom_port_out(self, "in", 0);
    return true;
}

static loom_cycle sink_tick(struct loom_component *self, loom_cycle now)
{
    const struct sink_config *config = loom_config(self);
    struct sink_stats *stats = loom_stats_of(self);
    struct sink *s = loom_state(self);
    const struct toy_message *m = loom_peek(s->in, now);
    loom_time sent;

    if (m == NULL || config->deaf) {
        return LOOM_NEVER;
    }
    if (now < s->next) {
        return s->next;
    }
    if (config->reply && !loom_ready(s->out, now)) {
        return LOOM_NEVER;
    }
    stats->lost += m->number != stats->taken;
    stats->early += m->sent >= loom_cycle_time(self, now);
    stats->latency = loom_cycle_time(self, now) - m->sent;
    stats->taken++;
    stats->last_cycle = now;
    if (config->reply) {
        *(struct toy_message *)loom_send(s->out, now, 0) = *m;
    }
    sent = m->sent;
    loom_pop(s->in, now);
    stats->kept += m->sent == sent; /* read, as nobody may */
    s->next = now + config->period;
    return LOOM_NEVER; /* the engine wakes it for what is already there */
}

static void sink_report(struct loom_component *self, struct loom_report *report)
{
    loom_report_line(report, self, 7, "holds its tongue");
}

static const struct loom_param sink_params[] = {
    LOOM_PARAM(struct sink_config, period, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 1}, .doc = "Cycles per message"),
    LOOM_PARAM(struct sink_config, reply, .doc = "Sends it back"),
    LOOM_PARAM(struct sink_config, deaf, .doc = "Takes nothing"),
};
static const struct loom_stat sink_stat_table[] = {
    LOOM_COUNTER(struct sink_stats, taken, LOOM_UNIT_EVENT, "Messages taken"),
    LOOM_COUNTER(struct sink_stats, early, LOOM_UNIT_EVENT,
                 "Messages seen in the cycle they were sent"),
    LOOM_COUNTER(struct sink_stats, lost, LOOM_UNIT_EVENT,
                 "Messages out of order or missing"),
    LOOM_COUNTER(struct sink_stats, last_cycle, LOOM_UNIT_CYCLE,
                 "Cycle of the last message"),
};
static const struct loom_port_decl sink_ports[] = {
    {"in", "Messages", LOOM_SERVER, &toy_protocol, 1, 1},
};
static const struct loom_component_ops sink_ops = {
    .init = sink_init,
    .tick = sink_tick,
    .report = sink_report,
};
static const struct loom_component_type toy_sink = {
    .name = "sink",
    .doc = "Takes numbered messages",
    .state_size = sizeof(struct sink),
    .config_size = sizeof(struct sink_config),
    .stats_size = sizeof(struct sink_stats),
    .params = LOOM_SLICE(sink_params),
    .stats = LOOM_SLICE(sink_stat_table),
    .ports = LOOM_SLICE(sink_ports),
    .ops = &sink_ops,
};

#endif
