/*
 * A router's ports and virtual channels, and how they lie in memory.
 */
#ifndef COMPONENTS_NETWORK_BLOCK_PRIVATE_H
#define COMPONENTS_NETWORK_BLOCK_PRIVATE_H

#include "components/network/network_private.h"

/* An input's virtual channel. */
struct network_vc {
    uint32_t head;         /* its first flit: packet * 2 + last */
    uint32_t before;       /* place of the output VC that leads here, or NONE */
    uint16_t first, count; /* ring of its flits, of which the first has no
                            * place in the ring; all */
    uint16_t allowed;      /* output VCs that its packet may take; if it asks */
    uint8_t output;        /* of its router; NETWORK_NO_OUTPUT: is not routed */
    uint8_t output_vc;     /* NETWORK_NO_VC: has none yet */
};

/* An output's virtual channel. */
struct network_lane {
    uint32_t to;      /* place of the input VC behind it, or NONE: a sink's */
    uint16_t credits; /* places in the buffer behind it */
    uint16_t owner;   /* slot of the input VC that has it, or NETWORK_NO_SLOT */
};

/* Input and output of one number: what routers look at for every flit. */
struct network_port {
    uint64_t flits;      /* that the output sent */
    uint16_t want_turn;  /* slot that is given a VC first */
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

/* A router's words: masks of its output VCs, as slots: those that nobody has,
 * those with a credit.  The rest of it lies in one block: for each output and
 * need the slots that ask for it, then ports, output VCs and input VCs.  A
 * grid's block has 1024 bytes. */
enum network_state {
    NETWORK_UNOWNED /* [words], then the credited */
};

/* How numbers are put together, where a router's parts are in its block, and
 * what need not be asked.  What is done for every flit is compiled for a
 * common shape with these as constants, and once for all others. */
struct network_shape {
    uint32_t words;                      /* of a mask of slots */
    uint32_t port, vc, ring;             /* shifts */
    uint32_t ports_at, lanes_at, vcs_at; /* bytes */
    uint32_t block; /* its size, a power of 2, as a shift */
    /* One class, routes in a table, any VC, turns for arbiters, links without
     * a period, routing takes a cycle, nothing is speculative. */
    bool plain;
};

static LOOM_INLINE struct network_shape
network_shape_of(uint32_t port, uint32_t vc, uint32_t ring, bool plain)
{
    uint32_t ports = 1u << port, slots = ports << vc;
    uint32_t words = (slots + 63) / 64;
    struct network_shape k = {words, port, vc, ring, 0, 0, 0, 0, plain};

    k.ports_at = (uint32_t)sizeof(uint64_t) * ports * NETWORK_NEEDS * words;
    k.lanes_at = k.ports_at + ports * (uint32_t)sizeof(struct network_port);
    k.vcs_at = k.lanes_at + slots * (uint32_t)sizeof(struct network_lane);
    while (1u << k.block <
           k.vcs_at + slots * (uint32_t)sizeof(struct network_vc)) {
        k.block++;
    }
    return k;
}

static LOOM_INLINE unsigned char *
network_block(unsigned char *blocks, uint32_t router, struct network_shape k)
{
    return blocks + ((size_t)router << k.block);
}

static LOOM_INLINE uint64_t *block_slots(unsigned char *block)
{
    return (void *)block;
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

/* Where in the memory of all blocks the input VC, or the output VC, of this
 * number is, in bytes. */
static LOOM_INLINE uint32_t network_vc_place(uint32_t number,
                                             struct network_shape k)
{
    uint32_t slots = 1u << (k.port + k.vc);

    return (number / slots << k.block) + k.vcs_at +
           number % slots * (uint32_t)sizeof(struct network_vc);
}

static LOOM_INLINE uint32_t network_lane_place(uint32_t number,
                                               struct network_shape k)
{
    uint32_t slots = 1u << (k.port + k.vc);

    return (number / slots << k.block) + k.lanes_at +
           number % slots * (uint32_t)sizeof(struct network_lane);
}

static LOOM_INLINE struct network_vc *network_vc_at(unsigned char *blocks,
                                                    uint32_t place)
{
    return (void *)(blocks + place);
}

static LOOM_INLINE struct network_lane *network_lane_at(unsigned char *blocks,
                                                        uint32_t place)
{
    return (void *)(blocks + place);
}

#endif
