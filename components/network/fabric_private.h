/*
 * A fabric, one physical network: packets, virtual channels, ports, events,
 * and what its files do with them.
 */
#ifndef COMPONENTS_NETWORK_FABRIC_PRIVATE_H
#define COMPONENTS_NETWORK_FABRIC_PRIVATE_H

#include "components/network/block_private.h"

/* Where a class counts. */
struct network_counts {
    uint64_t *packets, *packets_out, *flits, *bytes, *hops;
    uint64_t *kind; /* [LOOM_MEM_KINDS] */
    struct loom_array *flits_in, *flits_out;
    struct loom_histogram *latency;
};

/* Two lines of a host's cache, at which only its two ends look. */
struct network_packet {
    _Alignas(64) loom_cycle arrived; /* seen at its link */
    uint32_t next;                   /* in a sink's queue, or among the free */
    uint32_t flits;
    struct loom_mem_request message;
};

/* Events of one kind and one delay: buckets by cycle.  A cycle's are done
 * before those that it makes are written. */
struct network_wheel {
    uint32_t *event; /* [size * bucket] */
    uint32_t *count; /* [size] words */
    uint32_t size, bucket, delay;
};

/* Where messages of a class come from: a link and its site. */
struct network_source {
    struct loom_channel *channel;
    uint32_t packet, left; /* being injected, or NETWORK_NONE; flits to come */
    uint32_t entry;        /* first VC of its class at its input */
    uint16_t vc;           /* on which, or was last, counted in its class */
    uint16_t site;
    bool chosen; /* the packet has its VC */
};

/* Where they go to. */
struct network_sink {
    struct loom_channel *channel;
    uint32_t site;
    uint32_t head, tail; /* complete packets */
    uint32_t flits;      /* reserved, on their way and waiting */
};

enum network_event_kind {
    NETWORK_ARRIVE, /* two words: number of an input VC, flit */
    NETWORK_EJECT,  /* flit at a sink */
    NETWORK_CREDIT, /* place of an output VC, which has one more behind it */
    NETWORK_ROUTE,  /* input VC: the packet behind one that left is routed */
    NETWORK_LOOK,   /* input VC: an arrived head has been routed */
    NETWORK_WHEELS
};

/* Where this cycle's events go. */
struct network_lists {
    uint32_t *next[NETWORK_WHEELS];
};

/* The link by which a message leaves; may write into the message. */
typedef uint32_t network_find(struct loom_component *self, uint32_t link,
                              struct loom_mem_request *message);

/* Credits on their way to a source: place n of a VC may be filled again from
 * home_at[n] on.  Places are made and filled in turn. */
struct network_home {
    uint16_t made, filled;
};

struct fabric {
    struct loom_component *self;
    const struct network_config *config;
    const struct network_graph *graph;
    uint32_t ports, routers;
    uint32_t vcs, class_vcs, classes;
    uint32_t port_shift; /* ports of a router, rounded up, as a power of 2 */
    uint32_t vc_shift;   /* VCs of a port likewise */
    uint32_t ring_shift; /* flits of a VC likewise */
    uint32_t router_words;
    struct network_shape shape;
    unsigned char *block;           /* [routers * shape.block] */
    struct network_tail *tail;      /* [all VCs] */
    uint32_t *flit;                 /* [all VCs << ring_shift] but the heads */
    uint64_t *asked[NETWORK_NEEDS]; /* outputs: see asked_word() */
    uint8_t *route;        /* [routers * sites] outputs, or NULL: ask */
    uint64_t *sent;        /* [all ports] flits that no port counts any more */
    uint64_t *stalls;      /* [all ports] of outputs */
    loom_cycle *free_at;   /* [all ports] next flit; of links with a period, and
                            * behind routers with several rounds in a cycle */
    loom_cycle *credit_at; /* [all ports] next credit, of inputs */
    /* [all VCs] of sources, behind routers with several rounds in a cycle. */
    struct network_home *home;
    loom_cycle *home_at; /* [all VCs << ring_shift] see network_home */
    uint64_t round;
    uint32_t rounds; /* of a cycle */
    bool any_vc, paced;
    bool looks;          /* a head is routed after it has arrived */
    uint16_t all_vcs[2]; /* of each class */
    uint32_t sites;
    uint8_t *stuck; /* [all VCs] for reports */
    struct network_wheel wheel[NETWORK_WHEELS];
    struct network_lists lists;
    struct network_packet *packet;
    uint16_t *aim; /* [packets] site where it leaves * 2 + class */
    uint32_t free, packets;
    struct network_source *source[2]; /* of each class */
    struct network_sink *sink[2];
    uint32_t sources[2], sinks[2];
    uint16_t *link_at[2];   /* [sites] of the sink there */
    uint64_t *pending[2];   /* [(sources + 63) / 64] a message is in its link */
    uint64_t *injecting[2]; /* likewise: a packet is on its way in */
    uint64_t *delivering[2]; /* [(sinks + 63) / 64] complete packets wait */
    loom_cycle *site_used;   /* [sites] cycle + 1 of the last flit injected */
    struct network_counts count[2];
    struct loom_policy *routing, *arbiter;
    const struct loom_routing_ops *routing_ops;
    const struct loom_arbiter_ops *arbiter_ops; /* NULL: turns are kept here */
    struct loom_noc_shape arbiter_shape;
    network_find *find[2];
    struct loom_array *link_flits, *link_stalls; /* statistics */
    bool moved;      /* something happened: look again in the next cycle */
    loom_cycle wake; /* its next event */
};

/* The next place of a source's VC by one of its counters, which moves on. */
static inline loom_cycle *network_next_place(struct fabric *f, uint32_t number,
                                             uint16_t *counter)
{
    loom_cycle *at = &f->home_at[(number << f->ring_shift) + *counter];

    *counter =
        (uint16_t)(*counter + 1u < f->config->buffer_flits ? *counter + 1u : 0);
    return at;
}

struct network {
    struct fabric fabric[2];
    uint32_t fabrics;
    struct network_graph graph;
    struct loom_policy *map;
    const struct loom_map_ops *map_ops;
    uint32_t *port_of; /* [ids] up link of a component, or NETWORK_NONE */
    uint32_t *peer;    /* [up links] component at the other end */
    uint32_t ids, ups, downs;
    uint32_t *link_of; /* [slices] down link of a slice */
    uint32_t slices;
};

static inline void network_set(uint64_t *mask, uint32_t n)
{
    mask[n / 64] |= loom_bit(n % 64);
}

static inline void network_clear(uint64_t *mask, uint32_t n)
{
    mask[n / 64] &= ~loom_bit(n % 64);
}

/* ---- fabric.c ---- */

bool network_fabric_init(struct fabric *f, struct loom_error *err);
/* Where link number i of a class is attached. */
void network_attach_source(struct fabric *f, uint32_t lane, uint32_t i,
                           struct loom_channel *channel, uint32_t site);
void network_attach_sink(struct fabric *f, uint32_t lane, uint32_t i,
                         struct loom_channel *channel, uint32_t site);

/* ---- router.c ---- */

/* A flit comes into the input VC of this number. */
void network_arrive(struct fabric *f, uint32_t number, uint32_t flit);
/* Does the cycle's events. */
void network_events(struct fabric *f, loom_cycle now);
/* The events of a round that is not the cycle's first. */
void network_round_events(struct fabric *f);
/* With several rounds in a cycle, a flit passes a switch in this one: it leaves
 * by the output VC of this number, or makes room in that input VC. */
void network_launch(struct fabric *f, uint32_t number, uint32_t flit);
void network_make_room(struct fabric *f, uint32_t number);
/* From `round` on, when it has been routed, a head asks for an output. */
void network_route(struct fabric *f, uint32_t number, uint64_t round);
/* Ends the cycle's list of new events. */
void network_close_wheels(struct fabric *f, loom_cycle now);
/* Allocates virtual channels and switches, and sends flits. */
void network_routers(struct fabric *f, loom_cycle now);
/* The next cycle with an event, or LOOM_NEVER. */
loom_cycle network_next_event(const struct fabric *f, loom_cycle now);
/* ---- edge.c ---- */

uint32_t network_request_link(struct loom_component *self, uint32_t link,
                              struct loom_mem_request *message);
uint32_t network_reply_link(struct loom_component *self, uint32_t link,
                            struct loom_mem_request *message);
void network_inject(struct fabric *f, loom_cycle now);
/* Sends complete packets. */
void network_deliver(struct fabric *f, loom_cycle now);

/* ---- deadlock.c ---- */

void network_report_fabric(struct fabric *f, const char *what,
                           struct loom_report *report);

#endif
