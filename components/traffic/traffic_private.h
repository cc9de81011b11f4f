/*
 * The inside of a traffic node, shared by its files:
 *
 *   traffic.c   what it does
 *   describe.c  parameters, their rules, statistics and ports
 */
#ifndef COMPONENTS_TRAFFIC_TRAFFIC_PRIVATE_H
#define COMPONENTS_TRAFFIC_TRAFFIC_PRIVATE_H

#include "engine/component.h"
#include "engine/rng.h"

#include "components/mem_protocol.h"

enum traffic_pattern {
    TRAFFIC_UNIFORM,
    TRAFFIC_TRANSPOSE,
    TRAFFIC_COMPLEMENT,
    TRAFFIC_REVERSE,
    TRAFFIC_SHUFFLE,
    TRAFFIC_TORNADO,
    TRAFFIC_NEIGHBOR,
    TRAFFIC_HOTSPOT,
    TRAFFIC_PERMUTATION,
    TRAFFIC_PATTERNS
};

struct traffic_config {
    uint32_t node, nodes;
    const char *pattern, *kind;
    double rate;
    uint32_t size_bytes, flit_bytes;
    uint64_t warmup, measure, interleave;
    uint32_t queue;
    bool ordered;
    struct loom_list targets;
};

struct traffic_stats {
    uint64_t packets_sent, bytes_sent, refused;
    uint64_t packets_received, bytes_accepted, replies;
    uint64_t overtaken, strangers;
    struct loom_histogram latency;
};

struct traffic_packet {
    loom_cycle made;
    uint32_t destination;
};

/* What has come of a node. */
struct traffic_seen {
    uint64_t sum;  /* of the packets' numbers, from 1 */
    uint32_t next; /* highest number, + 1 */
    uint32_t count;
};

/* The first line of a host's cache is what every tick looks at, the others are
 * for sending. */
struct traffic {
    struct loom_channel *in;     /* port `in`; NULL: not linked */
    loom_cycle arrival;          /* of the next packet; LOOM_NEVER: none */
    loom_cycle start, stop;      /* measured cycles; the load ends */
    struct traffic_seen *seen;   /* [nodes] */
    uint64_t received, accepted; /* packets; bytes in the measured cycles */
    uint32_t count;              /* packets that wait */
    bool reads;

    struct loom_channel *out; /* port `out`; NULL: not linked */
    uint32_t *sequence;       /* [nodes] number of the next packet to a node */
    struct traffic_packet next; /* the first that waits */
    struct loom_rng rng;

    uint64_t sent;
    uint64_t threshold; /* of 53 random bits */
    uint64_t interleave;
    uint32_t nodes, node, fixed;
    uint16_t id;
    uint32_t first, room; /* of the ring of the others, and how many wait */
    struct traffic_packet *queue; /* [room] ring */
    uint16_t size_bytes;
    enum traffic_pattern pattern;

    struct loom_channel *replies, *back; /* of ports `out` and `in` */
    struct traffic_stats *stats;
};

/* ---- describe.c ---- */

enum {
    TRAFFIC_PARAM_COUNT = 13,
    TRAFFIC_STAT_COUNT = 9,
    TRAFFIC_PORT_COUNT = 2
};
extern const struct loom_param traffic_params[TRAFFIC_PARAM_COUNT];
extern const struct loom_stat traffic_stat_table[TRAFFIC_STAT_COUNT];
extern const struct loom_port_decl traffic_ports[TRAFFIC_PORT_COUNT];

enum traffic_pattern traffic_pattern_of(const char *name);
bool traffic_reads(const struct traffic_config *config);
/* Flits of a packet that is sent. */
uint32_t traffic_flits(const struct traffic_config *config);
bool traffic_validate(const void *config, struct loom_error *err);

#endif
