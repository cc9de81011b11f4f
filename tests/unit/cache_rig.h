/*
 * A bench for caches: a requester with a script, the cache, a memory that
 * answers after a fixed time, and an observer that writes everything down.
 *
 *     source --> cache --> memory
 *
 * All wires take one cycle.  A request sent at cycle t is seen by the cache
 * at t + 1; its hit is replied to at t + 1 + hit_latency and seen by the
 * source one cycle later.  The memory answers `latency` cycles after it has
 * seen a request.
 */
#ifndef TESTS_UNIT_CACHE_RIG_H
#define TESTS_UNIT_CACHE_RIG_H

#include <stdlib.h>

#include "engine/machine.h"
#include "engine/warm.h"

#include "components/mem_protocol.h"
#include "policies/cache_hook.h"
#include "tests/unit/cache_rig_memory.h"
#include "tests/unit/test.h"

extern const struct loom_component_type cache_component;
extern const struct loom_policy_type lru_policy;
extern const struct loom_policy_type linear_index_policy;

struct rig_reply {
    loom_cycle at;
    struct loom_mem_request message;
};

struct rig_source {
    struct loom_mem_request script[RIG_MAX];
    loom_cycle when[RIG_MAX]; /* not sent before */
    uint32_t count, next;
    struct rig_reply reply[RIG_MAX];
    uint32_t replies, answered;     /* answered: parts of a reply are one */
    loom_cycle replied_at[RIG_MAX]; /* by token */
    struct loom_channel *out, *in;
    bool serial; /* one at a time */
};

struct rig_watch {
    char log[8 * RIG_MAX]; /* one letter per event */
    uint32_t length;
    uint64_t count[LOOM_EVENTS];
    struct loom_event last[LOOM_EVENTS];
};

static bool rig_source_init(struct loom_component *self, struct loom_error *err)
{
    struct rig_source *s = loom_state(self);

    (void)err;
    s->out = loom_port_out(self, "down", 0);
    s->in = loom_port_in(self, "down", 0);
    return true;
}

static loom_cycle rig_source_tick(struct loom_component *self, loom_cycle now)
{
    struct rig_source *s = loom_state(self);
    const struct loom_mem_request *r;

    while ((r = loom_peek(s->in, now)) != NULL) {
        s->replied_at[r->token] = now;
        s->reply[s->replies++] = (struct rig_reply){now, *r};
        s->answered += (r->flags & LOOM_MEM_MORE) == 0;
        loom_pop(s->in, now);
    }
    if (s->next == s->count || (s->serial && s->answered < s->next)) {
        return LOOM_NEVER;
    }
    if (s->when[s->next] > now) {
        return s->when[s->next];
    }
    if (!loom_ready(s->out, now)) {
        return LOOM_NEVER;
    }
    s->script[s->next].src = loom_component_id(self);
    s->script[s->next].token = s->next;
    *(struct loom_mem_request *)loom_send(s->out, now, 0) = s->script[s->next];
    s->next++;
    return now + 1;
}

/* "warm" sends the script without time, "one" the next of it; any other command
 * starts it. */
static bool rig_source_command(struct loom_component *self, const void *command,
                               struct loom_error *err)
{
    struct rig_source *s = loom_state(self);

    uint32_t end = s->next + 1;

    (void)err;
    if (strcmp(command, "one") != 0) {
        end = s->count;
        if (strcmp(command, "warm") != 0) {
            return true;
        }
    }
    for (; s->next < end && s->next < s->count; s->next++) {
        struct loom_mem_request r = s->script[s->next];

        r.src = loom_component_id(self);
        r.token = s->next;
        loom_warm(s->out, &r);
        if (r.kind != LOOM_MEM_WRITEBACK) {
            s->reply[s->replies++] = (struct rig_reply){0, r};
        }
    }
    loom_stay_asleep(self);
    return true;
}

static void rig_watch_observe(struct loom_policy *self,
                              const struct loom_event *event)
{
    static const char letter[LOOM_EVENTS + 1] = "..........:;!ahpmbAfErRqQs";
    struct rig_watch *w = loom_policy_state(self);

    if (w->length + 2 < sizeof(w->log)) {
        w->log[w->length++] = letter[event->kind];
    }
    w->count[event->kind]++;
    w->last[event->kind] = *event;
}

static const struct loom_port_decl rig_source_ports[] = {
    {"down", "Requests", LOOM_CLIENT, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops rig_source_ops = {
    .init = rig_source_init,
    .tick = rig_source_tick,
    .command = rig_source_command,
};
static const struct loom_component_type rig_source_component = {
    .name = "rig_source",
    .doc = "Sends a script",
    .state_size = sizeof(struct rig_source),
    .ports = LOOM_SLICE(rig_source_ports),
    .ops = &rig_source_ops,
};

static const struct loom_observe_ops rig_watch_ops = {
    .events = ~LOOM_EVENT(SEND), .observe = rig_watch_observe};
static const struct loom_facet rig_watch_facets[] = {
    {&loom_cache_observe_hook, &rig_watch_ops},
};
static const struct loom_policy_type rig_watch_policy = {
    .name = "rig_watch",
    .doc = "Writes events down",
    .state_size = sizeof(struct rig_watch),
    .facets = LOOM_SLICE(rig_watch_facets),
};

#endif
