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

/* ---- virtual channel allocation ---- */

/* The input VC of `slot` gets one of the VCs in `free` of `port`: one with a
 * credit if there is one, in turn. */
static LOOM_INLINE void give(struct fabric *f, struct network_vc *vc,
                             uint32_t slot, uint64_t free, struct shape k)
{
    struct network_port *port = &f->port[vc->port];
    uint64_t with = free & port->credited;
    uint32_t number = next_bit(with != 0 ? with : free, port->grant_vc);

    vc->output_vc = (uint16_t)number;
    f->lane[(vc->port << k.vc) + number].owner = slot;
    port->unowned &= (uint16_t)~loom_bit(number);
    port->grant_vc = (uint16_t)(number + 1);
    unmark(&f->wants, vc->port, slot, k);
    if (with != 0) {
        mark_output(&f->sends, vc->port, slot, k); /* the router is active */
    }
    f->moved = true;
}

/* .. if one that it may take is free, and its sink, if it is there, has room.
 */
static LOOM_INLINE void try_give(struct fabric *f, struct network_vc *vc,
                                 uint32_t slot, struct shape k)
{
    struct network_port *port = &f->port[vc->port];
    uint64_t free = vc->allowed & port->unowned;

    if (free == 0) {
        return;
    }
    if (port->to == NETWORK_NONE) {
        size_t ring = (size_t)(vc - f->vc) << k.ring;

        if (!network_reserve(f, f->flit[ring + vc->first] / 2)) {
            return;
        }
    }
    port->want_turn = (uint16_t)(slot + 1 < k.words * 64 ? slot + 1 : 0);
    give(f, vc, slot, free, k);
}

/* The input that the output's arbiter takes. */
static uint32_t arbitrate(struct fabric *f, uint32_t number,
                          const uint64_t *mask, loom_cycle now)
{
    uint64_t inputs = 0;
    uint32_t input, router = number >> f->port_shift;

    for (uint32_t i = 0; i < f->ports; i++) {
        uint32_t first = i << f->vc_shift;
        uint64_t vcs = mask[first / 64] >> first % 64;

        inputs |=
            (vcs & (loom_bit(1u << f->vc_shift) - 1)) != 0 ? loom_bit(i) : 0;
    }
    input = f->arbiter_ops->pick(
        f->arbiter, router * f->ports + number - (router << f->port_shift),
        &inputs, now);
    LOOM_CHECK(input < f->ports && (inputs >> input & 1) != 0);
    return input;
}

/* The order is the arbiter's. */
static void allocate_asking(struct fabric *f, uint32_t router, uint32_t number,
                            loom_cycle now)
{
    uint64_t left[NETWORK_PORTS * NETWORK_VCS / 64], any;
    const uint64_t *mask = f->wants.slots + (size_t)number * f->words;
    struct network_vc *vcs =
        f->vc + ((size_t)router << (f->port_shift + f->vc_shift));

    memcpy(left, mask, f->words * sizeof(*left));
    while (f->port[number].unowned != 0) {
        uint32_t first, slot;
        uint64_t bits;

        any = 0;
        for (uint32_t w = 0; w < f->words; w++) {
            any |= left[w];
        }
        if (any == 0) {
            return;
        }
        first = arbitrate(f, number, left, now) << f->vc_shift;
        bits = left[first / 64] >> first % 64;
        slot = first + loom_lowest(bits);
        network_clear(left, slot);
        try_give(f, &vcs[slot], slot, shape_of(f));
    }
}

static LOOM_INLINE void allocate_output(struct fabric *f, uint32_t router,
                                        uint32_t number, struct shape k)
{
    struct network_port *port = &f->port[number];
    const uint64_t *mask = f->wants.slots + (size_t)number * k.words;
    struct network_vc *vcs = f->vc + ((size_t)router << (k.port + k.vc));
    uint32_t start = port->want_turn, left = 0;

    if (k.words == 1 && (mask[0] & (mask[0] - 1)) == 0) {
        try_give(f, &vcs[loom_lowest(mask[0])], loom_lowest(mask[0]), k);
        return;
    }
    for (uint32_t w = 0; w < k.words; w++) {
        left += loom_popcount(mask[w]);
    }
    for (; left != 0 && port->unowned != 0; left--) {
        uint32_t slot = next_slot(mask, k.words, start);

        start = slot + 1 < k.words * 64 ? slot + 1 : 0;
        try_give(f, &vcs[slot], slot, k);
    }
}

static LOOM_INLINE void allocate(struct fabric *f, uint32_t router,
                                 loom_cycle now, struct shape k)
{
    for (uint64_t rest = f->wants.outputs[router]; rest != 0;
         rest &= rest - 1) {
        uint32_t port = router << k.port | loom_lowest(rest);

        if (LOOM_UNLIKELY(f->arbiter_ops != NULL)) {
            allocate_asking(f, router, port, now);
        } else if (f->port[port].unowned != 0) {
            allocate_output(f, router, port, k);
        }
    }
}

/* ---- switch allocation and traversal ---- */

/* The last flit of a packet leaves input VC `where` for VC `to`. */
static LOOM_INLINE void finish(struct fabric *f, struct network_vc *vc,
                               uint32_t where, uint32_t to, struct shape k)
{
    uint32_t number = low(where, k.vc);

    vc->output_vc = NETWORK_NO_VC;
    vc->asks = false;
    f->returned[f->returned_count++] = to;
    ++*f->count[number >= f->class_vcs].hops;
    if (vc->count != 0) {
        schedule(f, NETWORK_ROUTE, where, 0);
    }
}

static LOOM_INLINE void send(struct fabric *f, uint32_t slot, uint32_t number,
                             loom_cycle now, struct shape k)
{
    struct network_port *port = &f->port[number];
    uint32_t where = number >> k.port << (k.port + k.vc) | slot;
    struct network_vc *vc = &f->vc[where];
    uint32_t flit = f->flit[((size_t)where << k.ring) + vc->first];
    uint32_t to = (number << k.vc) + vc->output_vc;
    uint32_t before = f->port[where >> k.vc].from;
    bool more;

    vc->first = (uint16_t)low(vc->first + 1u, k.ring);
    more = --vc->count != 0;
    port->flits++;
    if (port->to != NETWORK_NONE) {
        schedule(f, NETWORK_ARRIVE, (port->to << k.vc) + vc->output_vc, flit);
        port->free_at = now + f->config->link_period;
        if (--f->lane[to].credits == 0) {
            port->credited &= (uint16_t)~loom_bit(vc->output_vc);
            more = false;
        }
    } else {
        schedule(f, NETWORK_EJECT, 0, flit);
    }
    if (before != NETWORK_NONE) {
        schedule(f, NETWORK_CREDIT, (before << k.vc) + low(where, k.vc), 0);
    }
    if ((flit & 1) != 0) {
        finish(f, vc, where, to, k);
        more = false;
    }
    if (!more) {
        unmark(&f->sends, number, slot, k);
    }
}

/* Who of those that can send to `number` is granted it; a slot. */
static LOOM_INLINE uint32_t grant(struct fabric *f, uint32_t number,
                                  loom_cycle now, struct shape k)
{
    const uint64_t *mask = f->sends.slots + (size_t)number * k.words;
    uint32_t input, first, router = number >> k.port;
    uint64_t vcs;

    if (k.words == 1 && (mask[0] & (mask[0] - 1)) == 0) {
        return loom_lowest(mask[0]); /* nothing to decide */
    }
    if (LOOM_LIKELY(f->arbiter_ops == NULL)) {
        input =
            next_slot(mask, k.words, (uint32_t)f->port[number].turn << k.vc) >>
            k.vc;
    } else {
        input = arbitrate(f, number, mask, now);
    }
    first = input << k.vc;
    vcs = mask[first / 64] >> first % 64 & (loom_bit(1u << k.vc) - 1);
    return first + next_bit(vcs, f->port[router << k.port | input].vc_turn);
}

static LOOM_INLINE void accepted(struct fabric *f, uint32_t router,
                                 uint32_t slot, uint32_t output, struct shape k)
{
    uint32_t input = slot >> k.vc;
    struct network_port *port = &f->port[router << k.port];

    if (LOOM_LIKELY(f->arbiter_ops == NULL)) {
        port[output].turn = (uint16_t)(input + 1 < f->ports ? input + 1 : 0);
    } else if (f->arbiter_ops->granted != NULL) {
        f->arbiter_ops->granted(f->arbiter, router * f->ports + output, input);
    }
    port[input].accept_turn = (uint16_t)(output + 1);
    port[input].vc_turn = (uint16_t)((low(slot, k.vc)) + 1);
}

static LOOM_INLINE void switch_router(struct fabric *f, uint32_t router,
                                      loom_cycle now, struct shape k)
{
    struct network_port *port = &f->port[router << k.port];
    uint64_t offers[NETWORK_PORTS]; /* outputs that grant an input */
    uint32_t slot[NETWORK_PORTS];   /* that an output granted */
    uint64_t inputs = 0, granted = 0;
    bool contested = false;

    for (uint64_t rest = f->sends.outputs[router]; rest != 0;
         rest &= rest - 1) {
        uint32_t o = loom_lowest(rest), input;

        if (f->paced && port[o].free_at > now) {
            f->moved = true; /* the link will be free */
            continue;
        }
        slot[o] = grant(f, router << k.port | o, now, k);
        input = slot[o] >> k.vc;
        granted |= loom_bit(o);
        if ((inputs >> input & 1) == 0) {
            offers[input] = loom_bit(o);
            inputs |= loom_bit(input);
        } else {
            offers[input] |= loom_bit(o);
            contested = true;
        }
    }
    f->moved = f->moved || inputs != 0;
    if (LOOM_LIKELY(!contested)) {
        for (; granted != 0; granted &= granted - 1) {
            uint32_t o = loom_lowest(granted);

            accepted(f, router, slot[o], o, k);
            send(f, slot[o], router << k.port | o, now, k);
        }
        return;
    }
    for (; inputs != 0; inputs &= inputs - 1) {
        uint32_t i = loom_lowest(inputs);
        uint32_t o = next_bit(offers[i], port[i].accept_turn);

        accepted(f, router, slot[o], o, k);
        send(f, slot[o], router << k.port | o, now, k);
        for (uint64_t rest = offers[i] & ~loom_bit(o); rest != 0;
             rest &= rest - 1) {
            port[loom_lowest(rest)].stalls++;
        }
    }
}

static void take_back(struct fabric *f)
{
    for (uint32_t i = 0; i < f->returned_count; i++) {
        uint32_t to = f->returned[i];

        f->lane[to].owner = NETWORK_NONE;
        f->port[to >> f->vc_shift].unowned |=
            (uint16_t)loom_bit(low(to, f->vc_shift));
    }
    f->returned_count = 0;
}

static LOOM_INLINE void all_routers(struct fabric *f, loom_cycle now,
                                    struct shape k)
{
    uint32_t count = (f->routers + 63) / 64;

    for (uint32_t w = 0; w < count; w++) {
        for (uint64_t rest = f->active[w]; rest != 0; rest &= rest - 1) {
            uint32_t router = w * 64 + loom_lowest(rest);

            if (f->config->speculative) {
                allocate(f, router, now, k);
                switch_router(f, router, now, k);
            } else {
                /* Who gets a VC now may send in the next cycle. */
                switch_router(f, router, now, k);
                allocate(f, router, now, k);
            }
            if ((f->sends.outputs[router] | f->wants.outputs[router]) == 0) {
                network_clear(f->active, router);
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
    take_back(f);
}
