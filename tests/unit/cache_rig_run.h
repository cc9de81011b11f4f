/*
 * After cache_rig_build.h: running a bench, comparing it with its twin, and
 * reading it.
 */
#ifndef TESTS_UNIT_CACHE_RIG_RUN_H
#define TESTS_UNIT_CACHE_RIG_RUN_H

#include "tests/unit/cache_rig_build.h"

/* The whole log, not a part of it. */
#define EXPECT_LOG(rig, want)                                                  \
    do {                                                                       \
        EXPECT_TEXT((rig)->watch->log, (want));                                \
        EXPECT_EQ((rig)->watch->length, strlen(want));                         \
    } while (0)

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

    if (rig->twin != NULL) {
        rig_start(rig->twin);
    }
    if (!rig->is_twin) {
        rig_attach(rig, "observe", &rig_watch_policy);
    }
    REQUIRE(loom_machine_freeze(rig->machine, rig_complain, &complaints));
    REQUIRE(loom_machine_command(loom_machine_find(rig->machine, "source"),
                                 "go", &rig->err));
}

/* Runs until nothing happens any more, then checks all laws. */
static inline void rig_run_one(struct rig *rig)
{
    uint32_t complaints = 0;
    enum loom_stop stop =
        loom_machine_run(rig->machine, LOOM_NEVER, LOOM_NEVER, &rig->err);

    EXPECT_EQ(stop, LOOM_STOP_IDLE);
    loom_machine_settle(rig->machine);
    loom_machine_check(rig->machine, rig_complain, &complaints);
    EXPECT_EQ(complaints, 0);
}

/* Whether counters and all that is made of counters are the same. */
static inline void rig_compare_stats(struct rig *rig, struct rig *twin)
{
    const char *one = loom_stats_of(rig->cache);
    const char *other = loom_stats_of(twin->cache);
    struct loom_stats stats = cache_component.stats;

    for (size_t i = 0; i < stats.count; i++) {
        const struct loom_stat *stat = &stats.item[i];
        size_t numbers =
            stat->kind == LOOM_STAT_VECTOR ? stat->count
            : stat->kind == LOOM_STAT_COUNTER || stat->kind == LOOM_STAT_GAUGE
                ? 1
                : 0;

        if (memcmp(one + stat->offset, other + stat->offset,
                   numbers * sizeof(uint64_t)) != 0) {
            printf("\n    %s differs without an observer", stat->name);
            EXPECT(false);
        }
    }
}

/* The twin does what the rig has done, and comes to the same. */
static inline void rig_compare(struct rig *rig, struct rig *twin)
{
    struct rig_source *s = twin->source;
    const struct rig_source *from = rig->source;
    struct rig_memory *m = twin->memory;

    for (; s->count < from->count; s->count++) {
        s->script[s->count] = from->script[s->count];
        s->when[s->count] = from->when[s->count];
    }
    s->serial = from->serial;
    m->latency = rig->memory->latency;
    m->not_before = rig->memory->not_before;
    m->in_parts = rig->memory->in_parts;
    rig_run_one(twin);
    EXPECT_EQ(s->replies, from->replies);
    EXPECT_EQ(
        memcmp(s->reply, from->reply, from->replies * sizeof(*from->reply)), 0);
    EXPECT_EQ(m->count, rig->memory->count);
    EXPECT_EQ(memcmp(m->seen, rig->memory->seen, m->count * sizeof(*m->seen)),
              0);
    EXPECT_EQ(memcmp(m->seen_at, rig->memory->seen_at,
                     m->count * sizeof(*m->seen_at)),
              0);
    rig_compare_stats(rig, twin);
}

static inline void rig_run(struct rig *rig)
{
    rig_run_one(rig);
    if (rig->twin != NULL) {
        rig_compare(rig, rig->twin);
    }
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

/* LRU and the lowest bits, as most tests want it. */
static inline struct rig *rig_open_standard(void)
{
    struct rig *rig = rig_open();

    rig_attach(rig, "replacement", &lru_policy);
    rig_attach(rig, "set_index", &linear_index_policy);
    return rig;
}

static inline struct rig *rig_open_write_back(const char *write_miss)
{
    struct rig *rig = rig_open_standard();

    rig_text(rig, "level", "l2");
    rig_text(rig, "write_policy", "write_back");
    rig_text(rig, "write_miss", write_miss);
    return rig;
}

/* Runs the script one request at a time. */
static inline void rig_run_serial(struct rig *rig)
{
    rig->source->serial = true;
    rig_start(rig);
    rig_run(rig);
}

#endif
