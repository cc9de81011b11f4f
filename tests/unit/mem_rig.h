/*
 * Two ends for tests of components that speak the memory protocol: a client
 * that sends a given list of requests, and a server that answers them.  Both
 * note what they got and when.
 *
 * With links of latency 1, what a client sends at cycle s is seen by the
 * component under test at s + 1, and its reply of cycle t at t + 1.
 */
#ifndef TESTS_UNIT_MEM_RIG_H
#define TESTS_UNIT_MEM_RIG_H

#include "engine/machine.h"

#include "components/mem_protocol.h"
#include "tests/unit/test.h"

struct rig_seen {
    loom_cycle at;
    struct loom_mem_request message;
};

/* A client's list and its notes, owned by the test. */
struct rig_list {
    struct rig_seen *send; /* `at` is the earliest cycle to send */
    loom_cycle *sent_at;   /* [send_count] */
    struct rig_seen *got;  /* [got_max] replies or, at a server, requests */
    uint32_t send_count, sent, got_max, got_count;
};

struct rig_config {
    uint32_t pop_period; /* cycles between two messages taken */
    bool mute;           /* server: no replies */
};
struct rig_stats {
    uint64_t unused;
};
struct rig_state {
    struct loom_channel *out, *in;
    struct rig_list *list;
    loom_cycle pop_at;
};

static bool rig_init(struct loom_component *self, struct loom_error *err)
{
    struct rig_state *rig = loom_state(self);

    (void)err;
    rig->out = loom_port_out(self, "mem", 0);
    rig->in = loom_port_in(self, "mem", 0);
    return true;
}

static bool rig_command(struct loom_component *self, const void *command,
                        struct loom_error *err)
{
    struct rig_state *rig = loom_state(self);
    struct rig_list *const *list = command;

    (void)err;
    rig->list = *list;
    return true;
}

/* Takes a message if one is there and it is time. */
static const struct loom_mem_request *rig_take(struct loom_component *self,
                                               loom_cycle now, loom_cycle *next)
{
    const struct rig_config *config = loom_config(self);
    struct rig_state *rig = loom_state(self);
    struct rig_list *list = rig->list;
    const struct loom_mem_request *message = loom_peek(rig->in, now);

    if (message == NULL) {
        return NULL;
    }
    if (now < rig->pop_at) {
        *next = rig->pop_at;
        return NULL;
    }
    LOOM_CHECK(list->got_count < list->got_max);
    list->got[list->got_count].at = now;
    list->got[list->got_count].message = *message;
    rig->pop_at = now + config->pop_period;
    loom_pop(rig->in, now);
    if (loom_arrival(rig->in) <= rig->pop_at) {
        *next = rig->pop_at;
    }
    return &list->got[list->got_count++].message;
}

static loom_cycle rig_client_tick(struct loom_component *self, loom_cycle now)
{
    struct rig_state *rig = loom_state(self);
    struct rig_list *list = rig->list;
    loom_cycle next = LOOM_NEVER;
    struct rig_seen *shot;
    struct loom_mem_request *request;

    if (list == NULL) {
        return LOOM_NEVER;
    }
    rig_take(self, now, &next);
    if (list->sent == list->send_count) {
        return next;
    }
    shot = &list->send[list->sent];
    if (shot->at > now) {
        return shot->at < next ? shot->at : next;
    }
    if (!loom_ready(rig->out, now)) {
        return next;
    }
    request = loom_send(rig->out, now, 0);
    *request = shot->message;
    request->src = loom_component_id(self);
    request->token = list->sent;
    list->sent_at[list->sent++] = now;
    return now + 1;
}

static loom_cycle rig_server_tick(struct loom_component *self, loom_cycle now)
{
    const struct rig_config *config = loom_config(self);
    struct rig_state *rig = loom_state(self);
    const struct loom_mem_request *message = loom_peek(rig->in, now);
    loom_cycle next = LOOM_NEVER;
    bool answer;

    if (message == NULL) {
        return LOOM_NEVER;
    }
    answer = !config->mute && loom_mem_replied(message->kind);
    if (answer && !loom_ready(rig->out, now)) {
        return LOOM_NEVER;
    }
    message = rig_take(self, now, &next);
    if (message != NULL && answer) {
        struct loom_mem_request *reply = loom_send(rig->out, now, 0);

        *reply = *message;
        reply->flags |= LOOM_MEM_REPLY;
    }
    return next;
}

static const struct loom_param rig_params[] = {
    LOOM_PARAM(struct rig_config, pop_period, .def = {.u = 1}, .min = {.u = 1},
               .doc = "Cycles between two messages taken"),
    LOOM_PARAM(struct rig_config, mute, .doc = "Sends no replies"),
};
static const struct loom_port_decl rig_client_ports[] = {
    {"mem", "Requests", LOOM_CLIENT, &loom_mem_protocol, 1, 1},
};
static const struct loom_port_decl rig_server_ports[] = {
    {"mem", "Requests", LOOM_SERVER, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops rig_client_ops = {
    .init = rig_init,
    .tick = rig_client_tick,
    .command = rig_command,
};
static const struct loom_component_ops rig_server_ops = {
    .init = rig_init,
    .tick = rig_server_tick,
    .command = rig_command,
};
static const struct loom_component_type rig_client = {
    .name = "rig_client",
    .doc = "Sends a list of requests",
    .state_size = sizeof(struct rig_state),
    .config_size = sizeof(struct rig_config),
    .params = LOOM_SLICE(rig_params),
    .ports = LOOM_SLICE(rig_client_ports),
    .ops = &rig_client_ops,
};
static const struct loom_component_type rig_server = {
    .name = "rig_server",
    .doc = "Answers requests",
    .state_size = sizeof(struct rig_state),
    .config_size = sizeof(struct rig_config),
    .params = LOOM_SLICE(rig_params),
    .ports = LOOM_SLICE(rig_server_ports),
    .ops = &rig_server_ops,
};

#endif
