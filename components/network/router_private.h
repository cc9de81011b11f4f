/*
 * What the two halves of a router's cycle share, inline: events.c and
 * router.c.
 */
#ifndef COMPONENTS_NETWORK_ROUTER_PRIVATE_H
#define COMPONENTS_NETWORK_ROUTER_PRIVATE_H

#include "components/network/fabric_private.h"

/* How numbers are put together.  What is done for every flit is compiled for
 * a few shapes with these as constants, and once for all others. */
struct shape {
    uint32_t words;          /* of a mask of slots */
    uint32_t port, vc, ring; /* shifts */
};

static LOOM_INLINE uint32_t low(uint32_t value, uint32_t bits)
{
    return value & ((1u << bits) - 1);
}

static inline struct shape shape_of(const struct fabric *f)
{
    return (struct shape){f->words, f->port_shift, f->vc_shift, f->ring_shift};
}

/* Routers of 5 to 8 ports with 3 or 4 VCs of 5 to 8 flits: meshes and tori. */
static const struct shape grid_shape = {1, 3, 2, 3};

static inline bool is_grid(const struct fabric *f)
{
    return f->port_shift == grid_shape.port && f->vc_shift == grid_shape.vc &&
           f->ring_shift == grid_shape.ring;
}

static LOOM_INLINE void schedule(struct fabric *f, enum network_event_kind kind,
                                 uint32_t where, uint32_t flit)
{
    *f->wheel[kind].next++ = (struct network_event){where, flit};
}

/* A slot of a router that is active begins to want, or to send to, an
 * output. */
static LOOM_INLINE void mark_output(struct network_masks *masks, uint32_t port,
                                    uint32_t slot, struct shape k)
{
    network_set(masks->slots + (size_t)port * k.words, slot);
    masks->outputs[port >> k.port] |= loom_bit(low(port, k.port));
}

/* .. of any router. */
static LOOM_INLINE void mark(struct fabric *f, struct network_masks *masks,
                             uint32_t port, uint32_t slot, struct shape k)
{
    mark_output(masks, port, slot, k);
    network_set(f->active, port >> k.port);
}

/* .. and ceases to. */
static LOOM_INLINE void unmark(struct network_masks *masks, uint32_t port,
                               uint32_t slot, struct shape k)
{
    uint64_t *mask = masks->slots + (size_t)port * k.words;
    uint64_t rest = 0;

    network_clear(mask, slot);
    for (uint32_t w = 0; w < k.words; w++) {
        rest |= mask[w];
    }
    if (rest == 0) {
        masks->outputs[port >> k.port] &= ~loom_bit(low(port, k.port));
    }
}

/* The first slot at or after `start`, around the end; there is one. */
static LOOM_INLINE uint32_t next_slot(const uint64_t *mask, uint32_t words,
                                      uint32_t start)
{
    uint32_t w = start / 64;
    uint64_t bits = mask[w] & ~UINT64_C(0) << start % 64;

    if (words == 1) {
        return loom_lowest(bits != 0 ? bits : mask[0]);
    }
    while (bits == 0) {
        w = w + 1 < words ? w + 1 : 0;
        bits = mask[w];
    }
    return w * 64 + loom_lowest(bits);
}

/* The same for the bits of one word. */
static LOOM_INLINE uint32_t next_bit(uint64_t bits, uint32_t start)
{
    uint64_t later = start < 64 ? bits & ~UINT64_C(0) << start : 0;

    return loom_lowest(later != 0 ? later : bits);
}

#endif
