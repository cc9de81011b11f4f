/*
 * The life of an SM (sm_life.h): its CTAs and warps, coming and going.
 */
#ifndef TESTS_CONTRACT_SM_LIFE_WARPS_H
#define TESTS_CONTRACT_SM_LIFE_WARPS_H

#include "engine/rng.h"

#include "tests/unit/sm_policy_host.h"

enum {
    LIFE_WARPS = 64,
    LIFE_CTA = 4, /* warps of a CTA */
    LIFE_INSTS = 24,
    LIFE_CYCLES = 200000 /* an SM that is not done then has starved a warp */
};

enum life_inst {
    LIFE_ADD,
    LIFE_LOAD_IN_LOOP,
    LIFE_LOAD,
    LIFE_BARRIER,
    LIFE_KINDS
};

struct life_warp {
    uint32_t left;  /* instructions; 0: none */
    uint32_t next;  /* enum life_inst */
    uint32_t waits; /* cycles; 0: for nothing but perhaps a barrier */
    bool present, at_barrier, loading;
};

struct life_shape {
    uint32_t warps, schedulers, ctas;
};

struct life {
    struct sm_host host;
    struct loom_rng rng;
    struct life_shape shape;
    struct life_warp warp[LIFE_WARPS];
    uint32_t cta_of[LIFE_WARPS / LIFE_CTA];
    uint32_t started; /* CTAs */
    uint32_t asked;   /* how often to ask each question */
    uint64_t age, digest;
    loom_cycle now;
};

static const struct loom_static_inst life_insts[LIFE_KINDS] = {
    [LIFE_ADD] = {.op = LOOM_OP_INT_ADD, .loop = LOOM_NO_LOOP},
    [LIFE_LOAD_IN_LOOP] = {.op = LOOM_OP_LOAD,
                           .loop = 0,
                           .space = LOOM_SPACE_GLOBAL},
    [LIFE_LOAD] = {.op = LOOM_OP_LOAD,
                   .loop = LOOM_NO_LOOP,
                   .space = LOOM_SPACE_GLOBAL},
    [LIFE_BARRIER] = {.op = LOOM_OP_BARRIER, .loop = LOOM_NO_LOOP},
};
static const struct loom_loop life_loops[] = {
    {.parent = LOOM_NO_LOOP, .header = LIFE_LOAD_IN_LOOP, .depth = 1}};
static const struct loom_kernel life_kernel = {
    .name = "life",
    .inst = life_insts,
    .inst_count = LIFE_KINDS,
    .loop = life_loops,
    .loop_count = 1,
};

static inline uint32_t life_below(struct life *life, uint32_t bound)
{
    return (uint32_t)loom_rng_below(&life->rng, bound);
}

static inline void life_note(struct life *life, uint64_t what)
{
    life->digest = life->digest * 31 + what;
}

static inline struct loom_event life_event(struct life *life, uint32_t w,
                                           enum loom_event_kind kind)
{
    return (struct loom_event){
        .now = life->now,
        .kernel = &life_kernel,
        .kind = (uint32_t)kind,
        .cta = life->cta_of[w / LIFE_CTA],
        .warp = (uint16_t)w,
        .scheduler = (uint8_t)(w % life->shape.schedulers),
        .inst = life->warp[w].next,
        .mask = UINT32_MAX,
    };
}

static inline void life_tell(struct life *life, uint32_t w,
                             enum loom_event_kind kind)
{
    struct loom_event event = life_event(life, w, kind);

    sm_host_tell(&life->host, &event);
}

/* ---- coming and going ---- */

static inline void life_start_warp(struct life *life, uint32_t w)
{
    const struct loom_scheduler_ops *ops = life->host.scheduler;
    struct loom_event event;

    life->warp[w] = (struct life_warp){
        .left = 1 + life_below(life, LIFE_INSTS),
        .next = life_below(life, LIFE_KINDS),
        .present = true,
    };
    if (ops != NULL && ops->started != NULL) {
        ops->started(life->host.policy, w % life->shape.schedulers,
                     w / life->shape.schedulers, life->age);
    }
    event = life_event(life, w, LOOM_EVENT_WARP_START);
    event.age = life->age++;
    sm_host_tell(&life->host, &event);
}

static inline bool life_empty(const struct life *life, uint32_t cta)
{
    for (uint32_t i = 0; i < LIFE_CTA; i++) {
        if (life->warp[cta * LIFE_CTA + i].present) {
            return false;
        }
    }
    return true;
}

/* CTAs into empty places, now and then.  Whether there are any or more to
 * come. */
static inline bool life_start_ctas(struct life *life)
{
    bool any = life->started < life->shape.ctas;

    for (uint32_t c = 0; c < life->shape.warps / LIFE_CTA; c++) {
        struct loom_event event;

        if (!life_empty(life, c)) {
            any = true;
            continue;
        }
        if (life->started == life->shape.ctas || life_below(life, 8) != 0) {
            continue;
        }
        life->cta_of[c] = life->started++;
        event = life_event(life, c * LIFE_CTA, LOOM_EVENT_CTA_START);
        event.count = LIFE_CTA;
        sm_host_tell(&life->host, &event);
        for (uint32_t i = 0; i < LIFE_CTA; i++) {
            life_start_warp(life, c * LIFE_CTA + i);
        }
    }
    return any;
}

/* A CTA's barrier opens when all that have instructions left are there. */
static inline void life_open_barrier(struct life *life, uint32_t cta)
{
    struct life_warp *warp = &life->warp[cta * LIFE_CTA];

    for (uint32_t i = 0; i < LIFE_CTA; i++) {
        if (warp[i].left != 0 && !warp[i].at_barrier) {
            return;
        }
    }
    for (uint32_t i = 0; i < LIFE_CTA; i++) {
        warp[i].at_barrier = false;
    }
}

static inline void life_retire(struct life *life, uint32_t w)
{
    life_tell(life, w, LOOM_EVENT_WARP_FINISH);
    life->warp[w].present = false;
    if (life_empty(life, w / LIFE_CTA)) {
        life_tell(life, w, LOOM_EVENT_CTA_FINISH);
    }
}

static inline void life_wait(struct life *life, uint32_t w)
{
    struct life_warp *warp = &life->warp[w];

    if (warp->waits != 0 && --warp->waits == 0 && warp->loading) {
        warp->loading = false;
        life_tell(life, w, LOOM_EVENT_MEM_COMPLETE);
    }
    if (warp->present && warp->left == 0 && warp->waits == 0) {
        life_retire(life, w);
    }
}

#endif
