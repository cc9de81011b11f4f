/*
 * The questions a network asks: where a packet goes, and who wins an output.
 */
#ifndef POLICIES_NOC_HOOK_H
#define POLICIES_NOC_HOOK_H

#include "engine/component.h"

#include "components/mem_protocol.h"

extern const struct loom_hook loom_routing_hook;
extern const struct loom_hook loom_arbiter_hook;

struct loom_noc_shape {
    uint32_t inputs, outputs; /* of the router or switch */
    uint32_t nodes;           /* of the whole network */
    uint32_t columns, rows;   /* meshes; 0 otherwise */
};

struct loom_routing_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_noc_shape *shape,
                 struct loom_error *err); /* optional */
    /* Output of router `router` for a packet that came in by `input` and
     * goes to node `destination`.  A crossbar has one router and outputs
     * are nodes.  Required. */
    uint32_t (*route)(struct loom_policy *self, uint32_t router, uint32_t input,
                      uint32_t destination);
};

struct loom_arbiter_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_noc_shape *shape,
                 struct loom_error *err); /* optional */
    /* One of the inputs whose bit is set in requests[(inputs + 63) / 64] (at
     * least one is).  Must not change state.  Required. */
    uint32_t (*pick)(struct loom_policy *self, uint32_t output,
                     const uint64_t *requests, loom_cycle now);
    /* `input` was granted `output`.  Optional. */
    void (*granted)(struct loom_policy *self, uint32_t output, uint32_t input);
};

#endif
