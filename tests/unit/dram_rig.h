/*
 * One DRAM channel with one or two clients, addressed by bank, row and column
 * through linear_map.
 */
#ifndef TESTS_UNIT_DRAM_RIG_H
#define TESTS_UNIT_DRAM_RIG_H

#include "policies/dram_hook.h"
#include "tests/unit/mem_rig_run.h"

extern const struct loom_component_type dram_component;
extern const struct loom_policy_type frfcfs_policy;
extern const struct loom_policy_type fcfs_policy;
extern const struct loom_policy_type linear_map_policy;

struct dram_rig {
    struct loom_machine *machine;
    struct loom_component *dram, *client[2];
    struct loom_policy *schedule;
    struct rig_list list[2];
    uint32_t clients;
    loom_time step; /* of the run; 0: in one go */
};

/* `max`: requests of each client.  Parameters may be set until the run. */
static inline struct dram_rig
dram_rig_build_at(const char *name, uint32_t clients, uint32_t max,
                  const struct loom_policy_type *schedule)
{
    static const char *const path[] = {"m.client[0]", "m.client[1]"};
    struct dram_rig rig = {0};
    uint32_t clock;

    rig.machine = loom_machine_create(1);
    clock = loom_machine_clock(rig.machine, 924000000);
    rig.dram = rig_part(rig.machine, &dram_component, name, clock);
    rig.schedule = rig_policy(rig.dram, rig.machine, "schedule", schedule);
    rig_policy(rig.dram, rig.machine, "map", &linear_map_policy);
    rig_set(rig.dram, "channels", 1);
    rig_set(rig.dram, "slices_per_channel", 1);
    rig.clients = clients;
    for (uint32_t i = 0; i < clients; i++) {
        rig.client[i] = rig_part(rig.machine, &rig_client, path[i], clock);
        rig.list[i] = rig_list(max, max);
        rig_link(rig.machine, (struct loom_end){rig.client[i], "mem", 0},
                 (struct loom_end){rig.dram, "up", i}, 8);
    }
    return rig;
}

static inline struct dram_rig
dram_rig_build(uint32_t clients, uint32_t max,
               const struct loom_policy_type *schedule)
{
    return dram_rig_build_at("m.dram", clients, max, schedule);
}

static inline loom_addr dram_at(uint32_t bank, uint32_t row, uint32_t column)
{
    return ((loom_addr)(row * 16 + bank) * 64 + column) * 64;
}

static inline struct loom_mem_request *
dram_rig_add(struct dram_rig *rig, uint32_t client, loom_cycle at,
             loom_addr address, enum loom_mem_kind kind)
{
    return rig_add(&rig->list[client], at, address, kind, 64);
}

/* `count` requests per client, a third of them writes, in bursts of random
 * length with random pauses. */
static inline void dram_rig_random(struct dram_rig *rig, uint32_t count,
                                   uint64_t seed)
{
    for (uint32_t c = 0; c < rig->clients; c++) {
        uint64_t x = seed * 2654435761u + c + 1;
        loom_cycle at = 10;

        for (uint32_t i = 0; i < count; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            at += (x >> 60) == 0 ? (x >> 32) % 200 : 0;
            dram_rig_add(rig, c, at,
                         dram_at((uint32_t)(x >> 33) % 16,
                                 (uint32_t)(x >> 40) % 4,
                                 (uint32_t)(x >> 45) % 64),
                         (x >> 52) % 3 == 0 ? LOOM_MEM_STORE : LOOM_MEM_LOAD)
                ->size_bytes = (x >> 57) % 4 == 0 ? 128 : 64;
        }
    }
}

static inline void dram_rig_run(struct dram_rig *rig)
{
    rig_freeze(rig->machine);
    for (uint32_t i = 0; i < rig->clients; i++) {
        rig_give(rig->client[i], &rig->list[i]);
    }
    rig_run(rig->machine, rig->step);
}

static inline void dram_rig_destroy(struct dram_rig *rig)
{
    for (uint32_t i = 0; i < rig->clients; i++) {
        rig_list_free(&rig->list[i]);
    }
    loom_machine_destroy(rig->machine);
}

static inline const void *dram_rig_stat(struct dram_rig *rig, const char *name)
{
    const struct loom_stat *stat = loom_stats_find(dram_component.stats, name);

    REQUIRE(stat != NULL);
    return (const char *)loom_stats_of(rig->dram) + stat->offset;
}

static inline uint64_t dram_rig_counter(struct dram_rig *rig, const char *name)
{
    return *(const uint64_t *)dram_rig_stat(rig, name);
}

static inline uint64_t dram_rig_array(struct dram_rig *rig, const char *name,
                                      uint32_t index)
{
    const struct loom_array *array = dram_rig_stat(rig, name);

    REQUIRE(index < array->count);
    return array->item[index];
}

static inline const struct loom_histogram *
dram_rig_histogram(struct dram_rig *rig, const char *name)
{
    return dram_rig_stat(rig, name);
}

#endif
