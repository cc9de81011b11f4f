/*
 * The questions a network asks: where a packet goes, and who wins an output.
 *
 * Numbers.  A site is a place where something is attached: site s belongs to
 * router s / concentration and is that router's port s % concentration, for
 * what comes in and for what goes out (a butterfly has its inputs at the first
 * stage and its outputs at the last).  The other ports of a router are links:
 *
 *   mesh, torus, ring  after the sites: +x, -x, and with rows +y, -y
 *   point_to_point     after the sites: one to each other router, ascending
 *   butterfly          ports 0 .. radix - 1 of each stage
 */
#ifndef POLICIES_NOC_HOOK_H
#define POLICIES_NOC_HOOK_H

#include "engine/component.h"

#include "components/mem_protocol.h"

extern const struct loom_hook loom_routing_hook;
extern const struct loom_hook loom_arbiter_hook;

enum loom_topology {
    LOOM_CROSSBAR, /* one router; also the component crossbar */
    LOOM_BUTTERFLY,
    LOOM_MESH,
    LOOM_TORUS, /* a ring is a torus of one row */
    LOOM_POINT_TO_POINT
};

struct loom_noc_shape {
    uint32_t inputs, outputs; /* of the router or switch */
    uint32_t nodes;           /* of the whole network: sites */
    uint32_t columns, rows;   /* meshes and tori; 0 otherwise */
    enum loom_topology topology;
    uint32_t routers, concentration;
    uint32_t radix, stages; /* butterflies; 0 otherwise */
    uint32_t vcs;           /* virtual channels of a class; 0: no choice */
    uint32_t slice_links;   /* of a crossbar, to each L2 slice; 0 otherwise */
};

/* Where a packet's head is, for `vcs`. */
struct loom_hop {
    uint32_t router;
    uint32_t input;  /* port by which it came */
    uint32_t vc;     /* on which it came, counted within its class */
    uint32_t output; /* what `route` said */
    uint32_t destination;
};

struct loom_routing_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_noc_shape *shape,
                 struct loom_error *err); /* optional */
    /* Output of router `router` for a packet that came in by `input` and
     * goes to site `destination`.  A crossbar has one router and outputs
     * are sites.  Required. */
    uint32_t (*route)(struct loom_policy *self, uint32_t router, uint32_t input,
                      uint32_t destination);
    /* Of a crossbar with several links to each slice: by which of those of the
     * one that `route` named a request goes, 0 .. slice_links - 1.  Asked in
     * the order in which requests come in.  Optional: 0. */
    uint32_t (*slice_link)(struct loom_policy *self,
                           const struct loom_mem_request *request,
                           uint32_t slice);
    /* Virtual channels of its class that the packet may take on the output:
     * bits 0 .. vcs - 1, at least one.  Optional: all. */
    uint64_t (*vcs)(struct loom_policy *self, const struct loom_hop *hop);
    /* True if `vcs` always says all, for this shape.  Optional: false. */
    bool (*all_vcs)(struct loom_policy *self);
    /* The answer of `route` depends on nothing but router and destination:
     * the host may ask once for each pair. */
    bool by_destination;
};

struct loom_arbiter_ops {
    bool (*bind)(struct loom_policy *self, const struct loom_noc_shape *shape,
                 struct loom_error *err); /* optional */
    /* One of the inputs whose bit is set in requests[(inputs + 63) / 64] (at
     * least one is).  Must not change state.  A network numbers the outputs of
     * all its routers: router * outputs + port.  Required. */
    uint32_t (*pick)(struct loom_policy *self, uint32_t output,
                     const uint64_t *requests, loom_cycle now);
    /* `input` was granted `output`.  Optional. */
    void (*granted)(struct loom_policy *self, uint32_t output, uint32_t input);
    /* A hint: the answer is that of a round robin, the input after the one that
     * was granted last comes first.  The host may then keep turns by itself and
     * not ask. */
    bool in_turn;
};

#endif
