/*
 * The load/store unit between an SM with a script and a memory that answers
 * after ten cycles.  All wires take one cycle: an instruction sent at cycle t
 * is in dispatch at t + 1, its first access is seen by the memory at t + 2
 * and answered at t + 12, and the SM hears of it at t + 14.
 */
#ifndef TESTS_UNIT_LDST_RIG_H
#define TESTS_UNIT_LDST_RIG_H

#include <stdlib.h>

#include "engine/machine.h"

#include "components/mem_protocol.h"
#include "components/warp_protocol.h"
#include "policies/ldst_hook.h"
#include "policies/observe_hook.h"
#include "tests/unit/test.h"

extern const struct loom_component_type ldst_component;
extern const struct loom_policy_type fermi_coalesce_policy;
extern const struct loom_policy_type fifo_order_policy;

enum {
    MAX = 1024,
    WORDS = 64
};

struct fake_sm {
    struct loom_warp_access script[MAX];
    uint32_t word[MAX][WORDS]; /* lane addresses, two words each */
    loom_cycle when[MAX];
    uint32_t count, next;
    struct loom_warp_done done[MAX];
    loom_cycle done_at[MAX];
    uint32_t dones;
    struct loom_channel *out, *in;
};

struct fake_memory {
    struct loom_mem_request seen[32 * MAX];
    loom_cycle seen_at[32 * MAX];
    uint32_t count, next;
    loom_cycle not_before;
    struct loom_channel *out, *in;
};

struct watch {
    struct loom_event issue, complete;
    uint32_t issues, completes;
};

static bool sm_init(struct loom_component *self, struct loom_error *err)
{
    struct fake_sm *sm = loom_state(self);

    (void)err;
    sm->out = loom_port_out(self, "ldst", 0);
    sm->in = loom_port_in(self, "ldst", 0);
    return true;
}

static loom_cycle sm_tick(struct loom_component *self, loom_cycle now)
{
    struct fake_sm *sm = loom_state(self);
    const struct loom_warp_done *done;

    while ((done = loom_peek(sm->in, now)) != NULL) {
        sm->done_at[sm->dones] = now;
        sm->done[sm->dones++] = *done;
        loom_pop(sm->in, now);
    }
    if (sm->next == sm->count) {
        return LOOM_NEVER;
    }
    if (sm->when[sm->next] > now) {
        return sm->when[sm->next];
    }
    if (!loom_ready(sm->out, now)) {
        return LOOM_NEVER;
    }
    sm->script[sm->next].born = loom_cycle_time(self, now);
    *(struct loom_warp_access *)loom_send(sm->out, now, 0) =
        sm->script[sm->next++];
    return now + 1;
}

static bool sm_command(struct loom_component *self, const void *command,
                       struct loom_error *err)
{
    (void)self;
    (void)command;
    (void)err;
    return true;
}

static bool memory_init(struct loom_component *self, struct loom_error *err)
{
    struct fake_memory *m = loom_state(self);

    (void)err;
    m->out = loom_port_out(self, "up", 0);
    m->in = loom_port_in(self, "up", 0);
    return true;
}

static loom_cycle memory_tick(struct loom_component *self, loom_cycle now)
{
    struct fake_memory *m = loom_state(self);
    const struct loom_mem_request *r;

    if (now < m->not_before) {
        return m->not_before;
    }
    if ((r = loom_peek(m->in, now)) != NULL) {
        m->seen_at[m->count] = now;
        m->seen[m->count++] = *r;
        loom_pop(m->in, now);
    }
    if (m->next < m->count && m->seen_at[m->next] + 10 <= now &&
        loom_ready(m->out, now)) {
        struct loom_mem_request *reply = loom_send(m->out, now, 0);

        *reply = m->seen[m->next++];
        reply->flags |= LOOM_MEM_REPLY | LOOM_MEM_HIT;
    }
    return m->next == m->count                  ? LOOM_NEVER
           : m->seen_at[m->next] + 10 > now + 1 ? m->seen_at[m->next] + 10
                                                : now + 1;
}

static void watch_event(struct loom_policy *self,
                        const struct loom_event *event)
{
    struct watch *w = loom_policy_state(self);

    if (event->kind == LOOM_EVENT_MEM_ISSUE) {
        w->issue = *event;
        w->issues++;
    } else {
        w->complete = *event;
        w->completes++;
    }
}

static const struct loom_port_decl sm_ports[] = {
    {"ldst", "Instructions", LOOM_CLIENT, &loom_warp_protocol, 1, 1},
};
static const struct loom_component_ops sm_ops = {
    .init = sm_init, .tick = sm_tick, .command = sm_command};
static const struct loom_component_type fake_sm_component = {
    .name = "fake_sm",
    .doc = "Sends a script",
    .state_size = sizeof(struct fake_sm),
    .ports = LOOM_SLICE(sm_ports),
    .ops = &sm_ops,
};
static const struct loom_port_decl memory_ports[] = {
    {"up", "Requests", LOOM_SERVER, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops memory_ops = {.init = memory_init,
                                                     .tick = memory_tick};
static const struct loom_component_type fake_memory_component = {
    .name = "fake_memory",
    .doc = "Answers after ten cycles",
    .state_size = sizeof(struct fake_memory),
    .ports = LOOM_SLICE(memory_ports),
    .ops = &memory_ops,
};
static const struct loom_observe_ops watch_ops = {
    .events = LOOM_EVENT(MEM_ISSUE) | LOOM_EVENT(MEM_COMPLETE),
    .observe = watch_event,
};
static const struct loom_facet watch_facets[] = {
    {&loom_ldst_observe_hook, &watch_ops},
};
static const struct loom_policy_type watch_policy = {
    .name = "watch",
    .doc = "Writes events down",
    .state_size = sizeof(struct watch),
    .facets = LOOM_SLICE(watch_facets),
};

#endif
