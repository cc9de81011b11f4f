/*
 * After cache_rig.h: building a bench.
 *
 * A cache that nobody watches takes shorter ways through its code.  So every
 * rig has a twin of the same configuration and script without an observer,
 * which must send the same messages in the same cycles and count the same
 * (cache_rig_run.h).  Tests that do to the cache what this file does not know
 * let rig_alone() take the twin away.
 */
#ifndef TESTS_UNIT_CACHE_RIG_BUILD_H
#define TESTS_UNIT_CACHE_RIG_BUILD_H

#include "tests/unit/cache_rig.h"

struct rig {
    struct loom_machine *machine;
    struct loom_component *cache;
    struct rig_source *source;
    struct rig_memory *memory;
    struct rig_watch *watch;
    struct loom_error err;
    uint32_t policies;
    struct rig *twin; /* or NULL */
    bool is_twin;     /* nobody watches it */
};

static inline void rig_close(struct rig *rig)
{
    if (rig != NULL) {
        rig_close(rig->twin);
        loom_machine_destroy(rig->machine);
        free(rig);
    }
}

/* Without a twin from now on. */
static inline void rig_alone(struct rig *rig)
{
    rig_close(rig->twin);
    rig->twin = NULL;
}

static inline void rig_attach(struct rig *rig, const char *slot,
                              const struct loom_policy_type *type)
{
    struct loom_policy *policy;
    char path[64];

    if (rig->twin != NULL && type != &rig_watch_policy) {
        rig_attach(rig->twin, slot, type);
    }
    snprintf(path, sizeof(path), "sm[0].l1d.policy.%s%u", type->name,
             rig->policies++);
    policy = loom_machine_add_policy(rig->machine, type, path, &rig->err);
    REQUIRE(policy != NULL);
    REQUIRE(loom_machine_attach(rig->cache, slot, policy, &rig->err));
    if (type == &rig_watch_policy) {
        rig->watch = loom_policy_state(policy);
    }
}

static inline void rig_put(struct rig *rig, const char *param,
                           union loom_value value)
{
    REQUIRE(loom_machine_set(rig->cache, param, value, &rig->err));
    if (rig->twin != NULL) {
        rig_put(rig->twin, param, value);
    }
}

static inline void rig_set(struct rig *rig, const char *param, uint64_t value)
{
    rig_put(rig, param, (union loom_value){.u = value});
}

static inline void rig_flag(struct rig *rig, const char *param)
{
    rig_put(rig, param, (union loom_value){.b = true});
}

static inline void rig_text(struct rig *rig, const char *param,
                            const char *value)
{
    rig_put(rig, param, (union loom_value){.s = value});
}

/* 4 sets of 2 ways of 128 bytes, hit latency 1; memory latency 10; `places`
 * for requests between cache and memory. */
static inline struct rig *rig_open_one(uint32_t places)
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

static inline struct rig *rig_open_with(uint32_t places)
{
    struct rig *rig = rig_open_one(places);

    rig->twin = rig_open_one(places);
    rig->twin->is_twin = true;
    return rig;
}

static inline struct rig *rig_open(void)
{
    return rig_open_with(16);
}

#endif
