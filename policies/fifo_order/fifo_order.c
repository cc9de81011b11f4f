/*
 * fifo_order: accesses go to the L1 in the order in which they were made.
 *
 * One queue.  Its default depth of 1 makes an instruction wait in the
 * load/store unit until the L1 has taken its accesses one after the other,
 * as GPGPU-Sim's does; a deeper queue lets the next instruction start
 * earlier.
 */
#include "policies/ldst_hook.h"

struct fifo_order_config {
    uint32_t depth;
};

static bool fifo_bind(struct loom_policy *self,
                      const struct loom_ldst_shape *shape, uint32_t *queues,
                      uint32_t *depth, struct loom_error *err)
{
    const struct fifo_order_config *config = loom_policy_config(self);

    (void)shape;
    (void)err;
    *queues = 1;
    *depth = config->depth;
    return true;
}

static uint32_t fifo_queue_of(struct loom_policy *self,
                              const struct loom_mem_request *request)
{
    (void)self;
    (void)request;
    return 0;
}

static uint32_t fifo_next(struct loom_policy *self,
                          const struct loom_queue_view *queue, uint32_t queues,
                          loom_cycle now)
{
    (void)self;
    (void)queue;
    (void)queues;
    (void)now;
    return 0;
}

static const struct loom_order_ops fifo_order_ops = {
    .bind = fifo_bind,
    .queue_of = fifo_queue_of,
    .next = fifo_next,
};

static const struct loom_param fifo_order_params[] = {
    LOOM_PARAM(struct fifo_order_config, depth, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 4096},
               .doc = "Accesses that wait between the coalescer and the L1",
               .source = "GPGPU-Sim 3.2.2, which has no such queue"),
};

const struct loom_policy_type fifo_order_policy = {
    .name = "fifo_order",
    .doc = "Accesses go to the L1 in the order in which they were made",
    .config_size = sizeof(struct fifo_order_config),
    .params = LOOM_SLICE(fifo_order_params),
    .facets = LOOM_FACETS({&loom_order_hook, &fifo_order_ops}),
    .cost = loom_cost_none,
};
