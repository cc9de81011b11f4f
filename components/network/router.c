/*
 * The routers: input-queued, with virtual channels, credits and wormhole flow
 * control (Dally and Towles, Principles and Practices of Interconnection
 * Networks, chapters 13 and 16; the stages are those of BookSim 2's iq_router).
 *
 * A head flit that arrives at cycle t may get a virtual channel of its output
 * at t + routing_delay, and the switch a cycle later (with `speculative` in
 * the same cycle); body flits only need the switch.  A flit that gets the
 * switch at s is at the next router at s + switch_delay + link_latency.
 *
 * Virtual channels.  Each output serves the input VCs that want it in turn,
 * each of which takes the next of the free VCs that it may take, with a credit
 * if one has.  A VC is free for another packet the cycle after its last flit
 * got the switch, so with one VC an output sends at most L flits in L + 1
 * cycles.
 *
 * Switch.  One iteration of iSLIP (McKeown 1999): each output grants the next
 * input in turn that has a flit and a credit for it, each input accepts the
 * next granted output in turn, and turns move on only where that happened.
 *
 * A cycle: events, then virtual channels, then the switch.  What they do to
 * each other's state is seen in the next cycle.
 */
#include <string.h>

#include "components/network/router_private.h"

/* Routers while their cycle is done: those whose ports share a word of the
 * fabric's masks of ports, of which one is looked at. */
struct visit {
    struct fabric *f;
    loom_cycle now;
    uint32_t first; /* port of the word's first bit */
    uint32_t router;
    unsigned char *block;
    uint64_t *state;          /* enum network_state */
    uint64_t wanted, sending; /* outputs that are asked for */
    uint32_t freed[64];       /* output VCs, of all: one for each output .. */
    uint32_t frees;           /* .. at most; how many */
    bool moved;               /* something happened */
};

/* Looks at the router with this bit of the word; returns the port. */
static LOOM_INLINE uint32_t enter(struct visit *v, uint32_t bit,
                                  struct network_shape k)
{
    uint32_t port = v->first + bit;

    v->router = port >> k.port;
    v->block = network_block(v->f->block, v->router, k);
    v->state = state_of(v->f, v->router, k);
    return low(port, k.port);
}

/* The router's first bit in the word, and the bit of one of its ports. */
static LOOM_INLINE uint32_t base_of(const struct visit *v,
                                    struct network_shape k)
{
    return (v->router << k.port) % 64;
}

static LOOM_INLINE uint64_t bit_of(const struct visit *v, uint32_t port,
                                   struct network_shape k)
{
    return loom_bit(((v->router << k.port) + port) % 64);
}

/* All bits of a router whose first one is this. */
static LOOM_INLINE uint64_t router_bits(uint32_t base, struct network_shape k)
{
    return ~UINT64_C(0) >> (64 - (1u << k.port)) << base;
}

/* Masks of its output VCs: those that nobody has, those with a credit. */
static LOOM_INLINE uint64_t *unowned(const struct visit *v)
{
    return v->state + NETWORK_UNOWNED;
}

static LOOM_INLINE uint64_t *credited(const struct visit *v,
                                      struct network_shape k)
{
    return v->state + NETWORK_UNOWNED + k.words;
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

/* ---- virtual channel allocation ---- */

/* The input VC of `slot` gets one of the VCs in `free` of `output`: one with a
 * credit if there is one, in turn. */
static LOOM_INLINE void give(struct visit *v, uint32_t output, uint32_t slot,
                             uint32_t free, struct network_shape k)
{
    struct network_port *port = port_of(v, output, k);
    uint64_t *wants = askers(block_slots(v->block), output, NETWORK_WANTS, k);
    uint32_t with = free & vcs_of(credited(v, k), output, k);
    uint32_t number = next_bit(with != 0 ? with : free, port->grant_vc);
    uint32_t lane = (output << k.vc) + number;

    port->want_turn = (uint16_t)(slot + 1);
    port->grant_vc = (uint8_t)(number + 1);
    vc_of(v, slot, k)->output_vc = (uint8_t)number;
    lane_of(v, lane, k)->owner = (uint16_t)slot;
    clear_slot(unowned(v), lane, k);
    clear_slot(wants, slot, k);
    if (no_slot(wants, k)) {
        v->wanted &= ~bit_of(v, output, k);
    }
    if (with != 0) {
        set_slot(askers(block_slots(v->block), output, NETWORK_SENDS, k), slot,
                 k);
        v->sending |= bit_of(v, output, k);
    }
    v->moved = true;
}

/* .. if one that it may take is free, and its sink, if it is there, has room.
 */
static LOOM_INLINE void try_give(struct visit *v, uint32_t output,
                                 uint32_t slot, struct network_shape k)
{
    const struct network_vc *vc = vc_of(v, slot, k);
    uint32_t free = vcs_of(unowned(v), output, k);

    free &= k.plain ? ~0u : vc->allowed;
    if (free == 0) {
        return;
    }
    if (lane_of(v, output << k.vc, k)->to == NETWORK_NONE) {
        if (!reserve(v->f, vc->head / 2)) {
            return;
        }
    }
    give(v, output, slot, free, k);
}

/* The input that the output's arbiter takes. */
static uint32_t arbitrate(struct fabric *f, uint32_t number,
                          const uint64_t *mask, loom_cycle now)
{
    uint64_t inputs = 0;
    uint32_t input, router = number >> f->port_shift;

    for (uint32_t i = 0; i < f->ports; i++) {
        inputs |= vcs_of(mask, i, any_shape(f)) != 0 ? loom_bit(i) : 0;
    }
    input = f->arbiter_ops->pick(
        f->arbiter, router * f->ports + number - (router << f->port_shift),
        &inputs, now);
    LOOM_CHECK(input < f->ports && (inputs >> input & 1) != 0);
    return input;
}

/* The order is the arbiter's. */
static LOOM_INLINE void allocate_asking(struct visit *v, uint32_t output)
{
    const struct fabric *f = v->f;
    const struct network_shape k = any_shape(f);
    uint64_t left[NETWORK_PORTS * NETWORK_VCS / 64];

    memcpy(left, askers(block_slots(v->block), output, NETWORK_WANTS, k),
           k.words * sizeof(*left));
    while (vcs_of(unowned(v), output, k) != 0 && !no_slot(left, k)) {
        uint32_t input =
            arbitrate(v->f, v->router << k.port | output, left, v->now);
        uint32_t slot = (input << k.vc) + loom_lowest(vcs_of(left, input, k));

        clear_slot(left, slot, k);
        try_give(v, output, slot, k);
    }
}

static LOOM_INLINE void allocate_output(struct visit *v, uint32_t output,
                                        struct network_shape k)
{
    const uint64_t *mask =
        askers(block_slots(v->block), output, NETWORK_WANTS, k);
    uint32_t start = port_of(v, output, k)->want_turn, left = 0;

    if (k.words == 1 && (mask[0] & (mask[0] - 1)) == 0) {
        try_give(v, output, loom_lowest(mask[0]), k);
        return;
    }
    for (uint32_t w = 0; w < k.words; w++) {
        left += loom_popcount(mask[w]);
    }
    for (; left != 0 && vcs_of(unowned(v), output, k) != 0; left--) {
        uint32_t slot = next_slot(mask, k.words, start);

        start = slot + 1;
        try_give(v, output, slot, k);
    }
}

static LOOM_INLINE void allocate(struct visit *v, uint64_t outputs,
                                 struct network_shape k)
{
    for (uint64_t rest = v->wanted & outputs; rest != 0; rest &= rest - 1) {
        uint32_t output = enter(v, loom_lowest(rest), k);

        if (!k.plain && v->f->arbiter_ops != NULL) {
            allocate_asking(v, output);
        } else if (vcs_of(unowned(v), output, k) != 0) {
            allocate_output(v, output, k);
        }
    }
}

/* ---- switch allocation and traversal ---- */

/* The last flit of a packet leaves input VC `slot` by output VC `lane`. */
static LOOM_INLINE void finish(struct visit *v, uint32_t slot, uint32_t lane,
                               struct network_shape k)
{
    struct network_vc *vc = vc_of(v, slot, k);

    vc->output = NETWORK_NO_OUTPUT;
    vc->output_vc = NETWORK_NO_VC;
    lane_of(v, lane, k)->owner = NETWORK_NO_SLOT;
    v->freed[v->frees++] = (v->router << (k.port + k.vc)) + lane;
    if (vc->count != 0) {
        schedule(v->f, NETWORK_ROUTE,
                 (v->router << k.block) + k.vcs_at +
                     slot * (uint32_t)sizeof(*vc),
                 0);
    }
}

/* What finish() freed can be given in the next cycle. */
static LOOM_INLINE void take_back(struct visit *v, struct network_shape k)
{
    struct fabric *f = v->f;
    uint32_t second = 0;

    for (uint32_t i = 0; i < v->frees; i++) {
        uint32_t lane = low(v->freed[i], k.port + k.vc);

        set_slot(state_of(f, v->freed[i] >> (k.port + k.vc), k), lane, k);
        second += k.plain ? 0 : (uint32_t)(f->second >> lane % 64 & 1);
    }
    *f->count[0].hops += v->frees - second;
    if (!k.plain && f->classes == 2) {
        *f->count[1].hops += second;
    }
    v->frees = 0;
}

/* A flit goes to the input VC at `to`, or comes out.  Whether it does is hard
 * to foresee, so this and give_back() do without a branch. */
static LOOM_INLINE void hand_on(struct fabric *f, uint32_t to, uint32_t flit)
{
    uint32_t kind = to != NETWORK_NONE ? NETWORK_ARRIVE : NETWORK_EJECT;

    *f->next[kind]++ = (struct network_event){to, flit};
}

/* A place is free for the output VC at `before`, if there is one. */
static LOOM_INLINE void give_back(struct fabric *f, uint32_t before)
{
    *f->next[NETWORK_CREDIT] = (struct network_event){before, 0};
    f->next[NETWORK_CREDIT] += before != NETWORK_NONE;
}

static LOOM_INLINE void send(struct visit *v, uint32_t slot, uint32_t output,
                             struct network_shape k)
{
    struct fabric *f = v->f;
    struct network_vc *vc = vc_of(v, slot, k);
    uint32_t flit = vc->head;
    uint32_t number = (output << k.vc) + vc->output_vc;
    struct network_lane *lane = lane_of(v, number, k);
    bool more;

    more = --vc->count != 0;
    if (more) {
        size_t where = ((size_t)v->router << (k.port + k.vc)) + slot;

        vc->head = f->flit[(where << k.ring) + vc->first];
        vc->first = (uint16_t)low(vc->first + 1u, k.ring);
    }
    port_of(v, output, k)->flits++;
    hand_on(f, lane->to, flit);
    if (!k.plain && f->paced && lane->to != NETWORK_NONE) {
        f->free_at[v->router << k.port | output] =
            v->now + f->config->link_period;
    }
    lane->credits = (uint16_t)(lane->credits - (lane->to != NETWORK_NONE));
    if (LOOM_UNLIKELY(lane->credits == 0)) {
        clear_slot(credited(v, k), number, k);
        more = false;
    }
    give_back(f, vc->before);
    if ((flit & 1) != 0) {
        finish(v, slot, number, k);
        more = false;
    }
    if (!more) {
        uint64_t *sends =
            askers(block_slots(v->block), output, NETWORK_SENDS, k);

        clear_slot(sends, slot, k);
        v->sending &= ~((uint64_t)no_slot(sends, k)
                        << ((v->router << k.port) + output) % 64);
    }
}

/* Who of those that can send to `output` is granted it; a slot. */
static LOOM_INLINE uint32_t grant(const struct visit *v, uint32_t output,
                                  struct network_shape k)
{
    struct fabric *f = v->f;
    const uint64_t *mask =
        askers(block_slots(v->block), output, NETWORK_SENDS, k);
    uint32_t input;

    if (k.words == 1 && (mask[0] & (mask[0] - 1)) == 0) {
        return loom_lowest(mask[0]); /* nothing to decide */
    }
    if (k.plain || f->arbiter_ops == NULL) {
        input = next_slot(mask, k.words,
                          (uint32_t)port_of(v, output, k)->turn << k.vc) >>
                k.vc;
    } else {
        input = arbitrate(f, v->router << k.port | output, mask, v->now);
    }
    return (input << k.vc) +
           next_bit(vcs_of(mask, input, k), port_of(v, input, k)->vc_turn);
}

/* The input of `slot` takes the output that granted it. */
static LOOM_INLINE void accept(struct visit *v, uint32_t slot, uint32_t output,
                               struct network_shape k)
{
    struct fabric *f = v->f;
    uint32_t input = slot >> k.vc;

    if (k.plain || f->arbiter_ops == NULL) {
        port_of(v, output, k)->turn = (uint8_t)(input + 1);
    } else if (f->arbiter_ops->granted != NULL) {
        f->arbiter_ops->granted(f->arbiter, v->router * f->ports + output,
                                input);
    }
    port_of(v, input, k)->accept_turn = (uint8_t)(output + 1);
    port_of(v, input, k)->vc_turn = (uint8_t)(low(slot, k.vc) + 1);
    send(v, slot, output, k);
}

/* Inputs, as bits of the word, that several outputs granted take one of them.
 * Returns these outputs. */
static LOOM_INLINE uint64_t accept_one_each(struct visit *v, uint64_t inputs,
                                            uint64_t granted,
                                            const uint32_t *slot,
                                            struct network_shape k)
{
    uint64_t done = 0;

    for (; inputs != 0; inputs &= inputs - 1) {
        uint32_t input = enter(v, loom_lowest(inputs), k);
        uint32_t base = base_of(v, k), output;
        uint64_t offers = 0;

        for (uint64_t rest = granted & router_bits(base, k); rest != 0;
             rest &= rest - 1) {
            output = loom_lowest(rest);
            offers |= (uint64_t)(slot[output] >> k.vc == input) << output;
        }
        done |= offers;
        offers >>= base;
        output = next_bit(offers, port_of(v, input, k)->accept_turn);
        accept(v, slot[base + output], output, k);
        for (offers &= ~loom_bit(output); offers != 0; offers &= offers - 1) {
            v->f->stalls[v->router << k.port | loom_lowest(offers)]++;
        }
    }
    return done;
}

static LOOM_INLINE void switch_flits(struct visit *v, uint64_t outputs,
                                     struct network_shape k)
{
    struct fabric *f = v->f;
    uint32_t slot[64]; /* that an output granted */
    uint64_t inputs = 0, twice = 0, granted = 0;

    for (uint64_t rest = v->sending & outputs; rest != 0; rest &= rest - 1) {
        uint32_t bit = loom_lowest(rest), output = enter(v, bit, k);
        uint64_t input;

        if (!k.plain && f->paced && f->free_at[v->first + bit] > v->now) {
            v->moved = true; /* the link will be free */
            continue;
        }
        slot[bit] = grant(v, output, k);
        input = bit_of(v, slot[bit] >> k.vc, k);
        granted |= rest & -rest;
        twice |= inputs & input;
        inputs |= input;
    }
    v->moved = v->moved || granted != 0;
    if (twice != 0) {
        granted &= ~accept_one_each(v, k.plain ? twice : inputs, granted, slot,
                                    k); /* arbiters are told by input */
    }
    for (; granted != 0; granted &= granted - 1) {
        uint32_t bit = loom_lowest(granted), output = enter(v, bit, k);

        accept(v, slot[bit], output, k);
    }
}

/* The routers of some bits of the word; who gets a VC now may send in the next
 * cycle, unless that is `speculative`. */
static LOOM_INLINE void some_routers(struct visit *v, uint64_t bits,
                                     struct network_shape k)
{
    if (!k.plain && v->f->config->speculative) {
        allocate(v, bits, k);
        switch_flits(v, bits, k);
    } else {
        switch_flits(v, bits, k);
        allocate(v, bits, k);
    }
}

/* Plain ones all at once, so that the loops are long; others one by one, as
 * arbiters that are asked in another order might answer otherwise. */
static LOOM_INLINE void all_routers(struct fabric *f, loom_cycle now,
                                    struct network_shape k)
{
    uint32_t ports = f->routers << k.port;
    struct visit v;

    v.f = f;
    v.now = now;
    v.frees = 0;
    v.moved = false;

    for (uint32_t w = 0; w < (ports + 63) / 64; w++) {
        uint64_t any = f->asked[NETWORK_WANTS][w] | f->asked[NETWORK_SENDS][w];

        if (any == 0) {
            continue;
        }
        v.first = w * 64;
        v.wanted = f->asked[NETWORK_WANTS][w];
        v.sending = f->asked[NETWORK_SENDS][w];
        if (k.plain) {
            some_routers(&v, any, k);
            any = 0;
        }
        while (any != 0) {
            uint32_t base = loom_lowest(any) >> k.port << k.port;

            some_routers(&v, router_bits(base, k), k);
            any &= ~router_bits(base, k);
        }
        take_back(&v, k);
        f->asked[NETWORK_WANTS][w] = v.wanted;
        f->asked[NETWORK_SENDS][w] = v.sending;
    }
    f->moved = f->moved || v.moved;
}

static LOOM_NOINLINE void grid_routers(struct fabric *f, loom_cycle now)
{
    all_routers(f, now, grid_shape());
}

static LOOM_NOINLINE void any_routers(struct fabric *f, loom_cycle now)
{
    all_routers(f, now, any_shape(f));
}

void network_routers(struct fabric *f, loom_cycle now)
{
    if (is_grid(f)) {
        grid_routers(f, now);
    } else {
        any_routers(f, now);
    }
}
