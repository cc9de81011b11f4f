/*
 * The life of an SM (sm_life.h): what its instructions do.
 */
#ifndef TESTS_CONTRACT_SM_LIFE_INSTS_H
#define TESTS_CONTRACT_SM_LIFE_INSTS_H

#include "tests/contract/sm_life_warps.h"

static inline void life_access(struct life *life, uint32_t w, uint32_t access)
{
    const struct loom_allocation_ops *ops = life->host.allocation;
    struct loom_mem_request request = {
        .block = 128 * (loom_addr)life_below(life, 400),
        .bytes = {UINT64_MAX, UINT64_MAX},
        .cta = life->cta_of[w / LIFE_CTA],
        .inst = life->warp[w].next,
        .warp = (uint16_t)w,
        .size_bytes = 128,
        .access = (uint8_t)access,
        .sectors = 15,
    };
    struct loom_event event = life_event(life, w, LOOM_EVENT_ACCESS);
    enum loom_allocate verdict = LOOM_ALLOCATE_DEFAULT;
    struct loom_bypass how = {request.size_bytes, true};

    event.request = &request;
    event.set = (uint32_t)(request.block / 128 % 32);
    event.way = life_below(life, 4);
    sm_host_tell(&life->host, &event);
    event.kind = life_below(life, 2) ? LOOM_EVENT_HIT : LOOM_EVENT_MISS;
    sm_host_tell(&life->host, &event);
    if (event.kind == LOOM_EVENT_HIT) {
        return;
    }
    if (ops != NULL && ops->allocate != NULL) {
        verdict = ops->allocate(life->host.policy, &request, event.set, &how);
        EXPECT((unsigned)verdict <= LOOM_NO_ALLOCATE);
        life_note(life, verdict);
    }
    if (verdict != LOOM_NO_ALLOCATE) {
        event.kind = LOOM_EVENT_EVICT;
        event.block = 128 * (loom_addr)life_below(life, 400);
        sm_host_tell(&life->host, &event);
        event.kind = LOOM_EVENT_ALLOCATE;
        sm_host_tell(&life->host, &event);
        event.kind = LOOM_EVENT_FILL;
        sm_host_tell(&life->host, &event);
    }
}

static inline void life_load(struct life *life, uint32_t w)
{
    struct loom_event event = life_event(life, w, LOOM_EVENT_MEM_ISSUE);

    event.count = 1 + life_below(life, 32);
    sm_host_tell(&life->host, &event);
    for (uint32_t i = 0; i < event.count; i++) {
        life_access(life, w, i);
    }
    life->warp[w].waits = 1 + life_below(life, 60);
    life->warp[w].loading = true;
}

static inline void life_issue(struct life *life, uint32_t w)
{
    const struct loom_scheduler_ops *ops = life->host.scheduler;
    struct life_warp *warp = &life->warp[w];
    uint32_t inst = warp->next;

    life_tell(life, w, LOOM_EVENT_ISSUE);
    if (life_insts[inst].op == LOOM_OP_LOAD) {
        life_load(life, w);
    } else if (inst == LIFE_BARRIER) {
        warp->at_barrier = true;
    } else {
        warp->waits = life_below(life, 6);
    }
    if (ops != NULL && ops->issued != NULL) {
        ops->issued(life->host.policy, w % life->shape.schedulers,
                    w / life->shape.schedulers, life->now);
    }
    warp->left--;
    warp->next = life_below(life, LIFE_KINDS);
    if (inst == LIFE_LOAD_IN_LOOP &&
        (warp->left == 0 || warp->next != LIFE_LOAD_IN_LOOP)) {
        life_tell(life, w, LOOM_EVENT_LOOP_EXIT);
    }
    if (warp->left == 0 && ops != NULL && ops->finished != NULL) {
        ops->finished(life->host.policy, w % life->shape.schedulers,
                      w / life->shape.schedulers);
    }
    life_open_barrier(life, w / LIFE_CTA);
}

#endif
