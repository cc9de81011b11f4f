/*
 * The questions a load/store unit asks: how lanes become accesses, and in
 * which order accesses go to the L1.
 */
#ifndef POLICIES_LDST_HOOK_H
#define POLICIES_LDST_HOOK_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "workloads/stream.h"

extern const struct loom_hook loom_coalesce_hook;
extern const struct loom_hook loom_order_hook;

struct loom_ldst_shape {
    uint32_t sm;
    uint32_t line_bytes;
    uint32_t warps;
};

/* One access: a block, the bytes and sectors of it, the lanes. */
struct loom_access {
    loom_addr block; /* multiple of LOOM_BLOCK_BYTES */
    uint64_t bytes[2];
    uint32_t lanes;
    uint16_t size_bytes; /* transaction size after reduction: 32, 64, 128 */
    uint8_t sectors;
    uint8_t zero; /* else a byte of a checkpoint would be undefined */
};

/* 32 lanes x 16 bytes, each straddling: never more than this. */
#define LOOM_ACCESS_MAX 128

struct loom_lanes {
    const struct loom_static_inst *inst;
    const loom_addr *address; /* [32] */
    uint32_t mask;
};

/* For coalescers: groups the lanes' bytes by aligned segments of
 * `segment_bytes` (32, 64 or 128), in descending order of address, as
 * GPGPU-Sim sends them.  A lane that straddles is part of two accesses.  Lanes
 * of an atomic that touch a byte that another lane of the access has open
 * another one. size_bytes is the smallest of 32, 64 and 128 that holds the
 * sectors used. Returns the number of accesses. */
uint32_t loom_coalesce_segments(const struct loom_lanes *lanes,
                                uint32_t segment_bytes,
                                struct loom_access access[LOOM_ACCESS_MAX]);

struct loom_coalesce_ops {
    /* Optional. */
    bool (*bind)(struct loom_policy *self, const struct loom_ldst_shape *shape,
                 struct loom_error *err);
    /* Fills in access[] in the order in which they go to the L1 and returns
     * how many.  Required. */
    uint32_t (*coalesce)(struct loom_policy *self,
                         const struct loom_lanes *lanes,
                         struct loom_access access[LOOM_ACCESS_MAX]);
};

/* A queue as the order policy sees it. */
struct loom_queue_view {
    const struct loom_mem_request *head; /* NULL: empty */
    uint32_t length;
};

struct loom_order_ops {
    /* How many queues, 1..64, and how many requests each holds.  Required. */
    bool (*bind)(struct loom_policy *self, const struct loom_ldst_shape *shape,
                 uint32_t *queues, uint32_t *depth, struct loom_error *err);
    /* Which queue a request goes to.  If that is full the unit stalls, and
     * asks again when a request has left.  Required. */
    uint32_t (*queue_of)(struct loom_policy *self,
                         const struct loom_mem_request *request);
    /* Which queue gives the next request to the L1; at least one is not
     * empty.  Required. */
    uint32_t (*next)(struct loom_policy *self,
                     const struct loom_queue_view *queue, uint32_t queues,
                     loom_cycle now);
    /* The head of `queue` was accepted by the L1's channel.  Optional. */
    void (*sent)(struct loom_policy *self, uint32_t queue,
                 const struct loom_mem_request *request);
};

#endif
