/*
 * After cache_rig_run.h: traffic and shapes drawn at random.
 *
 * links: policy_lru policy_fifo policy_linear_index
 */
#ifndef TESTS_UNIT_CACHE_DRAW_H
#define TESTS_UNIT_CACHE_DRAW_H

#include "engine/rng.h"

#include "tests/unit/cache_rig_run.h"

#define DRAW_BLOCKS 24

extern const struct loom_policy_type fifo_policy;

static inline struct rig *draw_rig(struct loom_rng *rng, uint32_t count,
                                   bool writes)
{
    struct rig *rig = rig_open_with(4);

    rig_attach(rig, "set_index", &linear_index_policy);
    for (uint32_t i = 0; i < count; i++) {
        bool write = writes && loom_rng_below(rng, 4) == 0;
        struct loom_mem_request *r =
            rig_access(rig, 0, write ? LOOM_MEM_STORE : LOOM_MEM_LOAD,
                       loom_rng_below(rng, DRAW_BLOCKS));

        if (loom_rng_below(rng, 3) == 0) {
            rig_sector(r, (uint32_t)loom_rng_below(rng, 4));
        }
    }
    return rig;
}

/* A shape drawn at random: small, so that everything runs out. */
static inline void draw_shape(struct rig *rig, struct loom_rng *rng)
{
    static const char *const write[] = {"write_evict", "write_through",
                                        "write_back"};
    static const char *const miss[] = {"fetch_on_write", "validate"};
    static const char *const allocate[] = {"on_miss", "on_fill"};
    static const uint32_t sector[] = {0, 32, 64};

    rig_attach(rig, "replacement",
               loom_rng_below(rng, 2) ? &lru_policy : &fifo_policy);
    rig_text(rig, "write_policy", write[loom_rng_below(rng, 3)]);
    rig_text(rig, "write_miss", miss[loom_rng_below(rng, 2)]);
    rig_text(rig, "allocate", allocate[loom_rng_below(rng, 2)]);
    rig_set(rig, "sector_bytes", sector[loom_rng_below(rng, 3)]);
    rig_set(rig, "mshr_entries", 1 + loom_rng_below(rng, 6));
    rig_set(rig, "mshr_merges", 1 + loom_rng_below(rng, 4));
    rig_set(rig, "miss_queue", 1 + loom_rng_below(rng, 4));
    rig_set(rig, "passing_entries", 1 + loom_rng_below(rng, 4));
    rig_set(rig, "hit_latency", loom_rng_below(rng, 6));
    rig_set(rig, "accesses_per_cycle", 1 + loom_rng_below(rng, 2));
    rig_set(rig, "data_port_bytes", UINT64_C(32) << loom_rng_below(rng, 3));
    rig_set(rig, "fill_port_bytes", UINT64_C(32) << loom_rng_below(rng, 3));
    if (loom_rng_below(rng, 2)) {
        rig_flag(rig, "local_write_back");
    }
    rig->memory->latency = 1 + loom_rng_below(rng, 40);
}

static inline void draw_kinds(struct rig *rig, struct loom_rng *rng)
{
    struct rig_source *s = rig->source;

    for (uint32_t i = 0; i < s->count; i++) {
        struct loom_mem_request *r = &s->script[i];
        uint64_t draw = loom_rng_below(rng, 40);

        if (draw == 0) {
            r->kind = LOOM_MEM_FLUSH;
        } else if (draw == 1) {
            r->kind = LOOM_MEM_QUERY;
        } else if (draw < 4) {
            r->kind = LOOM_MEM_ATOMIC;
        } else if (draw < 6) {
            r->bypassed = LOOM_LEVEL_L1;
            r->flags = loom_rng_below(rng, 2) ? LOOM_MEM_MAY_MERGE : 0;
        } else if (draw < 12) {
            r->space = LOOM_SPACE_LOCAL;
        } else if (draw == 12) {
            r->kind = LOOM_MEM_WRITEBACK;
        }
    }
}

#endif
