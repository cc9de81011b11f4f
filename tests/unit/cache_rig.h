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

#include "components/mem_protocol.h"
#include "policies/cache_hook.h"
#include "tests/unit/test.h"

#define RIG_MAX 4096

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
    uint32_t replies;
    loom_cycle replied_at[RIG_MAX]; /* by token */
    struct loom_channel *out, *in;
    bool serial; /* one at a time */
};

struct rig_memory {
    struct loom_mem_request seen[2 * RIG_MAX];
    loom_cycle seen_at[2 * RIG_MAX];
    uint32_t count, next; /* next to be answered */
    loom_cycle latency, not_before;
    struct loom_channel *out, *in;
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
        loom_pop(s->in, now);
    }
    if (s->next == s->count || (s->serial && s->replies < s->next)) {
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

/* Any command starts it. */
static bool rig_source_command(struct loom_component *self, const void *command,
                               struct loom_error *err)
{
    (void)self;
    (void)command;
    (void)err;
    return true;
}

static bool rig_memory_init(struct loom_component *self, struct loom_error *err)
{
    struct rig_memory *m = loom_state(self);

    (void)err;
    m->out = loom_port_out(self, "up", 0);
    m->in = loom_port_in(self, "up", 0);
    return true;
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
            m->next++;
            return now + 1;
        }
        m->next++;
    }
    return m->next < m->count ? m->seen_at[m->next] + m->latency : LOOM_NEVER;
}

static void rig_watch_observe(struct loom_policy *self,
                              const struct loom_event *event)
{
    static const char letter[LOOM_EVENTS + 1] = ".........:;ahpmbAfErRqQ";
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

static const struct loom_port_decl rig_memory_ports[] = {
    {"up", "Requests", LOOM_SERVER, &loom_mem_protocol, 1, 1},
};
static const struct loom_component_ops rig_memory_ops = {
    .init = rig_memory_init, .tick = rig_memory_tick};
static const struct loom_component_type rig_memory_component = {
    .name = "rig_memory",
    .doc = "Answers after a fixed time",
    .state_size = sizeof(struct rig_memory),
    .ports = LOOM_SLICE(rig_memory_ports),
    .ops = &rig_memory_ops,
};

static const struct loom_observe_ops rig_watch_ops = {
    .events = UINT64_MAX, .observe = rig_watch_observe};
static const struct loom_facet rig_watch_facets[] = {
    {&loom_cache_observe_hook, &rig_watch_ops},
};
static const struct loom_policy_type rig_watch_policy = {
    .name = "rig_watch",
    .doc = "Writes events down",
    .state_size = sizeof(struct rig_watch),
    .facets = LOOM_SLICE(rig_watch_facets),
};

/* The whole log, not a part of it. */
#define EXPECT_LOG(rig, want)                                                  \
    do {                                                                       \
        EXPECT_TEXT((rig)->watch->log, (want));                                \
        EXPECT_EQ((rig)->watch->length, strlen(want));                         \
    } while (0)

struct rig {
    struct loom_machine *machine;
    struct loom_component *cache;
    struct rig_source *source;
    struct rig_memory *memory;
    struct rig_watch *watch;
    struct loom_error err;
    uint32_t policies;
};

static inline void rig_attach(struct rig *rig, const char *slot,
                              const struct loom_policy_type *type)
{
    struct loom_policy *policy;
    char path[64];

    snprintf(path, sizeof(path), "sm[0].l1d.policy.%s%u", type->name,
             rig->policies++);
    policy = loom_machine_add_policy(rig->machine, type, path, &rig->err);
    REQUIRE(policy != NULL);
    REQUIRE(loom_machine_attach(rig->cache, slot, policy, &rig->err));
    if (type == &rig_watch_policy) {
        rig->watch = loom_policy_state(policy);
    }
}

static inline void rig_set(struct rig *rig, const char *param, uint64_t value)
{
    REQUIRE(loom_machine_set(rig->cache, param, (union loom_value){.u = value},
                             &rig->err));
}

static inline void rig_flag(struct rig *rig, const char *param)
{
    REQUIRE(loom_machine_set(rig->cache, param, (union loom_value){.b = true},
                             &rig->err));
}

static inline void rig_text(struct rig *rig, const char *param,
                            const char *value)
{
    REQUIRE(loom_machine_set(rig->cache, param, (union loom_value){.s = value},
                             &rig->err));
}

/* 4 sets of 2 ways of 128 bytes, hit latency 1; memory latency 10; `places`
 * for requests between cache and memory. */
static inline struct rig *rig_open_with(uint32_t places)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    struct loom_component *source, *memory;
    struct loom_wire wire = {1, 1, 16};
    struct loom_error *err = &rig->err;
    uint32_t clock;

    rig->machine = loom_machine_create(1);
    clock = loom_machine_clock(rig->machine, 1000000000);
    source = loom_machine_add(rig->machine, &rig_source_component, "source",
                              clock, err);
    rig->cache = loom_machine_add(rig->machine, &cache_component, "sm[0].l1d",
                                  clock, err);
    memory = loom_machine_add(rig->machine, &rig_memory_component, "memory",
                              clock, err);
    REQUIRE(loom_machine_link(
        rig->machine, (struct loom_end){source, "down", 0},
        (struct loom_end){rig->cache, "up", 0}, wire, wire, err));
    REQUIRE(loom_machine_link(rig->machine,
                              (struct loom_end){rig->cache, "down", 0},
                              (struct loom_end){memory, "up", 0},
                              (struct loom_wire){1, 1, places}, wire, err));
    rig->source = loom_state(source);
    rig->memory = loom_state(memory);
    rig->memory->latency = 10;
    rig_set(rig, "size_bytes", 1024);
    rig_set(rig, "ways", 2);
    rig_set(rig, "line_bytes", 128);
    return rig;
}

static inline struct rig *rig_open(void)
{
    return rig_open_with(16);
}

static inline void rig_complain(void *context, const char *path,
                                const struct loom_error *err)
{
    uint32_t *complaints = context;

    printf("\n    %s: %s", path, err->text);
    (*complaints)++;
}

static inline void rig_start(struct rig *rig)
{
    uint32_t complaints = 0;

    rig_attach(rig, "observe", &rig_watch_policy);
    REQUIRE(loom_machine_freeze(rig->machine, rig_complain, &complaints));
    REQUIRE(loom_machine_command(loom_machine_find(rig->machine, "source"),
                                 "go", &rig->err));
}

/* Runs until nothing happens any more, then checks all laws. */
static inline void rig_run(struct rig *rig)
{
    uint32_t complaints = 0;
    enum loom_stop stop =
        loom_machine_run(rig->machine, LOOM_NEVER, LOOM_NEVER, &rig->err);

    EXPECT_EQ(stop, LOOM_STOP_IDLE);
    loom_machine_settle(rig->machine);
    loom_machine_check(rig->machine, rig_complain, &complaints);
    EXPECT_EQ(complaints, 0);
}

static inline void rig_close(struct rig *rig)
{
    loom_machine_destroy(rig->machine);
    free(rig);
}

/* Appends an access to all 128 bytes of block number `block`. */
static inline struct loom_mem_request *rig_access(struct rig *rig,
                                                  loom_cycle when,
                                                  enum loom_mem_kind kind,
                                                  uint64_t block)
{
    struct rig_source *s = rig->source;
    struct loom_mem_request *r = &s->script[s->count];

    REQUIRE(s->count < RIG_MAX);
    s->when[s->count++] = when;
    *r = (struct loom_mem_request){
        .block = block * LOOM_BLOCK_BYTES,
        .bytes = {UINT64_MAX, UINT64_MAX},
        .size_bytes = 128,
        .kind = (uint8_t)kind,
        .space = LOOM_SPACE_GLOBAL,
        .sectors = 15,
        .accesses = 1,
    };
    return r;
}

/* Narrows a request to one sector. */
static inline void rig_sector(struct loom_mem_request *r, uint32_t sector)
{
    r->sectors = (uint8_t)(1u << sector);
    r->size_bytes = 32;
    r->bytes[0] = sector < 2 ? (uint64_t)UINT32_MAX << (32 * sector) : 0;
    r->bytes[1] = sector >= 2 ? (uint64_t)UINT32_MAX << (32 * (sector - 2)) : 0;
}

static inline uint64_t rig_stat(struct rig *rig, const char *name)
{
    const struct loom_stat *stat = loom_stats_find(cache_component.stats, name);

    REQUIRE(stat != NULL);
    return *(const uint64_t *)((const char *)loom_stats_of(rig->cache) +
                               stat->offset);
}

static inline uint64_t rig_item(struct rig *rig, const char *name, uint32_t i)
{
    const struct loom_stat *stat = loom_stats_find(cache_component.stats, name);

    REQUIRE(stat != NULL && i < stat->count);
    return ((const uint64_t *)((const char *)loom_stats_of(rig->cache) +
                               stat->offset))[i];
}

#endif
