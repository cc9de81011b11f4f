/*
 * The stub in the SM and its load/store unit.
 */
#include "tests/policies/stub/stub_private.h"

/* ---- SM ---- */

static uint32_t stub_pick(struct loom_policy *self, uint32_t scheduler,
                          uint64_t ready, loom_cycle now)
{
    (void)now;
    count(self)->wrong += scheduler >= 64 || ready == 0;
    count(self)->picks++;
    return loom_lowest(ready);
}

static uint32_t stub_rank(struct loom_policy *self, uint32_t scheduler,
                          uint32_t local)
{
    (void)scheduler;
    count(self)->ranks++;
    return local;
}

static void stub_issued(struct loom_policy *self, uint32_t scheduler,
                        uint32_t local, loom_cycle now)
{
    (void)scheduler;
    (void)local;
    (void)now;
    count(self)->issued++;
}

static void stub_stalled(struct loom_policy *self, uint32_t scheduler,
                         uint64_t cycles)
{
    (void)scheduler;
    count(self)->stalled_cycles += cycles;
}

static void stub_started(struct loom_policy *self, uint32_t scheduler,
                         uint32_t local, uint64_t age)
{
    (void)scheduler;
    (void)local;
    (void)age;
    count(self)->started++;
}

static void stub_finished(struct loom_policy *self, uint32_t scheduler,
                          uint32_t local)
{
    (void)scheduler;
    (void)local;
    count(self)->finished++;
}

static uint64_t stub_allow(struct loom_policy *self,
                           const struct loom_throttle_view *view)
{
    count(self)->wrong += (view->ready & ~view->active) != 0;
    count(self)->allows++;
    return UINT64_MAX;
}

const struct loom_scheduler_ops stub_scheduler_ops = {
    .pick = stub_pick,
    .rank = stub_rank,
    .issued = stub_issued,
    .stalled = stub_stalled,
    .started = stub_started,
    .finished = stub_finished,
};
static uint64_t stub_prefer(struct loom_policy *self,
                            const struct loom_throttle_view *view)
{
    count(self)->wrong +=
        view->ready == 0 || (view->ready & ~view->active) != 0;
    count(self)->prefers++;
    return view->ready & (0 - view->ready);
}

const struct loom_throttle_ops stub_throttle_ops = {.allow = stub_allow,
                                                    .prefer = stub_prefer};

/* ---- load/store unit ---- */

/* One access per lane: as uncoalesced as can be, yet correct. */
static uint32_t stub_coalesce(struct loom_policy *self,
                              const struct loom_lanes *lanes,
                              struct loom_access access[LOOM_ACCESS_MAX])
{
    uint32_t bytes = (uint32_t)lanes->inst->bytes * lanes->inst->vector;
    uint32_t n = 0;

    for (uint32_t mask = lanes->mask; mask != 0; mask &= mask - 1) {
        uint32_t lane = loom_lowest(mask);
        loom_addr at = lanes->address[lane];
        uint32_t offset = (uint32_t)(at % LOOM_BLOCK_BYTES);
        struct loom_access *a = &access[n++];

        *a = (struct loom_access){.block = at - offset,
                                  .lanes = 1u << lane,
                                  .size_bytes = LOOM_SECTOR_BYTES};
        a->bytes[offset / 64] = ((UINT64_C(1) << bytes) - 1) << (offset % 64);
        a->sectors = (uint8_t)(1u << offset / LOOM_SECTOR_BYTES);
    }
    count(self)->coalesces++;
    count(self)->coalesced += n;
    return n;
}

static bool stub_order_bind(struct loom_policy *self,
                            const struct loom_ldst_shape *shape,
                            uint32_t *queues, uint32_t *depth,
                            struct loom_error *err)
{
    (void)self;
    (void)shape;
    (void)err;
    *queues = 2;
    *depth = 8;
    return true;
}

static uint32_t stub_queue_of(struct loom_policy *self,
                              const struct loom_mem_request *request)
{
    count(self)->queue_ofs++;
    return request->warp & 1;
}

static uint32_t stub_next(struct loom_policy *self,
                          const struct loom_queue_view *queue, uint32_t queues,
                          loom_cycle now)
{
    (void)now;
    count(self)->nexts++;
    count(self)->wrong += queues != 2;
    return queue[0].head != NULL ? 0 : 1;
}

static void stub_sent(struct loom_policy *self, uint32_t queue,
                      const struct loom_mem_request *request)
{
    count(self)->wrong += queue != (request->warp & 1u);
    count(self)->sents++;
}

const struct loom_coalesce_ops stub_coalesce_ops = {
    .coalesce = stub_coalesce,
};
const struct loom_order_ops stub_order_ops = {
    .bind = stub_order_bind,
    .queue_of = stub_queue_of,
    .next = stub_next,
    .sent = stub_sent,
};
