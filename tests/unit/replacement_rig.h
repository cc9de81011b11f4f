/*
 * A replacement policy asked directly, and a cache of tags only around one,
 * whose accesses can be followed by hand.
 */
#ifndef TESTS_UNIT_REPLACEMENT_RIG_H
#define TESTS_UNIT_REPLACEMENT_RIG_H

#include "tests/unit/policy_host.h"

static const struct loom_mem_request request = {.size_bytes = 128};

static inline const struct loom_replacement_ops *ops_of(const struct host *host)
{
    return loom_policy_type_ops(loom_policy_type_of(host->policy),
                                &loom_replacement_hook);
}

/* The candidates are the bits of a mask. */
static inline uint32_t victim(const struct host *host, uint32_t set,
                              uint32_t mask)
{
    uint16_t way[32];
    struct loom_ways ways = {way, 0};

    for (; mask != 0; mask &= mask - 1) {
        way[ways.count++] = (uint16_t)loom_lowest(mask);
    }
    return ops_of(host)->victim(host->policy, &request, set, &ways);
}

static inline void insert(const struct host *host, uint32_t set, uint32_t way)
{
    if (ops_of(host)->inserted != NULL) {
        ops_of(host)->inserted(host->policy, &request, set, way);
    }
}

static inline void hit(const struct host *host, uint32_t set, uint32_t way)
{
    if (ops_of(host)->hit != NULL) {
        ops_of(host)->hit(host->policy, &request, set, way);
    }
}

static inline void drop(const struct host *host, uint32_t set, uint32_t way)
{
    if (ops_of(host)->invalidated != NULL) {
        ops_of(host)->invalidated(host->policy, set, way);
    }
}

/* A counter, gauge or element of an array or vector. */
static inline uint64_t counted(const struct host *host, const char *name,
                               uint32_t i)
{
    const struct loom_stat *stat =
        loom_stats_find(loom_policy_type_of(host->policy)->stats, name);
    const char *at = (const char *)loom_policy_stats(host->policy);

    REQUIRE(stat != NULL);
    if (stat->kind == LOOM_STAT_ARRAY) {
        const struct loom_array *array =
            (const struct loom_array *)(const void *)(at + stat->offset);

        REQUIRE(i < array->count);
        return array->item[i];
    }
    return ((const uint64_t *)(const void *)(at + stat->offset))[i];
}

static inline bool laws_hold(struct host *host)
{
    return loom_machine_check(host->machine, host_note, &host->err);
}

/* One set of a cache; blocks are numbers from 1, 0 is an empty way. */
struct tags {
    struct host *host;
    uint32_t ways;
    uint32_t block[32];
};

/* A load: true if it hits.  The highest empty way is taken first. */
static inline bool load(struct tags *tags, uint32_t block)
{
    uint32_t way = UINT32_MAX;

    for (uint32_t i = 0; i < tags->ways; i++) {
        if (tags->block[i] == block) {
            hit(tags->host, 0, i);
            return true;
        }
        way = tags->block[i] == 0 ? i : way;
    }
    if (way == UINT32_MAX) {
        way = victim(tags->host, 0, (uint32_t)((1ull << tags->ways) - 1));
    }
    tags->block[way] = block;
    insert(tags->host, 0, way);
    return false;
}

/* Loads blocks first .. first + count - 1; how many hit. */
static inline uint32_t walk(struct tags *tags, uint32_t first, uint32_t count)
{
    uint32_t hits = 0;

    for (uint32_t i = 0; i < count; i++) {
        hits += load(tags, first + i) ? 1 : 0;
    }
    return hits;
}

#endif
