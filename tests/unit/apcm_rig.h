/*
 * A bench for apcm: kernels with loads in loops, and a small L1 that asks and
 * tells what components/cache does, one access after the other.
 */
#ifndef TESTS_UNIT_APCM_RIG_H
#define TESTS_UNIT_APCM_RIG_H

#include "policies/apcm/apcm_private.h"
#include "tests/unit/give.h"
#include "tests/unit/technique_host.h"

extern const struct loom_policy_type apcm_policy;

/* Static instructions of the kernels: A, B and C are in loop 1, which is in
 * loop 0; D is in none. */
enum {
    A,
    B,
    C,
    D,
    STORE,
    LOCAL,
    INSTS,
    MANY = 40 /* loads of the kernel `wide`, in no loop */
};

#define RIG_LOAD(loop_)                                                        \
    {                                                                          \
        .op = LOOM_OP_LOAD, .space = LOOM_SPACE_GLOBAL, .loop = (loop_)        \
    }

static const struct loom_static_inst rig_inst[INSTS] = {
    [A] = RIG_LOAD(1),
    [B] = RIG_LOAD(1),
    [C] = RIG_LOAD(1),
    [D] = RIG_LOAD(LOOM_NO_LOOP),
    [STORE] = {.op = LOOM_OP_STORE,
               .space = LOOM_SPACE_GLOBAL,
               .loop = LOOM_NO_LOOP},
    [LOCAL] = {.op = LOOM_OP_LOAD,
               .space = LOOM_SPACE_LOCAL,
               .loop = LOOM_NO_LOOP},
};
static const struct loom_loop rig_loop[] = {
    {.parent = LOOM_NO_LOOP, .depth = 1},
    {.parent = 0, .depth = 2},
};
static const struct loom_kernel rig_kernel = {
    .name = "k",
    .number = 0,
    .inst = rig_inst,
    .inst_count = INSTS,
    .loop = rig_loop,
    .loop_count = 2,
};

enum {
    RIG_SETS = 4,
    RIG_WARPS = 8
};

struct bench {
    struct tech t;
    struct apcm *a;
    struct apcm_stats *stats;
    uint32_t ways;
    loom_addr tag[RIG_SETS * 8]; /* block + 1, 0: none; way 0 is the oldest
                                  * that the tests ask for */
};

static inline struct bench bench_open(uint32_t ways)
{
    struct bench b = {
        .t = tech_open(&apcm_policy,
                       (struct tech_shape){RIG_SETS, ways, RIG_WARPS}),
        .ways = ways,
    };

    return b;
}

static inline void bench_kernel(struct bench *b,
                                const struct loom_kernel *kernel)
{
    b->t.kernel = kernel;
    give_kernel(b->t.machine, kernel);
    tech_tell(&b->t, b->t.sm,
              (struct loom_event){.kind = LOOM_EVENT_KERNEL_START});
}

static inline void bench_end(struct bench *b)
{
    tech_tell(&b->t, b->t.sm,
              (struct loom_event){.kind = LOOM_EVENT_KERNEL_END});
}

static inline void bench_warp(struct bench *b, enum loom_event_kind kind,
                              uint16_t warp)
{
    tech_tell(&b->t, b->t.sm,
              (struct loom_event){.kind = (uint32_t)kind, .warp = warp});
}

static inline void bench_leave(struct bench *b, uint16_t warp, uint32_t loop)
{
    tech_tell(&b->t, b->t.sm,
              (struct loom_event){
                  .kind = LOOM_EVENT_LOOP_EXIT, .warp = warp, .count = loop});
}

/* Builds; the kernel starts and warp 7 is its first. */
static inline void bench_start(struct bench *b)
{
    tech_start(&b->t);
    REQUIRE(b->t.good);
    b->a = loom_policy_state(b->t.policy);
    b->stats = loom_policy_stats(b->t.policy);
    bench_kernel(b, &rig_kernel);
    bench_warp(b, LOOM_EVENT_WARP_START, 7);
}

static inline void bench_mem(struct bench *b, enum loom_event_kind kind,
                             uint16_t warp, uint32_t inst)
{
    tech_tell(&b->t, b->t.ldst,
              (struct loom_event){
                  .kind = (uint32_t)kind, .warp = warp, .inst = inst});
}

static inline void bench_complete(struct bench *b, uint16_t warp, uint32_t inst)
{
    bench_mem(b, LOOM_EVENT_MEM_COMPLETE, warp, inst);
}

/* The first way that may be replaced, or UINT32_MAX. */
static inline uint32_t bench_way(struct bench *b,
                                 const struct loom_mem_request *r, uint32_t set)
{
    uint16_t list[8];
    struct loom_ways ways = {list, 0};
    struct loom_bypass how = {128, false};

    for (uint32_t i = 0; i < b->ways; i++) {
        list[ways.count++] = (uint16_t)i;
    }
    b->t.candidates->restrict_ways(b->t.policy, r, set, &ways);
    if (ways.count == 0) {
        EXPECT_EQ(b->t.candidates->empty(b->t.policy, r, set, &how),
                  LOOM_EMPTY_BYPASS);
        return UINT32_MAX;
    }
    for (uint32_t i = ways.count; i-- > 0;) {
        if (b->tag[set * b->ways + ways.way[i]] == 0) {
            return ways.way[i];
        }
    }
    return ways.way[0];
}

static inline void bench_drop(struct bench *b, const struct loom_mem_request *r,
                              uint32_t set, uint32_t way)
{
    if (b->tag[set * b->ways + way] != 0) {
        tech_cache(&b->t, LOOM_EVENT_EVICT, r, set, way);
    }
    b->tag[set * b->ways + way] = 0;
}

/* One access at the L1: 'h'it, 'm'iss, 'b'ypass as streaming, 'n'o way. */
static inline char bench_access(struct bench *b,
                                const struct loom_mem_request *r)
{
    uint32_t set = (uint32_t)(r->block / 128 % RIG_SETS);
    uint32_t way;

    if (tech_bypasses(&b->t, r)) {
        tech_cache(&b->t, LOOM_EVENT_BYPASS, r, UINT32_MAX, UINT32_MAX);
        return 'b';
    }
    for (way = 0; way < b->ways; way++) {
        if (b->tag[set * b->ways + way] == r->block + 1) {
            tech_cache(&b->t, LOOM_EVENT_HIT, r, set, way);
            return 'h';
        }
    }
    way = bench_way(b, r, set);
    if (way == UINT32_MAX) {
        tech_cache(&b->t, LOOM_EVENT_BYPASS, r, UINT32_MAX, UINT32_MAX);
        return 'n';
    }
    tech_cache(&b->t, LOOM_EVENT_MISS, r, set, UINT32_MAX);
    bench_drop(b, r, set, way);
    b->tag[set * b->ways + way] = r->block + 1;
    tech_cache(&b->t, LOOM_EVENT_ALLOCATE, r, set, way);
    return 'm';
}

/* A coalesced load of line `line`, from issue to the L1. */
static inline char bench_load(struct bench *b, uint16_t warp, uint32_t inst,
                              uint32_t line)
{
    struct loom_mem_request r =
        tech_load(&b->t, warp, inst, (loom_addr)line * 128);

    bench_mem(b, LOOM_EVENT_MEM_ISSUE, warp, inst);
    return bench_access(b, &r);
}

/* What is known of a load. */
static inline const struct apcm_cait *bench_cait(const struct bench *b,
                                                 uint32_t inst)
{
    uint32_t id = apcm_find(b->a, inst);

    REQUIRE(id != APCM_NO_ID);
    return &b->a->cait[id];
}

#define EXPECT_CAIT(b, inst, method_, count_, last_)                           \
    do {                                                                       \
        const struct apcm_cait *c_ = bench_cait(b, inst);                      \
        EXPECT(c_->valid);                                                     \
        EXPECT_EQ(c_->method, method_);                                        \
        EXPECT_EQ(c_->count, count_);                                          \
        EXPECT_EQ(c_->last, apcm_find((b)->a, last_));                         \
    } while (0)

#endif
