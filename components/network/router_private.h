/*
 * What the two halves of a router's cycle share, inline: events.c and
 * router.c.
 */
#ifndef COMPONENTS_NETWORK_ROUTER_PRIVATE_H
#define COMPONENTS_NETWORK_ROUTER_PRIVATE_H

#include "components/network/fabric_private.h"

/* How numbers are put together, and what need not be asked.  What is done for
 * every flit is compiled for a common shape with these as constants, and once
 * for all others. */
struct shape {
    uint32_t words;          /* of a mask of slots */
    uint32_t port, vc, ring; /* shifts */
    /* One class, routes in a table, any VC, turns for arbiters, links without
     * a period, routing takes a cycle, nothing is speculative. */
    bool plain;
};

static LOOM_INLINE uint32_t low(uint32_t value, uint32_t bits)
{
    return value & ((1u << bits) - 1);
}

static inline struct shape shape_of(const struct fabric *f)
{
    return (struct shape){f->words, f->port_shift, f->vc_shift, f->ring_shift,
                          false};
}

/* Routers of 5 to 8 ports with 3 or 4 VCs of 5 to 8 flits: meshes and tori. */
static const struct shape grid_shape = {1, 3, 2, 3, true};

static inline bool is_grid(const struct fabric *f)
{
    return f->port_shift == grid_shape.port && f->vc_shift == grid_shape.vc &&
           f->ring_shift == grid_shape.ring && f->plain;
}

static LOOM_INLINE void schedule(struct fabric *f, enum network_event_kind kind,
                                 uint32_t where, uint32_t flit)
{
    *f->wheel[kind].next++ = (struct network_event){where, flit};
}

/* Masks of slots, one router's or one output's: a word of it .. */
static LOOM_INLINE uint32_t word_of(uint32_t slot, struct shape k)
{
    return k.words == 1 ? 0 : slot / 64;
}

static LOOM_INLINE void set_slot(uint64_t *mask, uint32_t slot, struct shape k)
{
    mask[word_of(slot, k)] |= loom_bit(slot % 64);
}

static LOOM_INLINE void clear_slot(uint64_t *mask, uint32_t slot,
                                   struct shape k)
{
    mask[word_of(slot, k)] &= ~loom_bit(slot % 64);
}

static LOOM_INLINE bool no_slot(const uint64_t *mask, struct shape k)
{
    uint64_t any = mask[0];

    for (uint32_t w = 1; w < k.words; w++) {
        any |= mask[w];
    }
    return any == 0;
}

/* .. and the VCs of a port. */
static LOOM_INLINE uint32_t vcs_of(const uint64_t *mask, uint32_t port,
                                   struct shape k)
{
    uint32_t first = port << k.vc;

    return low((uint32_t)(mask[word_of(first, k)] >> first % 64), 1u << k.vc);
}

/* Words of a router. */
static LOOM_INLINE uint64_t *state_of(const struct fabric *f, uint32_t router,
                                      struct shape k)
{
    return f->state + (size_t)router * (NETWORK_NEEDS + 2 * k.words);
}

/* Who asks for output `output` of a router, whose slots these are. */
static LOOM_INLINE uint64_t *askers(uint64_t *slots, uint32_t output,
                                    enum network_need need, struct shape k)
{
    return slots + ((size_t)output * NETWORK_NEEDS + need) * k.words;
}

/* A slot of a router asks for an output from now on. */
static LOOM_INLINE void mark(struct fabric *f, enum network_need need,
                             uint32_t port, uint32_t slot, struct shape k)
{
    uint32_t router = port >> k.port;

    set_slot(askers(f->slots, port, need, k), slot, k);
    state_of(f, router, k)[need] |= loom_bit(low(port, k.port));
    network_set(f->active, router);
}

/* The first bit at or after `start`, around the end; there is one. */
static LOOM_INLINE uint32_t next_bit(uint64_t bits, uint32_t start)
{
    uint64_t later = bits & ~UINT64_C(0) << start % 64;

    return loom_lowest(later != 0 ? later : bits);
}

/* The same for slots; `start` may be the number of the slots. */
static LOOM_INLINE uint32_t next_slot(const uint64_t *mask, uint32_t words,
                                      uint32_t start)
{
    uint32_t w = start / 64 < words ? start / 64 : 0;
    uint64_t bits;

    if (words == 1) {
        return next_bit(mask[0], start);
    }
    bits = mask[w] & ~UINT64_C(0) << start % 64;
    while (bits == 0) {
        w = w + 1 < words ? w + 1 : 0;
        bits = mask[w];
    }
    return w * 64 + loom_lowest(bits);
}

#endif
