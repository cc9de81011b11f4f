/*
 * What the two halves of a router's cycle share, inline: events.c and
 * router.c, and how the second one looks at a router.
 */
#ifndef COMPONENTS_NETWORK_ROUTER_PRIVATE_H
#define COMPONENTS_NETWORK_ROUTER_PRIVATE_H

#include "components/network/fabric_private.h"

/* Before a loop of few iterations that is compiled once for each of them. */
#if defined(__clang__)
#define NETWORK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define NETWORK_UNROLL _Pragma("GCC unroll 8")
#endif

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

/* Routers of 5 ports with 3 or 4 VCs of 5 to 8 flits: meshes and tori. */
static LOOM_INLINE struct network_shape grid_shape(void)
{
    return network_shape_of(5, 2, 3, true);
}

static inline bool is_grid(const struct fabric *f)
{
    return f->shape.ports == grid_shape().ports &&
           f->shape.vc == grid_shape().vc &&
           f->shape.ring == grid_shape().ring && f->shape.plain;
}

static LOOM_INLINE void schedule(struct network_lists *lists,
                                 enum network_event_kind kind, uint32_t event)
{
    *lists->next[kind]++ = event;
}

/* The word of a slot in a mask of slots, one router's or one output's. */
static LOOM_INLINE uint32_t word_of(uint32_t slot, struct network_shape k)
{
    return k.words == 1 ? 0 : slot / 32;
}

static LOOM_INLINE void set_slot(uint32_t *mask, uint32_t slot,
                                 struct network_shape k)
{
    mask[word_of(slot, k)] |= 1u << slot % 32;
}

static LOOM_INLINE void clear_slot(uint32_t *mask, uint32_t slot,
                                   struct network_shape k)
{
    mask[word_of(slot, k)] &= ~(1u << slot % 32);
}

static LOOM_INLINE bool no_slot(const uint32_t *mask, struct network_shape k)
{
    uint32_t any = mask[0];

    for (uint32_t w = 1; w < k.words; w++) {
        any |= mask[w];
    }
    return any == 0;
}

/* The VCs of a port in such a mask. */
static LOOM_INLINE uint32_t vcs_of(const uint32_t *mask, uint32_t port,
                                   struct network_shape k)
{
    uint32_t first = port << k.vc;

    return low(mask[word_of(first, k)] >> first % 32, 1u << k.vc);
}

/* Who asks for output `output` of the router in `block`. */
static LOOM_INLINE uint32_t *askers(unsigned char *block, uint32_t output,
                                    enum network_need need,
                                    struct network_shape k)
{
    return (uint32_t *)(void *)block +
           ((size_t)output * NETWORK_NEEDS + need) * k.words;
}

/* The word of all outputs that are asked for, and the bit in it: 64 routers'
 * outputs of one number, so that loops over them are long; one router's, if
 * these are served one by one. */
static LOOM_INLINE uint64_t *asked_word(const struct fabric *f,
                                        enum network_need need, uint32_t router,
                                        uint32_t output, struct network_shape k)
{
    return f->asked[need] +
           (k.plain ? output * f->router_words + router / 64 : router);
}

static LOOM_INLINE uint64_t asked_bit(uint32_t router, uint32_t output,
                                      struct network_shape k)
{
    return loom_bit(k.plain ? router % 64 : output);
}

/* A slot of a router asks for an output from now on. */
static LOOM_INLINE void mark(const struct fabric *f, enum network_need need,
                             uint32_t router, uint32_t output, uint32_t slot,
                             struct network_shape k)
{
    unsigned char *block = network_block(f->block, router, k);

    set_slot(askers(block, output, need, k), slot, k);
    *asked_word(f, need, router, output, k) |= asked_bit(router, output, k);
}

/* Is there room for a packet at its sink?  Takes it. */
static LOOM_INLINE bool reserve(struct fabric *f, uint32_t packet)
{
    uint32_t lane = f->aim[packet] % 2, flits = f->packet[packet].flits;
    uint32_t link = f->link_at[lane][f->aim[packet] / 2];
    struct network_sink *sink = &f->sink[lane][link];

    if (sink->flits != 0 && sink->flits + flits > f->config->eject_flits) {
        return false;
    }
    sink->flits += flits;
    return true;
}

/* The first bit at or after `start`, around the end; there is one. */
static LOOM_INLINE uint32_t next_bit(uint32_t bits, uint32_t start)
{
    uint32_t later = bits & ~0u << start % 32;

    return (uint32_t)__builtin_ctz(later != 0 ? later : bits);
}

static LOOM_INLINE uint32_t next_port(uint64_t bits, uint32_t start)
{
    uint64_t later = bits & ~UINT64_C(0) << start % 64;

    return loom_lowest(later != 0 ? later : bits);
}

/* The same for slots; `start` may be the number of the slots. */
static LOOM_INLINE uint32_t next_slot(const uint32_t *mask, uint32_t words,
                                      uint32_t start)
{
    uint32_t w = start / 32 < words ? start / 32 : 0;
    uint32_t bits;

    if (words == 1) {
        return next_bit(mask[0], start);
    }
    bits = mask[w] & ~0u << start % 32;
    while (bits == 0) {
        w = w + 1 < words ? w + 1 : 0;
        bits = mask[w];
    }
    return w * 32 + (uint32_t)__builtin_ctz(bits);
}

/* A router whose cycle is done, and what that makes. */
struct visit {
    struct fabric *f;
    loom_cycle now;
    uint32_t router;
    unsigned char *block;
    uint32_t bit;  /* number of the output's in its word of those asked for */
    uint64_t idle; /* bits of outputs by which no slot can send any more */
    uint64_t busy; /* bits of outputs by which one can */
    struct network_lists lists;
    uint16_t
        freed[NETWORK_PORTS]; /* its output VCs, at most one of each output */
    uint32_t frees;           /* how many these are */
    uint64_t hops[2];         /* of each class */
    bool moved;               /* something happened */
};

static LOOM_INLINE void enter(struct visit *v, uint32_t router,
                              struct network_shape k)
{
    v->router = router;
    v->block = network_block(v->f->block, router, k);
}

/* Router `bit` of 64, the first of which is in `group`. */
static LOOM_INLINE void enter_group(struct visit *v, uint32_t w,
                                    unsigned char *group, uint64_t rest,
                                    struct network_shape k)
{
    v->bit = loom_lowest(rest);
    v->router = w * 64 + v->bit;
    v->block = network_block(group, v->bit, k);
}

/* Masks of its output VCs. */
static LOOM_INLINE uint32_t *
state(const struct visit *v, enum network_state state, struct network_shape k)
{
    return block_state(v->block, state, k);
}

static LOOM_INLINE struct network_port *
port_of(const struct visit *v, uint32_t port, struct network_shape k)
{
    return block_ports(v->block, k) + port;
}

static LOOM_INLINE struct network_lane *
lane_of(const struct visit *v, uint32_t slot, struct network_shape k)
{
    return block_lanes(v->block, k) + slot;
}

static LOOM_INLINE struct network_vc *
vc_of(const struct visit *v, uint32_t slot, struct network_shape k)
{
    return block_vcs(v->block, k) + slot;
}

/* The number of a slot among all VCs. */
static LOOM_INLINE uint32_t number_of(const struct visit *v, uint32_t slot,
                                      struct network_shape k)
{
    return v->router << (k.port + k.vc) | slot;
}

#endif
