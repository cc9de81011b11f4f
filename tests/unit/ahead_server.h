/*
 * Who answers in ahead_test.c, some of it after asking a store; a store is a
 * server, too.
 */
#ifndef TESTS_UNIT_AHEAD_SERVER_H
#define TESTS_UNIT_AHEAD_SERVER_H

#include "tests/unit/ahead_asker.h"

enum {
    SLOW = 9 /* cycles to an answer of its store, if it pauses */
};

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
    uint32_t full; /* ports whose link has no place: its credit wakes */
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
                s->full |= 1u << port;
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
    const struct part_config *config = loom_config(self);
    const struct note *m = s->below != NULL ? loom_peek(s->below, now) : NULL;
    bool slow = m != NULL && config->pause != 0 && now % SLOW != 0, any = slow;

    fail_if_due(self, now);
    s->full = 0;
    if (m != NULL && !slow) {
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
        any = any || (s->place[i].state == DONE &&
                      (s->full >> s->place[i].port & 1) == 0);
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

static const struct loom_port_decl server_ports[] = {
    {"up", "Who asks", LOOM_SERVER, &note_protocol, 1, ASKERS},
    {"down", "A store", LOOM_CLIENT, &note_protocol, 0, 1},
};
static const struct loom_ahead_ops server_ahead = {.places = server_places,
                                                   .awaited = server_awaited};
static const struct loom_component_ops server_ops = {
    .init = server_init, .tick = server_tick, .ahead = &server_ahead};

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

#endif
