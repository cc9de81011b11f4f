/*
 * A router's ports and virtual channels, and how they lie in memory.
 */
#ifndef COMPONENTS_NETWORK_BLOCK_PRIVATE_H
#define COMPONENTS_NETWORK_BLOCK_PRIVATE_H

#include "components/network/network_private.h"

/* An input's virtual channel; struct network_tail has what is seldom used. */
struct network_vc {
    uint32_t head;     /* its first flit: packet * 2 + last */
    uint16_t count;    /* its flits */
    uint8_t output;    /* of its router; NETWORK_NO_OUTPUT: is not routed */
    uint8_t output_vc; /* NETWORK_NO_VC: has none yet */
};

/* The rest of it. */
struct network_tail {
    uint16_t first; /* in the ring of its flits, where the head has no place */
    uint16_t allowed; /* output VCs that its packet may take; if it asks */
};

/* An output's virtual channel. */
struct network_lane {
    uint16_t credits; /* places in the buffer behind it */
    uint16_t owner;   /* slot of the input VC that has it, or had it last */
};

/* Input and output of one number: what routers look at for every flit. */
struct network_port {
    uint32_t to; /* number of the first input VC behind the output, or
                  * NONE: a sink's */
    uint32_t
        before; /* place of the first output VC before the input, or NONE */
    uint16_t want_turn;  /* slot that is given a VC first */
    uint16_t flits;      /* that the output sent, less those counted apart */
    uint8_t grant_vc;    /* output VC that is given first */
    uint8_t turn;        /* input that the output grants first */
    uint8_t accept_turn; /* output that the input accepts first */
    uint8_t vc_turn;     /* VC of the input that is granted first */
};

/* Why a slot asks for an output. */
enum network_need {
    NETWORK_WANTS, /* it has no VC yet */
    NETWORK_SENDS, /* it has a VC, a flit and a credit */
    NETWORK_NEEDS
};

/* A router lies in one block: for each output and need the slots that ask for
 * it, then masks of its output VCs, as slots, then ports, output VCs and input
 * VCs.  All routers of a mesh of 8 x 8 take 24 KiB of a host's first cache. */
enum network_state {
    NETWORK_UNOWNED,  /* nobody has it */
    NETWORK_CREDITED, /* it has a credit */
    NETWORK_STATES
};

/* How numbers are put together, where a router's parts are in its block, and
 * what need not be asked.  What is done for every flit is compiled for a
 * common shape with these as constants, and once for all others. */
struct network_shape {
    uint32_t ports;
    uint32_t words;                                 /* of a mask of slots */
    uint32_t port, vc, ring;                        /* shifts */
    uint32_t states_at, ports_at, lanes_at, vcs_at; /* bytes */
    uint32_t block;                                 /* bytes */
    /* One class, routes in a table, any VC, turns for arbiters, links without
     * a period, routing takes a cycle, nothing is speculative, one round. */
    bool plain;
};

static LOOM_INLINE uint32_t network_log2_up(uint32_t least)
{
    return least <= 1 ? 0 : loom_log2(least - 1) + 1;
}

static LOOM_INLINE struct network_shape
network_shape_of(uint32_t ports, uint32_t vc, uint32_t ring, bool plain)
{
    uint32_t slots = ports << vc, words = (slots + 31) / 32;
    struct network_shape k = {.ports = ports,
                              .words = words,
                              .port = network_log2_up(ports),
                              .vc = vc,
                              .ring = ring,
                              .plain = plain};
    uint32_t mask = words * (uint32_t)sizeof(uint32_t);

    k.states_at = ports * NETWORK_NEEDS * mask;
    k.ports_at = k.states_at + NETWORK_STATES * mask;
    k.lanes_at = k.ports_at + ports * (uint32_t)sizeof(struct network_port);
    k.vcs_at = k.lanes_at + slots * (uint32_t)sizeof(struct network_lane);
    k.block = k.vcs_at + slots * (uint32_t)sizeof(struct network_vc);
    k.block = (k.block + 63) / 64 * 64;
    return k;
}

static LOOM_INLINE unsigned char *
network_block(unsigned char *blocks, uint32_t router, struct network_shape k)
{
    return blocks + (size_t)router * k.block;
}

static LOOM_INLINE uint32_t *block_state(unsigned char *block,
                                         enum network_state state,
                                         struct network_shape k)
{
    return (uint32_t *)(void *)(block + k.states_at) + state * k.words;
}

static LOOM_INLINE struct network_port *block_ports(unsigned char *block,
                                                    struct network_shape k)
{
    return (void *)(block + k.ports_at);
}

static LOOM_INLINE struct network_lane *block_lanes(unsigned char *block,
                                                    struct network_shape k)
{
    return (void *)(block + k.lanes_at);
}

static LOOM_INLINE struct network_vc *block_vcs(unsigned char *block,
                                                struct network_shape k)
{
    return (void *)(block + k.vcs_at);
}

/* The input VC of this number of all. */
static LOOM_INLINE struct network_vc *
network_vc_at(unsigned char *blocks, uint32_t number, struct network_shape k)
{
    uint32_t slots = 1u << (k.port + k.vc);

    return block_vcs(network_block(blocks, number / slots, k), k) +
           number % slots;
}

/* Where in the memory of all blocks the output VC of this number is. */
static LOOM_INLINE uint32_t network_lane_place(uint32_t number,
                                               struct network_shape k)
{
    uint32_t slots = 1u << (k.port + k.vc);

    return number / slots * k.block + k.lanes_at +
           number % slots * (uint32_t)sizeof(struct network_lane);
}

static LOOM_INLINE struct network_lane *network_lane_at(unsigned char *blocks,
                                                        uint32_t place)
{
    return (void *)(blocks + place);
}

#endif
