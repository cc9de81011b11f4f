/*
 * The inside of a network, shared by its files:
 *
 *   network.c   its life: what is attached where, ticks
 *   topology.c  who is linked with whom
 *   fabric.c    memory of the routers, links and buffers
 *   events.c    a cycle of the routers: flits, credits and routes that are due
 *   router.c    a cycle of the routers: virtual channels and switches
 *   edge.c      between messages and flits: injection and ejection
 *   describe.c  parameters, statistics, ports and slots
 *   deadlock.c  the no-progress report: channels that wait for each other
 *
 * A fabric is one physical network.  There are two, for requests and for
 * replies, or one for both, in which each class has its virtual channels.
 *
 * Numbers.  Port p of router r, in or out, is r << port_shift | p, and VC v of
 * it is that << vc_shift | v, so that shifts lead from one to the other; "all
 * ports" and "all VCs" count the holes that this leaves.  A slot is a VC's
 * number without that of the router: a bit of the router's masks.
 *
 * A packet's data stay in one place while its flits travel: a flit is the
 * number of its packet and whether it is the last one.
 */
#ifndef COMPONENTS_NETWORK_NETWORK_PRIVATE_H
#define COMPONENTS_NETWORK_NETWORK_PRIVATE_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "policies/dram_hook.h"
#include "policies/noc_hook.h"

enum {
    NETWORK_LINKS = 1024, /* at each of the ports up and down */
    NETWORK_PORTS = 64,   /* of a router: a word of a mask */
    NETWORK_VCS = 16,
    NETWORK_BUFFER = 1024,   /* flits */
    NETWORK_DELAY = 1000,    /* cycles of a link */
    NETWORK_ROUNDS = 8,      /* of a switch in a cycle */
    NETWORK_ROUTES = 1 << 20 /* of a table, in bytes */
};

#define NETWORK_NONE UINT32_MAX
#define NETWORK_NO_VC UINT8_MAX
#define NETWORK_NO_OUTPUT UINT8_MAX

struct network_config {
    const char *topology;
    uint32_t columns, rows, radix, stages, concentration;
    bool shared;
    uint32_t vcs, buffer_flits, flit_bytes;
    uint32_t routing_delay, switch_delay, link_latency, link_period;
    uint32_t credit_delay, eject_flits, internal_speedup;
    bool speculative;
    uint32_t slices_per_channel;
    struct loom_list placement, slices;
};

/* Requests and replies have the same statistics. */
#define NETWORK_DIRECTION(d)                                                   \
    uint64_t d##_packets, d##_packets_out, d##_flits, d##_bytes;               \
    uint64_t d##_hops;                                                         \
    uint64_t d##_kind[LOOM_MEM_KINDS];                                         \
    struct loom_array d##_flits_in, d##_flits_out;                             \
    struct loom_histogram d##_latency

struct network_stats {
    uint64_t cycles, moving_cycles;
    NETWORK_DIRECTION(request);
    NETWORK_DIRECTION(reply);
    struct loom_array request_link_flits, reply_link_flits;
    struct loom_array request_link_stalls, reply_link_stalls;
};

/* Shape of a fabric and who is linked with whom. */
struct network_graph {
    struct loom_noc_shape shape;
    uint32_t ports, routers, sites;
    uint32_t port_shift;
    uint32_t *to;      /* [all ports] input behind an output, or NONE */
    uint32_t *from;    /* [all ports] output before an input, or NONE */
    uint32_t *site_of; /* [all ports] site behind an output, or NONE */
};

/* ---- describe.c ---- */

enum {
    NETWORK_PARAM_COUNT = 21,
    NETWORK_STAT_COUNT = 24,
    NETWORK_PORT_COUNT = 2,
    NETWORK_SLOT_COUNT = 4
};
extern const struct loom_param network_params[NETWORK_PARAM_COUNT];
extern const struct loom_stat network_stat_table[NETWORK_STAT_COUNT];
extern const struct loom_port_decl network_ports[NETWORK_PORT_COUNT];
extern const struct loom_slot_decl network_slots[NETWORK_SLOT_COUNT];

/* ---- topology.c ---- */

bool network_graph_init(struct loom_component *self,
                        struct network_graph *graph, struct loom_error *err);
bool network_validate(const void *config, struct loom_error *err);
/* Input by which a site's flits come, output by which they leave. */
uint32_t network_entry(const struct network_graph *graph, uint32_t site);
uint32_t network_exit(const struct network_graph *graph, uint32_t site);
/* What to call a port in a report. */
void network_port_name(const struct network_graph *graph, uint32_t port,
                       char text[24]);

#endif
