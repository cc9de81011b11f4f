/*
 * The memory of cache_rig.h: answers after a fixed time, whole or in parts, and
 * at once what has no time; notes all that it sees.
 */
#ifndef TESTS_UNIT_CACHE_RIG_MEMORY_H
#define TESTS_UNIT_CACHE_RIG_MEMORY_H

#include "engine/warm.h"

#include "components/mem_protocol.h"

#define RIG_MAX 4096

struct rig_memory {
    struct loom_mem_request seen[2 * RIG_MAX];
    loom_cycle seen_at[2 * RIG_MAX];
    uint32_t count, next; /* next to be answered */
    loom_cycle latency, not_before;
    bool in_parts; /* a load is answered sector by sector */
    uint8_t given; /* sectors that the oldest has had */
    struct loom_channel *out, *in;
};

static bool rig_memory_init(struct loom_component *self, struct loom_error *err)
{
    struct rig_memory *m = loom_state(self);

    (void)err;
    m->out = loom_port_out(self, "up", 0);
    m->in = loom_port_in(self, "up", 0);
    return true;
}

/* Makes the reply its next part.  Is it the last? */
static inline bool rig_memory_part(struct rig_memory *m,
                                   struct loom_mem_request *reply)
{
    uint32_t left = reply->sectors & ~(uint32_t)m->given, one = left & -left;
    bool last = left == one || reply->kind != LOOM_MEM_LOAD;

    if (reply->kind == LOOM_MEM_LOAD) {
        reply->sectors = (uint8_t)one;
        reply->size_bytes = 32;
        reply->flags |= (uint8_t)(LOOM_MEM_PART | (last ? 0 : LOOM_MEM_MORE));
    }
    m->given = (uint8_t)(last ? 0 : m->given | one);
    return last;
}

static loom_cycle rig_memory_tick(struct loom_component *self, loom_cycle now)
{
    struct rig_memory *m = loom_state(self);
    const struct loom_mem_request *r;

    if (now < m->not_before) {
        return m->not_before; /* takes nothing in yet */
    }
    if ((r = loom_peek(m->in, now)) != NULL) {
        m->seen[m->count] = *r;
        m->seen_at[m->count++] = now;
        loom_pop(m->in, now);
    }
    while (m->next < m->count && m->seen_at[m->next] + m->latency <= now) {
        struct loom_mem_request *reply;

        if (m->seen[m->next].kind != LOOM_MEM_WRITEBACK) {
            if (!loom_ready(m->out, now)) {
                return LOOM_NEVER;
            }
            reply = loom_send(m->out, now, 0);
            *reply = m->seen[m->next];
            reply->flags |= LOOM_MEM_REPLY | LOOM_MEM_HIT;
            reply->reply_bits = 0x100;
            m->next += !m->in_parts || rig_memory_part(m, reply);
            return now + 1;
        }
        m->next++;
    }
    return m->next < m->count ? m->seen_at[m->next] + m->latency : LOOM_NEVER;
}

static void rig_memory_serve(struct loom_component *self, void *message,
                             loom_cycle now)
{
    struct rig_memory *m = loom_state(self);
    struct loom_mem_request *r = message;

    if (m->next == m->count) { /* else it would stand among those in time */
        m->seen[m->count] = *r;
        m->seen_at[m->count++] = now;
        m->next = m->count;
    }
    r->flags |= LOOM_MEM_REPLY | LOOM_MEM_HIT;
    r->reply_bits = 0x100;
}

static bool rig_memory_quiet(struct loom_component *self)
{
    const struct rig_memory *m = loom_state(self);

    return m->next == m->count;
}

static const struct loom_port_decl rig_memory_ports[] = {
    {"up", "Requests", LOOM_SERVER, &loom_mem_protocol, 1, 1},
};
static const struct loom_warm_ops rig_memory_warm = {.serve = rig_memory_serve,
                                                     .quiet = rig_memory_quiet};
static const struct loom_component_ops rig_memory_ops = {
    .init = rig_memory_init, .tick = rig_memory_tick, .warm = &rig_memory_warm};
static const struct loom_component_type rig_memory_component = {
    .name = "rig_memory",
    .doc = "Answers after a fixed time",
    .state_size = sizeof(struct rig_memory),
    .ports = LOOM_SLICE(rig_memory_ports),
    .ops = &rig_memory_ops,
};

#endif
