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

/* A router while its cycle is done. */
struct visit {
    struct fabric *f;
    uint32_t router;
    loom_cycle now;
    struct network_port *port; /* the router's .. */
    struct network_vc *vc;
    struct network_lane *lane;
    uint64_t *slots; /* .. who asks for its outputs */
    uint64_t *state; /* .. words, of which these are parts */
    uint64_t *unowned, *credited;
    uint64_t wanted, sending; /* outputs that are asked for */
    uint64_t freed;           /* output VCs, as slots, if they are one word */
};

static LOOM_INLINE struct visit visit_of(struct fabric *f, uint32_t router,
                                         loom_cycle now, struct shape k)
{
    size_t ports = (size_t)router << k.port;
    size_t slots = ports << k.vc;

    struct visit v;

    v.f = f;
    v.router = router;
    v.now = now;
    v.port = f->port + ports;
    v.vc = f->vc + slots;
    v.lane = f->lane + slots;
    v.slots = f->slots + ports * NETWORK_NEEDS * k.words;
    v.state = state_of(f, router, k);
    v.unowned = v.state + NETWORK_UNOWNED;
    v.credited = v.unowned + k.words;
    v.wanted = v.state[NETWORK_WANTS];
    v.sending = v.state[NETWORK_SENDS];
    v.freed = 0;
    return v;
}

/* ---- virtual channel allocation ---- */

/* The input VC of `slot` gets one of the VCs in `free` of `output`: one with a
 * credit if there is one, in turn. */
static LOOM_INLINE void give(struct visit *v, uint32_t output, uint32_t slot,
                             uint32_t free, struct shape k)
{
    struct network_port *port = &v->port[output];
    uint64_t *wants = askers(v->slots, output, NETWORK_WANTS, k);
    uint32_t with = free & vcs_of(v->credited, output, k);
    uint32_t number = next_bit(with != 0 ? with : free, port->grant_vc);
    uint32_t lane = (output << k.vc) + number;

    port->want_turn = (uint16_t)(slot + 1);
    port->grant_vc = (uint8_t)(number + 1);
    v->vc[slot].output_vc = (uint8_t)number;
    v->lane[lane].owner = (uint16_t)slot;
    clear_slot(v->unowned, lane, k);
    clear_slot(wants, slot, k);
    if (no_slot(wants, k)) {
        v->wanted &= ~loom_bit(output);
    }
    if (with != 0) {
        set_slot(askers(v->slots, output, NETWORK_SENDS, k), slot, k);
        v->sending |= loom_bit(output);
    }
    v->f->moved = true;
}

/* .. if one that it may take is free, and its sink, if it is there, has room.
 */
static LOOM_INLINE void try_give(struct visit *v, uint32_t output,
                                 uint32_t slot, struct shape k)
{
    const struct network_vc *vc = &v->vc[slot];
    uint32_t free = vc->allowed & vcs_of(v->unowned, output, k);

    if (free == 0) {
        return;
    }
    if (v->port[output].to == NETWORK_NONE) {
        if (!network_reserve(v->f, vc->head / 2)) {
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
        inputs |= vcs_of(mask, i, shape_of(f)) != 0 ? loom_bit(i) : 0;
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
    const struct shape k = shape_of(f);
    uint64_t left[NETWORK_PORTS * NETWORK_VCS / 64];

    memcpy(left, askers(v->slots, output, NETWORK_WANTS, k),
           k.words * sizeof(*left));
    while (vcs_of(v->unowned, output, k) != 0 && !no_slot(left, k)) {
        uint32_t input =
            arbitrate(v->f, v->router << k.port | output, left, v->now);
        uint32_t slot = (input << k.vc) + loom_lowest(vcs_of(left, input, k));

        clear_slot(left, slot, k);
        try_give(v, output, slot, k);
    }
}

static LOOM_INLINE void allocate_output(struct visit *v, uint32_t output,
                                        struct shape k)
{
    const uint64_t *mask = askers(v->slots, output, NETWORK_WANTS, k);
    uint32_t start = v->port[output].want_turn, left = 0;

    if (k.words == 1 && (mask[0] & (mask[0] - 1)) == 0) {
        try_give(v, output, loom_lowest(mask[0]), k);
        return;
    }
    for (uint32_t w = 0; w < k.words; w++) {
        left += loom_popcount(mask[w]);
    }
    for (; left != 0 && vcs_of(v->unowned, output, k) != 0; left--) {
        uint32_t slot = next_slot(mask, k.words, start);

        start = slot + 1;
        try_give(v, output, slot, k);
    }
}

static LOOM_INLINE void allocate(struct visit *v, struct shape k)
{
    for (uint64_t rest = v->wanted; rest != 0; rest &= rest - 1) {
        uint32_t output = loom_lowest(rest);

        if (!k.plain && v->f->arbiter_ops != NULL) {
            allocate_asking(v, output);
        } else if (vcs_of(v->unowned, output, k) != 0) {
            allocate_output(v, output, k);
        }
    }
}

/* ---- switch allocation and traversal ---- */

/* The last flit of a packet leaves input VC `slot` by output VC `lane`. */
static LOOM_INLINE void finish(struct visit *v, uint32_t slot, uint32_t lane,
                               struct shape k)
{
    struct network_vc *vc = &v->vc[slot];

    vc->output = NETWORK_NO_OUTPUT;
    vc->output_vc = NETWORK_NO_VC;
    v->lane[lane].owner = NETWORK_NO_SLOT;
    if (k.words == 1) {
        v->freed |= loom_bit(lane);
    } else {
        network_set(v->f->freed, lane);
    }
    if (vc->count != 0) {
        schedule(v->f, NETWORK_ROUTE, (v->router << (k.port + k.vc)) + slot, 0);
    }
}

/* What finish() freed can be given in the next cycle. */
static LOOM_INLINE void take_back(struct visit *v, struct shape k)
{
    struct fabric *f = v->f;

    for (uint32_t w = 0; w < k.words; w++) {
        uint64_t freed = k.words == 1 ? v->freed : f->freed[w];

        v->unowned[w] |= freed;
        *f->count[0].hops += loom_popcount(freed & ~(k.plain ? 0 : f->second));
        if (!k.plain && f->classes == 2) {
            *f->count[1].hops += loom_popcount(freed & f->second);
        }
        if (k.words != 1) {
            f->freed[w] = 0;
        }
    }
}

static LOOM_INLINE void send(struct visit *v, uint32_t slot, uint32_t output,
                             struct shape k)
{
    struct fabric *f = v->f;
    struct network_vc *vc = &v->vc[slot];
    uint32_t number = v->router << k.port | output;
    uint32_t flit = vc->head;
    uint32_t lane = (output << k.vc) + vc->output_vc;
    uint32_t to = v->port[output].to, before = v->port[slot >> k.vc].from;
    bool more;

    more = --vc->count != 0;
    if (more) {
        size_t where = ((size_t)v->router << (k.port + k.vc)) + slot;

        vc->head = f->flit[(where << k.ring) + vc->first];
        vc->first = (uint16_t)low(vc->first + 1u, k.ring);
    }
    f->flits[number]++;
    if (to != NETWORK_NONE) {
        schedule(f, NETWORK_ARRIVE, (to << k.vc) + vc->output_vc, flit);
        if (!k.plain && f->paced) {
            f->free_at[number] = v->now + f->config->link_period;
        }
        if (--v->lane[lane].credits == 0) {
            clear_slot(v->credited, lane, k);
            more = false;
        }
    } else {
        schedule(f, NETWORK_EJECT, 0, flit);
    }
    if (before != NETWORK_NONE) {
        schedule(f, NETWORK_CREDIT, (before << k.vc) + low(slot, k.vc), 0);
    }
    if ((flit & 1) != 0) {
        finish(v, slot, lane, k);
        more = false;
    }
    if (!more) {
        uint64_t *sends = askers(v->slots, output, NETWORK_SENDS, k);

        clear_slot(sends, slot, k);
        if (no_slot(sends, k)) {
            v->sending &= ~loom_bit(output);
        }
    }
}

/* Who of those that can send to `output` is granted it; a slot. */
static LOOM_INLINE uint32_t grant(const struct visit *v, uint32_t output,
                                  struct shape k)
{
    struct fabric *f = v->f;
    const uint64_t *mask = askers(v->slots, output, NETWORK_SENDS, k);
    uint32_t input;

    if (k.words == 1 && (mask[0] & (mask[0] - 1)) == 0) {
        return loom_lowest(mask[0]); /* nothing to decide */
    }
    if (k.plain || f->arbiter_ops == NULL) {
        input =
            next_slot(mask, k.words, (uint32_t)v->port[output].turn << k.vc) >>
            k.vc;
    } else {
        input = arbitrate(f, v->router << k.port | output, mask, v->now);
    }
    return (input << k.vc) +
           next_bit(vcs_of(mask, input, k), v->port[input].vc_turn);
}

/* The input of `slot` takes the output that granted it. */
static LOOM_INLINE void accept(struct visit *v, uint32_t slot, uint32_t output,
                               struct shape k)
{
    struct fabric *f = v->f;
    uint32_t input = slot >> k.vc;

    if (k.plain || f->arbiter_ops == NULL) {
        v->port[output].turn = (uint8_t)(input + 1);
    } else if (f->arbiter_ops->granted != NULL) {
        f->arbiter_ops->granted(f->arbiter, v->router * f->ports + output,
                                input);
    }
    v->port[input].accept_turn = (uint8_t)(output + 1);
    v->port[input].vc_turn = (uint8_t)(low(slot, k.vc) + 1);
    send(v, slot, output, k);
}

/* Inputs that several outputs granted take one of them. */
static LOOM_INLINE void accept_one_each(struct visit *v, uint64_t inputs,
                                        uint64_t granted, const uint32_t *slot,
                                        struct shape k)
{
    for (; inputs != 0; inputs &= inputs - 1) {
        uint32_t input = loom_lowest(inputs), output;
        uint64_t offers = 0;

        for (uint64_t rest = granted; rest != 0; rest &= rest - 1) {
            output = loom_lowest(rest);
            offers |= slot[output] >> k.vc == input ? loom_bit(output) : 0;
        }
        output = next_bit(offers, v->port[input].accept_turn);
        accept(v, slot[output], output, k);
        for (offers &= ~loom_bit(output); offers != 0; offers &= offers - 1) {
            v->f->stalls[v->router << k.port | loom_lowest(offers)]++;
        }
    }
}

static LOOM_INLINE void switch_router(struct visit *v, struct shape k)
{
    struct fabric *f = v->f;
    uint32_t slot[NETWORK_PORTS]; /* that an output granted */
    uint64_t inputs = 0, granted = 0;

    for (uint64_t rest = v->sending; rest != 0; rest &= rest - 1) {
        uint32_t output = loom_lowest(rest), input;

        if (!k.plain && f->paced &&
            f->free_at[v->router << k.port | output] > v->now) {
            f->moved = true; /* the link will be free */
            continue;
        }
        slot[output] = grant(v, output, k);
        input = slot[output] >> k.vc;
        granted |= loom_bit(output);
        inputs |= loom_bit(input);
    }
    if (granted == 0) {
        return;
    }
    f->moved = true;
    if (loom_popcount(inputs) != loom_popcount(granted)) {
        accept_one_each(v, inputs, granted, slot, k);
        return;
    }
    for (; granted != 0; granted &= granted - 1) {
        uint32_t output = loom_lowest(granted);

        accept(v, slot[output], output, k);
    }
}

static LOOM_INLINE void all_routers(struct fabric *f, loom_cycle now,
                                    struct shape k)
{
    uint32_t count = (f->routers + 63) / 64;
    bool speculative = f->config->speculative;

    for (uint32_t w = 0; w < count; w++) {
        for (uint64_t rest = f->active[w]; rest != 0; rest &= rest - 1) {
            struct visit v = visit_of(f, w * 64 + loom_lowest(rest), now, k);

            if (!k.plain && speculative) {
                allocate(&v, k);
                switch_router(&v, k);
            } else {
                /* Who gets a VC now may send in the next cycle. */
                switch_router(&v, k);
                allocate(&v, k);
            }
            take_back(&v, k);
            v.state[NETWORK_WANTS] = v.wanted;
            v.state[NETWORK_SENDS] = v.sending;
            if ((v.wanted | v.sending) == 0) {
                f->active[w] &= ~(rest & -rest);
            }
        }
    }
}

static LOOM_NOINLINE void grid_routers(struct fabric *f, loom_cycle now)
{
    all_routers(f, now, grid_shape);
}

static LOOM_NOINLINE void any_routers(struct fabric *f, loom_cycle now)
{
    all_routers(f, now, shape_of(f));
}

void network_routers(struct fabric *f, loom_cycle now)
{
    if (is_grid(f)) {
        grid_routers(f, now);
    } else {
        any_routers(f, now);
    }
}
