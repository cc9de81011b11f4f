/*
 * The warps of an SM in the order in which they were started, oldest first:
 * what a throttle that limits warps by age walks along.
 *
 * Slots are hardware warp slots; slot w belongs to scheduler w mod n and is
 * bit w / n of its masks, as everywhere (policies/sm_hook.h).
 */
#ifndef POLICIES_LIB_WARP_ORDER_H
#define POLICIES_LIB_WARP_ORDER_H

#include "engine/base.h"

#define LOOM_WARP_SLOTS 512 /* of an SM, at most */
#define LOOM_SM_SCHEDULERS 8

struct loom_warp_order {
    uint32_t count;
    uint16_t slot[LOOM_WARP_SLOTS]; /* [count], oldest first */
};

/* Removes a warp, if it is there. */
static inline void loom_warp_order_remove(struct loom_warp_order *order,
                                          uint32_t slot)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < order->count; i++) {
        if (order->slot[i] != slot) {
            order->slot[kept++] = order->slot[i];
        }
    }
    order->count = kept;
}

/* Adds a warp as the youngest. */
static inline void loom_warp_order_add(struct loom_warp_order *order,
                                       uint32_t slot)
{
    loom_warp_order_remove(order, slot);
    if (order->count < LOOM_WARP_SLOTS) {
        order->slot[order->count++] = (uint16_t)slot;
    }
}

#endif
