/*
 * dacache_rig.h at work: the accesses of loads, and what came of them.
 */
#ifndef TESTS_UNIT_DACACHE_RIG_RUN_H
#define TESTS_UNIT_DACACHE_RIG_RUN_H

#include "tests/unit/dacache_rig.h"

static inline void rig_tell(struct rig *rig, enum loom_event_kind kind,
                            const struct loom_mem_request *r, uint32_t set,
                            uint32_t way, loom_addr block)
{
    const struct loom_event event = {
        .request = r,
        .kind = (uint32_t)kind,
        .set = set,
        .way = way,
        .block = block,
        .reason = LOOM_EVICT_CAPACITY,
    };

    if ((rig->cache->events >> kind & 1) != 0) {
        rig->cache->observe(rig->policy, &event);
    }
}

enum rig_outcome {
    RIG_HIT,
    RIG_MISS,
    RIG_AROUND,
    RIG_STALLED
};

/* Gives the line a way. */
static inline enum rig_outcome
rig_miss(struct rig *rig, const struct loom_mem_request *r, uint32_t set)
{
    uint16_t list[RIG_WAYS];
    struct loom_ways ways = {list, 0};
    struct loom_bypass bypass = {r->size_bytes, false};
    uint32_t way = UINT32_MAX;

    for (uint32_t i = 0; i < rig->ways; i++) {
        list[ways.count] = (uint16_t)i;
        ways.count += (rig->reserved >> i & 1) == 0;
    }
    rig->candidates->restrict_ways(rig->policy, r, set, &ways);
    if (ways.count == 0) {
        if (rig->candidates->empty(rig->policy, r, set, &bypass) ==
            LOOM_EMPTY_STALL) {
            return RIG_STALLED;
        }
        EXPECT_EQ(bypass.size_bytes, 32);
        rig_tell(rig, LOOM_EVENT_BYPASS, r, set, UINT32_MAX, 0);
        return RIG_AROUND;
    }
    rig_tell(rig, LOOM_EVENT_MISS, r, set, UINT32_MAX, 0);
    for (uint32_t i = 0; i < ways.count; i++) {
        way = rig->tag[set][list[i]] == 0 ? list[i] : way;
    }
    if (way == UINT32_MAX) {
        way = rig->replacement->victim(rig->policy, r, set, &ways);
        rig_tell(rig, LOOM_EVENT_EVICT, r, set, way, rig->tag[set][way] - 1);
    }
    rig->tag[set][way] = r->block + 1;
    rig->replacement->inserted(rig->policy, r, set, way);
    return RIG_MISS;
}

static inline enum rig_outcome rig_access(struct rig *rig,
                                          const struct loom_mem_request *r)
{
    uint32_t set = (uint32_t)(r->block / 128 % rig->sets);

    for (uint32_t way = 0; way < rig->ways; way++) {
        if (rig->tag[set][way] == r->block + 1) {
            rig_tell(rig, LOOM_EVENT_HIT, r, set, way, 0);
            rig->replacement->hit(rig->policy, r, set, way);
            return RIG_HIT;
        }
    }
    return rig_miss(rig, r, set);
}

/* A load of `rank` (which is its warp too): `accesses` lines from number
 * `line` on.  Returns how many hit. */
static inline uint32_t rig_load(struct rig *rig, uint32_t inst, uint32_t rank,
                                loom_addr line, uint32_t accesses)
{
    uint32_t hits = 0;

    for (uint32_t i = 0; i < accesses; i++) {
        const struct loom_mem_request r = {
            .block = (line + i) * 128,
            .inst = inst,
            .warp = (uint16_t)rank,
            .rank = (uint16_t)rank,
            .size_bytes = 128,
            .access = (uint8_t)i,
            .accesses = (uint8_t)accesses,
            .kind = LOOM_MEM_LOAD,
            .sectors = 15,
        };

        hits += rig_access(rig, &r) == RIG_HIT;
    }
    return hits;
}

static inline uint64_t rig_stat(const struct rig *rig, const char *name,
                                uint32_t item)
{
    const struct loom_stat *stat = loom_stats_find(dacache_policy.stats, name);
    const char *base = loom_policy_stats(rig->policy);

    REQUIRE(stat != NULL);
    if (stat->kind == LOOM_STAT_ARRAY) {
        const struct loom_array *array = (const void *)(base + stat->offset);

        return array->item[item];
    }
    return ((const uint64_t *)(const void *)(base + stat->offset))[item];
}

#endif
