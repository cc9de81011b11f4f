/*
 * What the two halves of a router's cycle share, inline: events.c and
 * router.c.
 */
#ifndef COMPONENTS_NETWORK_ROUTER_PRIVATE_H
#define COMPONENTS_NETWORK_ROUTER_PRIVATE_H

#include "components/network/fabric_private.h"

static LOOM_INLINE uint32_t low(uint32_t value, uint32_t bits)
{
    return value & ((1u << bits) - 1);
}

/* Any shape; nothing is taken for granted. */
static LOOM_INLINE struct network_shape any_shape(const struct fabric *f)
{
    struct network_shape k = f->shape;

    k.plain = false;
    return k;
}

/* Routers of 5 to 8 ports with 3 or 4 VCs of 5 to 8 flits: meshes and tori. */
static LOOM_INLINE struct network_shape grid_shape(void)
{
    return network_shape_of(3, 2, 3, true);
}

static inline bool is_grid(const struct fabric *f)
{
    return f->shape.port == grid_shape().port &&
           f->shape.vc == grid_shape().vc &&
           f->shape.ring == grid_shape().ring && f->shape.plain;
}

static LOOM_INLINE void schedule(struct fabric *f, enum network_event_kind kind,
                                 uint32_t where, uint32_t flit)
{
    *f->next[kind]++ = (struct network_event){where, flit};
}

/* Masks of slots, one router's or one output's: a word of it .. */
static LOOM_INLINE uint32_t word_of(uint32_t slot, struct network_shape k)
{
    return k.words == 1 ? 0 : slot / 64;
}

static LOOM_INLINE void set_slot(uint64_t *mask, uint32_t slot,
                                 struct network_shape k)
{
    mask[word_of(slot, k)] |= loom_bit(slot % 64);
}

static LOOM_INLINE void clear_slot(uint64_t *mask, uint32_t slot,
                                   struct network_shape k)
{
    mask[word_of(slot, k)] &= ~loom_bit(slot % 64);
}

static LOOM_INLINE bool no_slot(const uint64_t *mask, struct network_shape k)
{
    uint64_t any = mask[0];

    for (uint32_t w = 1; w < k.words; w++) {
        any |= mask[w];
    }
    return any == 0;
}

/* .. and the VCs of a port. */
static LOOM_INLINE uint32_t vcs_of(const uint64_t *mask, uint32_t port,
                                   struct network_shape k)
{
    uint32_t first = port << k.vc;

    return low((uint32_t)(mask[word_of(first, k)] >> first % 64), 1u << k.vc);
}

/* Whose place this is: the router, and the slot of the VC. */
static LOOM_INLINE uint32_t router_at(uint32_t place, struct network_shape k)
{
    return place >> k.block;
}

static LOOM_INLINE uint32_t vc_slot_at(uint32_t place, struct network_shape k)
{
    return (low(place, k.block) - k.vcs_at) /
           (uint32_t)sizeof(struct network_vc);
}

static LOOM_INLINE uint32_t lane_slot_at(uint32_t place, struct network_shape k)
{
    return (low(place, k.block) - k.lanes_at) /
           (uint32_t)sizeof(struct network_lane);
}

/* Words of a router. */
static LOOM_INLINE uint64_t *state_of(const struct fabric *f, uint32_t router,
                                      struct network_shape k)
{
    return f->state + (size_t)router * 2 * k.words;
}

/* Who asks for output `output` of a router, whose slots these are. */
static LOOM_INLINE uint64_t *askers(uint64_t *slots, uint32_t output,
                                    enum network_need need,
                                    struct network_shape k)
{
    return slots + ((size_t)output * NETWORK_NEEDS + need) * k.words;
}

/* A slot of a router asks for an output from now on. */
static LOOM_INLINE void mark(struct fabric *f, enum network_need need,
                             uint32_t router, uint32_t output, uint32_t slot,
                             struct network_shape k)
{
    uint64_t *slots = block_slots(network_block(f->block, router, k));

    set_slot(askers(slots, output, need, k), slot, k);
    network_set(f->asked[need], router << k.port | output);
}

/* Is there room for a packet at its sink?  Takes it. */
static LOOM_INLINE bool reserve(struct fabric *f, uint32_t packet)
{
    const struct network_packet *p = &f->packet[packet];
    struct network_sink *sink = &f->sink[p->lane][p->link];

    if (sink->flits != 0 && sink->flits + p->flits > f->config->eject_flits) {
        return false;
    }
    sink->flits += p->flits;
    return true;
}

/* A flit has come out at a sink. */
static LOOM_INLINE void eject(struct fabric *f, uint32_t flit)
{
    struct network_packet *p = &f->packet[flit / 2];
    struct network_sink *sink;

    if ((flit & 1) == 0) {
        return;
    }
    sink = &f->sink[p->lane][p->link];
    if (sink->head == NETWORK_NONE) {
        sink->head = flit / 2;
        network_set(f->delivering[p->lane], p->link);
    } else {
        f->packet[sink->tail].next = flit / 2;
    }
    sink->tail = flit / 2;
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
