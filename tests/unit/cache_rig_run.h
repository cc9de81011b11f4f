/*
 * Second half of cache_rig.h: the bench itself: building, running and reading
 * it.
 */
#ifndef TESTS_UNIT_CACHE_RIG_RUN_H
#define TESTS_UNIT_CACHE_RIG_RUN_H

#include "tests/unit/cache_rig.h"

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
